package engine_test

import (
	"image"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/dsl/maestro"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/engine"
	"github.com/taproot-dev/taproot/runner/plan"
)

func passes(t *testing.T, r flowRun) {
	t.Helper()
	if r.verdict != event.Pass {
		t.Errorf("%s: %s (%s)", r.verdict, r.problem, r.did())
	}
}

func fails(t *testing.T, r flowRun, why string) {
	t.Helper()
	if r.verdict != event.Fail || !strings.Contains(r.problem, why) {
		t.Errorf("%s: %q, want a failure with %q", r.verdict, r.problem, why)
	}
}

// took tells whether a flow took about as long as it shall, in fake time.
func took(t *testing.T, r flowRun, want, more time.Duration) {
	t.Helper()
	if r.took < want || r.took > want+more {
		t.Errorf("it took %s, want %s and at most %s more", r.took, want, more)
	}
}

func TestFlowTapsTheCentreOfTheFirstMatch(t *testing.T) {
	r := commands(t, &recorder{screen: []*shape{at("Pay", 0, 0), {text: "pay", box: image.Rect(0, 100, 100, 140), clickable: true}}}, "- tapOn: PAY\n")
	passes(t, r)
	if r.did() != "tap 50,120" {
		t.Error(r.did())
	}
}

func TestFlowLooks17SecondsAnd7WithOptional(t *testing.T) {
	r := commands(t, nil, "- tapOn: nobody\n")
	fails(t, r, "was not found within 17s")
	took(t, r, 17*time.Second, time.Second)
	r = commands(t, nil, "- tapOn:\n    text: nobody\n    optional: true\n")
	passes(t, r)
	took(t, r, 7*time.Second, time.Second)
	if !slices.Equal(r.steps, []string{"warned tapOn"}) {
		t.Error(r.steps)
	}
}

func TestFlowAssertionsLook17SecondsAlsoWithOptional(t *testing.T) {
	took(t, commands(t, nil, "- assertVisible:\n    text: nobody\n    optional: true\n"), 17*time.Second, time.Second)
	r := commands(t, &recorder{screen: []*shape{at("x", 0, 0)}}, "- assertNotVisible:\n    text: x\n    optional: true\n")
	passes(t, r)
	took(t, r, 17*time.Second, time.Second)
}

func TestFlowTimesAreShortenedByTheTimeSinceTheLastChange(t *testing.T) {
	// The first condition takes 7 s, the second one look, and the assertion has 10 s left.
	r := commands(t, nil, `- runFlow:
    when: {visible: a}
    commands: [back]
- runFlow:
    when: {visible: b}
    commands: [back]
- assertVisible: c
`)
	fails(t, r, "c")
	took(t, r, 17*time.Second, time.Second)
	// A command that changes the screen begins the time anew.
	r = commands(t, nil, "- assertVisible: {text: a, optional: true}\n- back\n- assertVisible: b\n")
	took(t, r, 34*time.Second, 2*time.Second)
	// One that does not, does not.
	r = commands(t, nil, "- assertVisible: {text: a, optional: true}\n- setClipboard: x\n- assertVisible: b\n")
	took(t, r, 17*time.Second, time.Second)
}

func TestFlowExtendedWaitIsShortenedToo(t *testing.T) {
	r := commands(t, nil, "- assertVisible: {text: a, optional: true}\n- extendedWaitUntil: {visible: b, timeout: 20_000}\n")
	fails(t, r, "b")
	took(t, r, 20*time.Second, time.Second)
	r = commands(t, &recorder{screen: []*shape{{text: "late", box: image.Rect(0, 0, 9, 9), from: 25 * time.Second}}}, "- evalScript: ${output.ms = 30000}\n- extendedWaitUntil: {visible: late, timeout: \"${output.ms}\"}\n")
	passes(t, r)
	fails(t, commands(t, nil, "- extendedWaitUntil: {visible: b, timeout: soon}\n"), "soon")
}

func TestFlowWaitsForBothConditionsOneAfterTheOther(t *testing.T) {
	phone := &recorder{screen: []*shape{{text: "a", box: image.Rect(0, 0, 9, 9), from: 3 * time.Second}, {text: "b", box: image.Rect(0, 20, 9, 29), to: 5 * time.Second}}}
	r := commands(t, phone, "- extendedWaitUntil: {visible: a, notVisible: b, timeout: 10000}\n")
	passes(t, r)
	took(t, r, 5*time.Second, time.Second)
}

