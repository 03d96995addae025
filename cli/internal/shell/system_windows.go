package shell

import (
	"io/fs"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// owned returns true: the folder is in the user's own temporary folder, which other users cannot access.
func owned(fs.FileInfo) bool { return true }

func writable(fs.FileInfo) bool { return false }

// isSocket reports whether a file is a socket: a reparse point, which Go reports as irregular.
func isSocket(info fs.FileInfo) bool { return info.Mode()&(fs.ModeSocket|fs.ModeIrregular) != 0 }

// detachProcess starts a process in a new group: it survives the console and receives none of its keys.
func detachProcess(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true,
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.DETACHED_PROCESS}
}
