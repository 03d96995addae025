package replay_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"image"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/decide"
	"github.com/taproot-dev/taproot/runner/internal/replay"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// step is a step of a report that a test makes.
type step struct {
	yaml   string // of the step: "tap: Save"
	result event.Result
	tree   *screen.Tree // that decided it; nil: none is kept
	page   *decide.PageLook

	foreign bool   // yaml is a command of a flow of Maestro
	dom     []byte // the snapshot of the page after it; nil: none is kept
	device  string // one of several: the first is a phone, the others are pages
}

// report is a report pack that a test makes.
type report struct {
	id       string
	file     string // of the test; default: suites/ID.yaml
	platform event.Platform
	result   event.Result
	steps    []step
	mask     func(string) string
	limit    int
}

// treeOf is a screen with elements below each other.
func treeOf(nodes ...*screen.Node) *screen.Tree {
	root := &screen.Node{Type: "android.widget.FrameLayout", Bounds: image.Rect(0, 0, 1080, 2400)}
	for i, n := range nodes {
		same := *n
		if same.Bounds.Empty() {
			same.Bounds = image.Rect(40, 100+120*i, 1040, 200+120*i)
		}
		root.Children = append(root.Children, &same)
	}
	return screen.NewTree([]*screen.Node{root}, image.Pt(1080, 2400), noon)
}

func label(text string) *screen.Node {
	return &screen.Node{Type: "android.widget.TextView", Text: text}
}

func button(text, id string) *screen.Node {
	return &screen.Node{Type: "android.widget.Button", Text: text, ID: id, Clickable: true}
}

func field(hint, text string) *screen.Node {
	return &screen.Node{Type: "android.widget.EditText", Hint: hint, Text: text, Editable: true, Clickable: true}
}

// write writes the pack below a folder, and returns its own.
func (r report) write(t testing.TB, run string) string {
	t.Helper()
	dir := filepath.Join(run, r.id)
	if err := os.MkdirAll(filepath.Join(dir, "artifacts"), 0o755); err != nil {
		t.Fatal(err)
	}
	if r.platform == "" {
		r.platform = event.Android
	}
	if r.result == "" {
		r.result = event.Pass
	}
	c := event.Case{ID: r.id, Pack: r.id, Platform: r.platform, Solver: "dsl",
		Place: source.Pos{File: cmp.Or(r.file, "suites/"+r.id+".yaml"), Line: 1, Col: 1}}
	for _, s := range r.steps {
		if s.device != "" && c.NamedDevice(s.device) == nil {
			d := event.CaseDevice{Name: s.device, Platform: r.platform}
			if len(c.Devices) > 0 {
				d.Platform = event.Web
			}
			c.Devices = append(c.Devices, d)
		}
	}
	files := map[string]*frames{}
	events := []event.Event{{Format: "taproot.events/1", Time: noon, Kind: event.CaseStarted, Case: &c}}
	for i, s := range r.steps {
		platform := r.platform
		if d := c.NamedDevice(s.device); d != nil {
			platform = d.Platform
		}
		info, args := s.parsed(t, platform)
		info.Device = s.device
		info.N, info.Place, info.Source = i+1, source.Pos{File: c.Place.File, Line: 5 + i, Col: 5}, "  - "+s.yaml
		c.Steps = append(c.Steps, info)
		if s.result == event.Unreached {
			continue
		}
		if s.result == "" {
			s.result = event.Pass
		}
		ended := event.Event{Time: noon, Kind: event.StepEnded, Step: i + 1, Result: s.result, DurationMS: 10}
		if s.result == event.Fail {
			ended.Problem = &event.Problem{Message: "it is not on the screen", Kind: event.NotFound}
		}
		events = append(events, event.Event{Time: noon, Kind: event.StepStarted, Step: i + 1}, ended)
		if s.dom != nil {
			name := fmt.Sprintf("artifacts/dom-%02d.json.gz", i+1)
			events = append(events, event.Event{Time: noon, Kind: event.Attached, Step: i + 1,
				Attachment: &event.Attachment{Path: name, Kind: event.KindDOM}})
			save(t, dir, name, s.dom)
		}
		var rec decide.Recording
		switch {
		case s.page != nil:
			rec = decide.Recording{Page: s.page, Result: s.page.Result()}
		case s.tree != nil:
			rec = recordingOf(t, args, s.tree, platform)
		default:
			continue
		}
		name := replay.FramesFile
		if len(c.Devices) > 0 && s.device != c.Devices[0].Name {
			name = "artifacts/frames-" + s.device + ".ndjson"
		}
		if files[name] == nil {
			files[name] = newFrames(t, r)
		}
		if err := files[name].w.Add(i+1, rec); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		events = append(events, event.Event{Time: noon, Kind: event.Attached,
			Attachment: &event.Attachment{Path: name, Kind: event.KindArtifact}})
		save(t, dir, name, files[name].text.Bytes())
	}
	events = append(events, event.Event{Time: noon, Kind: event.CaseEnded, Result: r.result})
	var out bytes.Buffer
	for _, e := range events {
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(data, '\n'))
	}
	save(t, dir, event.EventsFile, out.Bytes())
	return dir
}

