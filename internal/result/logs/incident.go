// Package logs reads the logs of devices and pages: when a line was written, by the clock of this machine, and which
// lines report that something went wrong.
package logs

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/event"
)

// The limits of the incidents of one window.
const (
	maxIncidents = 30
	maxText      = 2000 // bytes
	maxStack     = 20   // lines that follow the first one
)

// Window is a period, on this machine's clock, to search for incidents.
type Window struct{ From, To time.Time }

// App is the tested app, as far as it is known.
type App struct {
	Names []string // packages
	Pids  []int    // of its processes
}

// Incidents returns, for each window, what went wrong within it according to the log, in the order of the log. For a
// page's log these are uncaught errors, errors of the console and responses of 400 or more; for a phone's log the
// errors of the app, its exceptions, and its end.
func Incidents(log io.Reader, z Zone, around time.Time, app App, windows []Window) ([][]event.Incident, error) {
	r := &reader{app: app, pids: map[string]bool{}, out: make([][]event.Incident, len(windows))}
	for _, pid := range app.Pids {
		r.pids[strconv.Itoa(pid)] = true
	}
	err := EachLine(log, func(line string) {
		t, local, ok := LineTime(line, around)
		entry, apple := appleEntry{}, false
		if ok {
			entry, apple = appleOf(line)
		}
		switch {
		case !ok:
			r.more(line)
		case apple:
			r.apple(entry, t.Add(shift(z, local)), windows)
		case local:
			r.logcat(line, t.Add(z.Shift), windows)
		default:
			r.page(line, t, windows)
		}
	})
	return r.out, err
}

// shift is the offset to add to a time of the log: nothing when the line has a zone.
func shift(z Zone, local bool) time.Duration {
	if local {
		return z.Shift
	}
	return 0
}

type reader struct {
	app  App
	pids map[string]bool
	out  [][]event.Incident

	open   []*event.Incident // that the next lines may belong to
	source string            // process, thread and tag of the last line of logcat
	kept   *event.Incident   // FATAL EXCEPTION: the next line names the app
	lines  int               // of the open incident, behind its first
	at     time.Time
}

// open opens an incident in each window that contains its time.
func (r *reader) begin(at time.Time, in event.Incident, windows []Window) {
	in.At = at.UTC().Format("2006-01-02T15:04:05.000Z07:00")
	in.Text = phrase.LimitBytes(in.Text, maxText)
	r.open, r.lines = r.open[:0], 0
	for i, w := range windows {
		if !at.Before(w.From) && !at.After(w.To) && len(r.out[i]) < maxIncidents {
			r.out[i] = append(r.out[i], in)
			r.open = append(r.open, &r.out[i][len(r.out[i])-1])
		}
	}
}

// more adds a line to the open incidents.
func (r *reader) more(line string) {
	if r.lines++; r.lines > maxStack {
		return
	}
	for _, in := range r.open {
		if len(in.Text)+len(line) < maxText {
			in.Text += "\n" + line
		}
	}
}

var pageLine = lazyregexp.New(`^\S+ (console error|uncaught|response): (.*)$`)

// serverBroke matches responses that can be why a page does not show what it should.
var serverBroke = lazyregexp.New(`^5\d\d `)

func (r *reader) page(line string, at time.Time, windows []Window) {
	r.open = r.open[:0]
	m := pageLine.FindStringSubmatch(line)
	if m == nil || strings.HasSuffix(line, "/favicon.ico") {
		return
	}
	switch kind, text := m[1], m[2]; {
	case kind == "uncaught":
		r.begin(at, event.Incident{Kind: event.IncidentException, Text: "uncaught " + text, Cause: true}, windows)
	case kind == "response":
		r.begin(at, event.Incident{Kind: event.IncidentRequest, Text: text, Cause: serverBroke.MatchString(text)}, windows)
	case strings.HasPrefix(text, "Failed to load resource: the server responded"): // the response has a line of its own
	case strings.HasPrefix(text, "Failed to load resource: "):
		r.begin(at, event.Incident{Kind: event.IncidentRequest, Text: strings.TrimPrefix(text, "Failed to load resource: ")},
			windows)
	default:
		r.begin(at, event.Incident{Kind: event.IncidentConsole, Text: "console error: " + text}, windows)
	}
}

var (
	// logcatLine is a line of `logcat -v threadtime`: process, thread, level, tag, text.
	logcatLine = lazyregexp.New(`^\d\d-\d\d \d\d:\d\d:\d\d\.\d+\s+(?:\S+\s+)??(\d+)\s+(\d+) ([VDIWEFA]) (.*?)\s*: ?(.*)$`)
	startLine  = lazyregexp.New(`^Start proc (\d+):([\w.]+)(?::[\w.]+)?/`)
	crashOf    = lazyregexp.New(`^Process: ([\w.]+)(?::[\w.]+)?(?:, PID: (\d+))?`)
	stackLine  = lazyregexp.New(`^(\s+at |\s*Caused by: |\s+\.\.\. \d+ more|\s+Suppressed: )`)
	exception  = lazyregexp.New(`(^|[\s.:])[A-Z]\w*(Exception|Error)\b`)
)

func (r *reader) logcat(line string, at time.Time, windows []Window) {
	m := logcatLine.FindStringSubmatch(line)
	if m == nil {
		r.open, r.kept = r.open[:0], nil
		return
	}
	pid, level, tag, text := m[1], m[3], m[4], m[5]
	if s := startLine.FindStringSubmatch(text); s != nil && tag == "ActivityManager" &&
		slices.Contains(r.app.Names, s[2]) {
		r.pids[s[1]] = true
	}
	whose := pid + " " + m[2] + " " + tag
	same := whose == r.source
	r.source = whose
	if level != "E" && level != "F" && level != "A" {
		r.open, r.kept = r.open[:0], nil
		return
	}
	switch {
	case tag == "AndroidRuntime" && strings.HasPrefix(text, "FATAL EXCEPTION"):
		r.open, r.at = r.open[:0], at
		r.kept = &event.Incident{Kind: event.IncidentCrash, Text: text, Cause: true}
	case r.kept != nil && same && crashOf.MatchString(text):
		c := crashOf.FindStringSubmatch(text)
		if slices.Contains(r.app.Names, c[1]) || r.pids[c[2]] {
			r.begin(r.at, *r.kept, windows)
			r.more(text)
		}
		r.kept = nil
	case same && (stackLine.MatchString(text) || r.crashing()):
		r.more(text)
	case r.pids[pid]:
		r.begin(at, r.errorOf(level, tag, text), windows)
	default:
		r.open = r.open[:0]
	}
}

// crashing reports whether the lines of a crash are being read.
func (r *reader) crashing() bool { return len(r.open) > 0 && r.open[0].Kind == event.IncidentCrash }

// errorOf is an error that the app logged. It can be why a step failed if it names an exception or ends the process.
// Other errors are common: libraries log them in every app.
func (r *reader) errorOf(level, tag, text string) event.Incident {
	in := event.Incident{Kind: event.IncidentLog, Text: level + "/" + tag + ": " + text, Cause: level != "E" ||
		exception.MatchString(text)}
	if level == "F" && tag == "libc" && strings.HasPrefix(text, "Fatal signal") {
		in.Kind = event.IncidentCrash
	}
	return in
}
