// Package client keeps what one client of open devices has, whichever way it speaks (MCP, a shell): references to
// elements, what happened since its last call, the steps that it did as a test, and the fence around texts that others
// wrote.
package client
