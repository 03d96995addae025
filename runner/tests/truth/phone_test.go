package truth_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android"
	"github.com/taproot-dev/taproot/drivers/vision"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/runner/internal/engine"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// stage is the screen of a trap: what is shown, and what was touched on it. Scenes use it with the phone's lock held,
// tests by appearance.
type stage struct {
	phone   *androidsim.Phone
	touched []string
	entry   *androidsim.Entry
	entries []*androidsim.Entry
	offset  int    // of a list
	state   string // what the last touch made of the screen
}

// took is a handler of touches that notes a name.
func (s *stage) took(name string) func() {
	return func() { s.touched, s.state = append(s.touched, name), name }
}

// trap is a screen that might mislead, steps, and what must come of them.
type trap struct {
	name  string
	show  func(s *stage, now androidsim.Moment) androidsim.Shown
	steps string
	want  event.Result
	says  string // what the problem, or a warning or note of a step, must say
	taps  string // what must have been touched
	later string // in place of that behind an Appium server, where a crash is known later; "": the same

	options androidsim.Options
	way     string // stock or agent; "": both
	update  bool   // of baselines
}

const trapSize = 400 // pixels across; 800 high, at 160 dpi: pixels are dp

var (
	paper = color.RGBA{0xfe, 0xfb, 0xff, 0xff}
	ink   = color.RGBA{0x1c, 0x1b, 0x1f, 0xff}
	blue  = color.RGBA{0x67, 0x50, 0xa4, 0xff}
)

// at is a row of the screen's middle.
func at(row int) image.Rectangle { return image.Rect(16, 40+row*56, trapSize-16, 88+row*56) }

func label(text string, b image.Rectangle) androidsim.Part {
	return androidsim.Part{Text: text, Bounds: b}
}

// press is a button; its touch is noted by its text.
func (s *stage) press(text string, b image.Rectangle) androidsim.Part {
	return androidsim.Part{Class: "android.widget.Button", Text: text, Bounds: b, Clickable: true, Fill: blue,
		Ink: color.White, Tapped: s.took(text)}
}

func page(parts ...androidsim.Part) androidsim.Shown { return androidsim.Shown{Page: parts} }

// TestPhoneTraps holds screens that might mislead against what must come of them, read by the phone's own tools and by
// the agent. In the short mode, the first of every second kind is tried, and a sixteenth of the others, each in one of
// the two ways. TRUTH_TRAP is a part of the names of those to try, TRUTH_WAY one of stock and agent, TRUTH_API the
// version of the phones for which a trap names none.
func TestPhoneTraps(t *testing.T) {
	var all []*showing
	kinds := map[string]bool{}
	lab := newAppiumLab(t)
	for _, c := range phoneTraps() {
		kind, _, _ := strings.Cut(c.name, "/")
		first := !kinds[kind]
		kinds[kind] = true
		if testing.Short() && !(first && hashOf(kind)%3 == 0) && hashOf(c.name)/2%24 != 0 && os.Getenv("TRUTH_TRAP") == "" {
			continue
		}
		for _, way := range lab.ways() {
			if w := os.Getenv("TRUTH_WAY"); w != "" && w != way {
				continue
			}
			// each in one of the two
			if c.way == "" && lab == nil && testing.Short() && (hashOf(c.name)%2 == 0) != (way == "agent") {
				continue
			}
			if (c.way == "" || c.way == way || c.way == "agent" && lab != nil) &&
				strings.Contains(c.name, os.Getenv("TRUTH_TRAP")) {
				all = append(all, &showing{trap: c, name: c.name + "/" + way, agent: way == "agent", lab: lab})
			}
		}
	}
	free := make(chan struct{}, number("TRUTH_PHONES", 6*runtime.NumCPU()))
	for _, w := range all {
		w.over = make(chan struct{})
		go func() {
			free <- struct{}{}
			defer func() { <-free; close(w.over) }()
			w.run(t)
		}()
	}
	for _, w := range all {
		t.Run(w.name, func(t *testing.T) {
			<-w.over
			for _, problem := range w.problems {
				t.Error(problem)
			}
		})
	}
}

// showing is a trap on one phone.
type showing struct {
	*trap
	name     string
	agent    bool
	lab      *appiumLab // that reads the phone; nil: the agent, or the phone's own tools
	problems []string
	over     chan struct{}
}

func (w *showing) wrong(format string, args ...any) {
	w.problems = append(w.problems, fmt.Sprintf(format, args...))
}

