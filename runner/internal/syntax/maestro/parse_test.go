package maestro

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The short way to distinguish a test of Taproot from a flow has the result of the parser for every file.
func TestBeginsWithID(t *testing.T) {
	if !beginsWithID([]byte("# login\n\nid: a\nsteps:\n  - tap: b\n")) ||
		!beginsWithID([]byte("id: a\r\nplatform: web\r\n")) {
		t.Error("a plain test is not taken for one")
	}
	lines := []string{"id: a", "id: a", "id: \"a", "id:", "id: |", "id: {", "}", "id: &x", "id: *x", "- tapOn: b",
		"- id: c", "appId: d", "url: e", "---", "...", "# f",
		"", "steps:", "  - tap: g", "  h", "\tid: i", "name: j", "%YAML 1.2", "\ufeffid: k", "flows: [x]", "id: a: b", "? id",
		"<<: x", "- a\r- b", "tags: \"x", "x\"", "---\r"}
	random := rand.New(rand.NewPCG(3, 4))
	short := 0
	for range 20000 {
		var b strings.Builder
		for range 1 + random.IntN(5) {
			b.WriteString(lines[random.IntN(len(lines))])
			b.WriteString([]string{"\n", "\n", "\n", "\r\n", "\r", ""}[random.IntN(6)])
		}
		src := []byte(b.String())
		if !beginsWithID(src) {
			continue
		}
		short++
		if isFlow(src) {
			t.Fatalf("%q is a flow", src)
		}
		for _, name := range []string{"config.yaml", "a.yaml"} {
			if isWorkspace(name, src) {
				t.Fatalf("%q is a workspace by the name %s", src, name)
			}
		}
	}
	if short < 500 {
		t.Errorf("only %d of the files go the short way", short)
	}
}

// TestForeignCommandsHaveASuggestion wants a command, or a sentence with one, for what people write from other tools.
func TestForeignCommandsHaveASuggestion(t *testing.T) {
	for name, want := range map[string]string{
		"captureScreenshot": "takeScreenshot", "screenshot": "takeScreenshot", "clickOn": "tapOn", "click": "tapOn",
		"tapOnText": "tapOn",
		"enterText": "inputText", "typeText": "inputText", "fill": "inputText", "sendKeys": "inputText",
		"assertNotExists": "assertNotVisible",
		"assertExists":    "assertVisible", "expectVisible": "assertVisible", "shouldNotSee": "assertNotVisible",
		"onFlowEnd":     "onFlowComplete",
		"onFlowFailure": "onFlowComplete", "beforeEach": "onFlowStart", "waitFor": "extendedWaitUntil",
		"waitUntilVisible": "extendedWaitUntil",
		"pause":            "extendedWaitUntil", "scrollTo": "scrollUntilVisible", "scroll_down": "scroll",
		"longClick":   "longPressOn",
		"doubleClick": "doubleTapOn", "pressEnter": "pressKey", "closeKeyboard": "hideKeyboard", "clearData": "clearState",
		"clearTextField": "eraseText", "openUrl": "openLink", "goto": "openLink", "navigateTo": "openLink",
		"startApp": "launchApp",
		"closeApp": "stopApp", "terminateApp": "killApp", "goBack": "back", "rotate": "setOrientation",
		"includeFlow":   "runFlow",
		"executeScript": "evalScript", "loop": "repeat", "if": "runFlow", "compareScreenshot": "assertScreenshot",
		"drag":            "swipe",
		"grantPermission": "setPermissions", "recordVideo": "startRecording", "endRecording": "stopRecording",
		"verifyText":   "assertVisible",
		"assertEquals": "assertTrue", "getText": "copyTextFrom", "setGps": "setLocation",
	} {
		if got := foreign(name); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %s", name, got, want)
		}
	}
	for _, m := range meanings {
		if !strings.Contains(m.write, " ") && !slices.Contains(Commands(), m.write) {
			t.Errorf("%s is not a command", m.write)
		}
	}
}
