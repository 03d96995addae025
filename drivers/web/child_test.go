package web

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

// childVariable makes this test binary a process that opens a page and then waits to be killed.
const childVariable = "TAPROOT_TEST_WEB_CHILD"

func child() int {
	d := New(Options{})
	opened, err := d.Open(context.Background(), "web-1")
	if err == nil {
		err = opened.(*Device).OpenPage(context.Background(), os.Getenv(childVariable), drivers.PageOptions{})
	}
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	fmt.Println("open", d.process.pw.Pid())
	select {} // until killed
}

func TestNoProcessOutlivesAKilledOne(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+site.Page("list.html"))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "open ") {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		t.Fatalf("the child says %q (%v)", line, err)
	}
	family := descendants(cmd.Process.Pid)
	if len(family) < 3 {
		t.Errorf("only %d processes under the child: node and Chromium's are missing", len(family))
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	var left []string
	if !until(t.Context(), 20*time.Second, func() bool { left = alive(family); return len(left) == 0 }) {
		t.Errorf("still running after the kill: %v", left)
	}
}

// proc is one process, told from a later one with its number by the time at which it started.
type proc struct {
	pid   int
	start string
}

// descendants lists the processes under pid.
func descendants(pid int) []proc {
	parents := map[int][]proc{}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		id, err := strconv.Atoi(filepath.Base(dir))
		fields := stat(id)
		if err != nil || len(fields) < 20 {
			continue
		}
		parent, _ := strconv.Atoi(fields[1])
		parents[parent] = append(parents[parent], proc{id, fields[19]})
	}
	var list []proc
	for queue := []int{pid}; len(queue) > 0; queue = queue[1:] {
		for _, p := range parents[queue[0]] {
			list = append(list, p)
			queue = append(queue, p.pid)
		}
	}
	return list
}

// stat gives the fields of /proc/pid/stat from the state on.
func stat(pid int) []string {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	return strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
}

func alive(list []proc) []string {
	var left []string
	for _, p := range list {
		if fields := stat(p.pid); len(fields) >= 20 && fields[19] == p.start && fields[0] != "Z" {
			left = append(left, fmt.Sprint(p.pid))
		}
	}
	return left
}
