package feed

import (
	"os"

	"golang.org/x/sys/unix"
)

// countsUnread reports whether the system says how much of a pipe was not read.
const countsUnread = true

// inPipe is the number of bytes in a pipe.
func inPipe(pipe *os.File) int {
	n := 0
	raw, err := pipe.SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) { n, _ = unix.IoctlGetInt(int(fd), unix.TIOCINQ) }) // 0 with an error
	}
	if err != nil {
		return 0
	}
	return n
}
