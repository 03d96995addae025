// Package html turns the results of cases and runs into pages that a browser opens from the disk, without a network or
// a server.
package html
