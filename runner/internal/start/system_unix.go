//go:build unix

package start

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the process the leader of a new process group: a Ctrl-C at the terminal does not reach it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func terminateGroup(group int) { _ = syscall.Kill(-group, syscall.SIGTERM) }

func killGroup(group int) { _ = syscall.Kill(-group, syscall.SIGKILL) }
