package watch

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/phrase"
)

// App is the app that was launched last.
type App struct {
	mu       sync.Mutex
	watching watched
}

// Watcher watches the app that was launched last: its log, its crashes, and what is in front of it.
type Watcher struct {
	Phone *phone.Phone
	App   *App

	mu     sync.Mutex
	logged *logStream // the log that was started last
}

const (
	crashLines = 120
	crashBytes = 16 << 10
)

// watched is the app that was launched last.
type watched struct {
	pkg, since string
	alarm      bool // the log has reported its end
}

// crashRest is how long the system may take to write the rest of a report.
const crashRest = 150 * time.Millisecond

// hear looks at a line of the log that goes by.
func (l *App) hear(line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.watching.pkg == "" || !bytes.Contains(line, []byte(l.watching.pkg)) {
		return
	}
	m := logRecord.FindSubmatch(bytes.TrimRight(line, "\r\n"))
	if m == nil {
		return
	}
	for _, whose := range []*lazyregexp.Regexp{processLine, anrLine, nativeLine, diedLine} {
		if w := whose.FindSubmatch(m[4]); w != nil && (whose != processLine || string(m[3]) == "AndroidRuntime") {
			l.watching.alarm = l.watching.alarm || named(string(w[1]), l.watching.pkg)
		}
	}
}

// CrashSuspected is true once the log that StartLog copies has reported the end of the app that was launched last, and
// while that log is cut.
func (w *Watcher) CrashSuspected() bool {
	if w.App.launched().alarm {
		return true
	}
	return w.LogCut() != nil
}

// launchTime is the phone's time as exactly as it may be had: what crashed a millisecond before the launch does not
// count.
var launchTime = lazyregexp.New(`^(\d\d-\d\d \d\d:\d\d:\d\d)(\.\d{3,6})?`)

// Launched remembers an app and the phone's time, with which the output of its launch starts.
func (l *App) Launched(pkg string, launched adb.Output) {
	date, _, _ := strings.Cut(string(launched.Out), "\n")
	since := "" // without a time, the crashes of earlier sessions would count
	if m := launchTime.FindStringSubmatch(date); m != nil {
		since = "'" + m[1] + cmp.Or(m[2], ".000") + "'" // old phones know whole seconds only
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watching = watched{pkg: pkg, since: since}
}

func (l *App) launched() watched {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.watching
}

// falseAlarm notes that the end which the log reported was another process's.
func (l *App) falseAlarm() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watching.alarm = false
}

func (l *App) Forget(pkg string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.watching.pkg == pkg {
		l.watching = watched{}
	}
}

// Crashed reads what the system has written about the app since its launch: by those tags only, so that it is little.
// An error means that it is not known, and never that there was no crash.
func (w *Watcher) Crashed(ctx context.Context) (*drivers.Crash, error) {
	app := w.App.launched()
	if app.pkg == "" {
		return nil, nil
	}
	crash, err := w.readCrash(ctx, app)
	if err == nil && crash != nil && strings.Count(crash.Report, "\n") < 2 && crash.Kind != drivers.CrashDied {
		if err := drivers.Pause(ctx, crashRest); err != nil {
			return nil, w.Phone.Link.Fault(ctx, "logcat", err)
		}
		crash, err = w.readCrash(ctx, app)
	}
	if crash == nil && ctx.Err() == nil {
		complained, askErr := w.complainedOf(ctx, app.pkg)
		if crash = complained; crash != nil {
			err = nil
		} else if err == nil {
			err = askErr
		}
	}
	if err == nil && crash == nil {
		w.App.falseAlarm()
	}
	return crash, err
}

// crashTags are the tags of log lines about a crash.
const crashTags = " AndroidRuntime:E ActivityManager:I libc:F DEBUG:F '*:S'"

// readCrash requests the buffers by name, and once more without names where a phone does not have them all.
func (w *Watcher) readCrash(ctx context.Context, app watched) (*drivers.Crash, error) {
	if app.since == "" {
		return nil, fmt.Errorf(
			"device %s: when %s was launched is not known, for its clock could not be read: its log was not checked for a "+
				"crash", w.Phone.Link.Serial, app.pkg)
	}
	var last adb.Output
	for _, buffers := range []string{"-b main -b system -b crash ", ""} {
		o, err := w.Phone.Run(ctx, adb.Command{Name: "logcat", ReadOnly: true, Line: "logcat -d -v threadtime " + buffers +
			"-T " +
			app.since + crashTags})
		if err != nil {
			return nil, err
		}
		crash := FindCrash(string(o.Out), app.pkg)
		if crash != nil || o.Code == 0 && (len(o.Out) > 0 || len(bytes.TrimSpace(o.Errs)) == 0) {
			return crash, nil
		}
		last = o
	}
	return nil, fmt.Errorf("device %s: its log cannot be read, so it was not checked for a crash: logcat: %s",
		w.Phone.Link.Serial, adb.Output{Errs: last.Errs, Code: last.Code}.Reason())
}

// logRecord is a line of `logcat -v threadtime`.
var logRecord = lazyregexp.New(`^\d\d-\d\d \d\d:\d\d:\d\d\.\d+\s+(?:\S+\s+)??(\d+)\s+\d+ ([VDIWEF]) (.*?)\s*: (.*)$`)

var (
	processLine = lazyregexp.New(`^Process: ([\w.:]+)(?:,|$)`)
	anrLine     = lazyregexp.New(`^ANR in ([\w.:]+)`)
	nativeLine  = lazyregexp.New(`>>> ([\w.:]+) <<<`)
	diedLine    = lazyregexp.New(`^Process ([\w.:]+) \(pid \d+\) has died:? *\(?(?:fore|fg|vis)\s+TOP`)
	startLine   = lazyregexp.New(`^Start proc (\d+):([\w.:]+)/(u\d+[ai]\d+)\S* for (.*)`)
	signalLine  = lazyregexp.New(`^Fatal signal \d+ .* pid (\d+) \(([^)]*)\)`)
	tombPid     = lazyregexp.New(`^pid: (\d+),`)
)

