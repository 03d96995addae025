// Package cli is the command line: arguments, environment and standard streams go in, an exit code comes out. The
// commands are in the packages below internal, by what people do with them; commands.go lists them.
package cli
