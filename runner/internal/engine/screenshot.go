package engine

import (
	"cmp"
	"context"
	"errors"
	"image"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// screenshots chooses the screenshots of steps for the report, and proves by them whether taps had an effect.
type screenshots struct {
	*report
	dev     drivers.Device
	session *action.Performer
	vars    *variables
	pages   *pages
	off     bool // none are kept: see RunInteractive

	pending []pendingScreenshot // to be taken before the device is changed again
	own     ownScreenshot
	unsure  []pendingScreenshot // steps with a tap that had changed nothing when their screenshot was taken
}

// screenshotLimit limits the screenshot of a step in which the device failed: a device that does not respond must not
// cost its own limit twice.
const screenshotLimit = 5 * time.Second

// pendingScreenshot is the screenshot of a step that passed.
//
// A screenshot of a phone takes up to a second. If it were taken right after the step, a text that is on the screen
// for two seconds could disappear before the next step reads the screen, and an assertion on it would fail only
// because of the report. So the screenshot waits for the next step: its first screen read is used for both, or it is
// taken before the next step changes the device. Either way it shows the screen as the step left it.
type pendingScreenshot struct {
	n      int
	label  string
	tapped *action.Tapped
	image  image.Image // taken while the step waited for the effect of its action; nil: not yet
}

// ownScreenshot is one that a step has taken of itself.
type ownScreenshot struct {
	step  int
	image image.Image
}

// wanted is what the report lacks, for the next step.
func (s *screenshots) wanted() action.Wanted {
	w := action.Wanted{Own: !s.off, Page: len(s.pending) > 0 && s.pages.wanted()}
	for _, o := range s.pending {
		w.Shot = w.Shot || o.image == nil
		if o.tapped != nil {
			w.Taps = append(w.Taps, o.tapped)
		}
	}
	for _, o := range s.unsure {
		w.Earlier = append(w.Earlier, o.tapped)
	}
	return w
}

// accept takes over what step n saw: the screenshot of the steps before it, its own, and which taps had no effect.
func (s *screenshots) accept(ctx context.Context, n int, seen action.Outcome) error {
	if seen.Own != nil {
		s.own = ownScreenshot{step: n, image: seen.Own}
	}
	if seen.Before == nil {
		s.proveTaps()
		return nil
	}
	return s.keepPending(ctx, seen.Before)
}

// takeScreenshots takes the screenshot of a step that did not pass, and before it another one if an assertion failed;
// that of any other step is pending. A device that failed may have none; the error is a panic.
func (s *screenshots) takeScreenshots(ctx context.Context, step *dsl.Step, ended event.Event) error {
	if s.off || ended.Result == event.Interrupted {
		return nil
	}
	assertion := ended.Problem != nil && ended.Problem.Assertion
	last := pendingScreenshot{n: ended.Step, label: screenshotLabel(step, s.vars.scope), tapped: s.session.Tapped()}
	if step.Options.Screenshot != nil && !*step.Options.Screenshot && !assertion {
		return nil
	}
	if ended.Result == event.Pass {
		if s.own.step == ended.Step {
			last.image = s.own.image
		}
		s.pending = append(s.pending, last)
		return nil
	}
	if ended.Result == event.Error {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, screenshotLimit)
		defer cancel()
	}
	if assertion {
		s.session.Wanted = action.Wanted{Shot: true}
		p := s.session.TakePicture(ctx, nil)
		if p.Image == nil {
			return s.noScreenshot(ended.Step, p.Err)
		}
		s.keepScreenshot(ctx, event.Shot{Step: ended.Step, Label: last.label, Image: p.Image, Failure: true})
	}
	last.tapped = nil
	s.pending = append(s.pending, last)
	if err := s.takePending(ctx); action.StackOf(err) != "" {
		return err
	}
	return nil
}

// noScreenshot logs at step n why there is no screenshot. Where no page is open, there is none. The error is a panic.
func (s *screenshots) noScreenshot(n int, err error) error {
	if !errors.Is(err, drivers.ErrPage) {
		s.log(n, "no screenshot: %v", err)
	}
	if action.StackOf(err) == "" {
		return nil
	}
	return err
}

