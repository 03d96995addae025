package engine_test

import (
	"image"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/dsl/maestro"
)

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
