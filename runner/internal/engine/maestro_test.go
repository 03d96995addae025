package engine_test

import (
	"image"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/syntax/maestro"
)

func passes(t *testing.T, r flowRun) {
	t.Helper()
	if r.result != event.Pass {
		t.Errorf("%s: %s (%s)", r.result, r.problem, r.did())
	}
}

func fails(t *testing.T, r flowRun, why string) {
	t.Helper()
	if r.result != event.Fail || !strings.Contains(r.problem, why) {
		t.Errorf("%s: %q, want a failure with %q", r.result, r.problem, why)
	}
}

// took checks whether a flow took about as long as it must, in fake time.
func took(t *testing.T, r flowRun, want, more time.Duration) {
	t.Helper()
	if r.took < want || r.took > want+more {
		t.Errorf("it took %s, want %s and at most %s more", r.took, want, more)
	}
}

func TestFlowTapsTheCentreOfTheFirstMatch(t *testing.T) {
	t.Parallel()
	r := commands(t,
		&recorder{screen: []*shape{at("Pay", 0, 0), {text: "pay", box: image.Rect(0, 100, 100, 140), clickable: true}}},
		"- tapOn: PAY\n")
	passes(t, r)
	if r.did() != "tap 50,120" {
		t.Error(r.did())
	}
}

