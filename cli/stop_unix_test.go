//go:build unix

package cli_test

import "syscall"

// Signals that stop a process, and let it continue.
const (
	sigstop = syscall.SIGSTOP
	sigcont = syscall.SIGCONT
)
