//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// cost is what one run took.
type cost struct {
	wall   time.Duration
	cpu    time.Duration // of the process and its descendants, including browsers
	memory int64         // bytes: the maximum of all processes together, except the browser's
}

// run runs a command, which must succeed.
func run(cmd *exec.Cmd) (cost, error) {
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	used, began := usedByChildren(), time.Now()
	if err := cmd.Start(); err != nil {
		return cost{}, err
	}
	end, peak := make(chan struct{}), make(chan int64)
	go func() { peak <- watchMemory(cmd.Process.Pid, end) }()
	err := cmd.Wait()
	c := cost{wall: time.Since(began)}
	close(end)
	c.memory = <-peak
	reap()
	c.cpu = usedByChildren() - used
	if err != nil {
		return c, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, output.Bytes())
	}
	return c, nil
}

// adopt makes this process the parent of orphaned descendants. Otherwise the processor time of a browser would be lost
// if its parent does not wait for it.
func adopt() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// reap waits until no child is left.
func reap() {
	for {
		if _, err := unix.Wait4(-1, nil, 0, nil); err != nil && err != unix.EINTR {
			return
		}
	}
}

// usedByChildren returns the processor time of all descendants that have ended so far.
func usedByChildren() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_CHILDREN, &u); err != nil {
		return 0
	}
	return time.Duration(unix.TimevalToNsec(u.Utime) + unix.TimevalToNsec(u.Stime))
}

// watchMemory returns the maximum memory of a process and its descendants together.
func watchMemory(pid int, end <-chan struct{}) (peak int64) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		peak = max(peak, memoryOf(pid))
		select {
		case <-end:
			return peak
		case <-tick.C:
		}
	}
}

// memoryOf returns the resident memory of a process and its descendants, except browsers. It ignores processes that
// have ended meanwhile.
func memoryOf(pid int) int64 {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	name, _ := os.ReadFile(filepath.Join(dir, "comm"))
	if strings.HasPrefix(string(name), "chrom") || strings.HasPrefix(string(name), "headless_") ||
		strings.HasPrefix(string(name), "firefox") {
		return 0
	}
	var sum int64
	if fields := strings.Fields(readText(filepath.Join(dir, "statm"))); len(fields) > 1 {
		pages, _ := strconv.ParseInt(fields[1], 10, 64)
		sum = pages * int64(os.Getpagesize())
	}
	tasks, _ := filepath.Glob(filepath.Join(dir, "task", "*", "children"))
	for _, task := range tasks {
		for _, child := range strings.Fields(readText(task)) {
			if n, err := strconv.Atoi(child); err == nil {
				sum += memoryOf(n)
			}
		}
	}
	return sum
}

func readText(path string) string {
	text, _ := os.ReadFile(path)
	return string(text)
}

// costs are those of many runs of one side.
type costs []cost

func (c costs) wall() time.Duration { return median(c, func(c cost) time.Duration { return c.wall }) }
func (c costs) cpu() time.Duration  { return median(c, func(c cost) time.Duration { return c.cpu }) }
func (c costs) memory() int64       { return median(c, func(c cost) int64 { return c.memory }) }

func median[T ~int64](list costs, of func(cost) T) T {
	var values []T
	for _, c := range list {
		values = append(values, of(c))
	}
	slices.Sort(values)
	if n := len(values); n%2 == 0 {
		return (values[n/2-1] + values[n/2]) / 2
	}
	return values[len(values)/2]
}
