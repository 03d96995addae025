// Package logs reads the logs of devices and pages: when, by the clock of this machine, a line was written, and which
// lines tell of something that went wrong.
package logs
