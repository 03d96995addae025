// Package apps starts, ends and installs the apps of one device, and reports whether the one that was started last has
// crashed.
package apps

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/ios/internal/host"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
	"github.com/taproot-dev/taproot/internal/phrase"
)

const reportBytes = 16 << 10

// watched is the app that was launched last.
type watched struct {
	bundle string
	old    map[string]bool // crash reports that were there before it was launched
	at     time.Time       // it was launched
	died   *drivers.Crash  // what is known of its end
}

// Watch reports whether the app that was launched last crashed. It is safe for concurrent use.
type Watch struct {
	link      *wda.Link
	simulator bool               // macOS writes the reports of its apps, below home
	home      string             // "": unknown
	phone     host.ReportsHolder // copies the reports of an iPhone; nil: nothing does

	mu    sync.Mutex
	app   watched  // that was launched last
	known []string // the reports of crashes that were copied from an iPhone
}

// NewWatch makes a Watch; phone copies the reports of an iPhone, and is nil where nothing does.
func NewWatch(l *wda.Link, phone host.ReportsHolder, simulator bool, home string) *Watch {
	return &Watch{link: l, phone: phone, simulator: simulator, home: home}
}

// last returns the app that was launched last, an empty one when it was ended since.
func (w *Watch) last() watched {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.app
}

// Bundle names the app that was launched last, "" when it was ended since.
func (w *Watch) Bundle() string { return w.last().bundle }

// Set notes the app that was launched.
func (w *Watch) Set(app watched) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.app = app
}

// Launching is called before an app is launched. Its later reports are distinguished from older ones by their names:
// the times of files are taken from a clock that may lag behind ours.
func (w *Watch) Launching(app string) watched {
	now := watched{bundle: app, old: map[string]bool{}, at: time.Now()}
	for _, file := range w.reports() {
		now.old[file] = true
	}
	return now
}

// reports are the files that macOS writes about the apps of simulators that crashed.
func (w *Watch) reports() []string {
	if !w.simulator || w.home == "" {
		return nil
	}
	files, _ := filepath.Glob(filepath.Join(host.EscapeGlob(w.home), "Library/Logs/DiagnosticReports", "*.ips"))
	return files
}

// forget is called when an app is ended on purpose.
func (w *Watch) forget(app string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.app.bundle == app {
		w.app = watched{}
	}
}

// Crashed reports whether the app that was launched last still runs; if it does not, and it was not stopped, it died.
// Of a simulator's app the report that macOS writes says why, once it is written.
func (w *Watch) Crashed(ctx context.Context) (*drivers.Crash, error) {
	app := w.last()
	if app.bundle == "" {
		return nil, nil
	}
	state, err := w.link.AppState(ctx, app.bundle)
	if err != nil {
		return nil, err
	}
	if state != wda.RunsNot { // or again: what it died of before is known by a report that names this simulator
		return findReport(w.reports(), app, w.link.ID), nil
	}
	if crash := findReport(w.reports(), app, ""); crash != nil {
		return crash, nil
	}
	if app.died == nil {
		if app.died = w.reportOfPhone(ctx, app); app.died == nil {
			app.died = &drivers.Crash{App: app.bundle, Kind: drivers.CrashDied, Reason: "its process ended by itself"}
		}
		w.mu.Lock()
		if w.app.bundle == app.bundle && w.app.at.Equal(app.at) {
			w.app.died = app.died
		}
		w.mu.Unlock()
	}
	return app.died, nil
}

// The report that an iPhone writes of an app that crashed is there a moment later, and takes its time to be copied; its
// clock and ours may differ.
const (
	phoneReports  = 4 * time.Second
	phoneReportAt = 500 * time.Millisecond
	phoneCopies   = 20 * time.Second
	clocksDiffer  = 2 * time.Minute
)

// reportOfPhone copies the report about the app from an iPhone, with go-ios; nil where there is none.
func (w *Watch) reportOfPhone(ctx context.Context, app watched) *drivers.Crash {
	if w.phone == nil {
		return nil
	}
	ctx, cancel := drivers.Bound(ctx, w.link.Life)
	defer cancel()
	ctx, done := context.WithTimeout(ctx, phoneReports+phoneCopies)
	defer done()
	for until := time.Now().Add(phoneReports); ; {
		files, remove, err := w.phone.CrashReports(ctx, app.bundle)
		files = slices.DeleteFunc(files, func(f string) bool {
			return w.knownReport(f, false) ||
				writtenBefore(f, app.at.Add(-clocksDiffer))
		})
		crash := findReport(files, app, "")
		for _, f := range files {
			w.knownReport(f, true)
		}
		if err == nil {
			remove()
		}
		if crash != nil || err != nil || time.Now().After(until) || drivers.Pause(ctx, phoneReportAt) != nil {
			return crash
		}
	}
}