// keepScreenshot adds a screenshot to the report, also if the run has just been interrupted.
func (s *screenshots) keepScreenshot(ctx context.Context, shot event.Shot) {
	s.keep(s.sink.Screenshot(context.WithoutCancel(ctx), shot))
}

// errReport ends a step if the report cannot be written; the reason is in report.sinkErr.
var errReport = errors.New("the report could not be written")

// takePending takes the screenshot of all steps that still have none. They have changed nothing that later steps have
// not seen.
func (s *screenshots) takePending(ctx context.Context) error {
	if len(s.pending) == 0 {
		return nil
	}
	if s.sinkErr != nil {
		s.pending, s.unsure = nil, nil
		return nil
	}
	s.session.Wanted = s.wanted()
	p := s.session.TakePicture(ctx, nil)
	if p.Image != nil {
		for _, t := range s.session.Wanted.Taps {
			t.Judge(p.Image, time.Now())
		}
	}
	s.session.Wanted = action.Wanted{}
	return s.keepPending(ctx, p)
}

// keepPending keeps a picture for all steps that still have none.
func (s *screenshots) keepPending(ctx context.Context, p *action.Picture) error {
	list := s.pending
	s.pending, s.unsure = nil, nil
	if len(list) == 0 || s.sinkErr != nil {
		return nil
	}
	last := list[len(list)-1].n
	if p.Err != nil {
		return cmp.Or(s.noScreenshot(last, p.Err), ctx.Err())
	}
	for _, o := range list {
		if o.image == nil {
			o.image = p.Image
		}
		s.keepScreenshot(ctx, event.Shot{Step: o.n, Label: o.label, Image: o.image})
		if o.tapped != nil {
			s.unsure = append(s.unsure, o)
		}
	}
	if p.Unseen != "" {
		s.log(last, "%s", p.Unseen)
	}
	s.proveTaps()
	s.pages.keepPage(p, list)
	if s.sinkErr != nil {
		return errReport
	}
	return ctx.Err()
}

// proveTaps reports the earlier taps that have changed nothing on the screen.
func (s *screenshots) proveTaps() {
	list := s.unsure
	s.unsure = nil
	for _, o := range list {
		proof, note, warning, known := o.tapped.NoEffect()
		if !known {
			s.unsure = append(s.unsure, o)
		}
		if proof != "" {
			s.emit(event.Event{Kind: event.Logged, Step: o.n, Message: note, Detail: &event.Detail{Proof: proof}})
		}
		if warning != "" {
			s.emit(event.Event{Kind: event.Logged, Step: o.n, Message: warning, Warning: true})
		}
	}
}

// takePendingBefore takes the pending screenshots before a step, unless the step reads the screen itself before it
// changes anything, or does not use it.
func (s *screenshots) takePendingBefore(ctx context.Context, args any) error {
	if action.LooksFirst(args) {
		return nil
	}
	return s.takePending(ctx)
}

// takePendingAtEnd takes the pending screenshots after the last step, once the last tap has had time to take effect.
func (s *screenshots) takePendingAtEnd(ctx context.Context) {
	if ctx.Err() != nil {
		for _, o := range s.pending {
			if o.image != nil {
				s.keepScreenshot(ctx, event.Shot{Step: o.n, Label: o.label, Image: o.image})
				continue
			}
			s.log(o.n, "no screenshot: the run was interrupted before the next step read the screen")
		}
		s.pending = nil
		return
	}
	if err := s.takePending(ctx); err != nil && s.sinkErr == nil && s.result == event.Pass {
		s.end(judge(ctx, err))
	}
	for _, o := range s.unsure {
		if drivers.Pause(ctx, o.tapped.Left()) != nil {
			return
		}
	}
	if len(s.unsure) == 0 {
		return
	}
	var again image.Image
	if action.Guard(func() (err error) { again, err = s.dev.Screenshot(ctx); return err }) == nil && again != nil {
		for _, o := range s.unsure {
			o.tapped.Judge(again, time.Now())
		}
		s.proveTaps()
	}
}