func TestFlowNotVisibleIsTrueAtOnceWhenNothingIsThere(t *testing.T) {
	r := commands(t, nil, "- assertNotVisible: nobody\n")
	passes(t, r)
	took(t, r, 500*time.Millisecond, 300*time.Millisecond)
}

func TestFlowTouches(t *testing.T) {
	button := []*shape{{text: "b", box: image.Rect(100, 200, 201, 241)}}
	for list, want := range map[string]string{
		"- doubleTapOn: b\n":                                                          "tap 150,220; tap 150,220",
		"- longPressOn: b\n":                                                          "longPress 150,220 3s",
		"- tapOn: {text: b, repeat: 3}\n":                                             "tap 150,220; tap 150,220; tap 150,220",
		"- tapOn: {text: b, repeat: 0}\n":                                             "tap 150,220",
		"- tapOn: {point: \"50%,25%\"}\n":                                             "tap 270,240",
		"- tapOn: {point: \"7,9\"}\n":                                                 "tap 7,9",
		"- tapOn: {text: b, point: \"10%,50%\"}\n":                                    "tap 110,220",
		"- tapOn: {text: b, point: \"3,4\"}\n":                                        "tap 103,204",
		"- tapOn: {text: b, retryTapIfNoChange: true}\n":                              "tap 150,220; tap 150,220",
		"- tapOn: {point: \"${relativePoint(0.5, 0.25)}\"}\n":                         "tap 270,240",
		"- longPressOn: {point: \"1,2\"}\n":                                           "longPress 1,2 3s",
		"- evalScript: ${output.i = 0}\n- tapOn: {text: b, index: \"${output.i}\"}\n": "tap 150,220",
	} {
		r := commands(t, &recorder{screen: button}, list)
		if passes(t, r); r.did() != want {
			t.Errorf("%s: %s", list, r.did())
		}
	}
	fails(t, commands(t, &recorder{screen: button}, "- tapOn: {text: b, point: \"300,4\"}\n"), "lies outside")
	fails(t, commands(t, &recorder{screen: button}, "- tapOn: {point: \"101%,4%\"}\n"), "lies outside")
}

func TestFlowRetriesATapOnlyWhenNothingChanged(t *testing.T) {
	phone := &recorder{screen: []*shape{{text: "b", box: image.Rect(0, 0, 10, 10), click: func(s *shape) { s.desc = "tapped" }}}}
	r := commands(t, phone, "- tapOn: {text: b, retryTapIfNoChange: true}\n")
	if passes(t, r); r.did() != "tap 5,5" {
		t.Error(r.did())
	}
}

func TestFlowIndexThatIsNoNumberIsNotForgiven(t *testing.T) {
	r := commands(t, &recorder{screen: []*shape{at("b", 0, 0)}}, "- tapOn: {text: b, index: \"${'x'}\", optional: true}\n")
	fails(t, r, "not a number")
}

func TestFlowScriptErrorsAreNotForgivenAndTheHookRuns(t *testing.T) {
	r := runFlow(t, nil, texts{"flow.yaml": `appId: a
onFlowComplete:
  - back
---
- retry:
    maxRetries: 2
    commands:
      - evalScript: ${throw new Error('boom')}
`, "x.js": ""})
	fails(t, r, "boom")
	if r.did() != "press back" {
		t.Error(r.did())
	}
	r = commands(t, nil, "- runFlow:\n    optional: true\n    commands:\n      - inputText: ${a.b.c}\n")
	fails(t, r, "")
	r = runFlow(t, nil, texts{"flow.yaml": "appId: a\n---\n- runScript: s.js\n", "s.js": "var a = 1\nthrow new Error('late')\n"})
	fails(t, r, "s.js:2")
}

