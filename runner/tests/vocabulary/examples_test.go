package vocabulary

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// TestExamples runs the examples of every action, as its page shows them, on each platform that the action claims. In
// the place of apps, files and labels that the simulated phones do not have there are those that they have: see
// standIns. In the short mode it is every eighth example.
func TestExamples(t *testing.T) {
	files := map[string][]byte{"blocks/login.yaml": []byte("vars: {USER: guest}\nsteps:\n  - log: ${USER}\n")}
	for _, c := range readCells(t) {
		if c.action == "install" && c.platform == dsl.IOS {
			for name, data := range c.files {
				files[name] = data
			}
		}
	}
	for platform, start := range benches(t) {
		t.Run(string(platform), func(t *testing.T) {
			lanes := start(t)
			t.Cleanup(func() {
				if err := lanes[0].driver.Close(); err != nil {
					t.Error(err)
				}
			})
			own := slices.DeleteFunc(dsl.Vocabulary(), func(def dsl.Def) bool {
				return !def.On(platform) || def.Interfaces&dsl.YAML == 0
			})
			for _, def := range testutil.Few(8, own) {
				for i, e := range def.Page().Examples {
					if !slices.Contains(e.On, platform) {
						continue
					}
					t.Run(fmt.Sprintf("%s/%d", def.Name, i+1), func(t *testing.T) {
						c := exampleCell(def, e.Step, platform)
						c.files = files
						lanes[0].run(t, c)
					})
				}
			}
		})
	}
}

// sendsMail are steps of an app that sends the mail of the examples.
const sendsMail = `- http: {url: "${SITE}/pit/api/v1/send", method: POST, json: {To: [{Email: ada@example.com}],
    Subject: Your code, Text: It is 042137.}}
- http: {url: "${SITE}/pit/api/v1/send", method: POST, json: {To: [{Email: ada@example.com}], Subject: Welcome to us}}
`

// exampleCell is a test of the example alone, behind what it needs.
func exampleCell(def dsl.Def, step string, p dsl.Platform) cell {
	example := strings.ReplaceAll(step, "https://example.com/api/users", "${SITE}/api/orders")
	example = strings.ReplaceAll(example, "https://example.com", "${SITE}")
	example = strings.ReplaceAll(example, "${MAIL_URL}", "${SITE}/pit")
	example = strings.ReplaceAll(example, "http://localhost:8025", "${SITE}/pit")
	example = strings.ReplaceAll(example, "[make, seed]", `["true"]`)
	sent := ""
	if def.Name == "waitForMail" {
		sent = sendsMail
	}
	c := cell{action: def.Name, platform: p, name: string(p) + " example", passes: true, options: map[string]string{}}
	if p != dsl.Web {
		for _, pair := range standIns(def.Name, p) {
			example = strings.ReplaceAll(example, pair[0], pair[1])
			sent = strings.ReplaceAll(sent, pair[0], pair[1])
		}
	}
	switch def.Name {
	case "assertScreenshot":
		c.options["baselines-first"] = "true"
	case "shell":
		c.options["allow-shell"] = "true"
	case "exec":
		c.options["allow-exec"] = "true"
	case "try":
		c.header = []string{"timeout: 500ms"}
	case "on":
		c.header = []string{"devices: {bob: {platform: " + string(p) + "}}"}
	}
	c.steps = sent + before(def.Name, p) + "- " + strings.ReplaceAll(example, "\n", "\n  ") + "\n"
	return c
}

