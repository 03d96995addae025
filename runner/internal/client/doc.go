// Package client keeps the state of one client of open devices, for every interface (MCP, the shell): references to
// elements, what happened since its last call, its steps as a test, and the fence around texts from pages and screens.
package client
