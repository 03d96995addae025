// Package live keeps devices open between the single calls of clients (REST, MCP). The code is in
// runner/internal/live; this is what other folders need of it.
package live
