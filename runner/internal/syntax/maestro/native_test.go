package maestro_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/syntax/maestro"
)

// everyCommand holds forms of all commands; each is a flow's only one.
var everyCommand = strings.Split(strings.TrimSpace(`
tapOn: Save
tapOn: {text: "Pay (now)?", index: -1, enabled: true, below: {id: total}, label: pay, optional: true}
tapOn: {point: "50%,20%"}
tapOn: {id: chart, point: "10%,90%"}
tapOn: {point: "10,20", repeat: 3}
tapOn: {text: a, repeat: 0, delay: -1, waitToSettleTimeoutMs: 90000}
doubleTapOn: Photo
longPressOn: {id: ".*row", childOf: {text: List}}
assertVisible: {text: "", id: x}
assertVisible: {traits: square long-text, width: 10, height: 20, tolerance: 2}
assertNotVisible: {id: gone, containsDescendants: [{text: a}, {id: b}], containsChild: {text: c}}
assertTrue: ${1 == 1}
assertTrue: {condition: "yes"}
extendedWaitUntil: {visible: a, notVisible: b, timeout: 20_000}
extendedWaitUntil: {visible: a, timeout: 0}
extendedWaitUntil: {visible: a, timeout: -5}
launchApp
launchApp: {clearState: true, stopApp: false, permissions: {all: deny, camera: unset, medialibrary: allow}, `+
	`arguments: {a: text, b: 1, c: true, d: 1.5}}
launchApp: {permissions: {}}
stopApp
killApp: com.other
clearState
clearKeychain
setPermissions: {permissions: {all: deny, location: allow}}
setPermissions: {permissions: {}}
inputText: hello
inputText: ""
inputText: "   "
inputText: ${NAME + "!"}
inputText: \${NAME} is ${NAME}
inputText: ${NAME.trim()}
inputText: ${NAME.match(/x/)}
evalScript: ${console.log('on start')}
evalScript: ${console.log(NAME)}
evalScript: ${console.log(output.n)}
evalScript: ${console.log('a', NAME)}
launchApp: {arguments: {"${NAME}": 4, b: 1}}
inputRandomText: {length: 5}
inputRandomNumber
inputRandomEmail
inputRandomPersonName
inputRandomCityName
inputRandomCountryName
inputRandomColorName
eraseText
eraseText: 0
eraseText: 100000
copyTextFrom: {id: price}
setClipboard: x
pasteText
pressKey: Enter
pressKey: home
pressKey: Volume Up
pressKey: Remote Media Play Pause
pressKey: tab
back
hideKeyboard
action: pasteText
swipe: {direction: LEFT, duration: 5}
swipe: {direction: UP, duration: 100000}
swipe: {start: "10%, 20%", end: "90%,20%"}
swipe: {start: "100, 20", end: "9,20", duration: 2000}
swipe: {from: {id: card}, direction: DOWN}
scroll
scrollUntilVisible: {element: End}
scrollUntilVisible: {element: {id: end}, direction: LEFT, timeout: -1, speed: 150, visibilityPercentage: 10, `+
	`centerElement: true}
scrollUntilVisible: {element: End, timeout: 0, speed: 0}
runFlow: {commands: [back], label: inner, optional: true, env: {A: 1}, when: {platform: Android, visible: a, `+
	`notVisible: {id: b}, true: "${A == 'x'}"}}
runFlow: {commands: []}
runFlow: {commands: [clearKeychain]}
repeat: {times: 0, commands: [back]}
repeat: {times: 3, while: {notVisible: a}, commands: [back]}
repeat: {times: -2, commands: [back]}
repeat: {while: {visible: a}, commands: []}
retry: {maxRetries: 9, commands: [back]}
retry: {maxRetries: -1, commands: [tapOn: x], label: again}
evalScript: ${output.n = 1}
evalScript: ${}
openLink: example.com/x
openLink: {link: "https://example.com"}
setLocation: {latitude: 52.5, longitude: -13.4}
travel: {points: ["1,1", "2,2"], speed: 0.1}
travel: {points: ["1,1"], speed: 40}
setOrientation: UPSIDE_DOWN
setOrientation: landscapeRight
setAirplaneMode: enabled
toggleAirplaneMode
setDarkMode: disabled
toggleDarkMode
assertDarkMode
assertLightMode
addMedia: [a.png]
startRecording: films/one
stopRecording
takeScreenshot: shots/home
takeScreenshot: {path: card, cropOn: {id: card}}
assertScreenshot: a
assertScreenshot: {path: a.png, thresholdPercentage: 99.5, cropOn: Card}
assertScreenshot: nowhere
waitForAnimationToEnd
waitForAnimationToEnd: {timeout: 0}
waitForAnimationToEnd: {timeout: 400_000}
assertWithAI: {assertion: it is blue}
extractTextWithAI: {query: the code, outputVariable: code}
assertNoDefectsWithAI
`), "\n")

