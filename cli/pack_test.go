package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/runtest"
	"github.com/taproot-dev/taproot/runner/run"
)

// summary is summary.json as in the specification.
type summary struct {
	ID          string   `json:"id"`
	Result      string   `json:"result"`
	DurationMS  int64    `json:"duration_ms"`
	Steps       int      `json:"steps"`
	Passed      int      `json:"steps_passed"`
	Failed      int      `json:"steps_failed"`
	Screenshots int      `json:"screenshots"`
	Artifacts   []string `json:"artifacts"`
}

// packOf is a report pack that checkPack accepted.
type packOf struct {
	dir string
	summary
	rows     [][]string // of the table in run.md
	markdown string
	events   []event.Event
}

// failedStep returns the number of the first step with a row that does not start with PASS.
func (p *packOf) failedStep() int {
	for i, row := range p.rows {
		if !strings.Contains(row[3], "PASS") {
			return i + 1
		}
	}
	return 0
}

// device returns the device of the case.
func (p *packOf) device() string {
	if len(p.events) == 0 || p.events[0].Case == nil {
		return ""
	}
	return p.events[0].Case.Device
}

var (
	runNames  = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d$`)
	packNames = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._-]*?)(--[a-z]+(-\d+)?)?$`)
	pngNames  = regexp.MustCompile(`^(\d\d)-[a-z0-9]+(-[a-z0-9]+)*\.png$`)
	durations = regexp.MustCompile(`^\d+\.\ds$`)
	stepTimes = regexp.MustCompile(`^(\d{1,3}ms|\d+\.\ds|–)$`)
	// the specification's
	packEntries = []string{"artifacts", "logcat.txt", "recording.mp4", "run.md", "screenshots", "summary.json",
		"console.txt", "events.ndjson", "manifest.json", "network.har", "report.html"} // further ones
)

// checkPack compares a pack with the specification, section 2.3, and reads it.
func checkPack(t *testing.T, dir string) *packOf {
	t.Helper()
	p := &packOf{dir: dir}
	c := packCheck{T: t, pack: p}
	c.names()
	c.summaryFile()
	c.runFile()
	c.screenshots()
	c.otherFiles()
	// The schemas of what programs read: summary.json, events.ndjson, manifest.json, and the artifacts of Taproot.
	if counts := runtest.Valid(t, dir); counts["summary"] != 1 || counts["events"] != 1 {
		c.bad("it has the files %v", counts)
	}
	c.decidedAgain()
	return p
}

// decidedAgain checks that the frames of the pack lead to the results of its steps again.
func (c packCheck) decidedAgain() {
	c.Helper()
	var text strings.Builder
	if n, err := (run.Config{}).Replays().Again(&text, c.pack.dir, 0); err != nil || n > 0 {
		c.bad("decided again: %v\n%s", err, text.String())
	}
}

// ofDevice is the name of a file of one of several devices: logcat-bob.txt.
var ofDevice = regexp.MustCompile(`^(recording|logcat|console|network)-[a-z]+(\.[a-z0-9]+)$`)

type packCheck struct {
	*testing.T
	pack *packOf
}

func (c packCheck) bad(format string, args ...any) {
	c.Helper()
	c.Errorf("%s: %s", c.pack.dir, fmt.Sprintf(format, args...))
}

func (c packCheck) names() {
	c.Helper()
	if run := filepath.Base(filepath.Dir(c.pack.dir)); !runNames.MatchString(run) {
		c.bad("the run directory is called %q", run)
	}
	if !packNames.MatchString(filepath.Base(c.pack.dir)) {
		c.bad("the pack's name is no test id")
	}
	entries, err := os.ReadDir(c.pack.dir)
	if err != nil {
		c.Fatal(err)
	}
	for _, e := range entries {
		if !slices.Contains(packEntries, ofDevice.ReplaceAllString(e.Name(), "$1$2")) {
			c.bad("unknown entry %q", e.Name())
		}
		folder := e.Name() == "artifacts" || e.Name() == "screenshots"
		if e.IsDir() != folder || !folder && !e.Type().IsRegular() {
			c.bad("%q is of another type: %s", e.Name(), e.Type())
		}
	}
	for _, name := range []string{"run.md", "summary.json", "screenshots", "artifacts"} {
		if _, err := os.Stat(filepath.Join(c.pack.dir, name)); err != nil {
			c.bad("%v", err)
		}
	}
}

