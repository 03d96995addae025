// Package server is the server that taproot serve runs: the REST API, the console, Studio and MCP behind one listener.
// Requests are admitted, find their project, and become calls of its devices and runs; see the packages below internal.
package server
