package maestro

import (
	"slices"
	"strings"
	"testing"
)

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
