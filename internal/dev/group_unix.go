//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// ownGroup starts a process in a group of its own, to which the terminal sends no signals.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
