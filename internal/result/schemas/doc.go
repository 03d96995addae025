// Package schemas has a JSON Schema for each file that Taproot writes next to the results of tests: a name goes in, and
// the schema comes out.
package schemas