func TestFlowEnvGoesFromOutsideIn(t *testing.T) {
	r := runFlow(t, nil, texts{"flow.yaml": `appId: a
env:
  GIVEN: file
  PIN: 0123
  OLD: x
  NEW: ${OLD}
---
- inputText: ${GIVEN} ${PIN} ${NEW} ${NOBODY} ${MAESTRO_SHELL} ${HOME} ${MAESTRO_FILENAME}
- runFlow:
    file: sub.yaml
    env: {PIN: caller, EXTRA: more}
- inputText: ${PIN} ${EXTRA}
- runFlow:
    env: {A: 1, B: "${A}"}
    commands:
      - inputText: "${A} ${B}"
- runFlow:
    env: {A: 1, B: "${A}"}
    commands:
      - evalScript: ${1}
      - inputText: "${A} ${B}"
- evalScript: ${PIN = 'changed'}
- inputText: ${PIN}
`, "sub.yaml": "appId: a\nenv: {PIN: called, WITH: \"${EXTRA || 'x'}\"}\n---\n- inputText: ${PIN} ${EXTRA} ${WITH} ${OLD}\n"})
	passes(t, r)
	want := "type file 0123 undefined undefined shell undefined flow; type called more more x; type 0123 undefined; type 1 undefined; type 1 1; type 0123"
	if r.did() != want {
		t.Errorf("%s\nwant %s", r.did(), want)
	}
}

func TestFlowOutputLivesThroughAllCallsAndHooks(t *testing.T) {
	r := runFlow(t, nil, texts{"flow.yaml": `appId: a
onFlowStart:
  - evalScript: ${output.log = ['start']}
onFlowComplete:
  - inputText: ${output.log.join(',')}
---
- evalScript: ${output.log.push('body')}
- runFlow: sub.yaml
`, "sub.yaml": "appId: a\nonFlowStart:\n  - evalScript: ${output.log.push('sub start')}\nonFlowComplete:\n  - evalScript: ${output.log.push('sub end')}\n---\n- runScript: s.js\n",
		"s.js": "output.log.push('script')"})
	passes(t, r)
	if r.did() != "type start,body,sub start,script,sub end" {
		t.Error(r.did())
	}
}

func TestFlowBodyIsLeftOutWhenItsStartFailsAndTheEndRuns(t *testing.T) {
	r := runFlow(t, nil, texts{"flow.yaml": "appId: a\nonFlowStart:\n  - assertTrue: false\nonFlowComplete:\n  - back\n---\n- scroll\n"})
	fails(t, r, "false")
	if r.did() != "press back" {
		t.Error(r.did())
	}
	r = runFlow(t, nil, texts{"flow.yaml": "appId: a\nonFlowComplete:\n  - assertTrue: false\n---\n- back\n"})
	fails(t, r, "false")
}

func TestFlowTruth(t *testing.T) {
	for _, text := range []string{"true", `"yes"`, `"no"`, "1", "x", "${[]}", "${({})}", "${NaN}", `"${'0x'}"`, "${'a' == 'a'}", "-1"} {
		if r := commands(t, nil, "- assertTrue: "+text+"\n"); r.verdict != event.Pass {
			t.Errorf("%s: %s", text, r.problem)
		}
	}
	for _, text := range []string{"false", "False", "no", "off", "0", "0.0", `"-0"`, `""`, `" "`, "${}", "${undefined}", "${null}", "${nobody}", "${1 > 2}", `"FALSE"`} {
		if r := commands(t, nil, "- assertTrue: "+text+"\n"); r.verdict != event.Fail {
			t.Errorf("%s: %s", text, r.verdict)
		}
	}
}

func TestFlowRepeats(t *testing.T) {
	for list, want := range map[string]string{
		"- repeat: {times: 2, commands: [back]}\n":            "press back; press back",
		"- repeat: {times: \"${1 + 1}\", commands: [back]}\n": "press back; press back",
		"- repeat: {times: 0, commands: [back]}\n":            "",
		"- repeat: {times: 2.9, commands: [back]}\n":          "press back; press back",
		"- evalScript: ${output.n = 0}\n- repeat: {while: {true: \"${output.n < 3}\"}, commands: [{evalScript: \"${output.n++}\"}, back]}\n": "press back; press back; press back",
		"- repeat: {times: 1, while: {true: \"${false}\"}, commands: [back]}\n":                                                              "",
	} {
		r := commands(t, nil, list)
		if passes(t, r); r.did() != want {
			t.Errorf("%s: %s", list, r.did())
		}
	}
	// The condition is looked at once more behind the last round.
	r := commands(t, &recorder{screen: []*shape{{text: "x", box: image.Rect(0, 0, 9, 9)}}}, "- repeat: {times: 1, while: {notVisible: x}, commands: [back]}\n")
	took(t, r, 7*time.Second, time.Second)
}

