package action

import "github.com/taproot-dev/taproot/dsl"

// LooksFirst reports whether an action sees the screen, and calls Session.Saw with it, before it changes anything, or
// that does nothing on the device at all.
func LooksFirst(args any) bool {
	switch a := args.(type) {
	case dsl.Tap, dsl.DoubleTap, dsl.LongPress, dsl.Drag, dsl.ScrollTo, dsl.Assert, dsl.AssertNot, dsl.AssertElement,
		dsl.WaitStable,
		dsl.WebAssert, dsl.Log, dsl.Set, dsl.AssertTrue:
		return true
	case dsl.WaitFor:
		return a.Text == "" && a.URL == ""
	}
	return false
}

// Acts reports whether an action does something on the device, which may harm the app.
func Acts(args any) bool {
	switch args.(type) {
	case dsl.Assert, dsl.AssertNot, dsl.AssertElement, dsl.AssertTrue, dsl.AssertApp, dsl.AssertScreenshot,
		dsl.AssertVisual, dsl.AssertLog,
		dsl.WaitFor, dsl.WaitStable, dsl.Sleep, dsl.Log, dsl.Set, dsl.Screenshot, dsl.Extract, dsl.StartRecording,
		dsl.StopRecording,
		dsl.CopyText, dsl.WebAssert, dsl.HTTP:
		return false
	}
	return true
}
