package engine_test

import (
	"image"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/reporters/event"
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
