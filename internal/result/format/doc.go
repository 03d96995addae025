// Package format names the formats of the files that Taproot writes next to the results of tests, refuses those that
// this version does not read, and makes JSON Schemas of them from the types that are written.
package format
