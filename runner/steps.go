package runner

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// Do performs an action, given as its struct of package dsl such as dsl.CopyText{Selector: dsl.Selector{Label: "Sum"}},
// and waits as the YAML step does. It returns the value that the step option as: would save. When it fails, the test
// ends there. Like all steps without a context it uses that of the test; DoContext takes another one.
func (d *TestDevice) Do(args any, how ...StepOption) any {
	ginkgo.GinkgoHelper()
	d.marks().Helper()
	return d.must(d.context(), args, unlabelled(how))
}

// DoContext is Do until a context ends.
func (d *TestDevice) DoContext(ctx context.Context, args any, how ...StepOption) any {
	ginkgo.GinkgoHelper()
	d.marks().Helper()
	return d.must(ctx, args, unlabelled(how))
}

// must performs a step, and ends the test if it fails.
func (d *TestDevice) must(ctx context.Context, args any, how []StepOption) any {
	ginkgo.GinkgoHelper()
	d.marks().Helper()
	ended, pos, source := d.do(ctx, args, false, how)
	if ended.Result != event.Pass {
		d.fail(pos, source, ended)
	}
	return ended.Value
}

// Try is Do for an action that may fail: it then returns an error, and the report has a warning. A device that fails
// still ends the test.
func (d *TestDevice) Try(args any, how ...StepOption) (any, error) {
	ginkgo.GinkgoHelper()
	d.marks().Helper()
	return d.TryContext(d.context(), args, how...)
}

// TryContext is Try until a context ends.
func (d *TestDevice) TryContext(ctx context.Context, args any, how ...StepOption) (any, error) {
	ginkgo.GinkgoHelper()
	d.marks().Helper()
	ended, pos, source := d.do(ctx, args, true, unlabelled(how))
	switch ended.Result {
	case event.Pass:
		return ended.Value, nil
	case event.Fail:
		return nil, &action.Failure{Problem: *ended.Problem}
	}
	d.fail(pos, source, ended)
	return nil, nil
}

// Launch starts an app again and waits until it is in the foreground.
func (d *TestDevice) Launch(app string, how ...StepOption) {
	ginkgo.GinkgoHelper()
	d.marks().Helper()
	d.must(d.context(), dsl.Launch{Package: app, Force: true}, unlabelled(how))
}

// LaunchContext is Launch until a context ends.
func (d *TestDevice) LaunchContext(ctx context.Context, app string, how ...StepOption) {
	ginkgo.GinkgoHelper()
	d.marks().Helper()
	d.must(ctx, dsl.Launch{Package: app, Force: true}, unlabelled(how))
}

// Open opens a page in a fresh browser; url may be an HTML file next to the test.
func (d *TestDevice) Open(url string, how ...StepOption) {
	ginkgo.GinkgoHelper()
	d.marks().Helper()
	d.must(d.context(), dsl.OpenBrowser{URL: url}, unlabelled(how))
}

// OpenContext is Open until a context ends.
func (d *TestDevice) OpenContext(ctx context.Context, url string, how ...StepOption) {
	ginkgo.GinkgoHelper()
	d.marks().Helper()
	d.must(ctx, dsl.OpenBrowser{URL: url}, unlabelled(how))
}

// Tap waits for an element with the label, until it can be reached and is stationary, and taps it.
func (d *TestDevice) Tap(label string, how ...StepOption) {
	ginkgo.GinkgoHelper()
	d.marks().Helper()
	d.must(d.context(), dsl.Tap{Selector: selector(label, how)}, how)
}

// TapContext is Tap until a context ends.
func (d *TestDevice) TapContext(ctx context.Context, label string, how ...StepOption) {
	ginkgo.GinkgoHelper()
	d.marks().Helper()
	d.must(ctx, dsl.Tap{Selector: selector(label, how)}, how)
}

// Input types into the focused field, and verifies the text.
func (d *TestDevice) Input(text string, how ...StepOption) {
	ginkgo.GinkgoHelper()
	d.marks().Helper()
	d.must(d.context(), dsl.Input{Text: text}, unlabelled(how))
}

// InputContext is Input until a context ends.
func (d *TestDevice) InputContext(ctx context.Context, text string, how ...StepOption) {
	ginkgo.GinkgoHelper()
	d.marks().Helper()
	d.must(ctx, dsl.Input{Text: text}, unlabelled(how))
}

// Assert waits until the label is on the screen.
func (d *TestDevice) Assert(label string, how ...StepOption) {
	ginkgo.GinkgoHelper()
	d.marks().Helper()
	d.must(d.context(), dsl.Assert{Selector: selector(label, how)}, how)
}

// AssertContext is Assert until a context ends.
func (d *TestDevice) AssertContext(ctx context.Context, label string, how ...StepOption) {
	ginkgo.GinkgoHelper()
	d.marks().Helper()
	d.must(ctx, dsl.Assert{Selector: selector(label, how)}, how)
}

// AssertNot waits until the label is gone from the screen.
func (d *TestDevice) AssertNot(label string, how ...StepOption) {
	ginkgo.GinkgoHelper()
	d.marks().Helper()
	d.must(d.context(), dsl.AssertNot{Selector: selector(label, how)}, how)
}

// AssertNotContext is AssertNot until a context ends.
func (d *TestDevice) AssertNotContext(ctx context.Context, label string, how ...StepOption) {
	ginkgo.GinkgoHelper()
	d.marks().Helper()
	d.must(ctx, dsl.AssertNot{Selector: selector(label, how)}, how)
}

// context is the context of the running test. Ginkgo ends that of a node, such as BeforeEach, before it runs the next
// one: a device from there continues with the limits of its steps alone.
func (d *TestDevice) context() context.Context {
	if ended := context.Cause(d.ctx); d.t == nil && ended != nil && ended.Error() == nodeEnded {
		return context.WithoutCancel(d.ctx)
	}
	return d.ctx
}

// nodeEnded is the reason with which Ginkgo ends the context of a node that has returned.
const nodeEnded = "spec has finished"