// standIns are what the simulated phones have in the place of what an example names.
func standIns(action string, p dsl.Platform) [][2]string {
	all := [][2]string{{"../build/app.apk", "good.apk"}, {"shop://item/5", "login://form"}, {"Welcome", "Catalogue"},
		{"label: Welc,", "label: Cata,"}, {"to: Bread", "to: {id: basket}"}, {"id: submit", "id: disabled"},
		{"id: clock", "id: status"}, {"order saved", "signing in as"},
		{"id: total", "id: status"}, {"([0-9.]+) €", "([0-9]+)"}, {"order-number", "status"}, {"Photo", "Target"},
		{"Message", "Target"}, {"id: map", "id: target"}, {"id: cart", "id: basket"}, {"Delete account", "Item 20"},
		{"Refresh", "Form"}, {"Online", "Note"}, {"[Milk, Bread]", "[Form, Note]"}, {"from: Milk", "from: Apple"},
		{"com.example.app", "com.example.login"}}
	switch {
	case action == "install" && p == dsl.IOS:
		all[0][1] = "New.app"
	case action == "setPermissions" && p == dsl.IOS:
		all = append(all, [2]string{"camera", "photos"})
	case action == "setPermissions":
		all = append(all, [2]string{"location", "notifications"})
	case action == "uninstall":
		all[len(all)-1][1] = "com.example.new"
	}
	return all
}

// before returns the steps that an example needs.
func before(action string, p dsl.Platform) string {
	if p == dsl.Web {
		return beforeOnPage(action)
	}
	const (
		list  = "- launch: {package: com.example.list, force: true}\n"
		note  = list + "- tap: Form\n- tap: Note\n"
		login = "- launch: {package: com.example.login, force: true, clear: true}\n"
	)
	switch action {
	case "tap", "waitFor", "group", "on", "stop", "clearApp", "setPermissions", "background", "assertApp", "launch":
		return login
	case "killApp":
		return login + "- press: home\n"
	case "assertLog":
		return login + "- tap: E-mail\n- input: zoe@example.com\n- tap: Sign in\n"
	case "doubleTap", "longPress", "drag", "pinch":
		if p == dsl.IOS {
			return list + "- tap: Gestures\n"
		}
		return "- launch: {package: com.example.list/.GesturesActivity, force: true}\n"
	case "press", "hideKeyboard", "input":
		return note
	case "erase":
		return note + "- input: ada lovelace\n"
	case "paste":
		return list + "- tap: Form\n- setClipboard: SAVE10\n- tap: Note\n"
	case "assertElement":
		return list + "- tap: Form\n"
	case "alert":
		if p == dsl.IOS {
			return list + "- tap: Prompt\n"
		}
		return list + "- tap: Delete all\n"
	case "assertDarkMode":
		return list + "- setDarkMode: true\n"
	case "uninstall":
		return "- install: " + map[dsl.Platform]string{dsl.Android: "good.apk", dsl.IOS: "New.app"}[p] + "\n"
	case "stopRecording":
		return list + "- startRecording:\n"
	}
	return list
}

func beforeOnPage(action string) string {
	const page = "- openBrowser: example.html\n"
	switch action {
	case "openBrowser", "set", "http", "webRoute":
		return ""
	case "swipe":
		return "- openBrowser: {url: example.html, device: Pixel 7}\n"
	case "press", "input", "erase":
		return page + "- tap: E-mail\n"
	case "paste":
		return page + "- setClipboard: SAVE10\n- tap: E-mail\n"
	case "alert":
		return page + "- webDialog: wait\n- webEval: \"setTimeout(() => alert('Hello'), 100); 1\"\n"
	case "assertDarkMode":
		return page + "- setDarkMode: true\n"
	case "stopRecording":
		return page + "- startRecording:\n"
	case "webNavigate":
		return page + "- openBrowser: \"${SITE}/login.html\"\n- webNavigate: \"${SITE}/late.html\"\n"
	case "webTab":
		return "- openBrowser: \"${SITE}/login.html\"\n- webEval: \"window.open('/terms'); 1\"\n"
	case "webWait":
		return "- openBrowser: \"${SITE}/login.html\"\n- webEval: \"setTimeout(() => fetch('/api/cart'), 1000); 1\"\n"
	case "webStorage":
		return "- openBrowser: \"${SITE}/login.html\"\n"
	}
	return page
}
