package engine_test

import (
	"image"
	"strings"
	"testing"
	"time"
)

func TestFlowLaunches(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{
		"- launchApp\n":                   "permission all true; relaunch com.app",
		"- launchApp: {stopApp: false}\n": "permission all true; launch com.app",
		"- launchApp: {clearState: true, permissions: {camera: allow}}\n": "clear com.app; permission " +
			"android.permission.CAMERA true; relaunch com.app",
		"- launchApp: {permissions: {location: unset, all: deny}}\n": "permission all false; permission " +
			"android.permission.ACCESS_FINE_LOCATION false; permission android.permission.ACCESS_COARSE_LOCATION false; " +
			"relaunch com.app",
		"- launchApp: {permissions: {android.permission.INTERNET: allow}}\n": "relaunch com.app",
		"- launchApp: {arguments: {a: 1, b: yes, c: \"${1+1}\"}}\n": "permission all true; relaunch com.app a=1 " +
			"b=true c=2",
		"- launchApp: other.app\n": "permission all true; relaunch other.app",
		"- stopApp\n":              "stop com.app",
		"- killApp: x\n":           "kill x",
		"- clearState\n":           "clear com.app; permission all false",
		"- clearKeychain\n":        "",
		"- setPermissions: {permissions: {notifications: deny}}\n": "permission " +
			"android.permission.POST_NOTIFICATIONS false",
	} {
		r := commands(t, nil, list)
		if passes(t, r); r.did() != want {
			t.Errorf("%s: %s", list, r.did())
		}
	}
	gone := &recorder{missing: map[string]bool{"com.app": true}}
	fails(t, commands(t, gone, "- launchApp\n"), "com.app")
	passes(t, commands(t, gone, "- stopApp\n- clearState\n"))
}

func TestFlowTypesWithoutReadingTheScreen(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{
		"- inputText: Yes\n": "type true", "- inputText: 1.50\n": "type 1.5", "- inputText: 007\n": "type 7",
		"- inputText: \"007\"\n":   "type 007",
		"- inputText: \"a\\nb\"\n": "type ab", "- inputText: \"ä\\nb\"\n": "type ä\nb",
		"- inputText: {text: x, label: l}\n": "type x",
		"- eraseText\n":                      "erase 50", "- eraseText: 3\n": "erase 3", "- inputText: *x\n": "type x",
		"- inputText: \\${x}\n": "type ${x}",
	} {
		r := commands(t, nil, list)
		if passes(t, r); r.did() != want {
			t.Errorf("%s: %s", list, r.did())
		}
	}
}

func TestFlowRandomTexts(t *testing.T) {
	t.Parallel()
	for list, length := range map[string]int{"- inputRandomText\n": 8, "- inputRandomText: {length: 5}\n": 5,
		"- inputRandomNumber: {length: -1}\n": 8, "- inputRandomNumber: {length: 3}\n": 3} {
		if got := strings.TrimPrefix(commands(t, nil, list).did(), "type "); len(got) != length {
			t.Errorf("%s: %q", list, got)
		}
	}
	for _, kind := range []string{"Email", "PersonName", "CityName", "CountryName", "ColorName"} {
		if got := commands(t, nil, "- inputRandom"+kind+"\n").did(); len(got) < len("type x")+2 {
			t.Errorf("%s: %q", kind, got)
		}
	}
}

func TestFlowHasItsOwnClipboard(t *testing.T) {
	t.Parallel()
	phone := &recorder{screen: []*shape{{text: "Code 42", id: "code", box: image.Rect(0, 0, 9, 9)},
		{hint: "h", desc: "d", id: "field", box: image.Rect(0, 20, 9, 29)}}}
	r := commands(t, phone, `- pasteText
- copyTextFrom: {id: code}
- assertTrue: ${maestro.copiedText == 'Code 42'}
- evalScript: ${maestro.copiedText = 'other'}
- pasteText
- copyTextFrom: {id: field}
- pasteText
- setClipboard: set
- pasteText
`)
	if passes(t, r); r.did() != "type Code 42; type h; type set" {
		t.Error(r.did())
	}
}

func TestFlowKeys(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"Enter": "enter", "VOLUME UP": "volumeUp", "tab": "space", "lock": "lock",
		"Remote Dpad Center": "select", "TV Input HDMI 2": "hdmi2", "backspace": "backspace", "Power": "power"} {
		if r := commands(t, nil, "- pressKey: "+name+"\n"); r.did() != "press "+want {
			t.Errorf("%s: %s", name, r.did())
		}
	}
}

func TestFlowHideKeyboardIsBackAndFailsWhenItStays(t *testing.T) {
	t.Parallel()
	r := commands(t, nil, "- hideKeyboard\n")
	if passes(t, r); r.did() != "press back" {
		t.Error(r.did())
	}
	fails(t, commands(t, &recorder{keyboard: true}, "- hideKeyboard\n"), "keyboard")
}

func TestFlowSwipes(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{
		"- swipe: {direction: UP}\n":                                      "swipe 270,480 270,96 400ms",
		"- swipe: {direction: down, duration: 900}\n":                     "swipe 270,192 270,864 900ms",
		"- swipe: {direction: LEFT}\n":                                    "swipe 486,480 54,480 400ms",
		"- swipe: {direction: RIGHT}\n":                                   "swipe 54,480 486,480 400ms",
		"- swipe: {start: \"90%, 50%\", end: \"10%,50%\"}\n":              "swipe 486,480 54,480 400ms",
		"- swipe: {start: \"100,200\", end: \"1,2\"}\n":                   "swipe 100,200 1,2 400ms",
		"- swipe: {from: b, direction: UP}\n":                             "swipe 150,220 150,96 400ms",
		"- swipe: {from: {text: b, point: \"0%,0%\"}, direction: LEFT}\n": "swipe 100,200 54,200 400ms",
		"- scroll\n":         "swipe 270,480 270,96 400ms",
		"- action: scroll\n": "swipe 270,480 270,96 400ms",
	} {
		r := commands(t, &recorder{screen: []*shape{{text: "b", box: image.Rect(100, 200, 200, 240)}}}, list)
		if passes(t, r); r.did() != want {
			t.Errorf("%s: %s", list, r.did())
		}
	}
}