func TestFlowSearches17SecondsAnd7WithOptional(t *testing.T) {
	t.Parallel()
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

func TestFlowAssertionsSearch17SecondsAlsoWithOptional(t *testing.T) {
	t.Parallel()
	took(t, commands(t, nil, "- assertVisible:\n    text: nobody\n    optional: true\n"), 17*time.Second, time.Second)
	r := commands(t, &recorder{screen: []*shape{at("x", 0, 0)}}, "- assertNotVisible:\n    text: x\n    optional: true\n")
	passes(t, r)
	took(t, r, 17*time.Second, time.Second)
}

func TestFlowTimesAreShortenedByTheTimeSinceTheLastChange(t *testing.T) {
	t.Parallel()
	// The first condition takes 7 s, the second one a single screen read, and the assertion has 10 s left.
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
	// A command that changes the screen starts the time again.
	r = commands(t, nil, "- assertVisible: {text: a, optional: true}\n- back\n- assertVisible: b\n")
	took(t, r, 34*time.Second, 2*time.Second)
	// One that does not, does not.
	r = commands(t, nil, "- assertVisible: {text: a, optional: true}\n- setClipboard: x\n- assertVisible: b\n")
	took(t, r, 17*time.Second, time.Second)
}

func TestFlowExtendedWaitIsShortenedToo(t *testing.T) {
	t.Parallel()
	r := commands(t, nil,
		"- assertVisible: {text: a, optional: true}\n- extendedWaitUntil: {visible: b, timeout: 20_000}\n")
	fails(t, r, "b")
	took(t, r, 20*time.Second, time.Second)
	r = commands(t, &recorder{screen: []*shape{{text: "late", box: image.Rect(0, 0, 9, 9), from: 25 * time.Second}}},
		"- evalScript: ${output.ms = 30000}\n- extendedWaitUntil: {visible: late, timeout: \"${output.ms}\"}\n")
	passes(t, r)
	fails(t, commands(t, nil, "- extendedWaitUntil: {visible: b, timeout: soon}\n"), "soon")
}

func TestFlowWaitsForBothConditionsOneAfterTheOther(t *testing.T) {
	t.Parallel()
	phone := &recorder{screen: []*shape{{text: "a", box: image.Rect(0, 0, 9, 9), from: 3 * time.Second},
		{text: "b", box: image.Rect(0, 20, 9, 29), to: 5 * time.Second}}}
	r := commands(t, phone, "- extendedWaitUntil: {visible: a, notVisible: b, timeout: 10000}\n")
	passes(t, r)
	took(t, r, 5*time.Second, time.Second)
}

func TestFlowNotVisibleIsTrueAtOnceWhenNothingIsThere(t *testing.T) {
	t.Parallel()
	r := commands(t, nil, "- assertNotVisible: nobody\n")
	passes(t, r)
	took(t, r, 500*time.Millisecond, 300*time.Millisecond)
}

func TestFlowTouches(t *testing.T) {
	t.Parallel()
	button := []*shape{{text: "b", box: image.Rect(100, 200, 201, 241)}}
	for list, want := range map[string]string{
		"- doubleTapOn: b\n": "tap 150,220; tap 150,220",
		"- longPressOn: b\n": "longPress 150,220 3s",
		"- tapOn: {text: b, repeat: 3}\n": "tap 150,220; tap 150,220; " +
			"tap 150,220",
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
	fails(t, commands(t, &recorder{screen: button}, "- tapOn: {text: b, point: \"300,4\"}\n"), "is outside")
	fails(t, commands(t, &recorder{screen: button}, "- tapOn: {point: \"101%,4%\"}\n"), "is outside")
}

func TestFlowRetriesATapOnlyWhenNothingChanged(t *testing.T) {
	t.Parallel()
	phone := &recorder{
		screen: []*shape{{text: "b", box: image.Rect(0, 0, 10, 10), click: func(s *shape) { s.desc = "tapped" }}}}
	r := commands(t, phone, "- tapOn: {text: b, retryTapIfNoChange: true}\n")
	if passes(t, r); r.did() != "tap 5,5" {
		t.Error(r.did())
	}
}

func TestFlowIndexThatIsNoNumberIsNotForgiven(t *testing.T) {
	t.Parallel()
	r := commands(t, &recorder{screen: []*shape{at("b", 0, 0)}}, "- tapOn: {text: b, index: \"${'x'}\", optional: true}\n")
	fails(t, r, "not a number")
}

func TestFlowTruth(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"true", `"yes"`, `"no"`, "1", "x", "${[]}", "${({})}", "${NaN}", `"${'0x'}"`,
		"${'a' == 'a'}", "-1"} {
		if r := commands(t, nil, "- assertTrue: "+text+"\n"); r.result != event.Pass {
			t.Errorf("%s: %s", text, r.problem)
		}
	}
	for _, text := range []string{"false", "False", "no", "off", "0", "0.0", `"-0"`, `""`, `" "`, "${}", "${undefined}",
		"${null}", "${nobody}", "${1 > 2}", `"FALSE"`} {
		if r := commands(t, nil, "- assertTrue: "+text+"\n"); r.result != event.Fail {
			t.Errorf("%s: %s", text, r.result)
		}
	}
}

func TestFlowPlaceReachesToTheLastBrace(t *testing.T) {
	t.Parallel()
	fails(t, commands(t, nil, "- inputText: \"${1} of {x}\"\n"), "")
	if r := commands(t, nil, "- inputText: \"${1} of ${2}\"\n"); r.did() != "type 1 of 2" {
		t.Error(r.did())
	}
}

func TestFlowRhinoFails(t *testing.T) {
	t.Parallel()
	fails(t, runFlow(t, nil, texts{"flow.yaml": "appId: a\njsEngine: rhino\n---\n- back\n"}), "rhino")
}

func TestFlowCoveredElementsCountAndAreTapped(t *testing.T) {
	t.Parallel()
	phone := &recorder{
		screen: []*shape{at("under", 0, 0), {text: "over", box: image.Rect(0, 0, 540, 960), clickable: true}}}
	r := commands(t, phone, "- assertVisible: under\n- tapOn: under\n")
	if passes(t, r); r.did() != "tap 50,20" {
		t.Error(r.did())
	}
}

func TestFlowWaitsUntilItIsVisibleAndTapsAgain(t *testing.T) {
	t.Parallel()
	over := &shape{text: "over", box: image.Rect(0, 0, 540, 960), to: 6 * time.Second}
	phone := &recorder{screen: []*shape{at("b", 0, 0), over}}
	r := commands(t, phone, "- tapOn: {text: b, waitUntilVisible: true}\n")
	if passes(t, r); r.did() != "tap 50,20; tap 50,20" {
		t.Error(r.did())
	}
}

// imported runs what the import makes of commands.
func imported(t *testing.T, phone *recorder, list string) flowRun {
	t.Helper()
	f, err := maestro.Parse("flow.yaml", []byte("appId: com.app\n---\n"+list), texts{})
	if err != nil {
		t.Fatal(err)
	}
	n := maestro.ToNative(f, maestro.NativeOptions{ID: "flow", Platform: dsl.Android})
	for _, lost := range n.Lost {
		t.Errorf("no native form: %v", lost)
	}
	tests, err := dsl.Parse("flow.yaml", n.Text)
	if err != nil {
		t.Fatalf("%v\n%s", err, n.Text)
	}
	if errs := dsl.Link(tests[0], nil); errs != nil {
		t.Fatal(errs)
	}
	return runTest(t, phone, tests[0])
}

// TestImportDoesTheSame: commands and their import have one result, ask the phone for the same, and wait about as
// long.
func TestImportDoesTheSame(t *testing.T) {
	t.Parallel()
	box := func(s shape, x, y int) *shape { s.box = image.Rect(x, y, x+100, y+40); return &s }
	screen := []*shape{box(shape{text: "Save", id: "com.app:id/save"}, 0, 0), box(shape{text: "Save", id: "other"}, 0,
		100), box(shape{text: "Pay (test)"}, 200, 0),
		box(shape{text: "007", desc: "number"}, 0, 200), box(shape{hint: "E-mail", id: "mail", focused: true}, 0, 300)}
	for _, list := range []string{
		"- tapOn: Save\n", "- tapOn: {text: Save, index: 1}\n", "- tapOn: {text: Save, index: -1}\n",
		"- tapOn: {text: Save, index: 5, optional: true}\n- back\n",
		"- tapOn: {id: save}\n", "- tapOn: {id: '.*:id/.*'}\n", "- tapOn: Pay (test)\n", "- tapOn: 'pay .*'\n",
		"- tapOn: 007\n", "- tapOn: \"007\"\n", "- tapOn: number\n",
		"- tapOn: {text: Save, below: {text: Save}}\n", "- tapOn: {rightOf: Save}\n", "- tapOn: {point: '50%,50%'}\n",
		"- tapOn: {point: '10,20'}\n",
		"- tapOn: {id: mail, point: '90%,50%'}\n", "- tapOn: {text: Save, repeat: 3}\n", "- doubleTapOn: Save\n",
		"- longPressOn: Save\n",
		"- tapOn: Nowhere\n", "- tapOn: {text: Nowhere, optional: true}\n", "- assertVisible: e-mail\n",
		"- assertVisible: Sav\n", "- assertVisible: {text: Nowhere, optional: true}\n",
		"- assertNotVisible: Nowhere\n", "- assertNotVisible: Save\n",
		"- extendedWaitUntil: {visible: Nowhere, timeout: 3000}\n", "- extendedWaitUntil: {visible: Save, notVisible: " +
			"Nowhere, timeout: 3_000}\n",
		"- assertTrue: ${1 < 2}\n", "- assertTrue: ${1 > 2}\n", "- assertTrue: 'false'\n", "- assertTrue: 'no'\n",
		"- assertTrue: 0\n",
		"- launchApp\n", "- launchApp: {clearState: true, stopApp: false}\n", "- launchApp: {permissions: {all: deny}}\n",
		"- launchApp: {permissions: {}}\n",
		"- stopApp\n", "- killApp: x\n", "- inputText: hello\n", "- inputText: 1.50\n", "- inputText: ''\n", "- eraseText\n",
		"- eraseText: 3\n", "- eraseText: 0\n",
		"- copyTextFrom: {id: save}\n- inputText: '${maestro.copiedText}'\n", "- setClipboard: x\n- pasteText\n",
		"- copyTextFrom: number\n- pasteText\n",
		"- pressKey: Enter\n", "- pressKey: tab\n", "- pressKey: Volume Up\n", "- pressKey: Lock\n", "- back\n",
		"- hideKeyboard\n",
		"- swipe: {direction: LEFT}\n", "- swipe: {start: '10%,20%', end: '90%,20%', duration: 900}\n",
		"- swipe: {start: '10,20', end: '90,20'}\n", "- scroll\n", "- swipe: {from: {id: mail}, direction: UP}\n",
		"- runFlow: {when: {visible: Nowhere}, commands: [back]}\n",
		"- runFlow: {when: {visible: Save, notVisible: Nowhere, platform: Android}, commands: " +
			"[back]}\n", "- runFlow: {when: {platform: iOS}, commands: [back]}\n",
		"- runFlow: {when: {true: '${1 == 1}'}, commands: [back]}\n",
		"- runFlow: {optional: true, commands: [{tapOn: Nowhere}, back]}\n- " +
			"back\n", "- runFlow: {env: {A: x}, commands: [{inputText: '${A}!'}]}\n",
		"- repeat: {times: 3, commands: [back]}\n", "- repeat: {times: 0, commands: [back]}\n",
		"- repeat: {times: 2, while: {visible: Save}, commands: [back]}\n", "- repeat: {while: {notVisible: Save}, " +
			"commands: [back]}\n",
		"- retry: {maxRetries: 2, commands: [back, {tapOn: Nowhere}]}\n",
		"- retry: {maxRetries: 7, commands: [back, {tapOn: {text: " +
			"Nowhere}}]}\n", "- retry: {maxRetries: -1, commands: [{tapOn: Nowhere}]}\n", "- retry: {commands: [back]}\n",
		"- evalScript: '${output.n = 1}'\n- evalScript: '${output.n = output.n + 1}'\n- inputText: '${output.n}'\n",
		"- inputText: '\\${A} is it'\n", "- runFlow: {env: {A: x}, commands: [{inputText: '\\${A} is ${A}'}]}\n",
		"- runFlow: {env: {A: x}, commands: [{inputText: '${A + \"!\"} of ${A}'}, {openLink: 'shop://${A + 1}'}]}\n",
		"- evalScript: '${output.n = 1}'\n- inputText: 'no ${output.n + " +
			"1}.'\n", "- evalScript: '${console.log(\"hello\")}'\n- back\n",
		"- setLocation: {latitude: 52.5, longitude: 13}\n", "- setOrientation: UPSIDE_DOWN\n",
		"- setAirplaneMode: enabled\n- toggleAirplaneMode\n",
		"- setDarkMode: enabled\n- assertDarkMode\n- toggleDarkMode\n- " +
			"assertLightMode\n",
		"- assertDarkMode\n", "- openLink: shop://x\n", "- waitForAnimationToEnd\n", "- clearKeychain\n", "- action: back\n",
		"- scrollUntilVisible: {element: Save}\n",
	} {
		direct, native := commands(t, &recorder{screen: screen}, list), imported(t, &recorder{screen: screen}, list)
		if direct.result != native.result || direct.did() != native.did() {
			t.Errorf("%s: %s, %q; imported %s, %q", list, direct.result, direct.did(), native.result, native.did())
		}
		if apart := (direct.took - native.took).Abs(); apart > 2*time.Second {
			t.Errorf("%s: %s, imported %s", list, direct.took, native.took)
		}
	}
}
