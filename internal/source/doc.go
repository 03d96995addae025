// Package source reads YAML and JSON of strangers: bytes go in, a Value comes out, of which every part knows its place,
// or an error that shows the line and says how to fix it. It also formats a file (Format).
package source
