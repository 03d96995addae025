// Package shell keeps the lasting sessions of the command line: commands go in over a socket of the user's, a
// background process that holds browsers and phones open performs them, and what came of each comes out.
package shell
