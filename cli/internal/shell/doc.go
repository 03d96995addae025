// Package shell keeps the sessions of the command line. Commands arrive over a socket that only the user can access. A
// background process, which keeps browsers and phones open, performs them and returns the results.
package shell
