// Package live keeps devices open between the single calls of clients (REST, MCP): an operation of the vocabulary and a
// device's id go in, the device is leased, opened and driven, one call at a time, and what was done or seen comes out.
package live