// report is what one process wrote about one crash.
type report struct {
	kind  string
	tag   string
	pid   string // of the process that a signal ended
	mine  bool
	lines []string
	done  bool
}

// crashReader finds the reports about an app in a log.
type crashReader struct {
	pkg  string
	all  []*report
	open map[string]*report // by tag and pid
	pids map[string]bool    // of the app's processes that were started meanwhile
	uid  string             // that they have
	uids map[string]string  // of processes, by their names
}

// FindCrash returns the first crash of an app, or of a process that belongs to it, in a log. Why a process died counts
// more than that it did.
func FindCrash(log, pkg string) *drivers.Crash {
	c := &crashReader{pkg: pkg, open: map[string]*report{}, pids: map[string]bool{}, uids: map[string]string{}}
	for line := range strings.Lines(log) {
		if m := logRecord.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
			c.read(m[1], m[2], m[3], m[4])
		}
	}
	found := c.first()
	if found == nil {
		return nil
	}
	return &drivers.Crash{App: pkg, Kind: found.kind, Reason: found.reason(), Report: found.text()}
}

func (c *crashReader) read(pid, level, tag, text string) {
	key := tag + " " + pid
	if tag == "ActivityManager" {
		c.started(text)
	}
	if kind := reportKind(tag, text); kind != "" {
		c.open[key] = &report{kind: kind, tag: tag}
		c.all = append(c.all, c.open[key])
	}
	r := c.open[key]
	if r == nil || r.done || tag == "ActivityManager" && level != "E" && r.kind == drivers.CrashANR {
		return
	}
	r.lines = append(r.lines, phrase.LimitBytes(text, 1000))
	r.done = len(r.lines) >= crashLines || r.kind == drivers.CrashDied
	for _, whose := range []*lazyregexp.Regexp{processLine, anrLine, nativeLine, diedLine} {
		if m := whose.FindStringSubmatch(text); m != nil {
			r.mine = r.mine || c.owns(m[1])
		}
	}
	if m := tombPid.FindStringSubmatch(text); m != nil && tag == "DEBUG" {
		r.pid = m[1]
	}
	if m := signalLine.FindStringSubmatch(text); m != nil && tag == "libc" {
		r.pid, r.done = m[1], true
		// The kernel's name of a process is the end of its own.
		r.mine = c.pids[m[1]] || m[2] == c.pkg || len(m[2]) == 15 && strings.HasSuffix(c.pkg, m[2])
	}
}

// started notes which processes are the app's: those with its name, and those that have its user, whatever they are
// called.
func (c *crashReader) started(text string) {
	m := startLine.FindStringSubmatch(text)
	if m == nil {
		return
	}
	c.uids[m[2]] = m[3]
	if named(m[2], c.pkg) || strings.Contains(m[4], "{"+c.pkg+"/") {
		c.uid, c.pids[m[1]] = m[3], true
	}
}

func (c *crashReader) owns(process string) bool {
	return named(process, c.pkg) || c.uid != "" && c.uids[process] == c.uid
}

// named reports whether a process's name is an app's, or that of another process of it ("com.a:remote").
func named(process, pkg string) bool {
	name, _, _ := strings.Cut(process, ":")
	return name == pkg
}

// first is the report that counts. What a dying process says of itself is only a beginning where the system has written
// a tombstone.
func (c *crashReader) first() *report {
	tombs := map[string]bool{}
	for _, r := range c.all {
		if r.tag == "DEBUG" && r.pid != "" {
			tombs[r.pid] = true
		}
	}
	var found *report
	for _, r := range c.all {
		if r.mine && (r.tag != "libc" || !tombs[r.pid]) && (found == nil || found.kind == drivers.CrashDied &&
			r.kind != drivers.CrashDied) {
			found = r
		}
	}
	return found
}

// reportKind returns which kind of report a line starts.
func reportKind(tag, text string) string {
	switch {
	case tag == "AndroidRuntime" && strings.HasPrefix(text, "FATAL EXCEPTION"):
		return drivers.CrashException
	case tag == "ActivityManager" && anrLine.MatchString(text):
		return drivers.CrashANR
	case tag == "ActivityManager" && diedLine.MatchString(text):
		return drivers.CrashDied
	case tag == "DEBUG" && strings.HasPrefix(text, "*** ***"), tag == "libc" && signalLine.MatchString(text):
		return drivers.CrashNative
	}
	return ""
}

func (r *report) text() string { return phrase.LimitBytes(strings.Join(r.lines, "\n"), crashBytes) }

// reason is the line that says why.
func (r *report) reason() string {
	for _, line := range r.lines {
		switch r.kind {
		case drivers.CrashException:
			if !strings.HasPrefix(line, "FATAL EXCEPTION") && !processLine.MatchString(line) {
				return phrase.LimitBytes(line, 300)
			}
		case drivers.CrashANR:
			if reason, ok := strings.CutPrefix(line, "Reason: "); ok {
				return phrase.LimitBytes(reason, 300)
			}
		case drivers.CrashNative:
			if strings.HasPrefix(line, "signal ") || strings.HasPrefix(line, "Fatal signal ") ||
				strings.HasPrefix(line, "Abort message:") {
				return phrase.LimitBytes(line, 300)
			}
		}
	}
	return phrase.LimitBytes(r.lines[0], 300)
}
