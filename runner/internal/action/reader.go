package action

import (
	"context"
	"errors"
	"fmt"
	"image"
	"slices"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/decide"
	"github.com/taproot-dev/taproot/runner/internal/observe"
)

// reader searches one screen for one step: observe, decide, act, and again. The screen comes from observe, every result
// from decide; the reader resolves the questions of decisions, and does what they require of the device.
type reader struct {
	s      *Performer
	want   decide.Want
	screen *observe.Screen
	search *decide.Search
	need   decide.Need // of the newest frame
	frame  decide.Frame
	frames []decide.Frame    // that were decided on
	tree   *screen.Tree      // of the newest whole frame, nil before the first
	later  bool              // a screenshot that is taken after the tree may be the one that others wait for
	parts  []screen.TextPart // of texts; on pages the trees have their places
	pixels pixelSearch

	within   []*screen.Node // that inside has meant
	withinOf *dsl.Selector  // that inside
}

// newReader starts a search. Of the want, the caller fills in what it wants; the rest is the session's.
func newReader(s *Performer, w decide.Want) *reader {
	r := &reader{s: s, want: w}
	r.want.Began, r.want.StepTimeout, r.want.Timing = time.Now(), s.Timeout, decide.Native()
	if r.want.Timeout == 0 {
		r.want.Timeout = s.Timeout
	}
	r.want.Device = factsOf(s)
	r.want.Earlier = decide.History{Acted: s.acted, Tree: s.before}
	o := observe.Options{Page: s.Platform == dsl.Web, Vision: s.Vision != nil, Moving: &s.neverIdle}
	if w.Purpose == decide.See || w.Purpose == decide.Act {
		o.Texts = soughtTexts(w.Selector)
	}
	if t := s.touchedOn; t != nil {
		o.Touched = t.picture
		r.want.Earlier.Touched = &decide.Touched{Tree: t.tree, Shot: observe.TouchedShot(t.picture)}
	}
	r.later = w.Purpose == decide.See && s.onPhone() && !w.Anywhere
	r.screen, r.search = observe.New(s.Device, o), decide.New(r.want)
	return r
}

// factsOf returns what is known of the device before anything is read.
func factsOf(s *Performer) decide.Facts {
	f := decide.Facts{Phone: s.onPhone(), IOS: s.Platform == dsl.IOS, Vision: s.Vision != nil, NoPictures: s.NoPictures}
	if d, ok := s.Device.(drivers.Pixels); ok {
		f.Pixels = d.PixelsAreCheap()
	}
	if d, ok := s.Device.(drivers.AheadOfScreen); ok {
		f.Ahead = d.TreeAheadOfScreen()
	}
	_, f.Reveals = s.Device.(drivers.Revealer)
	_, f.KnowsParts = s.Device.(drivers.PartReader)
	_, f.CSS = s.Device.(drivers.Querier)
	_, f.Quick = s.Device.(drivers.QuickTreeReader)
	_, f.Keyboard = s.Device.(drivers.KeyboardArea)
	_, f.Hides = s.Device.(drivers.KeyboardHider)
	_, f.Exact = s.Device.(drivers.ExactAimer)
	_, f.Obstacles = s.Device.(drivers.ObstacleReporter)
	return f
}

// run searches until a decision ends the search: Found, Gone, Fail or Unfit. The error is the device's.
func (r *reader) run(ctx context.Context) (decide.Decision, error) {
	r.want.Deadline, _ = drivers.StepDeadline(ctx)
	r.search = decide.New(r.want)
	for need := r.search.First(); ; {
		if err := r.observe(ctx, need); err != nil {
			return decide.Decision{}, err
		}
		d, err := r.decide(ctx)
		if err != nil {
			return d, err
		}
		r.frame.Why = d.Why
		r.frames = append(r.frames, r.frame)
		if err := r.lookLater(ctx, d); err != nil {
			return d, err
		}
		switch d.Kind {
		case decide.Reveal:
			if revealer, ok := r.s.Device.(drivers.Revealer); ok {
				r.s.reveals++
				err = reveal(ctx, revealer, d.Matches[0])
			}
		case decide.Uncover:
			if hider, ok := r.s.Device.(drivers.KeyboardHider); ok {
				err = hider.HideKeyboard(ctx)
			}
		case decide.Wait:
		default:
			r.s.Searches = append(r.s.Searches, decide.Recording{Want: r.want, Frames: r.frames,
				Result: decide.ResultOf(d)})
			return d, nil
		}
		if err != nil && !errors.Is(err, drivers.ErrNotReady) {
			return d, err
		}
		if left := time.Until(d.Until); left > 0 {
			if err := drivers.Pause(ctx, left); err != nil {
				return d, err
			}
		}
		need = d.Next
	}
}

