package action

import (
	"context"
	"errors"
	"image"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/decide"
	"github.com/taproot-dev/taproot/runner/internal/maestro"
	"github.com/taproot-dev/taproot/runner/internal/observe"
)

// The performers of what is found by the rules of Maestro: the commands of its flows, and actions with a selector that
// has match: maestro. They keep Maestro's results: the first of several is meant, and what covers an element plays no
// part.

const syntheticAt = 100_000 // where the options of an open list of a page lie

// FatalError is a mistake that neither optional nor retry takes: of a script, or a number that is none.
type FatalError struct{ Failure }

func fatal(format string, args ...any) error { return &FatalError{Failure{problem(format, args...)}} }

// Unwrap makes it a Failure.
func (e *FatalError) Unwrap() error { return &e.Failure }

// maestroScreen is one read of a screen as Maestro sees it.
type maestroScreen struct {
	root *maestro.Node
	size image.Point
}

// digest sums up what the screen shows and where.
func (v *maestroScreen) digest() string { return strconv.FormatUint(v.root.Sum(), 16) }

// maestroPerformer performs the steps of a session that follow the rules of Maestro.
type maestroPerformer struct{ *Performer }

// flowState is what the commands of a flow leave for those that follow.
type flowState struct {
	paged bool                   // a page was opened
	taken map[string]image.Image // screenshots, by their names
}

// readForMaestro reads the elements.
func (s maestroPerformer) readForMaestro(ctx context.Context, css []string) (*maestroScreen, error) {
	if err := s.stillRuns(ctx); err != nil {
		return nil, err
	}
	s.Detail.ScreenReads++
	if _, web := s.Device.(drivers.Browser); web {
		return s.readPageForMaestro(ctx, css)
	}
	read := s.Device.Tree
	if w, whole := s.Device.(drivers.FullTreeReader); whole {
		read = w.FullTree
	}
	tree, err := read(ctx)
	if err != nil {
		return nil, err
	}
	s.Tree = tree
	return &maestroScreen{maestro.FromTree(tree), tree.Size}, s.saw(ctx, nil)
}

