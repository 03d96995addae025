// Package html turns the results of cases and runs into pages that a browser opens from the disk, without network or
// server.
package html
