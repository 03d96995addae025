package action

import (
	"slices"
	"testing"

	"github.com/taproot-dev/taproot/dsl"
)

// TestFactsOfActions: what the table says of actions that read the screen first, and of those that the app cannot
// notice.
func TestFactsOfActions(t *testing.T) {
	var first, aside []string
	for _, def := range dsl.Vocabulary() {
		if LooksFirst(def.Args) {
			first = append(first, def.Name)
		}
		if !Acts(def.Args) {
			aside = append(aside, def.Name)
		}
	}
	slices.Sort(first)
	slices.Sort(aside)
	if want := []string{"assert", "assertElement", "assertNot", "assertTrue", "doubleTap", "drag", "log", "longPress",
		"scrollTo", "set", "tap", "waitFor", "waitStable", "webAssert", "webClick", "webDrag"}; !slices.Equal(first, want) {
		t.Errorf("read first: %v, want %v", first, want)
	}
	if want := []string{"assert", "assertApp", "assertElement", "assertLog", "assertNot", "assertScreenshot", "assertTrue",
		"assertVisual", "copyText", "exec", "extract", "http", "log", "screenshot", "set", "sleep", "startRecording",
		"stopRecording", "waitFor", "waitForMail", "waitStable", "webAssert"}; !slices.Equal(aside, want) {
		t.Errorf("leave the app alone: %v, want %v", aside, want)
	}
	for _, text := range []dsl.WaitFor{{Text: "a"}, {URL: "a"}} {
		if LooksFirst(text) {
			t.Errorf("%+v reads no tree", text)
		}
	}
}