// knownReport reports whether a report of an iPhone was read before; learn: it is known from now on.
func (w *Watch) knownReport(file string, learn bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	known := slices.Contains(w.known, filepath.Base(file))
	if learn && !known {
		w.known = append(w.known, filepath.Base(file))
	}
	return known
}

// writtenBefore reports whether a report says that it was written before a time; one that does not say when, may be.
func writtenBefore(file string, t time.Time) bool {
	data, err := os.ReadFile(file)
	if err != nil {
		return true
	}
	var head struct{ Timestamp string }
	line, _, _ := bytes.Cut(data, []byte("\n"))
	if json.Unmarshal(line, &head) != nil {
		return true
	}
	at, err := time.Parse("2006-01-02 15:04:05.00 -0700", head.Timestamp)
	return err != nil || at.Before(t)
}

// findReport returns the oldest report about an app since it was launched, of those that name a simulator, unless that
// is "".
func findReport(files []string, app watched, simulator string) *drivers.Crash {
	files = slices.DeleteFunc(files, func(f string) bool { return app.old[f] })
	slices.SortFunc(files, func(a, b string) int { return host.Modified(a).Compare(host.Modified(b)) })
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // macOS is about to move it
		}
		if !bytes.Contains(data, []byte(simulator)) {
			continue
		}
		if crash := parseReport(data); crash != nil && crash.App == app.bundle {
			return crash
		}
	}
	return nil
}

// parseReport reads an .ips file: one line of JSON about the report, then the report, in JSON, too.
func parseReport(data []byte) *drivers.Crash {
	head, body, _ := bytes.Cut(data, []byte("\n"))
	var about struct {
		Bundle string `json:"bundleID"`
	}
	var report struct {
		Exception struct {
			Type   string `json:"type"`
			Signal string `json:"signal"`
		} `json:"exception"`
		Termination struct {
			Indicator string `json:"indicator"`
		} `json:"termination"`
		Info map[string]json.RawMessage `json:"asi"`
		Last struct {
			Name   string `json:"name"`
			Reason string `json:"composed_message"`
		} `json:"exceptionReason"`
	}
	if json.Unmarshal(head, &about) != nil || json.Unmarshal(body, &report) != nil || about.Bundle == "" {
		return nil
	}
	crash := &drivers.Crash{
		App:    about.Bundle,
		Kind:   drivers.CrashNative,
		Report: phrase.LimitBytes(string(body), reportBytes),
	}
	crash.Reason = strings.TrimSpace(report.Exception.Type + " " + report.Exception.Signal)
	switch {
	case report.Last.Name != "":
		crash.Kind, crash.Reason = drivers.CrashException, report.Last.Name+": "+report.Last.Reason
	case len(report.Info) > 0:
		crash.Reason = strings.TrimSpace(crash.Reason + ": " + libraryMessages(report.Info))
	case report.Termination.Indicator != "":
		crash.Reason = strings.TrimSpace(crash.Reason + ": " + report.Termination.Indicator)
	}
	crash.Reason = phrase.LimitBytes(phrase.OneLine(crash.Reason), 300)
	return crash
}

// libraryMessages returns what libraries left in a report: "Fatal error: Index out of range" of Swift, for instance.
func libraryMessages(info map[string]json.RawMessage) string {
	var all []string
	for name, raw := range info {
		var lines []string
		if json.Unmarshal(raw, &lines) == nil {
			all = append(all, fmt.Sprintf("%s (%s)", strings.Join(lines, " "), name))
		}
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

// SessionRenewed looks whether the app of the test outlived the session of another client that took the place of ours,
// and was ended for a new one: WebDriverAgent ends the app of such a session with it. That is not a crash.
func (w *Watch) SessionRenewed(ctx context.Context, agent *wda.Client) error {
	app := w.last()
	if app.bundle == "" {
		return nil
	}
	var state int
	ask := wda.Post(
		"the state of "+app.bundle,
		agent.Path("/wda/apps/state"),
		map[string]any{"bundleId": app.bundle},
	)
	if err := agent.Call(ctx, ask, &state); err != nil || state != wda.RunsNot ||
		findReport(w.reports(), app, "") != nil {
		return err
	}
	w.forget(app.bundle)
	return fmt.Errorf(
		"%w: device %s: %s does not run any more: another client has used this WebDriverAgent meanwhile, and the app of "+
			"its session is ended with that",
		drivers.ErrDeviceLost,
		w.link.ID,
		app.bundle,
	)
}
