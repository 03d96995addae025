package web

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
)

// Every call goes through Playwright's process, which a busy machine starved so that all pages of a browser fell silent
// at once. It has the priority of Chromium's own threads, where that may be given, and the browser that it starts has
// not.
func TestDriverIsNotStarved(t *testing.T) {
	browse(t, "form.html")
	node := shared.launcher.Pid()
	own, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
	Must(t, err)
	plain := browser.PlainPriority - own // what this process has, and what it starts unless that is changed
	want := plain
	if mayHasten(t) && plain == 0 {
		want = browser.Urgent
	}
	if _, nice := parentAndNice(t, node); nice != want {
		t.Errorf("Playwright's process has the priority %d, not %d", nice, want)
	}
	processes, _ := filepath.Glob("/proc/[0-9]*")
	browsers := 0
	for _, dir := range processes {
		id, _ := strconv.Atoi(filepath.Base(dir))
		if parent, nice := parentAndNice(t, id); parent == node {
			if browsers++; nice != plain {
				t.Errorf("the browser %d has the priority %d, not %d", id, nice, plain)
			}
		}
	}
	if browsers == 0 {
		t.Error("Playwright's process has started no browser")
	}
}

// mayHasten reports whether this process may set more than the plain priority (CAP_SYS_NICE).
func mayHasten(t *testing.T) bool {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	Must(t, err)
	_, rest, _ := strings.Cut(string(status), "CapEff:\t")
	var caps uint64
	_, err = fmt.Sscanf(rest, "%x", &caps)
	Must(t, err)
	return caps&(1<<23) != 0
}

// parentAndNice returns two numbers of a process; 0 of one that is gone.
func parentAndNice(t *testing.T, pid int) (parent, nice int) {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	parent, _ = strconv.Atoi(fields[1])
	nice, _ = strconv.Atoi(fields[16])
	return parent, nice
}
