package cli_test

import "syscall"

// Windows has no such signals, and rejects them.
const (
	sigstop = syscall.Signal(19)
	sigcont = syscall.Signal(18)
)
