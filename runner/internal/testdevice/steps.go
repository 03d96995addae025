package testdevice

import (
	"context"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// Do performs an action, given as its struct of package dsl such as dsl.CopyText{Selector: dsl.Selector{Label: "Sum"}},
// and waits as the YAML step does. It returns the value that the step option as: would save. When it fails, the test
// ends there. Like all steps without a context it uses that of the test; DoContext takes another one.
func (d *Device) Do(args any, how ...StepOption) any {
	d.test.Helper()
	return d.must(d.test.Context(), args, unlabelled(how))
}

// DoContext is Do until a context ends.
func (d *Device) DoContext(ctx context.Context, args any, how ...StepOption) any {
	d.test.Helper()
	return d.must(ctx, args, unlabelled(how))
}

// must performs a step, and ends the test if it fails.
func (d *Device) must(ctx context.Context, args any, how []StepOption) any {
	d.test.Helper()
	ended, pos, source := d.do(ctx, args, false, how)
	if ended.Result != event.Pass {
		d.fail(pos, source, ended)
	}
	return ended.Value
}

// Try is Do for an action that may fail: it then returns an error, and the report has a warning. A device that fails
// still ends the test.
func (d *Device) Try(args any, how ...StepOption) (any, error) {
	d.test.Helper()
	return d.TryContext(d.test.Context(), args, how...)
}

// TryContext is Try until a context ends.
func (d *Device) TryContext(ctx context.Context, args any, how ...StepOption) (any, error) {
	d.test.Helper()
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
func (d *Device) Launch(app string, how ...StepOption) {
	d.test.Helper()
	d.must(d.test.Context(), dsl.Launch{Package: app, Force: true}, unlabelled(how))
}

// LaunchContext is Launch until a context ends.
func (d *Device) LaunchContext(ctx context.Context, app string, how ...StepOption) {
	d.test.Helper()
	d.must(ctx, dsl.Launch{Package: app, Force: true}, unlabelled(how))
}

// Open opens a page in a fresh browser; url may be an HTML file next to the test.
func (d *Device) Open(url string, how ...StepOption) {
	d.test.Helper()
	d.must(d.test.Context(), dsl.OpenBrowser{URL: url}, unlabelled(how))
}

// OpenContext is Open until a context ends.
func (d *Device) OpenContext(ctx context.Context, url string, how ...StepOption) {
	d.test.Helper()
	d.must(ctx, dsl.OpenBrowser{URL: url}, unlabelled(how))
}

// Tap waits for an element with the label, until it can be reached and is stationary, and taps it.
func (d *Device) Tap(label string, how ...StepOption) {
	d.test.Helper()
	d.must(d.test.Context(), dsl.Tap{Selector: selector(label, how)}, how)
}

// TapContext is Tap until a context ends.
func (d *Device) TapContext(ctx context.Context, label string, how ...StepOption) {
	d.test.Helper()
	d.must(ctx, dsl.Tap{Selector: selector(label, how)}, how)
}

// Input types into the focused field, and verifies the text.
func (d *Device) Input(text string, how ...StepOption) {
	d.test.Helper()
	d.must(d.test.Context(), dsl.Input{Text: text}, unlabelled(how))
}

// InputContext is Input until a context ends.
func (d *Device) InputContext(ctx context.Context, text string, how ...StepOption) {
	d.test.Helper()
	d.must(ctx, dsl.Input{Text: text}, unlabelled(how))
}

// Assert waits until the label is on the screen.
func (d *Device) Assert(label string, how ...StepOption) {
	d.test.Helper()
	d.must(d.test.Context(), dsl.Assert{Selector: selector(label, how)}, how)
}

// AssertContext is Assert until a context ends.
func (d *Device) AssertContext(ctx context.Context, label string, how ...StepOption) {
	d.test.Helper()
	d.must(ctx, dsl.Assert{Selector: selector(label, how)}, how)
}

// AssertNot waits until the label is gone from the screen.
func (d *Device) AssertNot(label string, how ...StepOption) {
	d.test.Helper()
	d.must(d.test.Context(), dsl.AssertNot{Selector: selector(label, how)}, how)
}

// AssertNotContext is AssertNot until a context ends.
func (d *Device) AssertNotContext(ctx context.Context, label string, how ...StepOption) {
	d.test.Helper()
	d.must(ctx, dsl.AssertNot{Selector: selector(label, how)}, how)
}