// observe reads the next frame.
func (r *reader) observe(ctx context.Context, need decide.Need) (err error) {
	if err := r.s.stillRuns(ctx); err != nil {
		return err
	}
	need.Parts = r.withParts(need.Parts)
	r.need = need
	reads := r.screen.Reads
	if !need.Before && !need.Quick && !r.later {
		r.s.startCapture(ctx)
	}
	r.frame, err = r.screen.Next(ctx, need)
	if took := r.took(ctx, reads, need.Quick); err == nil {
		err = took
	}
	return err
}

// took takes over what the screen has just seen: the number of its reads, its remarks and its screenshots. The report
// may need a screenshot of the screen as it is; where the elements alone were read, it is taken now.
func (r *reader) took(ctx context.Context, reads int, quick bool) error {
	r.s.Detail.ScreenReads += r.screen.Reads - reads
	r.report(r.screen.Notes, r.screen.Warnings)
	taken := r.screen.Taken
	r.screen.Notes, r.screen.Warnings, r.screen.Taken = nil, nil, nil
	if len(taken) == 0 && r.screen.Reads > reads && !quick && !r.later {
		taken = []image.Image{nil}
	}
	r.keepTree()
	for _, img := range taken {
		if err := r.s.saw(ctx, img); err != nil {
			return err
		}
	}
	return nil
}

// keepTree keeps the newest frame's tree.
func (r *reader) keepTree() {
	if r.frame.Tree != nil && !r.frame.Quick && r.frame.Tree != r.tree {
		r.tree = r.frame.Tree
		if !r.frame.PixelsOnly {
			r.s.Tree = r.tree
		}
	}
}

// decide decides on the newest frame, and resolves the questions of the decision.
func (r *reader) decide(ctx context.Context) (decide.Decision, error) {
	for {
		r.frame.Now = time.Now()
		d := r.search.Next(&r.frame)
		if d.Kind != decide.Answering {
			r.report(d.Notes, d.Warnings)
			r.screen.Forget(d.Keep)
			return d, nil
		}
		for _, q := range d.Questions {
			if err := r.answer(ctx, q, d.Next); err != nil {
				return d, err
			}
		}
	}
}

// answer resolves a question of a decision.
func (r *reader) answer(ctx context.Context, q decide.Question, next decide.Need) error {
	if q.Ask == decide.AskParts {
		r.need.Parts = r.withParts(next.Parts)
	}
	reads := r.screen.Reads
	err := r.screen.Answer(ctx, &r.frame, q, r.need)
	if took := r.took(ctx, reads, false); err == nil {
		err = took
	}
	switch {
	case q.Ask == decide.AskKeyboard && err != nil && r.want.Purpose == decide.Act &&
		!errors.Is(err, drivers.ErrDeviceLost):
		observe.Put(&r.frame, q, decide.Answer{Unknown: true})
		err = nil
	case errors.Is(err, observe.ErrOther):
		var a decide.Answer
		if a, err = r.answerOther(ctx, q); err == nil {
			observe.Put(&r.frame, q, a)
		} else if r.screen.Fail(&r.frame, err) {
			err = nil
		}
	case q.Ask == decide.AskParts && err == nil:
		observe.Put(&r.frame, q, decide.Answer{})
	}
	return err
}

