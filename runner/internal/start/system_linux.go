package start

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// bootID changes with each start of the system, and differs between containers with processes of their own.
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id)) + " " + space
}

// startOf is when a process started, in ticks since the start of the system; "" when there is none.
func startOf(pid int) string {
	_, started := statOf(pid)
	return started
}

// statOf reads the process group and the start of a process.
func statOf(pid int) (group int, started string) {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0, ""
	}
	// The name of the program before the fields can contain anything.
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" {
		return 0, ""
	}
	group, _ = strconv.Atoi(fields[2])
	return group, fields[19]
}

// groupAlive reports whether a process group has a process. One that has ended and that its parent does not wait for
// does not count: in a container, it may stay.
func groupAlive(group int) bool {
	if syscall.Kill(-group, 0) != nil {
		return false
	}
	if own, _ := statOf(group); own == group {
		return true
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return true
	}
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			return false
		}
		own, _ := statOf(pid)
		return own == group
	})
}

// leftovers are the process groups of a server that still run. One belongs to it when its first process started at the
// recorded time, or when a process in it has the server's token in its environment.
func leftovers(n note) (groups []int) {
	if n.Group > 0 && n.Started != "" && startOf(n.Group) == n.Started {
		groups = append(groups, n.Group)
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return groups
	}
	mark := []byte(markName + "=" + n.Token)
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		environ, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if err != nil || !slices.ContainsFunc(bytes.Split(environ, []byte{0}), func(v []byte) bool {
			return bytes.Equal(v, mark)
		}) {
			continue
		}
		if group, _ := statOf(pid); group > 1 && !slices.Contains(groups, group) {
			groups = append(groups, group)
		}
	}
	return groups
}
