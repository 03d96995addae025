//go:build !windows

package mailboxtest

import (
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// runAs makes a program run as a user, with a process group of its own.
func runAs(cmd *exec.Cmd, who *user.User) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if syscall.Getuid() != 0 {
		return
	}
	uid, _ := strconv.ParseUint(who.Uid, 10, 32)
	gid, _ := strconv.ParseUint(who.Gid, 10, 32)
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

// stop ends the server with its processes.
func stop(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	_ = cmd.Wait() // it was killed
}
