// Package cli is the command line: arguments, environment and standard streams go in, an exit code comes out; one file
// per command.
package cli
