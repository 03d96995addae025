// Package console turns the events of many cases, as they happen, into the output on a terminal.
package console

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
)

// Options configure the output. Quiet leaves out everything before the failures; Verbose adds a line per step.
type Options struct {
	Total   int  // cases that the run has; 0: unknown, then lines have no number
	Groups  bool // GitHub Actions reads the output: long parts are folded
	TTY     bool // lines may be redrawn in place
	Width   int  // columns of the terminal; default: 80
	Color   bool
	Quiet   bool
	Verbose bool
	Clock   func() time.Time // default: time.Now
}

const (
	tick     = 200 * time.Millisecond // between two updates of the time that a step has taken
	beat     = time.Minute            // between two progress lines where lines cannot be redrawn
	maxLive  = 20                     // lines that are redrawn
	defWidth = 80
)

// Console shows one run. It is safe for concurrent use. End must be called.
type Console struct {
	w io.Writer
	o Options

	mu      sync.Mutex
	running map[string]*running // by pack
	ended   map[string]*event.CaseResult
	order   []string // packs, as they ended
	warned  []string // of devices, in addition to those of cases
	drawn   int      // lines of the live block that are on the screen
	err     error    // of the first write that failed
	closed  bool

	stop chan struct{}
	done chan struct{}
}

// running is a case that has started and not ended.
type running struct {
	c            event.Case
	seq          int
	events       []event.Event
	started      time.Time
	step         int
	since        time.Time          // of the step
	dynamicSteps map[int]event.Step // steps that only the run knows, such as those of loops and flows
}

// New starts to show a run.
func New(w io.Writer, o Options) *Console {
	if o.Width <= 0 {
		o.Width = defWidth
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	c := &Console{w: w, o: o, running: map[string]*running{}, ended: map[string]*event.CaseResult{},
		stop: make(chan struct{}), done: make(chan struct{})}
	switch {
	case o.Quiet:
		close(c.done)
	case o.TTY:
		go c.watch(tick, func() string { return "" })
	default:
		go c.watch(beat, c.progressLines)
	}
	return c
}

// watch writes the result of text, and updates the times, until End.
func (c *Console) watch(every time.Duration, text func() string) {
	defer close(c.done)
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-c.stop:
			return
		case <-t.C:
			c.mu.Lock()
			c.redraw(text())
			c.mu.Unlock()
		}
	}
}

// progressLines lists what runs, so that the log of a CI system shows progress. It needs c.mu.
func (c *Console) progressLines() string {
	var b strings.Builder
	for _, line := range c.live() {
		b.WriteString(line + "\n")
	}
	return b.String()
}

// Event takes the next event of a case. It can be used as pack.PackOptions.Observe.
func (c *Console) Event(of event.Case, e event.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.ended[of.Pack] != nil {
		return
	}
	r := c.running[of.Pack]
	if r == nil {
		r = &running{c: of, seq: len(c.running) + len(c.order), started: e.Time, since: e.Time}
		c.running[of.Pack] = r
	}
	r.take(e)
	text := ""
	switch {
	case e.Kind == event.CaseEnded:
		delete(c.running, of.Pack)
		res := r.result()
		c.ended[of.Pack] = res
		c.order = append(c.order, of.Pack)
		text = c.caseLine(res) + c.reason(res)
	case e.Kind == event.StepEnded && c.o.Verbose:
		text = c.stepLine(r, e)
	}
	c.redraw(text)
}

func (r *running) take(e event.Event) {
	if e.Kind == event.CaseStarted && len(r.events) > 0 { // it starts again on another device of a farm
		r.events, r.dynamicSteps, r.step, r.started, r.since = nil, nil, 0, e.Time, e.Time
	}
	r.events = append(r.events, e)
	switch e.Kind {
	case event.CaseStarted:
		if e.Case != nil {
			r.c = *e.Case
		}
	case event.StepStarted, event.StepEnded: // a step that is not reached has no start
		if e.Kind == event.StepStarted {
			r.step, r.since = e.Step, e.Time
		}
		if e.Info != nil {
			if r.dynamicSteps == nil {
				r.dynamicSteps = map[int]event.Step{}
			}
			r.dynamicSteps[e.Step] = *e.Info
		}
	}
}

