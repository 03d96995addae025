//go:build unix && !linux

package start

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// bootID changes with each start of the system.
func bootID() string {
	at, err := unix.SysctlTimeval("kern.boottime")
	if err != nil {
		return ""
	}
	return strconv.FormatInt(at.Sec, 10)
}

// ps runs ps. Times are the same for users with other languages and time zones, and in summer and winter.
func ps(args ...string) ([]byte, error) {
	cmd := exec.Command("ps", args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "TZ=UTC")
	return cmd.Output()
}

// startOf is when a process started; "" when there is none.
func startOf(pid int) string {
	out, err := ps("-o", "lstart=", "-p", strconv.Itoa(pid))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// groupAlive reports whether a process group has a process.
func groupAlive(group int) bool { return syscall.Kill(-group, 0) == nil }

// leftovers are the process groups of a server that still run. One belongs to it when its first process started at the
// recorded time, or when a process in it has the server's token in its environment.
func leftovers(n note) (groups []int) {
	if n.Group > 0 && n.Started != "" && startOf(n.Group) == n.Started {
		groups = append(groups, n.Group)
	}
	out, err := ps("-E", "-ww", "-x", "-o", "pgid=,command=")
	if err != nil {
		return groups
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || !slices.Contains(fields, markName+"="+n.Token) {
			continue
		}
		if group, err := strconv.Atoi(fields[0]); err == nil && group > 1 && !slices.Contains(groups, group) {
			groups = append(groups, group)
		}
	}
	return groups
}