// pick is the first element that the selector picks; nil: there is none.
func (v *maestroScreen) pick(sel dsl.Selector) (*maestro.Node, error) {
	found, err := maestro.Find(v.root, sel, func(css string) (func(*maestro.Node) bool, error) {
		return func(n *maestro.Node) bool { return n.Styles[css] }, nil
	})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// stylesOf lists the css of a selector and of those within it.
func stylesOf(sel dsl.Selector) []string {
	var all []string
	if sel.CSS != "" {
		all = append(all, sel.CSS)
	}
	within := sel.Relations()
	if sel.Child != nil {
		within = append(within, sel.Child)
	}
	for _, r := range within {
		all = append(all, stylesOf(*r)...)
	}
	return all
}

// search reads the screen until the rules of Maestro decide. v is the newest read and n the element, nil where nothing
// was read or picked.
func (s maestroPerformer) search(ctx context.Context, w decide.Want) (v *maestroScreen, n *maestro.Node,
	d decide.Decision, err error) {
	w.Policy, w.Began, w.Timing = decide.ByMaestro, time.Now(), decide.Native()
	search, css := decide.New(w), stylesOf(w.Selector)
	var frames []decide.Frame
	for {
		f := decide.Frame{}
		n = nil
		now, failed := s.readForMaestro(ctx, css)
		switch {
		case errors.Is(failed, drivers.ErrNotReady):
			f.Failed = failed.Error()
		case failed != nil:
			return v, nil, d, failed
		default:
			v, f.Digest, f.Loading = now, now.digest(), now.root.Loading
		}
		for d.Kind = decide.Answering; d.Kind == decide.Answering; {
			f.Now = time.Now()
			d = search.Next(&f)
			for _, q := range d.Questions {
				if q.Ask == decide.AskObstacle {
					if err := nothingOver(ctx, s.Performer, s.Tree, nil); err != nil {
						return v, nil, d, err
					}
				} else if n, failed = v.pick(w.Selector); errors.Is(failed, drivers.ErrNotReady) {
					f.Failed = failed.Error()
				} else if failed != nil {
					return v, nil, d, failed
				}
				observe.Put(&f, q, decide.Answer{Yes: n != nil})
			}
		}
		if frames = append(frames, f); d.Kind != decide.Wait {
			if d.Kind == decide.Unfit {
				err = failed // the screen could not be read
			}
			if w.Purpose != decide.Rest {
				frames[len(frames)-1].Tree = s.Tree
				s.Searches = append(s.Searches, decide.Recording{Want: w, Frames: frames, Result: decide.ResultOf(d)})
			}
			return v, n, d, err
		}
		if left := time.Until(d.Until); left > 0 {
			if err := drivers.Pause(ctx, left); err != nil {
				return v, nil, d, err
			}
		}
	}
}

// first waits for the first element that the selector picks, for at least one read. v is the newest read in either
// case; no element: nil.
func (s maestroPerformer) first(ctx context.Context, sel dsl.Selector, limit time.Duration) (v *maestroScreen,
	n *maestro.Node, err error) {
	v, n, _, err = s.search(ctx, decide.Want{Purpose: decide.See, Selector: sel, Timeout: limit})
	return v, n, err
}

// want is first for a command that needs its element.
func (s maestroPerformer) want(ctx context.Context, sel dsl.Selector) (*maestroScreen, *maestro.Node, error) {
	limit := s.Timeout
	v, n, err := s.first(ctx, sel, limit)
	if err == nil && n == nil {
		return v, nil, s.absent(v, sel, limit)
	}
	if err == nil {
		s.meets(n)
	}
	return v, n, err
}

// timeLeft says how long a command waited. The time of a command of Maestro runs since the last one that changed the
// screen.
func timeLeft(word string, limit time.Duration) string {
	if limit = limit.Round(time.Millisecond); limit <= 0 {
		return "at a single read: its time had passed since the last command that changed the screen"
	}
	return word + " " + limit.String()
}

func (s maestroPerformer) absent(v *maestroScreen, sel dsl.Selector, limit time.Duration) error {
	p := problem("%s was not found %s; %s", screen.Describe(sel), timeLeft("within", limit), v.shown())
	p.Expected, p.Actual, p.Kind = screen.Describe(sel)+" on the screen", v.shown(), event.NotFound
	return &Failure{p}
}

// shown returns what a screen shows, in a few words.
func (v *maestroScreen) shown() string {
	var texts []string
	for _, n := range v.root.All() {
		for _, text := range []*string{n.Text, n.Desc} {
			if text != nil && strings.TrimSpace(*text) != "" && len(texts) < 12 {
				texts = append(texts, screen.Quote(*text))
				break
			}
		}
	}
	if len(texts) == 0 {
		return "the screen shows no text"
	}
	return "the screen shows " + strings.Join(texts, ", ")
}

// meets keeps what a selector picked.
func (r *Outcome) meets(n *maestro.Node) {
	b := n.Bounds
	r.Detail.Matched, r.Detail.Tier = called(n), "maestro"
	r.Detail.Bounds = &[4]int{b.Min.X, b.Min.Y, b.Max.X, b.Max.Y}
}

func called(n *maestro.Node) string {
	if n.Of != nil {
		return n.Of.String()
	}
	for _, text := range []*string{n.Text, n.Desc, n.Hint, n.ID} {
		if text != nil && *text != "" {
			return screen.Quote(*text)
		}
	}
	return "element"
}

// rested waits until two trees in a row are equal, and returns the last one.
func (s maestroPerformer) rested(ctx context.Context, from *maestroScreen, limitMs *int) (*maestroScreen, error) {
	w := decide.Want{Purpose: decide.Rest, Endless: limitMs == nil}
	if limitMs != nil {
		w.Timeout = time.Duration(*limitMs) * time.Millisecond
	}
	if from != nil {
		w.Digest = from.digest()
	}
	v, _, _, err := s.search(ctx, w)
	if v == nil {
		v = from
	}
	return v, err
}

// Settle waits until the screen rests, as Maestro does behind what changes it.
func Settle(ctx context.Context, s *Performer, limitMs *int) error {
	if _, web := s.Device.(drivers.Browser); web && !s.flow.paged {
		return nil
	}
	_, err := maestroPerformer{Performer: s}.rested(ctx, nil, limitMs)
	return err
}

// Sees reports whether an element is there within the time, by the rules of Maestro.
func Sees(ctx context.Context, s *Performer, sel dsl.Selector, limit time.Duration) (bool, error) {
	if s.Detail == nil {
		s.Detail = &event.Detail{}
	}
	_, n, err := maestroPerformer{Performer: s}.first(ctx, sel, limit)
	if errors.Is(err, drivers.ErrNotReady) {
		return false, nil
	}
	return n != nil, err
}

// Misses reports whether an element is gone within the time: one search finds nothing.
func Misses(ctx context.Context, s *Performer, sel dsl.Selector, limit time.Duration) (bool, error) {
	if s.Detail == nil {
		s.Detail = &event.Detail{}
	}
	_, _, d, err := maestroPerformer{Performer: s}.search(ctx, decide.Want{Purpose: decide.Absent, Selector: sel,
		Timeout: limit})
	return d.Kind == decide.Gone && err == nil, err
}

// finding performs what a condition of Maestro asserts.
func (s maestroPerformer) finding(ctx context.Context, visible, gone *dsl.Selector, limit time.Duration) error {
	if visible != nil {
		v, n, err := s.first(ctx, *visible, limit)
		if err != nil {
			return err
		}
		if n == nil {
			err := s.absent(v, *visible, limit)
			var f *Failure
			if errors.As(err, &f) {
				f.Assertion = true
			}
			return err
		}
		s.meets(n)
	}
	if gone == nil {
		return nil
	}
	missing, err := Misses(ctx, s.Performer, *gone, limit)
	if err != nil || missing {
		return err
	}
	p := problem("%s is still on the screen %s", screen.Describe(*gone), timeLeft("after", limit))
	p.Assertion, p.Expected, p.Actual = true, "no "+screen.Describe(*gone), "it is there"
	return &Failure{p}
}