// result folds the events so far. A case without its first event is described by the case of its pack.
func (r *running) result() *event.CaseResult {
	res := event.Fold(r.events)
	if res.Case.ID == "" {
		res.Case = r.c
	}
	return res
}

// Correct replaces a result that differs from the events: that of a pack which could not be kept.
func (c *Console) Correct(res *event.CaseResult) {
	c.mu.Lock()
	defer c.mu.Unlock()
	pack := res.Case.Pack
	if c.closed {
		return
	}
	delete(c.running, pack)
	shown := c.ended[pack]
	if shown == nil {
		c.order = append(c.order, pack)
	}
	c.ended[pack] = res
	if shown != nil && shown.Result == res.Result {
		return // its line is there
	}
	c.redraw(c.caseLine(res) + c.reason(res))
}

// redraw prints text above the live block, and prints the block again. It needs c.mu.
func (c *Console) redraw(text string) {
	if c.o.Quiet {
		return
	}
	if !c.o.TTY {
		c.write(text)
		return
	}
	var b strings.Builder
	b.WriteString(c.erase())
	b.WriteString(text)
	lines := c.block()
	for _, l := range lines {
		b.WriteString(l + "\n")
	}
	c.write(b.String())
	c.drawn = len(lines)
}

// erase removes the live block from the screen; the cursor is then below the printed lines.
func (c *Console) erase() string {
	if c.drawn == 0 {
		return ""
	}
	return fmt.Sprintf("\x1b[%dA\x1b[J", c.drawn)
}

// block is the part that is redrawn: a line of each running test, then the progress of the run.
func (c *Console) block() []string {
	lines := c.live()
	if c.o.Total > 0 && len(lines) > 0 {
		lines = append(lines, fitTo(fmt.Sprintf("[%d/%d] %s", len(c.cases()), c.o.Total, c.tally()), c.o.Width-1))
	}
	return lines
}

func (c *Console) live() []string {
	list := slices.SortedFunc(maps.Values(c.running), func(a, b *running) int { return a.seq - b.seq })
	var lines []string
	for i, r := range list {
		if i == maxLive {
			lines = append(lines, fmt.Sprintf("  … and %d more", len(list)-maxLive))
			break
		}
		lines = append(lines, c.liveLine(r))
	}
	return lines
}

func (c *Console) write(s string) {
	if s == "" || c.err != nil {
		return
	}
	_, c.err = io.WriteString(c.w, s)
}

// Run is what End shows of the run as a whole.
type Run struct {
	Dir string // the run's directory; empty: no reports were kept
	// shown when no test ran: otherwise End shows the time from the start of the first test to the end of the last
	Took time.Duration
	// Planned is how many tests were to be run; those that never started count as interrupted. 0: not known.
	Planned int
	// Choice says which tests were chosen for the run.
	Choice history.Choice
}

// Waits prints why a test waits for its devices, when every step is printed; "": it no longer does.
func (c *Console) Waits(pack, reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed && c.o.Verbose && reason != "" {
		c.redraw(c.paint(dim, fmt.Sprintf("  … %s: %s", one(pack), one(reason))) + "\n")
	}
}

// Warn adds a warning about a device that belongs to no case; End prints it.
func (c *Console) Warn(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.warned = append(c.warned, text)
}

// End shows the failures, the totals, and where the reports are. Cases that did not end count as interrupted. The error
// is that of the first write that failed.
func (c *Console) End(run Run) error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return c.err
	}
	c.closed = true
	close(c.stop)
	c.mu.Unlock()
	<-c.done
	c.mu.Lock()
	defer c.mu.Unlock()
	c.write(c.erase())
	c.drawn = 0
	for _, r := range slices.SortedFunc(maps.Values(c.running), func(a, b *running) int { return a.seq - b.seq }) {
		c.ended[r.c.Pack] = r.result()
		c.order = append(c.order, r.c.Pack)
	}
	clear(c.running)
	c.write(c.closing(run))
	return c.err
}
