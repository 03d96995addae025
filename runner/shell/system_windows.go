package shell

import (
	"io/fs"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// owned: the folder lies in the user's own temporary folder, which the system keeps others from.
func owned(fs.FileInfo) bool { return true }

func writable(fs.FileInfo) bool { return false }

// isSocket: a socket is a reparse point, which Go shows as irregular.
func isSocket(info fs.FileInfo) bool { return info.Mode()&(fs.ModeSocket|fs.ModeIrregular) != 0 }

// apart lets a process live on when the console is closed, and hears none of its keys.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true,
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.DETACHED_PROCESS}
}
