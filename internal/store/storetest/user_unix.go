//go:build unix

package storetest

import (
	"os/exec"
	"syscall"
)

// runAs makes a program run as another user and group; zero: as the user of the test.
func runAs(cmd *exec.Cmd, who [2]uint32) {
	if who != [2]uint32{} {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: who[0], Gid: who[1]}}
	}
}
