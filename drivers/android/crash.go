package android

import (
	"bytes"
	"cmp"
	"context"
	"regexp"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

const (
	crashLines = 120
	crashBytes = 16 << 10
)

var (
	_ drivers.CrashWatcher = (*Device)(nil)
	_ drivers.CrashHinter  = (*Device)(nil)
)

// watched is the app that was launched last.
type watched struct {
	pkg, since string
	alarm      bool // the log that goes by has told of its end
}

// crashRest is how long the system may take to write the rest of a report.
const crashRest = 150 * time.Millisecond

// hear looks at a line of the log that goes by.
func (d *Device) hear(line []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.watching.pkg == "" || !bytes.Contains(line, []byte(d.watching.pkg)) {
		return
	}
	m := logRecord.FindSubmatch(bytes.TrimRight(line, "\r\n"))
	if m == nil {
		return
	}
	for _, whose := range []*regexp.Regexp{processLine, anrLine, nativeLine, diedLine} {
		if w := whose.FindSubmatch(m[4]); w != nil && (whose != processLine || string(m[3]) == "AndroidRuntime") {
			name, _, _ := bytes.Cut(w[1], []byte(":"))
			d.watching.alarm = d.watching.alarm || string(name) == d.watching.pkg
		}
	}
}

// CrashSuspected is true once the log that StartLog copies has told of the end of the app that was launched last, and while that log is cut.
func (d *Device) CrashSuspected() bool {
	if d.launched().alarm {
		return true
	}
	return d.LogCut() != nil
}

// launchTime is the phone's time as exactly as it may be had: what crashed a millisecond before the launch does not count.
var launchTime = regexp.MustCompile(`^(\d\d-\d\d \d\d:\d\d:\d\d)(\.\d{3,6})?`)

// watch remembers an app and the phone's time, which the output of its launch begins with.
func (d *Device) watch(pkg string, launched output) {
	date, _, _ := strings.Cut(string(launched.out), "\n")
	since := "" // without a time, the crashes of earlier sessions would count
	if m := launchTime.FindStringSubmatch(date); m != nil {
		since = "'" + m[1] + cmp.Or(m[2], ".000") + "'" // old phones know whole seconds only
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.watching = watched{pkg: pkg, since: since}
}

func (d *Device) launched() watched {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.watching
}

func (d *Device) unwatch(pkg string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.watching.pkg == pkg {
		d.watching = watched{}
	}
}

// Crashed reads what the system has written about the app since its launch: by those tags only, so that it is little.
func (d *Device) Crashed(ctx context.Context) (*drivers.Crash, error) {
	w := d.launched()
	if w.since == "" {
		return nil, nil
	}
	crash, err := d.readCrash(ctx, w)
	if err == nil && crash != nil && strings.Count(crash.Report, "\n") < 2 && crash.Kind != drivers.CrashDied {
		if err := drivers.Pause(ctx, crashRest); err != nil {
			return nil, d.link.fault(ctx, "logcat", err)
		}
		crash, err = d.readCrash(ctx, w)
	}
	if err == nil && crash == nil {
		crash, err = d.complainedOf(ctx, w.pkg)
	}
	if err == nil && crash == nil {
		d.mu.Lock()
		d.watching.alarm = false // it was another process's
		d.mu.Unlock()
	}
	return crash, err
}

func (d *Device) readCrash(ctx context.Context, w watched) (*drivers.Crash, error) {
	o, err := d.run(ctx, command{name: "logcat", asks: true, line: "logcat -d -v threadtime -b main -b system -b crash -T " + w.since +
		" AndroidRuntime:E ActivityManager:I libc:F DEBUG:F '*:S'"})
	if err != nil {
		return nil, err
	}
	return findCrash(string(o.out), w.pkg), nil
}

// logRecord is a line of `logcat -v threadtime`.
var logRecord = regexp.MustCompile(`^\d\d-\d\d \d\d:\d\d:\d\d\.\d+\s+(?:\S+\s+)??(\d+)\s+\d+ ([VDIWEF]) (.*?)\s*: (.*)$`)

var (
	processLine = regexp.MustCompile(`^Process: ([\w.:]+)(?:,|$)`)
	anrLine     = regexp.MustCompile(`^ANR in ([\w.:]+)`)
	nativeLine  = regexp.MustCompile(`>>> ([\w.:]+) <<<`)
	diedLine    = regexp.MustCompile(`^Process ([\w.:]+) \(pid \d+\) has died:? *\(?(?:fore|fg|vis)\s+TOP`)
)

// report is what one process wrote about one crash.
type report struct {
	kind, pid string
	mine      bool
	lines     []string
	done      bool
}

// findCrash gives the first crash of an app, or of a process that belongs to it, in a log. Why a process died counts more than that
// it did.
func findCrash(log, pkg string) *drivers.Crash {
	var all []*report
	open := map[string]*report{} // by tag and pid
	for line := range strings.Lines(log) {
		m := logRecord.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		pid, level, tag, text := m[1], m[2], m[3], m[4]
		key := tag + " " + pid
		if kind := begins(tag, text); kind != "" {
			open[key] = &report{kind: kind, pid: pid}
			all = append(all, open[key])
		}
		r := open[key]
		if r == nil || r.done || tag == "ActivityManager" && level != "E" && r.kind == drivers.CrashANR {
			continue
		}
		r.add(text, pkg)
	}
	var found *report
	for _, r := range all {
		if r.mine && (found == nil || found.kind == drivers.CrashDied && r.kind != drivers.CrashDied) {
			found = r
		}
	}
	if found == nil {
		return nil
	}
	return &drivers.Crash{App: pkg, Kind: found.kind, Reason: found.reason(), Report: found.text()}
}

// begins tells which kind of report a line begins.
func begins(tag, text string) string {
	switch {
	case tag == "AndroidRuntime" && strings.HasPrefix(text, "FATAL EXCEPTION"):
		return drivers.CrashException
	case tag == "ActivityManager" && anrLine.MatchString(text):
		return drivers.CrashANR
	case tag == "ActivityManager" && diedLine.MatchString(text):
		return drivers.CrashDied
	case tag == "DEBUG" && strings.HasPrefix(text, "*** ***"):
		return drivers.CrashNative
	}
	return ""
}

func (r *report) add(text, pkg string) {
	for _, whose := range []*regexp.Regexp{processLine, anrLine, nativeLine, diedLine} {
		if m := whose.FindStringSubmatch(text); m != nil {
			name, _, _ := strings.Cut(m[1], ":")
			r.mine = r.mine || name == pkg
		}
	}
	r.lines = append(r.lines, clip(text, 1000))
	r.done = len(r.lines) >= crashLines || r.kind == drivers.CrashDied
}

func (r *report) text() string { return clip(strings.Join(r.lines, "\n"), crashBytes) }

// reason is the line that says why.
func (r *report) reason() string {
	for _, line := range r.lines {
		switch r.kind {
		case drivers.CrashException:
			if !strings.HasPrefix(line, "FATAL EXCEPTION") && !processLine.MatchString(line) {
				return clip(line, 300)
			}
		case drivers.CrashANR:
			if reason, ok := strings.CutPrefix(line, "Reason: "); ok {
				return clip(reason, 300)
			}
		case drivers.CrashNative:
			if strings.HasPrefix(line, "signal ") || strings.HasPrefix(line, "Abort message:") {
				return clip(line, 300)
			}
		}
	}
	return clip(r.lines[0], 300)
}
