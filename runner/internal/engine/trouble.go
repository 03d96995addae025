package engine

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/logs"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

const (
	// aroundSlack is how long before a step, and after it, a problem may be related to its failure: for example the
	// response to the action of the step before it.
	aroundSlack = time.Second
	// namedTroubles is how many problems a failure names; the report lists all.
	namedTroubles = 3
	// logHead and logTail are the parts of a log that are read while the test runs: a log of many megabytes must not
	// delay the next step.
	logHead = 32 << 10
	logTail = 256 << 10
	// maxMissed is how many steps that did not pass are matched with the log when it has ended.
	maxMissed = 200
)

// troubles finds what else went wrong around the steps that did not pass.
type troubles struct {
	*report
	platform  dsl.Platform
	session   *action.Performer
	usage     *usage
	device    *deviceLog
	startedAt time.Time    // of the case
	missed    []failedStep // steps that did not pass
	apps      []string     // that were launched
}

// failedStep is a step that did not pass, when it ran, and the errors of the page meanwhile.
type failedStep struct {
	n        int
	from, to time.Time
	troubles []string
}

func (m failedStep) window() logs.Window {
	return logs.Window{From: m.from.Add(-aroundSlack), To: m.to.Add(aroundSlack)}
}

// nameTroubles adds to a failure what else went wrong meanwhile and can be its cause: an exception or an error of the
// page, a server error, an exception in the app's log.
func (t *troubles) nameTroubles(ended event.Event, began time.Time) {
	if ended.Result == event.Pass || ended.Result == event.Interrupted {
		return
	}
	m := failedStep{n: ended.Step, from: began, to: time.Now()}
	if ended.Detail != nil {
		m.troubles = ended.Detail.Troubles
	}
	if len(t.missed) < maxMissed {
		t.missed = append(t.missed, m)
	}
	p := ended.Problem
	if ended.Result != event.Fail || p == nil || p.Kind == event.AppCrashed {
		return
	}
	var wrong []string
	if text := t.pageError(); text != "" {
		wrong = append(wrong, text)
	}
	for _, in := range t.incidentsSoFar(m) {
		if text := phrase.FirstLine(in.Text); in.Cause && len(wrong) < namedTroubles && !slices.Contains(wrong, text) {
			wrong = append(wrong, text)
		}
	}
	if len(wrong) > 0 {
		where := "in the app's log"
		if t.platform == dsl.Web {
			where = "on the page"
		}
		p.Message += "; meanwhile " + where + ": " + strings.Join(wrong, "; ")
	}
}

// pageError queries the device; its errors are also reported with the screenshot.
func (t *troubles) pageError() (text string) {
	_ = action.Guard(func() error { text = t.session.PageError(); return nil })
	return text
}

// incidentsSoFar reads the start of the log for its clock, and its end.
func (t *troubles) incidentsSoFar(m failedStep) []event.Incident {
	var list []event.Incident
	if t.device.file != nil {
		list = t.readTail(m) // an error is reported when the log ends
	}
	return withTroubles(list, m)
}

func (t *troubles) readTail(m failedStep) []event.Incident {
	f, err := os.Open(t.device.file.Name())
	if err != nil {
		return nil
	}
	defer f.Close() // nothing was written
	z, err := logs.Clock(io.LimitReader(f, logHead), t.startedAt, time.Now())
	if err != nil || z.Why != "" {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	tail := io.NewSectionReader(f, max(0, info.Size()-logTail), logTail)
	found, err := logs.Incidents(tail, z, t.startedAt, t.app(), []logs.Window{m.window()})
	if err != nil {
		return nil
	}
	return found[0]
}

// app is what is known of the tested app. It is complete when the case has ended.
func (t *troubles) app() logs.App { return logs.App{Names: t.apps, Pids: t.usage.meter.processes()} }

// launches records an app by its package, which an activity may follow: com.example.app/.Settings. A page's URL is kept
// whole.
func (t *troubles) launches(app string) {
	if !strings.Contains(app, ":") {
		app, _, _ = strings.Cut(app, "/")
	}
	if !slices.Contains(t.apps, app) {
		t.apps = append(t.apps, app)
	}
}

// noteIncidents reports, once the log has ended, what went wrong around each step that did not pass. log is nil for a
// device that has none.
func (t *troubles) noteIncidents(log []byte) {
	if len(t.missed) == 0 || t.sinkErr != nil {
		return
	}
	windows := make([]logs.Window, len(t.missed))
	for i, m := range t.missed {
		windows[i] = m.window()
	}
	found := make([][]event.Incident, len(windows))
	z, err := logs.Clock(bytes.NewReader(log), t.startedAt, time.Now())
	if err == nil && z.Why == "" {
		found, err = logs.Incidents(bytes.NewReader(log), z, t.startedAt, t.app(), windows)
	}
	if err != nil {
		t.log(0, "what went wrong around the failing steps could not be read in the log: %v", err)
	}
	for i, m := range t.missed {
		for k := range found[i] { // a later problem is not a cause
			at, err := time.Parse(time.RFC3339, found[i][k].At)
			found[i][k].Cause = found[i][k].Cause && (err != nil || !at.After(m.to))
		}
		if list := withTroubles(found[i], m); len(list) > 0 {
			t.emit(event.Event{Kind: event.Surrounded, Step: m.n, Around: list})
		}
	}
	t.missed = nil
}

var (
	troubleThrew  = lazyregexp.New(`^uncaught `)
	troubleStatus = lazyregexp.New(`^(\d)\d\d [A-Z]+ `)
)

// withTroubles adds the page's errors that are missing in the log.
func withTroubles(list []event.Incident, m failedStep) []event.Incident {
	known := map[string]bool{}
	for _, in := range list {
		known[brief(in.Text)] = true
	}
	for _, t := range m.troubles {
		if known[brief(t)] {
			continue
		}
		in := event.Incident{At: m.to.UTC().Format("2006-01-02T15:04:05.000Z07:00"), Text: t, Kind: event.IncidentConsole}
		switch status := troubleStatus.FindStringSubmatch(t); {
		case troubleThrew.MatchString(t):
			in.Kind, in.Cause = event.IncidentException, true
		case status != nil:
			in.Kind, in.Cause = event.IncidentRequest, status[1] == "5"
		case !strings.HasPrefix(t, "console error: "):
			in.Kind = event.IncidentRequest
		}
		list = append(list, in)
	}
	return list
}

// brief is the common part of a page's error and its line in the log.
func brief(text string) string {
	text = strings.Join(strings.Fields(phrase.FirstLine(text)), " ")
	if r := []rune(text); len(r) > 200 {
		text = string(r[:200])
	}
	return text
}
