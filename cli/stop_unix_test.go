//go:build unix

package cli_test

import "syscall"

// What stops a process, and lets it go on.
const (
	sigstop = syscall.SIGSTOP
	sigcont = syscall.SIGCONT
)
