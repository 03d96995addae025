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
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/action"
)

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

// quickScreenshot is the longest time for a screenshot that is taken while a step watches the screen, so that it does
// not delay the next screen read.
const quickScreenshot = 80 * time.Millisecond

// onHold takes the screenshot of the current step while it only waits, if screenshots are known to be quick.
func (r *run) onHold(ctx context.Context) {
	if r.bare || len(r.pending) > 0 || r.screenshotTook == 0 || r.screenshotTook > quickScreenshot {
		return
	}
	img, err := r.photograph(ctx)
	if err != nil || img == nil || img.Bounds().Empty() {
		return // the report's screenshot is taken as usual, and reports the error
	}
	r.early = earlyScreenshot{r.n, img}
}

// earlyScreenshot is a screenshot that the current step has taken itself.
type earlyScreenshot struct {
	step  int
	image image.Image
}

// takeScreenshots takes the screenshot of a step that did not pass, and before it another one if an assertion failed;
// that of any other step is pending. A device that failed may have none; the error is a panic.
func (r *run) takeScreenshots(ctx context.Context, step *dsl.Step, ended event.Event) error {
	if r.bare || ended.Result == event.Interrupted {
		return nil
	}
	assertion := ended.Problem != nil && ended.Problem.Assertion
	last := pendingScreenshot{n: ended.Step, label: screenshotLabel(step, r.scope), tapped: r.session.Tapped()}
	if step.Options.Screenshot != nil && !*step.Options.Screenshot && !assertion {
		return nil
	}
	if ended.Result == event.Pass {
		if r.early.step == ended.Step {
			last.image = r.early.image
		}
		r.pending = append(r.pending, last)
		return nil
	}
	if ended.Result == event.Error {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, screenshotLimit)
		defer cancel()
	}
	if assertion {
		img, err := r.capture(ctx, ended.Step)
		if err != nil || img == nil {
			return err
		}
		r.keepScreenshot(ctx, event.Shot{Step: ended.Step, Label: last.label, Image: img, Failure: true})
	}
	last.tapped = nil
	r.pending = append(r.pending, last)
	if err := r.takePending(ctx, nil); action.StackOf(err) != "" {
		return err
	}
	return nil
}

// capture takes a screenshot for the report. nil: there is none, and the reason is logged at step n; the error is a
// panic.
func (r *run) capture(ctx context.Context, n int) (img image.Image, err error) {
	err = action.Guard(func() (err error) {
		img, err = r.photograph(ctx)
		if err == nil && (img == nil || img.Bounds().Empty()) {
			err = errors.New("the device returned an empty image")
		}
		return err
	})
	if err == nil {
		return img, nil
	}
	if !errors.Is(err, drivers.ErrPage) { // no page is open: there is no screenshot
		r.log(n, "no screenshot: %v", err)
	}
	if action.StackOf(err) == "" {
		err = nil
	}
	return nil, err
}

// keepScreenshot adds a screenshot to the report, also if the run has just been interrupted.
func (r *run) keepScreenshot(ctx context.Context, shot event.Shot) {
	r.keep(r.sink.Screenshot(context.WithoutCancel(ctx), shot))
}

// errReport ends a step if the report cannot be written; the reason is in run.sinkErr.
var errReport = errors.New("the report could not be written")

// onLook receives what the current step sees before it changes anything: a screenshot, or nil if it read the elements.
// The screenshots of earlier steps must be taken now; the step's own is used, if it shows no secret.
func (r *run) onLook(ctx context.Context, img image.Image) error {
	if len(r.c.Test.Secrets) > 0 {
		img = nil
	}
	if len(r.pending) > 0 {
		return r.takePending(ctx, img)
	}
	if img != nil {
		r.proveTaps(img)
	}
	return nil
}

// takePending takes the screenshot of all steps that still have none. They have changed nothing that later steps have
// not seen.
func (r *run) takePending(ctx context.Context, img image.Image) (err error) {
	list := r.pending
	r.pending, r.unsure = nil, nil
	if len(list) == 0 || r.sinkErr != nil {
		return nil
	}
	if img == nil && slices.ContainsFunc(list, func(o pendingScreenshot) bool { return o.image == nil }) {
		if img, err = r.capture(ctx, list[len(list)-1].n); err != nil || img == nil {
			return cmp.Or(err, ctx.Err())
		}
	}
	for _, o := range list {
		if o.image == nil {
			o.image = img
		}
		img = o.image
		r.keepScreenshot(ctx, event.Shot{Step: o.n, Label: o.label, Image: img})
		if o.tapped != nil {
			r.unsure = append(r.unsure, o)
		}
	}
	if why := action.Unseen(ctx, r.dev, img); why != "" {
		r.log(list[len(list)-1].n, "%s", why)
	}
	r.proveTaps(img)
	r.keepPage(ctx, list)
	if r.sinkErr != nil {
		return errReport
	}
	return ctx.Err()
}

// proveTaps checks whether the earlier taps have changed the screen by now.
func (r *run) proveTaps(img image.Image) {
	list := r.unsure
	r.unsure = nil
	for _, o := range list {
		switch {
		case o.tapped.Changed(img):
		case o.tapped.Age() < action.ProofGrace:
			r.unsure = append(r.unsure, o)
		default:
			proof, note := o.tapped.NoEffect()
			r.emit(event.Event{Kind: event.Logged, Step: o.n, Message: note, Detail: &event.Detail{Proof: proof}})
		}
	}
}

// takePendingBefore takes the pending screenshots before a step, unless the step reads the screen itself before it
// changes anything, or does not use it.
func (r *run) takePendingBefore(ctx context.Context, args any) error {
	r.acts = action.Acts(args)
	if action.LooksFirst(args) {
		return nil
	}
	return r.takePending(ctx, nil)
}

// takePendingAtEnd takes the pending screenshots after the last step, once the last tap has had time to take effect.
func (r *run) takePendingAtEnd(ctx context.Context) {
	if ctx.Err() != nil {
		for _, o := range r.pending {
			if o.image != nil {
				r.keepScreenshot(ctx, event.Shot{Step: o.n, Label: o.label, Image: o.image})
				continue
			}
			r.log(o.n, "no screenshot: the run was interrupted before the next step read the screen")
		}
		r.pending = nil
		return
	}
	if err := r.takePending(ctx, nil); err != nil && r.sinkErr == nil && r.result == event.Pass {
		r.end(judge(ctx, err))
	}
	for _, o := range r.unsure {
		if drivers.Pause(ctx, max(action.ProofGrace-o.tapped.Age(), 0)) != nil {
			return
		}
	}
	if len(r.unsure) == 0 {
		return
	}
	var again image.Image
	if action.Guard(func() (err error) { again, err = r.dev.Screenshot(ctx); return err }) == nil && again != nil {
		r.proveTaps(again)
	}
}