// scripted are those that only a script does, on every platform.
var scripted = []string{"inputText: ${NAME.match", "evalScript: ${console.log('a', NAME)}"}

// lost are the commands that the import for a platform lists as without a native form, by their first characters.
var lost = map[dsl.Platform][]string{
	dsl.Android: {"launchApp: {arguments: {\"${NAME}", "assertScreenshot: nowhere", "assertNoDefects",
		"swipe: {direction: UP", "openLink: example", "travel: {points: [\"1,1\", \"2,2\""},
	dsl.IOS: {"launchApp: {arguments: {\"${NAME}", "assertScreenshot: nowhere", "assertNoDefects",
		"swipe: {direction: UP", "openLink: example", "travel: {points: [\"1,1\", \"2,2\"", "clearKeychain",
		"runFlow: {commands: [clearKeychain"},
	dsl.Web: {"assertScreenshot: nowhere", "assertNoDefects", "travel: {points: [\"1,1\", \"2,2\"", "pressKey: home",
		"pressKey: Volume", "pressKey: Remote", "pressKey: tab"},
}

// TestEveryImportIsATest: whatever a command says, its import is a test or a block that this program takes, on each
// platform, or the command is listed as lost.
func TestEveryImportIsATest(t *testing.T) {
	for _, platform := range []dsl.Platform{dsl.Android, dsl.IOS, dsl.Web} {
		config := "appId: com.example.app\n"
		if platform == dsl.Web {
			config = "url: https://example.com\n"
		}
		for _, command := range everyCommand {
			f, err := maestro.Parse("flow.yaml", []byte(config+"---\n- "+command+"\n"), files{"a.png": ""})
			if err != nil {
				t.Fatal(err)
			}
			for _, block := range []bool{false, true} {
				o := maestro.NativeOptions{ID: "x", Block: block, Platform: platform, Rel: func(s string) string { return s }}
				n := maestro.ToNative(f, o)
				if block {
					_, err = dsl.ParseBlock("x.yaml", n.Text, platform)
				} else {
					_, err = dsl.Parse("x.yaml", n.Text)
				}
				if err != nil {
					t.Errorf("%s: %s\n%s\n%v", platform, command, n.Text, err)
				}
				told := false
				for _, start := range append(scripted, lost[platform]...) {
					told = told || strings.HasPrefix(command, start)
				}
				if told != (len(n.Lost) > 0) {
					t.Errorf("%s: %s: lost %v\n%s", platform, command, n.Lost, n.Text)
				}
			}
		}
	}
}

// TestImportOfPages: the first launchApp opens a browser, the next one keeps its cookies, and clearState does not.
func TestImportOfPages(t *testing.T) {
	f, err := maestro.Parse("flow.yaml",
		[]byte("url: https://a.example\n---\n- stopApp\n- clearState\n- launchApp\n- launchApp\n- openLink: b.example\n- "+
			"clearState\n- launchApp: {clearState: true}\n- setAirplaneMode: enabled\n"), files{})
	if err != nil {
		t.Fatal(err)
	}
	n := maestro.ToNative(f, maestro.NativeOptions{ID: "x", Platform: dsl.Web})
	var got []string
	for line := range strings.Lines(string(n.Text)) {
		if action, is := strings.CutPrefix(strings.TrimSpace(line), "- "); is {
			name, args, _ := strings.Cut(action, ": ")
			got = append(got, fmt.Sprintf("%s %s", name, strings.Split(strings.Trim(args, "{}"), ",")[0]))
		}
	}
	want := `openBrowser url: "https://a.example"; webNavigate url: "https://a.example"; webNavigate url: ` +
		`"https://b.example"; openBrowser url: "https://a.example"; openBrowser url: "https://a.example"`
	if strings.Join(got, "; ") != want {
		t.Errorf("%s\nwant %s\n%s", strings.Join(got, "; "), want, n.Text)
	}
}
