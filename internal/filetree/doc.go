// Package filetree finds the folder of a project, and writes and reads files of a folder without following links.
// Writes are atomic.
package filetree
