//go:build unix

package chromiumtest

import (
	"os/exec"
	"syscall"
)

// asGroup makes a program start a process group: Debian's Chromium is a script that starts the browser.
func asGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills the program with all processes that it has started.
func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
