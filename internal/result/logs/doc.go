// Package logs reads the logs of devices and pages: when a line was written, by the clock of this machine, and which
// lines report that something went wrong.
package logs
