// Package wholefile writes and reads files of a folder without following links: a file is there as a whole, or not at
// all.
package wholefile
