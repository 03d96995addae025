package record

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/client"
	"github.com/taproot-dev/taproot/runner/internal/live"
)

//go:embed listen.js
var listenScript string

// binding is the function of the window by which pages report the person's actions.
const binding = "__taprootTold"

// Options configure a recording.
type Options struct {
	Devices *live.Devices
	ID      string // of the test
	URL     string // first page
	Connect string // address of a running browser; empty: start one
	Headed  bool   // in a window
	IDs     bool   // prefer IDs to texts
	// Say is called for each recorded step, as it is written in the test.
	Say func(line string)
	// Note is called for remarks: an open dialog, an action that was not recorded.
	Note func(text string)
	// Answers are a person's answers to dialogs, in addition to those in the window: y, n, or the text of a prompt;
	// nil: none.
	Answers <-chan string
	// Put saves an uploaded file next to the test, and returns its name in the test.
	Put func(name string, data []byte) (string, error)
}

// userAction is one action of the person.
type userAction struct {
	Page     string
	Number   int
	Kind     string
	X, Y     float64
	To       struct{ X, Y float64 } // of a drag
	How      string                 // how a page was opened: navigate, reload, back_forward
	URL      string                 // of that page
	Control  *Control
	Field    string
	Value    string
	Before   string
	Password bool
	Key      string
	Accept   bool
	Asked    bool // by a button
	Hidden   bool // the field is not visible
	Files    []struct{ Name, Data string }

	tab  int
	done func()
}

// recorder converts the person's actions to steps.
type recorder struct {
	o             Options
	device        string
	test          test
	tabs          []drivers.WebTab        // open tabs that were reported
	closes        int                     // how many of them pages have closed themselves
	asked         bool                    // the open dialog was reported
	unprinted     bool                    // the last step was not printed yet
	names         map[string]string       // of passwords, by field
	seen          map[string]int          // number of the newest action, by page
	visit         drivers.WebHistoryEntry // the history entry that was seen last
	pageNavigates bool                    // the page itself moves in its history
}

// who is the name of the recording in leases.
const who = "taproot record"

// Run opens a page and records a person's actions on it, until ctx ends or the last page is closed; then it returns the
// test. With an error, the text is what was recorded until then, or empty.
func Run(ctx context.Context, o Options) (yaml string, err error) {
	r := &recorder{o: o, test: test{id: o.ID}, names: map[string]string{}, seen: map[string]int{}}
	status, err := o.Devices.Launch(ctx, dsl.Web, who)
	if err != nil {
		return "", err
	}
	r.device = status.Info.ID
	if err := r.openPage(ctx); err != nil {
		return "", errors.Join(err, o.Devices.Shut(context.WithoutCancel(ctx), r.device, who))
	}
	heard := make(chan userAction)
	life, cancel := context.WithCancel(ctx)
	defer cancel()
	if err = r.listen(life, heard); err == nil {
		err = r.follow(life, heard)
	}
	cancel()
	r.printStep()
	if err == nil || ctx.Err() != nil {
		err = o.Devices.Shut(context.WithoutCancel(ctx), r.device, who)
	}
	yaml, bad := r.test.yaml()
	return yaml, errors.Join(bad, err)
}

// openPage opens the page.
func (r *recorder) openPage(ctx context.Context) error {
	args := text("url", r.o.URL)
	now := args
	if r.o.Connect != "" {
		args = args.With("connect", str(r.o.Connect))
		now = args
	} else if r.o.Headed {
		now = args.With("headless", source.Value{Kind: source.Bool, Text: "false"})
	}
	def, _ := dsl.Lookup("openBrowser")
	if err := r.call(ctx, "openBrowser", now); err != nil {
		return err
	}
	r.write(step{lines: []string{client.StepLine(def, args)}}, false)
	r.visit, _ = r.currentEntry(ctx) // a browser without this information has no history to record
	return nil
}

// listen installs the script that reports the person's actions. Actions are reported one after the other; a page waits
// until each has been performed.
func (r *recorder) listen(ctx context.Context, heard chan<- userAction) error {
	var turn sync.Mutex
	hear := func(tab int, data string) {
		t := userAction{tab: tab}
		if json.Unmarshal([]byte(data), &t) != nil {
			return
		}
		turn.Lock()
		defer turn.Unlock()
		done := make(chan struct{})
		t.done = func() { close(done) }
		select {
		case heard <- t:
		case <-ctx.Done():
			return
		}
		select {
		case <-done:
		case <-ctx.Done():
		}
	}
	script := fmt.Sprintf("(%s)(%q, %s, %t)", listenScript, binding, controlScript, r.o.IDs)
	return r.o.Devices.Use(ctx, r.device, who, func(ctx context.Context, s *action.Performer) error {
		page, ok := s.Device.(drivers.WebListener)
		if !ok {
			return fmt.Errorf("this browser cannot report a person's actions: %w", drivers.ErrUnsupported)
		}
		return page.Listen(ctx, binding, script, hear)
	})
}