// frames are those of one device.
type frames struct {
	text bytes.Buffer
	w    *decide.Writer
}

func newFrames(t testing.TB, r report) *frames {
	t.Helper()
	f := &frames{}
	var err error
	if f.w, err = decide.NewWriter(&f.text); err != nil {
		t.Fatal(err)
	}
	f.w.Mask, f.w.Limit = r.mask, r.limit
	return f
}

// parsed is the step as a report shows it, and its argument.
func (s step) parsed(t testing.TB, platform event.Platform) (event.Step, any) {
	t.Helper()
	if s.foreign {
		action, args, _ := strings.Cut(s.yaml, ": ")
		return event.Step{Action: action, Args: args}, nil
	}
	block, err := dsl.ParseBlock("x", []byte("steps:\n  - "+s.yaml+"\n"), dsl.Platform(platform))
	if err != nil {
		t.Fatal(err)
	}
	of := block.Steps[0]
	args, _, err := dsl.Bind(of, &dsl.Scope{})
	if err != nil {
		t.Fatal(err)
	}
	return event.Step{Action: of.Def.Name, Args: dsl.Args(of, &dsl.Scope{})}, args
}

func save(t testing.TB, dir, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// recordingOf is the search of a step that was decided on a screen, at rest and for long enough.
func recordingOf(t testing.TB, args any, tree *screen.Tree, platform event.Platform) decide.Recording {
	t.Helper()
	w := decide.Want{Purpose: decide.Act}
	if c, ok := decide.ClaimOfArgs(args); ok {
		c = c.Normal()
		switch {
		case c.Not:
			w = c.Want(decide.Absent)
		case c.Check.None():
			w = c.Want(decide.See)
		default:
			w = c.Want(decide.State)
		}
	}
	switch a := args.(type) {
	case dsl.Tap:
		w.Selector = a.Selector
	case dsl.Input:
		w.Selector, w.Typing = *a.Into, true
	case dsl.WebClick:
		w.Selector = decide.InDocument(a.Selector, a.Frame)
	}
	w.Timeout, w.StepTimeout, w.Began, w.Timing = 10*time.Second, 10*time.Second, noon, decide.Native()
	w.Device.Phone = platform != event.Web
	w.Device.CSS = platform == event.Web
	var frames []decide.Frame
	var result decide.Result
	for i := range 40 {
		at := noon.Add(time.Duration(i) * 300 * time.Millisecond)
		f := decide.Frame{Tree: tree.At(at), Digest: "d", Now: at.Add(10 * time.Millisecond), ShotFailed: true,
			Evidence: map[string]decide.Answer{decide.Question{Ask: decide.AskObstacle}.Key(): {}}}
		frames = append(frames, f)
		d := decide.Next(w, frames)
		if d.Kind == decide.Answering {
			t.Fatalf("%v asks %+v", args, d.Questions)
		}
		if result = decide.ResultOf(d); d.Kind != decide.Wait {
			break
		}
	}
	return decide.Recording{Want: w, Frames: frames, Result: result}
}
