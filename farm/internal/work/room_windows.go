package work

import "syscall"

// diskFull is ERROR_DISK_FULL, which Windows returns instead of ENOSPC.
const diskFull = syscall.Errno(112)
