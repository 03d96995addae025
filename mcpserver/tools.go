package mcpserver

import (
	"strings"
	"unicode"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/client"
)

// tools lists the tools of the server: those that work on the session, and one for every operation of the vocabulary
// that is offered over MCP.
func tools() []*tool {
	list := sessionTools()
	for _, def := range dsl.Vocabulary() {
		if def.Interfaces&dsl.MCP != 0 {
			list = append(list, &tool{name: snake(def.Name), doc: def.Doc, hints: hintsOf(def.Effect), def: &def})
		}
	}
	return list
}

// hintsOf translates the effect of an operation to the protocol's annotations.
func hintsOf(e dsl.Effect) hints {
	return hints{readOnly: e&dsl.ReadOnly != 0, destructive: e&dsl.Destructive != 0, idempotent: e&dsl.Idempotent != 0,
		openWorld: e&dsl.OpenWorld != 0}
}

// sessionTools are the tools that are not operations of the vocabulary.
func sessionTools() []*tool {
	looks, around := hintsOf(dsl.Looks), hintsOf(dsl.Looks|dsl.OpenWorld)
	return []*tool{
		{name: "list_devices", doc: "Lists phones and browser pages, and what is wrong with those that cannot be used.",
			hints: looks, args: nothing{}, out: deviceList{}, own: true, do: listDevices},
		{name: "device_info", doc: "Returns model, system and screen of a device, and the foreground app or page.",
			hints: looks,
			args:  nothing{}, out: deviceRecord{}, do: deviceInfo},
		{name: "set_device", doc: "Sets the device of calls that name none, or brings a tab of a page to the front.",
			hints: hintsOf(dsl.Sets), args: setDeviceArgs{}, out: chosenDevice{}, own: true, do: setDevice},
		{name: "screenshot", doc: "Returns an image of the screen, scaled down, with the factor.", hints: looks,
			args: client.ScreenshotArgs{}, do: takeScreenshot},
		{name: "snapshot",
			doc: "Lists the elements of the screen, a line each: ref, role, label, value, #id, state, bounds. Cheaper and " +
				"more reliable than a screenshot.", hints: looks, args: client.View{}, do: takeSnapshot},
		{name: "ocr", doc: "Reads text in the pixels of the screen, for text that snapshot does not list.", hints: looks,
			args: ocrArgs{}, do: readPixels},
		{name: "record", doc: "Starts or stops a recording of the screen; stop returns the path of an mp4.", hints: hints{},
			args: recordArgs{}, out: recordingResult{}, do: recordScreen},
		{name: "logs", doc: "Returns the newest lines of the device's log or the page's console, and the app's crash.",
			hints: looks, args: logsArgs{}, do: showLogs},
		{name: "list_apps", doc: "Lists the apps that were installed in addition to the system's.", hints: looks,
			args: nothing{},
			out:  appList{}, do: listApps},
		{name: "web_snapshot", doc: "snapshot of a browser page only, with its URL and title.", hints: around,
			args: client.View{}, do: webSnapshot},
		{name: "list_tests", doc: "Lists the tests in YAML files.", hints: looks, args: listTestsArgs{}, out: testList{},
			own: true, do: listTests},
		{name: "validate_test", doc: "Finds mistakes in a test without running it.", hints: looks, args: validateArgs{},
			out: validated{}, own: true, do: validateTest},
		{name: "run_test", doc: "Runs tests and leaves report packs. A test that does not pass is an error with the reason.",
			hints: hintsOf(dsl.Acts), args: runTestArgs{}, out: runState{}, do: runTest},
		{name: "get_report", doc: "Waits for a run and returns its report; or returns this session as a test.",
			hints: hints{idempotent: true}, args: getReportArgs{}, own: true, do: getReport},
	}
}

// snake returns the name of an operation in snake case, as a tool is named.
func snake(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}