func TestFlowScrollsFromTheCentreUntilAllIsVisible(t *testing.T) {
	t.Parallel()
	phone := &recorder{moves: true, screen: []*shape{{text: "far", box: image.Rect(0, 1300, 100, 1340)}, at("top", 0, 0)}}
	r := commands(t, phone, "- scrollUntilVisible: {element: far}\n")
	if passes(t, r); r.did() != "swipe 270,480 270,96 601ms" {
		t.Error(r.did())
	}
	phone = &recorder{moves: true, screen: []*shape{{text: "half", box: image.Rect(0, 950, 100, 1000)}}}
	r = commands(t, phone, "- scrollUntilVisible: {element: half, visibilityPercentage: 50}\n")
	if passes(t, r); r.did() != "" {
		t.Errorf("any share below 100 means none: %s", r.did())
	}
	r = commands(t, nil, "- scrollUntilVisible: {element: nobody, timeout: 1000, speed: 120}\n")
	fails(t, r, "nobody")
	if !strings.HasSuffix(r.did(), " 40ms") {
		t.Error(r.did())
	}
	r = commands(t, nil, "- scrollUntilVisible: {element: nobody, timeout: -1}\n")
	took(t, r, 20*time.Second, 3*time.Second)
	r = commands(t, nil, "- scrollUntilVisible: {element: nobody, direction: LEFT, timeout: 500}\n")
	if !strings.HasPrefix(r.did(), "swipe 270,480 486,480") {
		t.Error(r.did())
	}
}

// TestScrollToOfAnImportedFlow: the native form moves as the flow does.
func TestScrollToOfAnImportedFlow(t *testing.T) {
	t.Parallel()
	far := func() *recorder {
		return &recorder{moves: true, screen: []*shape{{text: "far", box: image.Rect(0, 1300, 100, 1340)}, at("top", 0, 0)}}
	}
	for native, flow := range map[string]string{
		"":                  "",
		", durationMs: 201": ", speed: 80",
		", percent: 0":      ", visibilityPercentage: 50",
		", center: true":    ", centerElement: true",
	} {
		want := commands(t, far(), "- scrollUntilVisible: {element: far"+flow+"}\n")
		passes(t, want)
		step := "  - scrollTo: {label: far, match: maestro, timeoutMs: 20000" + native + "}\n"
		got := runTest(t, far(), testCase(t, step).Test)
		if passes(t, got); got.did() != want.did() {
			t.Errorf("%s: %s, as a flow %s", native, got.did(), want.did())
		}
	}
}

func TestFlowDevices(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{
		"- setLocation: {latitude: 52.5, longitude: \"${13}\"}\n": "location 52.5,13",
		"- setOrientation: landscapeRight\n":                      "turn 3", "- setOrientation: UPSIDE_DOWN\n": "turn 2",
		"- setOrientation: \"${'portrait'}\"\n": "turn 0",
		"- setAirplaneMode: enabled\n":          "airplane true", "- setAirplaneMode: {value: disabled}\n": "airplane false",
		"- toggleAirplaneMode\n": "airplane true",
		"- setDarkMode: enabled\n- assertDarkMode\n- toggleDarkMode\n- assertLightMode\n": "dark true; dark false",
		"- openLink: shop://x\n": "link shop://x", "- waitForAnimationToEnd\n": "",
		"- waitForAnimationToEnd: {timeout: 100}\n": "", "- takeScreenshot: a/b\n": "",
	} {
		r := commands(t, nil, list)
		if passes(t, r); r.did() != want {
			t.Errorf("%s: %s", list, r.did())
		}
	}
	fails(t, commands(t, nil, "- assertDarkMode\n"), "light")
	if r := commands(t, nil, "- travel: {points: [\"0,0\", \"0,0.001\"], speed: 1000}\n"); strings.Count(r.did(),
		"location") != 51 {
		t.Error(r.did())
	}
}

func TestFlowScreenshots(t *testing.T) {
	t.Parallel()
	passes(t, commands(t, nil,
		"- takeScreenshot: home\n- assertScreenshot: home\n- assertScreenshot: {path: home.png, thresholdPercentage: "+
			"99.9}\n"))
	fails(t, commands(t, nil, "- assertScreenshot: nobody\n"), "no image")
	fails(t, commands(t, nil, "- takeScreenshot: ../home\n"), "report")
	phone := &recorder{screen: []*shape{at("b", 0, 0)}}
	passes(t, commands(t, phone, "- takeScreenshot: {path: b, cropOn: b}\n- assertScreenshot: {path: b, cropOn: b}\n"))
	fails(t, commands(t, phone, "- takeScreenshot: {path: b, cropOn: b}\n- assertScreenshot: b\n"), "large")
}

func TestFlowModelsAreOptionalByDefault(t *testing.T) {
	t.Parallel()
	r := commands(t, nil, "- assertWithAI: all is well\n- assertNoDefectsWithAI\n- extractTextWithAI: the code\n")
	passes(t, r)
	fails(t, commands(t, nil, "- assertWithAI: {assertion: all is well, optional: false}\n"), "")
}