func TestFlowRetriesNPlusOneTimesAndAtMostThree(t *testing.T) {
	for most, want := range map[string]int{"1": 2, "3": 4, "9": 4, "x": 2, "0": 1} {
		r := commands(t, nil, "- retry:\n    maxRetries: "+most+"\n    commands:\n      - back\n      - assertTrue: false\n")
		fails(t, r, "false")
		if n := strings.Count(r.did(), "press back"); n != want {
			t.Errorf("maxRetries %s: %d tries, want %d", most, n, want)
		}
	}
}

func TestFlowOptionalOnABlockEndsItWithAWarning(t *testing.T) {
	r := commands(t, nil, "- runFlow:\n    optional: true\n    commands:\n      - back\n      - assertTrue: false\n      - scroll\n- back\n")
	if passes(t, r); r.did() != "press back; press back" {
		t.Error(r.did())
	}
}

func TestFlowConditionsAreTriedInOrder(t *testing.T) {
	for when, want := range map[string]string{
		"{platform: Android}": "press back", "{platform: iOS}": "", "{platform: ios, visible: nobody}": "", "{true: \"${1}\"}": "press back", "{true: Yes}": "press back",
		"{true: \"${nobody}\"}": "", "{visible: there}": "press back", "{notVisible: {id: nobody}}": "press back", "{visible: {id: .*x}}": "press back", "{notVisible: there}": "",
	} {
		r := commands(t, &recorder{screen: []*shape{{text: "there", id: "a/xx", box: image.Rect(0, 0, 9, 9)}}}, "- runFlow:\n    when: "+when+"\n    commands: [back]\n")
		if passes(t, r); r.did() != want {
			t.Errorf("%s: %q", when, r.did())
		}
	}
	r := runFlow(t, nil, texts{"flow.yaml": "appId: a\n---\n- runScript: {file: s.js, when: {platform: web}}\n- inputText: ${output.ran}\n", "s.js": "output.ran = 1"})
	if r.did() != "type undefined" {
		t.Error(r.did())
	}
}

func TestFlowWhenDoesNotSeeTheEnvOfItsBlock(t *testing.T) {
	r := commands(t, nil, "- runFlow:\n    env: {ON: \"true\"}\n    when: {true: \"${ON}\"}\n    commands: [back]\n")
	if passes(t, r); r.did() != "" {
		t.Error(r.did())
	}
}

