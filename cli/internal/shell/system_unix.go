//go:build unix

package shell

import (
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// owned reports whether a file belongs to this user.
func owned(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}

// writable reports whether other users may write to a folder.
func writable(info fs.FileInfo) bool { return info.Mode().Perm()&0o022 != 0 }

func isSocket(info fs.FileInfo) bool { return info.Mode()&fs.ModeSocket != 0 }

// detachProcess starts a process in a new session: it survives the terminal and receives none of its keys.
func detachProcess(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
