package watch

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/phrase"
)

const (
	measureLimit = 10 * time.Second
	measureBytes = 512 << 10
	// clockTick is the unit of /proc/PID/stat on every Android.
	clockTick = 10 * time.Millisecond
)

// Measure queries everything in one shell call. The process's times come from /proc, because `dumpsys cpuinfo` is often
// not there.
func (w *Watcher) Measure(ctx context.Context) (*drivers.Measurement, error) {
	pkg := w.App.launched().pkg
	if pkg == "" {
		return nil, nil
	}
	o, err := w.Phone.Run(ctx, adb.Command{Name: "measure", ReadOnly: true, Limit: measureLimit, Max: measureBytes,
		Line: fmt.Sprintf(
			"p=$(pidof %[1]s); p=${p%%%% *}; echo pid=$p; [ -n \"$p\" ] && { cat /proc/$p/stat; dumpsys meminfo %[1]s; dumpsys "+
				"gfxinfo %[1]s; }", pkg)})
	if err != nil {
		return nil, err
	}
	return parseMeasurement(pkg, string(o.Out)), nil
}

var (
	pidLine    = lazyregexp.New(`(?m)^pid=(\d+)\r?$`)
	statLine   = lazyregexp.New(`(?m)^\d+ \(.*\) [A-Z] (?:-?\d+ ){10}(\d+) (\d+) `)
	memoryLine = lazyregexp.New(`(?m)^\s*TOTAL(?: PSS)?:?\s+(\d+)`)
	framesLine = lazyregexp.New(`(?m)^\s*Total frames rendered: (\d+)`)
	jankLine   = lazyregexp.New(`(?m)^\s*Janky frames: (\d+)`)
)

// parseMeasurement reads what Measure asked for. It is nil when the app has no process.
func parseMeasurement(pkg, text string) *drivers.Measurement {
	pid := pidLine.FindStringSubmatch(text)
	if pid == nil {
		return nil
	}
	m := &drivers.Measurement{App: pkg, At: time.Now()}
	m.Process, _ = strconv.Atoi(pid[1])
	if t := statLine.FindStringSubmatch(text); t != nil {
		user, _ := strconv.ParseInt(t[1], 10, 64)
		system, _ := strconv.ParseInt(t[2], 10, 64)
		m.CPU = time.Duration(user+system) * clockTick
	}
	number := func(line *lazyregexp.Regexp) *int64 {
		found := line.FindStringSubmatch(text)
		if found == nil {
			return nil
		}
		n, err := strconv.ParseInt(strings.TrimSpace(found[1]), 10, 64)
		if err != nil {
			return nil
		}
		return &n
	}
	m.MemoryKB, m.Frames, m.JankyCount = number(memoryLine), number(framesLine), number(jankLine)
	return m
}

// Identify queries the package manager for the version of the app that was launched last.
func (w *Watcher) Identify(ctx context.Context) (*drivers.Identity, error) {
	pkg := w.App.launched().pkg
	if pkg == "" {
		return nil, nil
	}
	o, err := w.Phone.Run(ctx, adb.Command{Name: "dumpsys package", ReadOnly: true, Line: "dumpsys package " + pkg})
	if err != nil {
		return nil, err
	}
	id := &drivers.Identity{ID: pkg}
	if m := phone.VersionName.FindSubmatch(o.Out); m != nil {
		id.Version = phrase.LimitBytes(string(m[1]), 100)
	}
	return id, nil
}