// answerOther resolves the questions about what only the session knows.
func (r *reader) answerOther(ctx context.Context, q decide.Question) (decide.Answer, error) {
	switch q.Ask {
	case decide.AskObstacle:
		return decide.Answer{}, nothingOver(ctx, r.s, r.frame.Tree, r.screen.Last())
	case decide.AskReadable:
		return r.readable(ctx, q), nil
	case decide.AskSeen:
		return r.lookFor(ctx, q.Text)
	case decide.AskBrief:
		return r.readBrief(ctx, q.Text)
	case decide.AskUnchanged:
		same, err := r.pixelsUnchanged(ctx, q.Area)
		return decide.Answer{Yes: same}, err
	}
	return decide.Answer{}, fmt.Errorf("nothing answers a question about %s", q.Ask)
}

// lookLater reports that a screenshot may be taken now, where none was taken after the tree.
func (r *reader) lookLater(ctx context.Context, d decide.Decision) error {
	if !r.later || r.tree == nil || d.Kind != decide.Wait && d.Kind != decide.Found && d.Kind != decide.Fail {
		return nil
	}
	if last := r.frame.Last; last.Taken() && !last.At.Before(r.tree.Taken) { // of a quick frame, too
		return nil
	}
	return r.s.saw(ctx, nil)
}

// report puts the notes and warnings of decisions into the report.
func (r *reader) report(notes, warnings []string) {
	for _, text := range notes {
		r.s.noteOnce("%s", text)
	}
	for _, text := range warnings {
		r.s.doubtOnce("%s", text)
	}
}

// withParts adds parts of texts to those of which the next trees have the places.
func (r *reader) withParts(parts []screen.TextPart) []screen.TextPart {
	for _, p := range parts {
		if !slices.Contains(r.parts, p) {
			r.parts = append(r.parts, p)
		}
	}
	return r.parts
}

// result is the error of the last decision of a search, nil when it found what was wanted.
func (r *reader) result(d decide.Decision) error {
	switch d.Kind {
	case decide.Fail:
		return failureOf(*d.Problem)
	case decide.Unfit:
		return r.unfit(d.Err)
	}
	return nil
}

// unfit is the error of a search that cannot be answered.
func (r *reader) unfit(err error) error {
	var unread *decide.NotReadError
	var hidden *decide.HiddenError
	var unproven *decide.UnprovenError
	switch {
	case errors.As(err, &unread):
		return r.screen.Failure()
	case errors.As(err, &hidden) && r.pixels.seen != nil && r.pixels.seen.hidden != nil:
		return fmt.Errorf("%s cannot be looked for: %w", hidden.What, r.pixels.seen.hidden)
	case errors.As(err, &unproven) && r.screen.Protected() != nil:
		return fmt.Errorf("%s: %w", unproven.What, r.screen.Protected())
	}
	return err
}

// The methods below are for steps that search in ways of their own: they read one screen, and ask the same rules.

// shoot takes a screenshot: see observe.Screen.Shoot.
func (r *reader) shoot(ctx context.Context) error {
	err := r.screen.Shoot(ctx)
	if took := r.took(ctx, r.screen.Reads, false); err == nil {
		err = took
	}
	return err
}

// read reads a whole frame; with pictured also the screenshots around it, when they are cheap. Once the time of the
// step has ended, a read is the tree alone.
func (r *reader) read(ctx context.Context, pictured bool) error {
	pictured = pictured && r.want.Device.Pixels && r.screen.Pictured() && (r.tree == nil || !r.late())
	err := r.observe(ctx, decide.Need{Before: pictured, After: pictured, PixelsOnly: r.want.Purpose == ""})
	if err == nil && r.frame.Failed != "" {
		err = r.screen.Failure()
	}
	if err != nil {
		return err
	}
	r.search.Observe(&r.frame)
	return nil
}

// late reports whether the time of the step has ended.
func (r *reader) late() bool { return time.Since(r.want.Began) >= r.s.Timeout }