// tabInterval is how often the list of tabs is checked.
const tabInterval = 500 * time.Millisecond

// follow records until ctx or the last page ends.
func (r *recorder) follow(ctx context.Context, heard <-chan userAction) error {
	ticker := time.NewTicker(tabInterval)
	defer ticker.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case t := <-heard:
			err = r.handle(ctx, t)
			t.done()
		case answer := <-r.o.Answers:
			err = r.answer(ctx, answer)
		case <-ticker.C:
			r.printStep()
			err = r.sync(ctx, -1)
		}
		switch {
		case errors.Is(err, errEnd), ctx.Err() != nil:
			return nil
		case errors.Is(err, drivers.ErrDeviceLost):
			return nil // the window was closed
		case err != nil:
			r.o.Note(fmt.Sprintf("not recorded: %v", err))
		}
	}
}

// errEnd means that the last page was closed.
var errEnd = errors.New("the last page was closed")

// handle records one action.
func (r *recorder) handle(ctx context.Context, t userAction) error {
	newest := r.seen[t.Page]
	r.seen[t.Page] = max(newest, t.Number)
	if t.Kind == "input" && t.Number < newest {
		return nil // a later one has the whole text
	}
	if t.Kind == "closing" {
		r.closes++
		return nil
	}
	if t.Kind == "dialog" {
		return r.recordAnswer(ctx, t)
	}
	if t.Kind == "leads" {
		r.pageNavigates = true
		return nil
	}
	if err := r.sync(ctx, t.tab); err != nil {
		return err
	}
	switch t.Kind {
	case "tap":
		return r.tap(ctx, t, "tap")
	case "double":
		return r.tap(ctx, t, "doubleTap")
	case "drag":
		return r.drag(ctx, t)
	case "arrived":
		return r.arrived(ctx, t)
	case "input":
		return r.input(ctx, t)
	case "fill":
		return r.fill(t)
	case "select":
		return r.choose(t)
	case "files":
		return r.upload(t)
	case "key":
		return r.key(t)
	}
	return nil
}

// call performs a step on the page.
func (r *recorder) call(ctx context.Context, name string, args source.Value) error {
	def, _ := dsl.Lookup(name)
	a, err := r.o.Devices.Call(ctx, live.Request{Device: r.device, Who: who, Def: def, Args: args})
	if err == nil && a.Result != event.Pass {
		err = errors.New(a.Problem.Message)
	}
	return err
}

// write adds a step; with instead, it replaces the last one. While text is being typed, the step is printed when the
// typing pauses.
func (r *recorder) write(s step, instead bool) {
	if instead {
		r.test.drop()
	} else {
		r.printStep()
	}
	r.test.add(s)
	if r.unprinted = true; !s.typed {
		r.printStep()
	}
}

// printStep prints the last step, once.
func (r *recorder) printStep() {
	if !r.unprinted {
		return
	}
	r.unprinted = false
	for _, line := range r.test.last().lines {
		r.o.Say(line)
	}
}

// selector returns the best selector that matches only the element at a place.
func (r *recorder) selector(ctx context.Context, x, y float64) (found source.Value, err error) {
	err = r.o.Devices.Use(ctx, r.device, who, func(ctx context.Context, s *action.Performer) error {
		if open, err := client.OpenDialog(ctx, s.Device); open != nil || err != nil {
			return errors.Join(err, errDialog)
		}
		tree, err := s.Device.Tree(ctx)
		if err != nil {
			return err
		}
		found = named(tree, x, y, r.o.IDs)
		return nil
	})
	return found, err
}

var errDialog = &live.InvalidError{Err: errors.New("the page shows a dialog: answer it first")}

func named(tree *screen.Tree, x, y float64, ids bool) source.Value {
	elements := client.NewRefs().Identify(tree)
	n := elements.At(int(x*float64(tree.Size.X)), int(y*float64(tree.Size.Y)))
	if n == nil {
		return place(x, y)
	}
	ranked := elements.Ranked(n, ids)
	at := slices.IndexFunc(ranked, func(c client.Candidate) bool { return c.Picks })
	return ranked[at].Selector // the last one is a position, which always matches
}