func TestFlowLaunches(t *testing.T) {
	for list, want := range map[string]string{
		"- launchApp\n":                   "permission all true; relaunch com.app",
		"- launchApp: {stopApp: false}\n": "permission all true; launch com.app",
		"- launchApp: {clearState: true, permissions: {camera: allow}}\n":    "clear com.app; permission android.permission.CAMERA true; relaunch com.app",
		"- launchApp: {permissions: {location: unset, all: deny}}\n":         "permission all false; permission android.permission.ACCESS_FINE_LOCATION false; permission android.permission.ACCESS_COARSE_LOCATION false; relaunch com.app",
		"- launchApp: {permissions: {android.permission.INTERNET: allow}}\n": "relaunch com.app",
		"- launchApp: {arguments: {a: 1, b: yes, c: \"${1+1}\"}}\n":          "permission all true; relaunch com.app a=1 b=true c=2",
		"- launchApp: other.app\n":                                           "permission all true; relaunch other.app",
		"- stopApp\n":                                                        "stop com.app",
		"- killApp: x\n":                                                     "kill x",
		"- clearState\n":                                                     "clear com.app; permission all false",
		"- clearKeychain\n":                                                  "",
		"- setPermissions: {permissions: {notifications: deny}}\n":           "permission android.permission.POST_NOTIFICATIONS false",
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

func TestFlowTypesWithoutLooking(t *testing.T) {
	for list, want := range map[string]string{
		"- inputText: Yes\n": "type true", "- inputText: 1.50\n": "type 1.5", "- inputText: 007\n": "type 7", "- inputText: \"007\"\n": "type 007",
		"- inputText: \"a\\nb\"\n": "type ab", "- inputText: \"ä\\nb\"\n": "type ä\nb", "- inputText: {text: x, label: l}\n": "type x",
		"- eraseText\n": "erase 50", "- eraseText: 3\n": "erase 3", "- inputText: *x\n": "type x", "- inputText: \\${x}\n": "type ${x}",
	} {
		r := commands(t, nil, list)
		if passes(t, r); r.did() != want {
			t.Errorf("%s: %s", list, r.did())
		}
	}
}

func TestFlowRandomTexts(t *testing.T) {
	for list, length := range map[string]int{"- inputRandomText\n": 8, "- inputRandomText: {length: 5}\n": 5, "- inputRandomNumber: {length: -1}\n": 8, "- inputRandomNumber: {length: 3}\n": 3} {
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
	phone := &recorder{screen: []*shape{{text: "Code 42", id: "code", box: image.Rect(0, 0, 9, 9)}, {hint: "h", desc: "d", id: "field", box: image.Rect(0, 20, 9, 29)}}}
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
	for name, want := range map[string]string{"Enter": "enter", "VOLUME UP": "volumeUp", "tab": "space", "lock": "lock", "Remote Dpad Center": "select", "TV Input HDMI 2": "hdmi2", "backspace": "backspace", "Power": "power"} {
		if r := commands(t, nil, "- pressKey: "+name+"\n"); r.did() != "press "+want {
			t.Errorf("%s: %s", name, r.did())
		}
	}
}

func TestFlowHideKeyboardIsBackAndFailsWhenItStays(t *testing.T) {
	r := commands(t, nil, "- hideKeyboard\n")
	if passes(t, r); r.did() != "press back" {
		t.Error(r.did())
	}
	fails(t, commands(t, &recorder{keyboard: true}, "- hideKeyboard\n"), "keyboard")
}

func TestFlowSwipes(t *testing.T) {
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

func TestFlowDevices(t *testing.T) {
	for list, want := range map[string]string{
		"- setLocation: {latitude: 52.5, longitude: \"${13}\"}\n": "location 52.5,13",
		"- setOrientation: landscapeRight\n":                      "turn 3", "- setOrientation: UPSIDE_DOWN\n": "turn 2", "- setOrientation: \"${'portrait'}\"\n": "turn 0",
		"- setAirplaneMode: enabled\n": "airplane true", "- setAirplaneMode: {value: disabled}\n": "airplane false", "- toggleAirplaneMode\n": "airplane true",
		"- setDarkMode: enabled\n- assertDarkMode\n- toggleDarkMode\n- assertLightMode\n": "dark true; dark false",
		"- openLink: shop://x\n": "link shop://x", "- waitForAnimationToEnd\n": "", "- waitForAnimationToEnd: {timeout: 100}\n": "", "- takeScreenshot: a/b\n": "",
	} {
		r := commands(t, nil, list)
		if passes(t, r); r.did() != want {
			t.Errorf("%s: %s", list, r.did())
		}
	}
	fails(t, commands(t, nil, "- assertDarkMode\n"), "light")
	if r := commands(t, nil, "- travel: {points: [\"0,0\", \"0,0.001\"], speed: 1000}\n"); strings.Count(r.did(), "location") != 51 {
		t.Error(r.did())
	}
}

func TestFlowPictures(t *testing.T) {
	passes(t, commands(t, nil, "- takeScreenshot: home\n- assertScreenshot: home\n- assertScreenshot: {path: home.png, thresholdPercentage: 99.9}\n"))
	fails(t, commands(t, nil, "- assertScreenshot: nobody\n"), "no picture")
	fails(t, commands(t, nil, "- takeScreenshot: ../home\n"), "report")
	phone := &recorder{screen: []*shape{at("b", 0, 0)}}
	passes(t, commands(t, phone, "- takeScreenshot: {path: b, cropOn: b}\n- assertScreenshot: {path: b, cropOn: b}\n"))
	fails(t, commands(t, phone, "- takeScreenshot: {path: b, cropOn: b}\n- assertScreenshot: b\n"), "large")
}

func TestFlowModelsAreOptionalByDefault(t *testing.T) {
	r := commands(t, nil, "- assertWithAI: all is well\n- assertNoDefectsWithAI\n- extractTextWithAI: the code\n")
	passes(t, r)
	fails(t, commands(t, nil, "- assertWithAI: {assertion: all is well, optional: false}\n"), "")
}

func TestFlowPlaceReachesToTheLastBrace(t *testing.T) {
	fails(t, commands(t, nil, "- inputText: \"${1} of {x}\"\n"), "")
	if r := commands(t, nil, "- inputText: \"${1} of ${2}\"\n"); r.did() != "type 1 of 2" {
		t.Error(r.did())
	}
}

func TestFlowRhinoFails(t *testing.T) {
	fails(t, runFlow(t, nil, texts{"flow.yaml": "appId: a\njsEngine: rhino\n---\n- back\n"}), "rhino")
}

func TestFlowCoveredElementsCountAndAreTapped(t *testing.T) {
	phone := &recorder{screen: []*shape{at("under", 0, 0), {text: "over", box: image.Rect(0, 0, 540, 960), clickable: true}}}
	r := commands(t, phone, "- assertVisible: under\n- tapOn: under\n")
	if passes(t, r); r.did() != "tap 50,20" {
		t.Error(r.did())
	}
}

func TestFlowWaitsUntilItIsVisibleAndTapsAgain(t *testing.T) {
	over := &shape{text: "over", box: image.Rect(0, 0, 540, 960), to: 6 * time.Second}
	phone := &recorder{screen: []*shape{at("b", 0, 0), over}}
	r := commands(t, phone, "- tapOn: {text: b, waitUntilVisible: true}\n")
	if passes(t, r); r.did() != "tap 50,20; tap 50,20" {
		t.Error(r.did())
	}
}

func TestFlowStartThatChangesNothingLeavesTheBodyOfACalledFlowOut(t *testing.T) {
	// A hook whose commands change nothing leaves the body of a called flow out, as in Maestro.
	files := texts{"flow.yaml": "appId: a\n---\n- runFlow: sub.yaml\n", "sub.yaml": "appId: a\nonFlowStart:\n  - assertTrue: true\n---\n- back\n"}
	r := runFlow(t, nil, files)
	if passes(t, r); r.did() != "" {
		t.Error(r.did())
	}
}

func TestFlowGetsTheValuesOfTheTestThatRunsIt(t *testing.T) {
	phone := &recorder{}
	f, err := maestro.Parse("flow.yaml", []byte("appId: a\n---\n- inputText: ${USER} ${OWN}\n"), texts{})
	if err != nil {
		t.Fatal(err)
	}
	tests, err := dsl.Parse("t.yaml", []byte("id: t\nplatform: android\nvars: {OWN: mine}\nsteps:\n  - run: {file: flow.yaml, with: {USER: ada}}\n  - log: done\n"))
	if err != nil {
		t.Fatal(err)
	}
	read := func(string) ([]byte, error) { return []byte("x"), nil }
	if err := dsl.LinkWith(tests[0], read, func(string, []byte) (*dsl.Block, error) { return f.Block(), nil }); err != nil {
		t.Fatal(err)
	}
	verdict, err := engine.Run(t.Context(), plan.Case{Test: tests[0], Platform: dsl.Android, Pack: "t"}, phone, &sink{dir: t.TempDir()}, engine.Options{NoVideo: true})
	if err != nil || verdict != event.Pass || strings.Join(phone.done, "; ") != "type ada mine" {
		t.Error(verdict, err, phone.done)
	}
}

func TestFlowBlockIsAChangeAtItsEnd(t *testing.T) {
	// 10 s of waiting in a block behind a tap: what comes after the block has its whole time, for the block ended with a change.
	late := func() *recorder {
		return &recorder{screen: []*shape{at("b", 0, 0), {text: "first", box: image.Rect(0, 100, 50, 140), from: 10 * time.Second},
			{text: "then", box: image.Rect(0, 200, 50, 240), from: 25 * time.Second}}}
	}
	const waiting = "    commands: [{tapOn: b}, {assertVisible: first}]\n"
	for _, list := range []string{"- runFlow:\n" + waiting, "- retry:\n" + waiting, "- repeat:\n    times: 1\n" + waiting} {
		passes(t, commands(t, late(), list+"- assertVisible: then\n"))
	}
	fails(t, commands(t, late(), "- tapOn: b\n- assertVisible: first\n- assertVisible: then\n"), "then")
	fails(t, commands(t, late(), "- tapOn: b\n- runFlow:\n    commands: [{assertVisible: first}]\n- assertVisible: then\n"), "then")
	files := texts{"flow.yaml": "appId: a\n---\n- runFlow: sub.yaml\n- assertVisible: then\n",
		"sub.yaml": "appId: a\nonFlowComplete:\n  - assertVisible: first\n---\n- tapOn: b\n- assertVisible: first\n"}
	fails(t, runFlow(t, late(), files), "then") // its end changed nothing, and then all of it did not
}