func (c packCheck) summaryFile() {
	c.Helper()
	src := []byte(read(c, c.pack.dir, "summary.json"))
	dec := json.NewDecoder(bytes.NewReader(src))
	if _, err := dec.Token(); err != nil {
		c.Fatal(err)
	}
	for _, want := range []string{"id", "result", "duration_ms", "steps", "steps_passed", "steps_failed", "screenshots",
		"artifacts"} {
		var value json.RawMessage
		name, err := dec.Token()
		if err == nil {
			err = dec.Decode(&value)
		}
		if err != nil || name != want || string(value) == "null" {
			c.bad("summary.json has the field %v = %s where %q belongs (%v)", name, value, want, err)
		}
	}
	if err := json.Unmarshal(src, &c.pack.summary); err != nil { // rejects other types, and fractions
		c.bad("summary.json: %v", err)
	}
	s := c.pack.summary
	if m := packNames.FindStringSubmatch(filepath.Base(c.pack.dir)); m == nil || m[1] != s.ID {
		c.bad("the id is %q", s.ID)
	}
	if !slices.Contains([]string{"pass", "fail", "error", "skipped", "interrupted"}, s.Result) || s.DurationMS < 0 {
		c.bad("result %q, duration %d", s.Result, s.DurationMS)
	}
	if s.Result == "pass" && (s.Passed != s.Steps || s.Failed != 0 || s.Steps == 0) {
		c.bad("a pass of %d steps, %d passed, %d failed", s.Steps, s.Passed, s.Failed)
	}
}

func (c packCheck) runFile() {
	c.Helper()
	c.pack.markdown = read(c, c.pack.dir, "run.md")
	lines := strings.Split(c.pack.markdown, "\n")
	if len(lines) < 8 || lines[0] != "# "+c.pack.ID || lines[1] != "" {
		c.Fatalf("%s: run.md begins with %q", c.pack.dir, lines[:min(len(lines), 2)])
	}
	var values []string
	for i, name := range []string{"id", "platform", "solver", "duration", "result"} {
		value, ok := strings.CutPrefix(lines[2+i], "- "+name+": ")
		if !ok {
			c.bad("run.md has %q where the bullet %q belongs", lines[2+i], name)
		}
		values = append(values, value)
	}
	if values[0] != c.pack.ID || values[2] != "dsl" || !durations.MatchString(values[3]) {
		c.bad("run.md: bullets %q", values)
	}
	if !strings.HasSuffix(values[4], " "+strings.ToUpper(c.pack.Result)) || (c.pack.Result == "pass") != strings.HasPrefix(
		values[4], "✅") {
		c.bad("run.md: result %q of a case with %q", values[4], c.pack.Result)
	}
	at := slices.Index(lines, "## Steps")
	const several = "| # | Device | Action | Args | Result | Time |"
	if at < 0 || at+3 > len(lines) || lines[at+2] != "| # | Action | Args | Result | Time |" && lines[at+2] != several {
		c.Fatalf("%s: run.md has no table of steps", c.pack.dir)
	}
	for _, line := range lines[at+4:] {
		if !strings.HasPrefix(line, "|") {
			break
		}
		row := cells(line)
		if lines[at+2] == several && len(row) > 1 {
			row = slices.Delete(row, 1, 2)
		}
		c.pack.rows = append(c.pack.rows, row)
	}
	c.table()
}

// cells splits a row of a Markdown table.
func cells(line string) []string {
	line = strings.ReplaceAll(strings.Trim(line, "|"), `\|`, "\x00")
	var list []string
	for cell := range strings.SplitSeq(line, "|") {
		list = append(list, strings.TrimSpace(strings.ReplaceAll(cell, "\x00", "|")))
	}
	return list
}

