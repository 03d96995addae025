//go:build unix

package chromiumtest

import (
	"os/exec"
	"syscall"
)

// asGroup has a program begin a group of processes: Debian's Chromium is a script that starts the browser.
func asGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends the program with all that it has started.
func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
