package browser

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// browsersOf returns the browsers that Playwright's process has started and that have not ended. Each has a process
// group of its own, with its own number.
func browsersOf(pid int) []int {
	var list []int
	files, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is right
	for _, file := range files {
		text, _ := os.ReadFile(file)                                                        // it may have ended
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:])) // state, parent, group
		if len(fields) < 3 || fields[1] != strconv.Itoa(pid) {
			continue
		}
		if own := filepath.Base(filepath.Dir(file)); fields[2] == own {
			id, _ := strconv.Atoi(own)
			list = append(list, id)
		}
	}
	return list
}

// killBrowsers ends browsers with all their processes, also those that are stopped.
func killBrowsers(list []int) {
	for _, id := range list {
		_ = syscall.Kill(-id, syscall.SIGKILL) // fails if it has ended
	}
}