func (w *showing) run(t *testing.T) {
	dir := t.TempDir()
	o := w.options
	o.Serial = fmt.Sprintf("TRAP%x", hashOf(w.name))
	o.Width, o.Height, o.Density = trapSize, 2*trapSize, 160
	if o.API == 0 {
		o.API = number("TRUTH_API", 34)
	}
	phone := androidsim.NewPhone(o)
	defer phone.Close()
	server, err := androidsim.NewServer(phone)
	if err != nil {
		w.wrong("%v", err)
		return
	}
	defer server.Close()
	s := &stage{phone: phone}
	phone.InstallScene(scenePackage, "Truth", func(now androidsim.Moment) androidsim.Shown { return w.show(s, now) })
	e := example{agent: w.agent}
	var driver drivers.Driver
	id := o.Serial
	if w.lab != nil {
		driver, id, err = w.lab.driver(t, phone)
	} else {
		driver = android.New(android.Options{NotesDir: t.TempDir(), Getenv: e.environ(t, server), FindADB: androidsim.NoADB})
	}
	if err != nil {
		w.wrong("%v", err)
		return
	}
	defer driver.Close()
	// What must pass has time on a busy machine; what must not is waited for in vain.
	yaml := "id: trap\nplatform: android\ntimeoutMs: 15000\nsteps:\n  - launch: {package: " + scenePackage +
		", force: true}\n"
	for line := range strings.Lines(strings.TrimSpace(w.steps)) {
		yaml += "  " + strings.TrimRight(line, "\n") + "\n"
	}
	tests, err := dsl.Parse(filepath.Join(dir, "trap.yaml"), []byte(yaml))
	if vain := 1000; err == nil && w.want != event.Pass && tests[0].Steps[len(tests[0].Steps)-1].Options.TimeoutMs == nil {
		tests[0].Steps[len(tests[0].Steps)-1].Options.TimeoutMs = &vain
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "icon.png"), pngOf(icon()), 0o600)
	}
	phone.Unlock()
	var dev drivers.Device
	if err == nil {
		dev, err = driver.Open(t.Context(), id)
	}
	if err != nil {
		w.wrong("%v\n%s", err, yaml)
		return
	}
	defer dev.Close()
	reads := dev.(drivers.TreeSource).TreeReadBy()
	if w.lab == nil && w.agent != strings.Contains(reads, "with the agent") {
		w.wrong("%s", reads)
	}
	sink := newSink(t, "phone-"+strings.Map(fileName, w.name))
	result, err := engine.Run(t.Context(), plan.Case{Test: tests[0], Platform: dsl.Android, Pack: "truth", Dir: dir},
		dev, sink,
		engine.Options{NoVideo: true, NoTrace: true, UpdateBaselines: w.update, Vision: vision.New(vision.Options{})})
	if err != nil {
		w.wrong("%v", err)
	}
	if pressed := phone.BarKeys(); len(pressed) > 0 {
		w.wrong("pressed %q of the navigation bar\n%s", pressed, yaml)
	}
	phone.Change(func() { w.judge(s, result, sink.CaseResult(), yaml) })
}

func hashOf(text string) (h uint32) {
	for _, r := range text {
		h = h*31 + uint32(r)
	}
	return h
}

// judge holds what happened against what had to.
func (w *showing) judge(s *stage, result event.Result, r *event.CaseResult, yaml string) {
	said := ""
	if r.Problem != nil {
		said = r.Problem.Message
	}
	var remarks []string
	for _, st := range r.Steps {
		if st.Detail != nil {
			remarks = append(append(remarks, st.Detail.Notes...), st.Detail.Warnings...)
		}
		remarks = append(remarks, st.Notes...)
	}
	more := strings.Join(append(remarks, r.Warnings...), "\n")
	switch {
	case result != w.want:
		w.wrong("%s, and %s is right: %s\n%s\n%s", result, w.want, said, more, yaml)
	case !strings.Contains(said+"\n"+more, w.says):
		w.wrong("it does not say %q: %s\n%s", w.says, said, more)
	}
	taps := w.taps
	if w.lab != nil && w.later != "" {
		taps = w.later
	}
	if touched := strings.Join(s.touched, ", "); touched != taps {
		w.wrong("touched %q instead of %q: %s\n%s", touched, taps, said, yaml)
	}
}

// icon is an image that is on none of these screens, but for one that a trap draws.
func icon() *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, 40, 40))
	for y := range 40 {
		for x := range 40 {
			img.Set(x, y, color.RGBA{uint8(6 * x), uint8(6 * y), uint8(3 * (x + y)), 255})
		}
	}
	return img
}

func pngOf(img image.Image) []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, img) // a buffer takes everything
	return b.Bytes()
}
