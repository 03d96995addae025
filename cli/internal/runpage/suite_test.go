package runpage

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/reporters/html"
)

// suite is a suite of tests that need no device: a test fails if its id ends in 7, and waits for the gate in its
// second step if the gate is closed.
type suite struct {
	reports string
	saved   chan []string
	depend  []string

	mu     sync.Mutex
	tests  []Test
	broken []Broken
	ran    [][]string
	gate   chan struct{} // nil: it is open
}

func newSuite(t *testing.T, n int) *suite {
	s := &suite{reports: t.TempDir(), saved: make(chan []string)}
	for i := range n {
		id := fmt.Sprintf("test-%03d", i)
		one := Test{ID: id, Name: fmt.Sprintf("Buys item %d", i), File: fmt.Sprintf("suites/shop-%d/test-%03d.yaml", i/50, i),
			Line: 1, Tags: []string{[]string{"smoke", "slow"}[i%2]}, Cases: []string{id}}
		if i == 3 { // with data rows
			one.Cases = []string{id + "--row-1", id + "--row-2"}
		}
		s.tests = append(s.tests, one)
	}
	return s
}

func (s *suite) Read() ([]Test, []Broken) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.tests), slices.Clone(s.broken)
}

func (s *suite) Depending([]string) []string { return s.depend }

func (s *suite) Saved(ctx context.Context) ([]string, error) {
	select {
	case files := <-s.saved:
		return files, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// hold makes tests wait in their second step until the returned function is called.
func (s *suite) hold() func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	gate := make(chan struct{})
	s.gate = gate
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.gate = nil
		close(gate)
	})
}

func (s *suite) runs() [][]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.ran)
}

func (s *suite) Run(ctx context.Context, cases []string, o Observer) (string, error) {
	s.mu.Lock()
	s.ran = append(s.ran, cases)
	s.mu.Unlock()
	dir, err := pack.NewRunDir(s.reports, time.Now())
	if err != nil {
		return err.Error(), err
	}
	defer dir.Close()
	o.Planned(dir.Path(), cases)
	for _, key := range cases {
		if ctx.Err() == nil {
			err = s.one(ctx, dir, key, o)
		}
		if err != nil {
			return err.Error(), err
		}
	}
	run, err := history.LoadRun(dir.Path())
	if err == nil {
		err = html.WritePacks(context.WithoutCancel(ctx), run)
	}
	if err == nil {
		err = history.AppendHistory(run)
	}
	return "a message of the run", err
}

func (s *suite) one(ctx context.Context, dir *pack.RunDir, key string, o Observer) error {
	steps := []event.Step{{N: 1, Action: "openBrowser", Args: "https://example.com"}, {N: 2, Action: "tap", Args: "Buy"},
		{N: 3, Action: "assert", Args: "In the cart"}}
	for i := range steps {
		steps[i].Place = source.Pos{File: key + ".yaml", Line: 4 + i, Col: 5}
		steps[i].Source = "  - " + steps[i].Action + ": " + steps[i].Args
	}
	c := event.Case{ID: key, Pack: key, Platform: "web", Steps: steps, Place: source.Pos{File: key + ".yaml", Line: 1}}
	p, err := dir.NewPack(c, pack.PackOptions{NoVideo: true, Observe: o.Event})
	if err != nil {
		return err
	}
	emit := func(e event.Event) {
		if err == nil {
			err = p.Emit(e)
		}
	}
	emit(event.Event{Kind: event.CaseStarted, Case: &c})
	result, problem := event.Pass, (*event.Problem)(nil)
	for n := 1; n <= 3 && result == event.Pass; n++ {
		emit(event.Event{Kind: event.StepStarted, Step: n})
		s.mu.Lock()
		gate := s.gate
		s.mu.Unlock()
		if n == 2 && gate != nil {
			select {
			case <-gate:
			case <-ctx.Done():
				result, problem = event.Interrupted, &event.Problem{Message: "the run was interrupted"}
			}
		}
		if n == 3 && strings.HasSuffix(key, "7") {
			result, problem = event.Fail, &event.Problem{Message: "In the cart is not on the screen", Assertion: true,
				Candidates: []string{`text "Empty cart"`}}
		}
		if result != event.Interrupted {
			err = p.Screenshot(context.WithoutCancel(ctx), event.Shot{Image: screenOf(n), Step: n, Label: "screen"})
		}
		emit(event.Event{Kind: event.StepEnded, Step: n, Result: result, Problem: problem, DurationMS: int64(10 * n)})
	}
	emit(event.Event{Kind: event.CaseEnded, Result: result, Problem: problem, DurationMS: 60})
	_, finished := p.Finish(context.WithoutCancel(ctx))
	if err == nil {
		err = finished
	}
	return err
}

func screenOf(n int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, 320, 480))
	draw.Draw(img, img.Bounds(), image.NewUniform(color.RGBA{uint8(60 * n), 120, 200, 255}), image.Point{}, draw.Src)
	return img
}
