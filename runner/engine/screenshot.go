package engine

import (
	"cmp"
	"context"
	"errors"
	"image"
	"slices"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/action"
)

// screenshots takes the screenshots of steps for the report, and proves by them whether taps had an effect.
type screenshots struct {
	*report
	dev     drivers.Device
	session *action.Performer
	vars    *variables
	pages   *pages
	secrets bool // the test has secrets, which no screenshot may show
	off     bool // none are kept: see RunInteractive

	pending []pendingScreenshot // to be taken before the device is changed again
	early   earlyScreenshot     // that a step took itself
	took    time.Duration       // by the newest screenshot; 0: there is none yet
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

// earlyScreenshot is a screenshot that the current step has taken itself.
type earlyScreenshot struct {
	step  int
	image image.Image
}

// photograph takes a screenshot; for a test with secrets, one that does not show them.
func (s *screenshots) photograph(ctx context.Context) (image.Image, error) {
	defer func(began time.Time) { s.took = time.Since(began) }(time.Now())
	if !s.secrets {
		return s.dev.Screenshot(ctx)
	}
	return action.Photograph(ctx, s.dev, s.sink.Mask())
}

// quickScreenshot is the longest time for a screenshot that is taken while a step watches the screen, so that it does
// not delay the next screen read.
const quickScreenshot = 80 * time.Millisecond

// onHold takes the screenshot of step n, the current one, while it only waits, if screenshots are known to be quick.
func (s *screenshots) onHold(ctx context.Context, n int) {
	if s.off || len(s.pending) > 0 || s.took == 0 || s.took > quickScreenshot {
		return
	}
	img, err := s.photograph(ctx)
	if err != nil || img == nil || img.Bounds().Empty() {
		return // the report's screenshot is taken as usual, and reports the error
	}
	s.early = earlyScreenshot{step: n, image: img}
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
		if s.early.step == ended.Step {
			last.image = s.early.image
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
		img, err := s.capture(ctx, ended.Step)
		if err != nil || img == nil {
			return err
		}
		s.keepScreenshot(ctx, event.Shot{Step: ended.Step, Label: last.label, Image: img, Failure: true})
	}
	last.tapped = nil
	s.pending = append(s.pending, last)
	if err := s.takePending(ctx, nil); action.StackOf(err) != "" {
		return err
	}
	return nil
}

// capture takes a screenshot for the report. nil: there is none, and the reason is logged at step n; the error is a
// panic.
func (s *screenshots) capture(ctx context.Context, n int) (img image.Image, err error) {
	err = action.Guard(func() (err error) {
		img, err = s.photograph(ctx)
		if err == nil && (img == nil || img.Bounds().Empty()) {
			err = errors.New("the device returned an empty image")
		}
		return err
	})
	if err == nil {
		return img, nil
	}
	if !errors.Is(err, drivers.ErrPage) { // no page is open: there is no screenshot
		s.log(n, "no screenshot: %v", err)
	}
	if action.StackOf(err) == "" {
		err = nil
	}
	return nil, err
}

// keepScreenshot adds a screenshot to the report, also if the run has just been interrupted.
func (s *screenshots) keepScreenshot(ctx context.Context, shot event.Shot) {
	s.keep(s.sink.Screenshot(context.WithoutCancel(ctx), shot))
}

// errReport ends a step if the report cannot be written; the reason is in report.sinkErr.
var errReport = errors.New("the report could not be written")

// onLook receives what the current step sees before it changes anything: a screenshot, or nil if it read the elements.
// The screenshots of earlier steps must be taken now; the step's own is used, if it shows no secret.
func (s *screenshots) onLook(ctx context.Context, img image.Image) error {
	if s.secrets {
		img = nil
	}
	if len(s.pending) > 0 {
		return s.takePending(ctx, img)
	}
	if img != nil {
		s.proveTaps(img)
	}
	return nil
}

// takePending takes the screenshot of all steps that still have none. They have changed nothing that later steps have
// not seen.
func (s *screenshots) takePending(ctx context.Context, img image.Image) (err error) {
	list := s.pending
	s.pending, s.unsure = nil, nil
	if len(list) == 0 || s.sinkErr != nil {
		return nil
	}
	if img == nil && slices.ContainsFunc(list, func(o pendingScreenshot) bool { return o.image == nil }) {
		if img, err = s.capture(ctx, list[len(list)-1].n); err != nil || img == nil {
			return cmp.Or(err, ctx.Err())
		}
	}
	for _, o := range list {
		if o.image == nil {
			o.image = img
		}
		img = o.image
		s.keepScreenshot(ctx, event.Shot{Step: o.n, Label: o.label, Image: img})
		if o.tapped != nil {
			s.unsure = append(s.unsure, o)
		}
	}
	if why := action.Unseen(ctx, s.dev, img); why != "" {
		s.log(list[len(list)-1].n, "%s", why)
	}
	s.proveTaps(img)
	s.pages.keepPage(ctx, list)
	if s.sinkErr != nil {
		return errReport
	}
	return ctx.Err()
}

// proveTaps checks whether the earlier taps have changed the screen by now.
func (s *screenshots) proveTaps(img image.Image) {
	list := s.unsure
	s.unsure = nil
	for _, o := range list {
		switch {
		case o.tapped.Changed(img):
		case o.tapped.Age() < action.ProofGrace:
			s.unsure = append(s.unsure, o)
		default:
			proof, note := o.tapped.NoEffect()
			s.emit(event.Event{Kind: event.Logged, Step: o.n, Message: note, Detail: &event.Detail{Proof: proof}})
		}
	}
}

// takePendingBefore takes the pending screenshots before a step, unless the step reads the screen itself before it
// changes anything, or does not use it.
func (s *screenshots) takePendingBefore(ctx context.Context, args any) error {
	if action.LooksFirst(args) {
		return nil
	}
	return s.takePending(ctx, nil)
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
	if err := s.takePending(ctx, nil); err != nil && s.sinkErr == nil && s.result == event.Pass {
		s.end(judge(ctx, err))
	}
	for _, o := range s.unsure {
		if drivers.Pause(ctx, max(action.ProofGrace-o.tapped.Age(), 0)) != nil {
			return
		}
	}
	if len(s.unsure) == 0 {
		return
	}
	var again image.Image
	if action.Guard(func() (err error) { again, err = s.dev.Screenshot(ctx); return err }) == nil && again != nil {
		s.proveTaps(again)
	}
}
