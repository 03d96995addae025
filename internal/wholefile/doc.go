// Package wholefile writes and reads files of a folder without following links. Writes are atomic.
package wholefile