// find runs a query over the newest frame.
func (r *reader) find(ctx context.Context, sel dsl.Selector, act bool) ([]screen.Match, error) {
	return asked(ctx, r, sel, func() ([]screen.Match, error) {
		return r.search.Find(&r.frame, sel, act, r.meant(sel))
	})
}

// reachable returns the elements that are on the screen, or that the device can bring there.
func (r *reader) reachable(ctx context.Context, sel dsl.Selector) ([]screen.Match, error) {
	return asked(ctx, r, sel, func() ([]screen.Match, error) {
		return r.search.Reachable(&r.frame, sel, r.meant(sel))
	})
}

// meant are the elements that the selector's inside has meant before.
func (r *reader) meant(sel dsl.Selector) []*screen.Node {
	if sel.Inside != nil && sel.Inside == r.withinOf {
		return r.within
	}
	return nil
}

// asked applies a rule to the newest frame, and resolves its questions until it has what it needs.
func asked[T any](ctx context.Context, r *reader, sel dsl.Selector, ask func() (T, error)) (T, error) {
	for {
		r.frame.Now = time.Now()
		got, err := ask()
		q, asks := decide.Lacks(err)
		if !asks {
			r.report(r.search.Remarks())
			if p, ok := decide.ProblemIn(err); ok {
				err = failureOf(p)
			} else if err != nil {
				err = r.unfit(err)
			}
			return got, err
		}
		if err := r.answer(ctx, q, decide.Need{Parts: screen.TextParts(sel)}); err != nil {
			return got, err
		}
		if r.frame.Failed != "" {
			return got, r.screen.Failure()
		}
	}
}

// settled reports whether the screen has been the same for at least the span.
func (r *reader) settled(span time.Duration) bool {
	r.frame.Now = time.Now()
	return r.search.Settled(&r.frame, span)
}

// missing is the failure of an element that did not come.
func (r *reader) missing(sel dsl.Selector, assertion bool) error {
	return failureOf(r.search.Missing(&r.frame, sel, assertion))
}

// readsParts adds the parts of texts that a selector requires to those of which the next trees have the places.
func (r *reader) readsParts(sel dsl.Selector) { r.withParts(screen.TextParts(sel)) }

// soughtTexts are the texts that a selector, and those within it, speak of.
func soughtTexts(sel dsl.Selector) []string {
	texts := []string{}
	for _, text := range []string{sel.Label, sel.Text, sel.Desc, sel.Hint} {
		if text != "" && sel.Match != dsl.MatchRegex {
			texts = append(texts, text)
		}
	}
	for _, other := range sel.Relations() {
		texts = append(texts, soughtTexts(*other)...)
	}
	return texts
}

// Look reads the screen once and returns what fits the selector, as an assertion would match it on a screen that may
// still change: by whole texts. That nothing fits is not an error. It is not a part of any step.
func Look(ctx context.Context, s *Performer, sel dsl.Selector) ([]screen.Match, *screen.Tree, error) {
	own := *s
	own.Detail = &event.Detail{}
	c := claimOf(sel)
	r := newReader(&own, c.Want(decide.See))
	r.readsParts(sel)
	if err := r.read(ctx, false); err != nil {
		return nil, nil, err
	}
	matches, err := asked(ctx, r, sel, func() ([]screen.Match, error) {
		return r.search.Claimed(&r.frame, c.Selector, c.Check)
	})
	return matches, r.tree, err
}

// Missing explains that nothing on a screen fits the selector, as a failed assertion does.
func Missing(sel dsl.Selector, t *screen.Tree) event.Problem {
	return failureOf(decide.Missing(screen.Query{Selector: sel}, t)).Problem
}

// notePart says in the report when only a part of what was looked for can be seen.
func (r *Outcome) notePart(m screen.Match) {
	if m.Node.Bounds == m.Seen || m.Seen.Empty() {
		return
	}
	b := m.Seen
	r.note("only a part of %s can be seen: [%d,%d][%d,%d]", m.Node, b.Min.X, b.Min.Y, b.Max.X, b.Max.Y)
}
