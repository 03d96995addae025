package ios

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/shorten"
)

const reportBytes = 16 << 10

// watched is the app that was launched last.
type watched struct {
	bundle string
	old    map[string]bool // crash reports that were there before it was launched
	at     time.Time       // it was launched
	died   *drivers.Crash  // what is known of its end
}

func (d *Device) watch(app watched) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.app = app
}

// launching is called before an app is launched. Its later reports are distinguished from older ones by their names:
// the times of files are taken from a clock that may lag behind ours.
func (d *Device) launching(app string) watched {
	w := watched{bundle: app, old: map[string]bool{}, at: time.Now()}
	for _, file := range d.reports() {
		w.old[file] = true
	}
	return w
}

// reports are the files that macOS writes about the apps of simulators that crashed.
func (d *Device) reports() []string {
	if !d.info.Emulator || d.home == "" {
		return nil
	}
	files, _ := filepath.Glob(filepath.Join(escapeGlob(d.home), "Library/Logs/DiagnosticReports", "*.ips"))
	return files
}

func (d *Device) unwatch(app string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.app.bundle == app {
		d.app = watched{}
	}
}

// Crashed reports whether the app that was launched last still runs; if it does not, and it was not stopped, it died.
// Of a simulator's app the report that macOS writes says why, once it is written.
func (d *Device) Crashed(ctx context.Context) (*drivers.Crash, error) {
	d.mu.Lock()
	app := d.app
	d.mu.Unlock()
	if app.bundle == "" {
		return nil, nil
	}
	state, err := d.appState(ctx, app.bundle)
	if err != nil {
		return nil, err
	}
	if state != runsNot { // or again: what it died of before is known by a report that names this simulator
		return findReport(d.reports(), app, d.info.ID), nil
	}
	if crash := findReport(d.reports(), app, ""); crash != nil {
		return crash, nil
	}
	if app.died == nil {
		if app.died = d.reportOfPhone(ctx, app); app.died == nil {
			app.died = &drivers.Crash{App: app.bundle, Kind: drivers.CrashDied, Reason: "its process ended by itself"}
		}
		d.mu.Lock()
		if d.app.bundle == app.bundle && d.app.at.Equal(app.at) {
			d.app.died = app.died
		}
		d.mu.Unlock()
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
func (d *Device) reportOfPhone(ctx context.Context, app watched) *drivers.Crash {
	h, ok := d.host.(reportsHolder)
	if !ok || d.tools.goios == "" {
		return nil
	}
	ctx, cancel := drivers.Bound(ctx, d.life)
	defer cancel()
	ctx, done := context.WithTimeout(ctx, phoneReports+phoneCopies)
	defer done()
	for until := time.Now().Add(phoneReports); ; {
		files, remove, err := h.crashReports(ctx, app.bundle)
		files = slices.DeleteFunc(files, func(f string) bool {
			return d.knownReport(f, false) ||
				writtenBefore(f, app.at.Add(-clocksDiffer))
		})
		crash := findReport(files, app, "")
		for _, f := range files {
			d.knownReport(f, true)
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
func (d *Device) knownReport(file string, learn bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	known := slices.Contains(d.known, filepath.Base(file))
	if learn && !known {
		d.known = append(d.known, filepath.Base(file))
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
	slices.SortFunc(files, func(a, b string) int { return modified(a).Compare(modified(b)) })
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
	crash := &drivers.Crash{App: about.Bundle, Kind: drivers.CrashNative, Report: shorten.Bytes(string(body), reportBytes)}
	crash.Reason = strings.TrimSpace(report.Exception.Type + " " + report.Exception.Signal)
	switch {
	case report.Last.Name != "":
		crash.Kind, crash.Reason = drivers.CrashException, report.Last.Name+": "+report.Last.Reason
	case len(report.Info) > 0:
		crash.Reason = strings.TrimSpace(crash.Reason + ": " + libraryMessages(report.Info))
	case report.Termination.Indicator != "":
		crash.Reason = strings.TrimSpace(crash.Reason + ": " + report.Termination.Indicator)
	}
	crash.Reason = shorten.Bytes(shorten.OneLine(crash.Reason), 300)
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
