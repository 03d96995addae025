package mcpserver

import (
	"strings"
	"unicode"

	"github.com/taproot-dev/taproot/dsl"
)

// Kinds of tools, by what they do to the world.
func looks() hints       { return hints{readOnly: true, idempotent: true} }
func looksAround() hints { return hints{readOnly: true, idempotent: true, openWorld: true} }
func acts() hints        { return hints{destructive: true, openWorld: true} }
func sets() hints        { return hints{idempotent: true} }
func removes() hints     { return hints{destructive: true, idempotent: true} }

// tools lists what clients can ask for: exactly these 37. Those without do and args are operations of the vocabulary.
func tools() []*tool {
	list := []*tool{
		{name: "list_devices", doc: "Lists phones and browser pages, and what is wrong with those that cannot be used.", hints: looks(), args: nothing{}, out: deviceList{}, own: true, do: listDevices},
		{name: "device_info", doc: "Tells model, system and screen of a device, and the app or page in front.", hints: looks(), args: nothing{}, out: deviceRecord{}, do: deviceInfo},
		{name: "set_device", doc: "Sets the device that calls mean which name none.", hints: sets(), args: setDeviceArgs{}, out: chosenDevice{}, own: true, do: setDevice},
		{name: "screenshot", doc: "Gives a picture of the screen, scaled down, with the factor.", hints: looks(), args: screenshotArgs{}, do: takeScreenshot},
		{name: "snapshot", doc: "Lists the elements of the screen, a line each: ref, role, label, value, #id, state, bounds. Cheaper and surer than a screenshot.", hints: looks(), args: snapshotArgs{}, do: takeSnapshot},
		{name: "ocr", doc: "Reads text in the pixels of the screen, for what snapshot does not list.", hints: looks(), args: ocrArgs{}, do: readPixels},
		{name: "record", doc: "Starts or stops a film of the screen; stop gives the path of an mp4.", hints: hints{}, args: recordArgs{}, out: filmFile{}, do: recordScreen},
		{name: "logs", doc: "Shows the newest lines of the device's log or the page's console, and the app's crash.", hints: looks(), args: logsArgs{}, do: showLogs},
		operation("tap", acts()),
		operation("long_press", acts()),
		operation("swipe", acts()),
		operation("scroll_to", sets()),
		operation("input", acts()),
		operation("press", acts()),
		operation("wait_stable", looks()),
		operation("wait_for", looks()),
		operation("assert", looks()),
		operation("assert_visual", looksAround()),
		{name: "list_apps", doc: "Lists the apps that were installed on top of the system's.", hints: looks(), args: nothing{}, out: appList{}, do: listApps},
		operation("launch", acts()),
		operation("stop", removes()),
		operation("install", removes()),
		operation("uninstall", removes()),
		operation("clear_app", removes()),
		operation("set_permissions", removes()),
		operation("open_link", acts()),
		operation("open_browser", hints{openWorld: true}),
		operation("web_navigate", acts()),
		{name: "web_snapshot", doc: "snapshot of a browser page only, with its address and title.", hints: looksAround(), args: snapshotArgs{}, do: webSnapshot},
		operation("web_click", acts()),
		operation("web_type", acts()),
		operation("web_assert", looksAround()),
		operation("close_browser", removes()),
		{name: "list_tests", doc: "Lists the tests in YAML files.", hints: looks(), args: listTestsArgs{}, out: testList{}, own: true, do: listTests},
		{name: "validate_test", doc: "Finds mistakes in a test without running it.", hints: looks(), args: validateArgs{}, out: validated{}, own: true, do: validateTest},
		{name: "run_test", doc: "Runs tests and leaves report packs. A test that does not pass is an error with the reason.", hints: acts(), args: runTestArgs{}, out: runState{}, do: runTest},
		{name: "get_report", doc: "Waits for a run and gives its report; or gives this session as a test.", hints: hints{idempotent: true}, args: getReportArgs{}, own: true, do: getReport},
	}
	return list
}

// operation is a tool that does what the word of the vocabulary says. A word that does not exist leaves the tool empty, which New
// refuses.
func operation(name string, h hints) *tool {
	t := &tool{name: name, hints: h}
	def, known := dsl.Lookup(camel(name))
	if known && def.Mouths&dsl.MCP != 0 {
		t.def, t.doc = def, def.Doc
	}
	return t
}

// camel is the YAML spelling of a tool's name.
func camel(name string) string {
	first, rest, _ := strings.Cut(name, "_")
	var b strings.Builder
	b.WriteString(first)
	for part := range strings.SplitSeq(rest, "_") {
		for i, r := range part {
			if i == 0 {
				r = unicode.ToUpper(r)
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}
