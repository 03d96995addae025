package drivertest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Process is one process of this machine, distinguished from a later one with its number by the time at which it
// started.
type Process struct {
	pid   int
	start string
}

// Descendants lists the processes under pid, as /proc has them; where there is no /proc, none.
func Descendants(pid int) []Process {
	parents := map[int][]Process{}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		id, err := strconv.Atoi(filepath.Base(dir))
		fields := processStat(id)
		if err != nil || len(fields) < 20 {
			continue
		}
		parent, _ := strconv.Atoi(fields[1])
		parents[parent] = append(parents[parent], Process{id, fields[19]})
	}
	var list []Process
	for queue := []int{pid}; len(queue) > 0; queue = queue[1:] {
		for _, p := range parents[queue[0]] {
			list = append(list, p)
			queue = append(queue, p.pid)
		}
	}
	return list
}

// Alive returns the numbers and commands of those that still run; one that only waits to be reaped does not.
func Alive(list []Process) []string {
	var left []string
	for _, p := range list {
		if fields := processStat(p.pid); len(fields) >= 20 && fields[19] == p.start && fields[0] != "Z" {
			line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.pid))
			left = append(left, fmt.Sprintf("%d %.80s", p.pid, strings.ReplaceAll(string(line), "\x00", " ")))
		}
	}
	return left
}

// processStat returns the fields of /proc/pid/stat from the state on.
func processStat(pid int) []string {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	return strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
}
