//go:build unix

package storetest

import (
	"os/exec"
	"syscall"
)

// runAs lets another user and group run a program; zero: who runs the test.
func runAs(cmd *exec.Cmd, who [2]uint32) {
	if who != [2]uint32{} {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: who[0], Gid: who[1]}}
	}
}
