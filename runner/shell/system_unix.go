//go:build unix

package shell

import (
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// owned tells whether a file is this user's.
func owned(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}

// writable tells whether others may write to a folder.
func writable(info fs.FileInfo) bool { return info.Mode().Perm()&0o022 != 0 }

func isSocket(info fs.FileInfo) bool { return info.Mode()&fs.ModeSocket != 0 }

// apart lets a process live on when the terminal is closed, and hears none of its keys.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
