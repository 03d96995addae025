// Package session has the commands of the shell's sessions: open, do, snapshot, save, close, and one for each action; a
// command line goes in, a request to the background process or to a REST server comes out.
package session
