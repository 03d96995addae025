// Package mcpserver lets AI coding assistants drive devices: it speaks the Model Context Protocol over a reader and a
// writer, offers 37 tools over the same drivers and performers as tests have, and writes down what was done as a test.
package mcpserver