func (c packCheck) table() {
	c.Helper()
	passed, failed := 0, 0
	for i, row := range c.pack.rows {
		if len(row) != 5 {
			c.Fatalf("%s: row %q has %d cells", c.pack.dir, row, len(row))
		}
		if row[0] != strconv.Itoa(i+1) || row[1] == "" || !stepTimes.MatchString(row[4]) {
			c.bad("row %q", row)
		}
		switch {
		case strings.HasSuffix(row[3], " PASS"):
			passed++
		case strings.HasSuffix(row[3], " FAIL"), strings.HasSuffix(row[3], " ERROR"):
			failed++
		}
	}
	if s := c.pack.summary; len(c.pack.rows) != s.Steps || passed != s.Passed || failed != s.Failed {
		c.bad("the table has %d rows, %d passed, %d failed; summary.json says %d, %d, %d", len(c.pack.rows), passed, failed,
			s.Steps, s.Passed, s.Failed)
	}
}

func (c packCheck) screenshots() {
	c.Helper()
	entries, err := os.ReadDir(filepath.Join(c.pack.dir, "screenshots"))
	if err != nil {
		c.Fatal(err)
	}
	if len(entries) != c.pack.Screenshots {
		c.bad("%d files in screenshots, summary.json says %d", len(entries), c.pack.Screenshots)
	}
	of := map[int]int{}
	for _, e := range entries {
		m := pngNames.FindStringSubmatch(e.Name())
		if m == nil {
			c.bad("a screenshot is called %q", e.Name())
			continue
		}
		n, err := strconv.Atoi(m[1])
		if err != nil || n < 1 || n > c.pack.Steps {
			c.bad("%s belongs to no step", e.Name())
		}
		of[n]++
		if size := picture(c, filepath.Join(c.pack.dir, "screenshots", e.Name())).Bounds(); size.Dx() < 100 ||
			size.Dy() < 100 {
			c.bad("%s is of size %s", e.Name(), size)
		}
	}
	for i, row := range c.pack.rows {
		// a killed run loses the newest one
		if strings.HasSuffix(row[3], " PASS") && of[i+1] != 1 && c.pack.Result != "interrupted" {
			c.bad("step %d passed and has %d screenshots", i+1, of[i+1])
		}
	}
}

func picture(t testing.TB, path string) image.Image {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return img
}

func (c packCheck) otherFiles() {
	c.Helper()
	f, err := os.Open(filepath.Join(c.pack.dir, "events.ndjson"))
	if err != nil {
		c.Fatal(err)
	}
	defer f.Close()
	if c.pack.events, err = event.ReadEvents(f); err != nil {
		c.bad("%v", err)
	}
	ran := c.pack.device() != "" && c.pack.Result != "interrupted"
	if movie, err := os.ReadFile(filepath.Join(c.pack.dir, "recording.mp4")); err != nil && ran &&
		c.pack.Screenshots > 0 && !strings.Contains(c.pack.markdown, "(switched off)\n") {
		c.bad("%v", err)
	} else if err == nil && (len(movie) < 100 || string(movie[4:8]) != "ftyp") {
		c.bad("recording.mp4 is not an MP4 file (%d bytes)", len(movie))
	}
	if log, err := os.ReadFile(filepath.Join(c.pack.dir, "logcat.txt")); ran &&
		strings.Contains(c.pack.markdown, "- platform: android\n") && (err != nil || len(log) == 0) {
		c.bad("logcat.txt: %v, %d bytes", err, len(log))
	}
	var names []string
	files, err := os.ReadDir(filepath.Join(c.pack.dir, "artifacts"))
	if err != nil {
		c.bad("%v", err)
	}
	for _, e := range files {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, slices.Sorted(slices.Values(c.pack.Artifacts))) {
		c.bad("artifacts holds %q, summary.json says %q", names, c.pack.Artifacts)
	}
}
