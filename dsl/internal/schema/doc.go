// Package schema describes the vocabulary for other programs and for readers: as JSON Schemas and as the reference in
// Markdown.
package schema
