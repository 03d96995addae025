package observe

import (
	"context"
	"errors"
	"fmt"
	"image"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/internal/pixels"
	"github.com/taproot-dev/taproot/runner/internal/decide"
)

// ErrOther says that a question is not about the screen: the caller answers it.
var ErrOther = errors.New("not a question about the screen")

// Answer answers a question about the newest frame, and puts the answer into it. A screen that cannot be read now makes
// the frame one that says so. need is what the frame was read for.
func (s *Screen) Answer(ctx context.Context, f *decide.Frame, q decide.Question, need decide.Need) error {
	a, err := s.answer(ctx, f, q, need)
	if errors.Is(err, drivers.ErrNotReady) {
		s.failed, f.Failed = err, err.Error()
		return nil
	}
	if err != nil {
		return err
	}
	Put(f, q, a)
	return nil
}

// Put puts an answer into a frame.
func Put(f *decide.Frame, q decide.Question, a decide.Answer) {
	if f.Evidence == nil {
		f.Evidence = map[string]decide.Answer{}
	}
	f.Evidence[q.Key()] = a
}

func (s *Screen) answer(ctx context.Context, f *decide.Frame, q decide.Question, need decide.Need) (decide.Answer,
	error) {
	switch q.Ask {
	case decide.AskShot:
		return decide.Answer{}, s.shotAfter(ctx, f)
	case decide.AskPixels:
		err := s.tryPixels(ctx)
		s.fill(f)
		return decide.Answer{}, err
	case decide.AskParts:
		return decide.Answer{}, s.again(ctx, f, need)
	case decide.AskKeyboard:
		d, ok := s.dev.(drivers.KeyboardArea)
		if !ok {
			return decide.Answer{Unknown: true}, nil
		}
		box, err := d.KeyboardArea(ctx)
		return decide.Answer{Box: box}, err
	case decide.AskExact:
		d, ok := s.dev.(drivers.ExactAimer)
		n := nodeAt(f.Tree, q.Node)
		return decide.Answer{Yes: ok && n != nil && d.AimsExactly(n)}, nil
	case decide.AskPicked:
		return s.picked(ctx, f.Tree, q.Text)
	}
	return s.compare(q)
}

// compare answers a question about screenshots.
func (s *Screen) compare(q decide.Question) (decide.Answer, error) {
	a, b := s.shots[q.A], s.shots[q.B]
	if a == nil || q.B != 0 && b == nil {
		if q.A == 0 {
			return decide.Answer{}, ErrOther
		}
		return decide.Answer{}, fmt.Errorf("screenshot %d or %d of this step is not kept any more", q.A, q.B)
	}
	switch q.Ask {
	case decide.AskChanged:
		return decide.Answer{Box: pixels.Changed(a, b, q.Area)}, nil
	case decide.AskSame:
		return decide.Answer{Yes: pixels.Same(a, b, q.Area)}, nil
	case decide.AskMotion:
		return decide.Answer{Motion: decide.Motion(pixels.MotionOf(a, b, q.Area))}, nil
	case decide.AskBlank:
		return decide.Answer{Yes: pixels.Blank(a, q.Area)}, nil
	case decide.AskSmooth:
		return decide.Answer{Yes: pixels.Smooth(a, q.Area)}, nil
	case decide.AskDark:
		return decide.Answer{Yes: pixels.Dark(a)}, nil
	case decide.AskLine:
		return decide.Answer{Yes: pixels.NewInk(a, q.Area).Line()}, nil
	case decide.AskInk:
		return decide.Answer{Yes: inkIn(a, q)}, nil
	}
	return decide.Answer{}, ErrOther
}

// inkIn reports whether anything is drawn in an area of a screenshot.
func inkIn(img image.Image, q decide.Question) bool {
	ink := pixels.NewInk(img, q.Area)
	for _, x := range q.Without {
		switch {
		case x.Part == decide.EdgesOf && q.Text == decide.Characters:
			ink.WithoutSides(x.Box)
		case x.Part == decide.EdgesOf:
			ink.WithoutEdges(x.Box)
		case x.Part == decide.CornersOf:
			ink.WithoutCorners(x.Box)
		default:
			ink.Without(x.Box)
		}
	}
	if q.Text == decide.Characters {
		return ink.HasCharacters()
	}
	return ink.Any()
}

// Image returns a screenshot of this step, nil when it is not kept any more.
func (s *Screen) Image(id int) image.Image { return s.shots[id] }

// shotAfter takes a screenshot after the tree. Where none can be had, the frame says so.
func (s *Screen) shotAfter(ctx context.Context, f *decide.Frame) error {
	err := s.Shoot(ctx)
	s.fill(f)
	var p *drivers.ProtectedError
	if err != nil && !errors.As(err, &p) {
		if errors.Is(err, drivers.ErrDeviceLost) || ctx.Err() != nil {
			return err
		}
		s.doubt("whether it is drawn is unknown: %v", err)
		f.ShotFailed = true
		return nil
	}
	f.ShotFailed = !f.After.Taken() // none may be taken
	return nil
}

// again reads the tree of a frame again.
func (s *Screen) again(ctx context.Context, f *decide.Frame, need decide.Need) error {
	now := decide.Frame{Before: s.last}
	if err := s.tree(ctx, &now, need); err != nil {
		return err
	}
	s.fill(&now)
	*f = now
	return nil
}

// picked queries a browser for the elements that a css or XPath picks.
func (s *Screen) picked(ctx context.Context, t *screen.Tree, text string) (decide.Answer, error) {
	d, ok := s.dev.(drivers.Querier)
	if !ok {
		return decide.Answer{Unknown: true}, nil
	}
	css, isCSS := strings.CutPrefix(text, "css=")
	xpath := ""
	if !isCSS {
		css, xpath = "", strings.TrimPrefix(text, "xpath=")
	}
	matched, err := d.Query(ctx, t, css, xpath)
	if err != nil {
		return decide.Answer{}, err
	}
	var a decide.Answer
	i := 0
	for n := range t.All {
		if matched[n] {
			a.Nodes = append(a.Nodes, i)
		}
		i++
	}
	return a, nil
}

// nodeAt returns an element by its number in document order, or nil.
func nodeAt(t *screen.Tree, number int) *screen.Node {
	i := 0
	for n := range t.All {
		if i == number {
			return n
		}
		i++
	}
	return nil
}
