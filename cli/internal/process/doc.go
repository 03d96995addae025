// Package process is what every command gets from its process and returns to it: arguments, streams, settings and the
// build go in, exit codes and usage errors come out.
package process
