// Package live keeps devices open between the single calls of clients (REST, MCP). It takes an action and a device's
// ID, leases and opens the device, performs one call at a time, and returns what was done or seen.
package live
