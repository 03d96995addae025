package engine_test

import (
	"image"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/engine"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/syntax/maestro"
)

func TestFlowScriptErrorsAreNotForgivenAndTheHookRuns(t *testing.T) {
	t.Parallel()
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
	r = runFlow(t, nil, texts{"flow.yaml": "appId: a\n---\n- runScript: s.js\n",
		"s.js": "var a = 1\nthrow new Error('late')\n"})
	fails(t, r, "s.js:2")
}

func TestFlowEnvGoesFromOutsideIn(t *testing.T) {
	t.Parallel()
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
`, "sub.yaml": "appId: a\nenv: {PIN: called, WITH: \"${EXTRA || 'x'}\"}\n---\n- inputText: ${PIN} ${EXTRA} ${WITH} " +
		"${OLD}\n"})
	passes(t, r)
	want := "type file 0123 undefined undefined shell undefined flow; type called more more x; type 0123 undefined; " +
		"type 1 undefined; type 1 1; type 0123"
	if r.did() != want {
		t.Errorf("%s\nwant %s", r.did(), want)
	}
}

func TestFlowOutputLivesThroughAllCallsAndHooks(t *testing.T) {
	t.Parallel()
	r := runFlow(t, nil, texts{"flow.yaml": `appId: a
onFlowStart:
  - evalScript: ${output.log = ['start']}
onFlowComplete:
  - inputText: ${output.log.join(',')}
---
- evalScript: ${output.log.push('body')}
- runFlow: sub.yaml
`, "sub.yaml": "appId: a\nonFlowStart:\n  - evalScript: ${output.log.push('sub start')}\nonFlowComplete:\n  - " +
		"evalScript: ${output.log.push('sub end')}\n---\n- runScript: s.js\n",
		"s.js": "output.log.push('script')"})
	passes(t, r)
	if r.did() != "type start,body,sub start,script,sub end" {
		t.Error(r.did())
	}
}

func TestFlowBodyIsLeftOutWhenItsStartFailsAndTheEndRuns(t *testing.T) {
	t.Parallel()
	r := runFlow(t, nil,
		texts{"flow.yaml": "appId: a\nonFlowStart:\n  - assertTrue: false\nonFlowComplete:\n  - back\n---\n- scroll\n"})
	fails(t, r, "false")
	if r.did() != "press back" {
		t.Error(r.did())
	}
	r = runFlow(t, nil, texts{"flow.yaml": "appId: a\nonFlowComplete:\n  - assertTrue: false\n---\n- back\n"})
	fails(t, r, "false")
}

func TestFlowRepeats(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{
		"- repeat: {times: 2, commands: [back]}\n":            "press back; press back",
		"- repeat: {times: \"${1 + 1}\", commands: [back]}\n": "press back; press back",
		"- repeat: {times: 0, commands: [back]}\n":            "",
		"- repeat: {times: 2.9, commands: [back]}\n":          "press back; press back",
		"- evalScript: ${output.n = 0}\n- repeat: {while: {true: \"${output.n < 3}\"}, commands: [{evalScript: " +
			"\"${output.n++}\"}, back]}\n": "press back; press back; press back",
		"- repeat: {times: 1, while: {true: \"${false}\"}, commands: " +
			"[back]}\n": "",
	} {
		r := commands(t, nil, list)
		if passes(t, r); r.did() != want {
			t.Errorf("%s: %s", list, r.did())
		}
	}
	// The condition is looked at once more behind the last round.
	r := commands(t, &recorder{screen: []*shape{{text: "x", box: image.Rect(0, 0, 9, 9)}}},
		"- repeat: {times: 1, while: {notVisible: x}, commands: [back]}\n")
	took(t, r, 7*time.Second, time.Second)
}

func TestFlowRetriesNPlusOneTimesAndAtMostThree(t *testing.T) {
	t.Parallel()
	for most, want := range map[string]int{"1": 2, "3": 4, "9": 4, "x": 2, "0": 1} {
		r := commands(t, nil, "- retry:\n    maxRetries: "+most+"\n    commands:\n      - back\n      - assertTrue: false\n")
		fails(t, r, "false")
		if n := strings.Count(r.did(), "press back"); n != want {
			t.Errorf("maxRetries %s: %d tries, want %d", most, n, want)
		}
	}
}

func TestFlowOptionalOnABlockEndsItWithAWarning(t *testing.T) {
	t.Parallel()
	r := commands(t, nil,
		"- runFlow:\n    optional: true\n    commands:\n      - back\n      - assertTrue: false\n      - scroll\n- back\n")
	if passes(t, r); r.did() != "press back; press back" {
		t.Error(r.did())
	}
}

func TestFlowConditionsAreTriedInOrder(t *testing.T) {
	t.Parallel()
	for when, want := range map[string]string{
		"{platform: Android}": "press back", "{platform: iOS}": "", "{platform: ios, visible: nobody}": "",
		"{true: \"${1}\"}": "press back", "{true: Yes}": "press back",
		"{true: \"${nobody}\"}": "", "{visible: there}": "press back", "{notVisible: {id: nobody}}": "press back",
		"{visible: {id: .*x}}": "press back", "{notVisible: there}": "",
	} {
		r := commands(t, &recorder{screen: []*shape{{text: "there", id: "a/xx", box: image.Rect(0, 0, 9, 9)}}},
			"- runFlow:\n    when: "+when+"\n    commands: [back]\n")
		if passes(t, r); r.did() != want {
			t.Errorf("%s: %q", when, r.did())
		}
	}
	r := runFlow(t, nil,
		texts{"flow.yaml": "appId: a\n---\n- runScript: {file: s.js, when: {platform: web}}\n- inputText: " +
			"${output.ran}\n", "s.js": "output.ran = 1"})
	if r.did() != "type undefined" {
		t.Error(r.did())
	}
}

func TestFlowWhenDoesNotSeeTheEnvOfItsBlock(t *testing.T) {
	t.Parallel()
	r := commands(t, nil, "- runFlow:\n    env: {ON: \"true\"}\n    when: {true: \"${ON}\"}\n    commands: [back]\n")
	if passes(t, r); r.did() != "" {
		t.Error(r.did())
	}
}

func TestFlowStartWithoutEffectSkipsTheCalledFlow(t *testing.T) {
	t.Parallel()
	// After a hook with commands that change nothing, the body of a called flow is skipped, as in Maestro.
	files := texts{"flow.yaml": "appId: a\n---\n- runFlow: sub.yaml\n",
		"sub.yaml": "appId: a\nonFlowStart:\n  - assertTrue: true\n---\n- back\n"}
	r := runFlow(t, nil, files)
	if passes(t, r); r.did() != "" {
		t.Error(r.did())
	}
}

func TestFlowGetsTheValuesOfTheTestThatRunsIt(t *testing.T) {
	t.Parallel()
	phone := &recorder{}
	f, err := maestro.Parse("flow.yaml", []byte("appId: a\n---\n- inputText: ${USER} ${OWN}\n"), texts{})
	if err != nil {
		t.Fatal(err)
	}
	tests, err := dsl.Parse("t.yaml",
		[]byte("id: t\nplatform: android\nvars: {OWN: mine}\nsteps:\n  - run: {file: flow.yaml, with: {USER: ada}}\n  - "+
			"log: "+
			"done\n"))
	if err != nil {
		t.Fatal(err)
	}
	read := func(string) ([]byte, error) { return []byte("x"), nil }
	if err := dsl.LinkWith(tests[0], read, func(string, []byte) (*dsl.Block, error) {
		return f.Block(),
			nil
	}); err != nil {
		t.Fatal(err)
	}
	result, err := engine.Run(t.Context(), plan.Case{Test: tests[0], Platform: dsl.Android, Pack: "t"}, phone,
		&sink{dir: t.TempDir()}, engine.Options{NoVideo: true})
	if err != nil || result != event.Pass || strings.Join(phone.done, "; ") != "type ada mine" {
		t.Error(result, err, phone.done)
	}
}

func TestFlowBlockIsAChangeAtItsEnd(t *testing.T) {
	t.Parallel()
	// 10 s of waiting in a block behind a tap: what comes after the block has its whole time, for the block ended with a
	// change.
	late := func() *recorder {
		return &recorder{
			screen: []*shape{at("b", 0, 0), {text: "first", box: image.Rect(0, 100, 50, 140), from: 10 * time.Second},
				{text: "then", box: image.Rect(0, 200, 50, 240), from: 25 * time.Second}}}
	}
	const waiting = "    commands: [{tapOn: b}, {assertVisible: first}]\n"
	for _, list := range []string{"- runFlow:\n" + waiting, "- retry:\n" + waiting, "- repeat:\n    times: 1\n" +
		waiting} {
		passes(t, commands(t, late(), list+"- assertVisible: then\n"))
	}
	fails(t, commands(t, late(), "- tapOn: b\n- assertVisible: first\n- assertVisible: then\n"), "then")
	fails(t, commands(t, late(),
		"- tapOn: b\n- runFlow:\n    commands: [{assertVisible: first}]\n- assertVisible: then\n"), "then")
	files := texts{"flow.yaml": "appId: a\n---\n- runFlow: sub.yaml\n- assertVisible: then\n",
		"sub.yaml": "appId: a\nonFlowComplete:\n  - assertVisible: first\n---\n- tapOn: b\n- assertVisible: first\n"}
	fails(t, runFlow(t, late(), files), "then") // its end changed nothing, and then all of it did not
}

func TestFlowClipboardIsUndefinedAtFirst(t *testing.T) {
	t.Parallel()
	if r := commands(t, nil, "- inputText: ${maestro.copiedText}\n- inputText: ${maestro.copiedText || "+
		"'none'}\n"); r.did() != "type undefined; type none" {
		t.Error(r.did())
	}
}
