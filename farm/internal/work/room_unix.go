//go:build unix

package work

import "syscall"

const diskFull = syscall.ENOSPC
