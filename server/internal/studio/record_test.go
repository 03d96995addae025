package studio_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/cli"
)

const sitePassword = "correct horse ${battery}"

// site is a shop: a login, a list, two ways to upload, a dialog, another tab.
func site(t testing.TB) string {
	mux := http.NewServeMux()
	page := func(path, title, body string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w,
				`<!doctype html><html lang="en"><meta charset="utf-8"><title>%s</title><style>body{font:16px `+
					`sans-serif}label,p,button,a,select,input{display:block;margin:6px}</style>%s`, title, body)
		})
	}
	page("/{$}", "Shop",
		`<h1>Shop</h1><form action="/home" onsubmit="if (document.querySelector('#p').value !== 'correct horse $' + `+
			`'{battery}' || !document.querySelector('#e').value.includes('@')) { wrong.hidden = false; return false }">
		<label>E-mail <input id="e"></label><label>Password <input id="p" type="password"></label><button>Log `+
			`in</button></form><p id="wrong" hidden>Wrong password</p>`)
	page("/home", "Account", `<h1>Welcome, Ada</h1>
		<label>Country <select onchange="picked.textContent = 'Ships to ' + `+
		`this.selectedOptions[0].label"><option>Choose</option><option>France</option><option>Germany</option></select>`+
		`</label><p id="picked"></p>
		<label>Photo <input type="file" onchange="send(this)"></label>
		<input type="file" id="x1" hidden onchange="send(this)"><button onclick="x1.click()">Attach a letter</button><p `+
		`id="got"></p>
		<button onclick="if (confirm('Delete the account?')) gone.textContent = 'Account deleted'">Delete</button>
		<button onclick="gone.textContent = 'Hello, ' + prompt('Your name?')">Rename</button><p id="gone"></p>
		<a href="/terms" onclick="setTimeout(() => window.open('/terms'), 2500); return false">Terms of use</a>
		<p>&lt;img src=x onerror=alert()&gt;: {"a": - ${HOME}</p>
		<script>async function send(field) {
			const answer = await fetch("/upload?name=" + field.files[0].name, {method: "POST", body: field.files[0]});
			got.textContent = await answer.text();
		}</script>`)
	page("/terms", "Terms",
		`<h1>Terms of the shop</h1><button onclick="ok.textContent = 'Terms accepted'">Agree</button><p id="ok"></p>
		<p id="card" style="width:120px;background:#fc9;user-select:none">Clause one</p><p id="done" `+
			`style="width:220px;height:60px;background:#9cf">Understood</p><p id="moved"></p>
		<script>let held = false; card.onpointerdown = () => { held = true }; onpointerup = (e) => { if (held && `+
			`done.contains(document.elementFromPoint(e.clientX, e.clientY))) moved.textContent = "One is understood"; held = `+
			`false }</script>`)
	mux.HandleFunc("POST /upload", func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "Got %s: %s", r.URL.Query().Get("name"), data)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// TestRecordAPage: a login with a password, a list, uploads by a field and by a button, dialogs, a new tab that is left
// and closed; the test is saved, and taproot run passes each time.
func TestRecordAPage(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	start := site(t)
	if testing.Short() { // TestRecordTheLogin types and logs in
		start += "/home"
	}
	p := l.open(l.link("/studio/devices/web-1?open="+start+"&file=suites/shop.yaml"), 1440, false)
	p.device = "web-1"
	p.connected()
	p.writes("openBrowser: ")
	if !testing.Short() {
		p.logsIn()
	}
	p.click("combobox")
	p.sees("#choosing:not([hidden])")
	_, err := p.Locator("#choosing select").SelectOption(playwright.SelectOptionValues{Labels: &[]string{"Germany"}})
	p.must(err)
	p.shot("list-1440")
	p.inFull("a list")
	p.must(p.Locator("#choosing button:text('Choose')").Click())
	p.writes("webSelect: {selector: label=Country, label: Germany}")
	p.asserts("Ships to Germany")

	if !testing.Short() { // runner/record tests uploads, too
		p.givesFiles()
	}
	p.click(`"Delete"`)
	p.sees(`#dialog:not([hidden]):has-text("Delete the account?")`)
	p.shot("dialog-1440")
	p.inFull("a dialog")
	if !testing.Short() {
		p.must(p.EmulateMedia(playwright.PageEmulateMediaOptions{ColorScheme: playwright.ColorSchemeDark}))
		p.must(p.SetViewportSize(1024, 900))
		p.accessible("a dialog in the dark")
		p.shot("dialog-1024-dark")
		p.must(p.EmulateMedia(playwright.PageEmulateMediaOptions{ColorScheme: playwright.ColorSchemeLight}))
		p.must(p.SetViewportSize(1440, 900))
	}
	p.must(p.Locator("#dialog button:text('OK')").Click())
	p.writes("alert: accept")
	p.asserts("Account deleted")
	if !testing.Short() {
		p.answersAQuestion()
	}
	p.asserts("${HOME}") // a text that is HTML, YAML and a variable
	if n, err := p.Locator("#element img").Count(); err != nil || n != 0 {
		t.Errorf("%d elements of the page's own, %v", n, err)
	}
	if !strings.Contains(p.yaml(), "$${HOME}") {
		t.Errorf("the label can be read as a variable:\n%s", p.yaml())
	}
	p.click("Terms of use")
	p.writes("webTab: {title: Terms}")
	if !testing.Short() {
		p.dragsAndCloses()
	}
	if strings.Contains(p.yaml(), "horse") || strings.Contains(p.yaml(), "%,") {
		t.Errorf("a password or a place is in the test:\n%s", p.yaml())
	}
	p.must(p.Locator("#run-all").Click())
	p.sees(`#outcome[data-passed]`)
	if passed, _ := p.Locator("#outcome").GetAttribute("data-passed"); passed != "true" {
		said, _ := p.Locator("#problems").TextContent()
		t.Fatalf("the recorded test does not pass: %s\n%s", said, p.yaml())
	}
	p.must(p.Locator("#saving button").Click())
	p.sees(`#outcome:text("Saved")`)
	text := p.yaml()
	p.must(p.Context().Close())
	if !testing.Short() { // TestRecordTheLogin runs what it saved
		l.green("suites/shop.yaml", "PASSWORD="+sitePassword)
	}
	if t.Failed() {
		t.Log(text)
	}
}

// logsIn logs in to the shop.
func (p *tab) logsIn() {
	p.l.t.Helper()
	p.click("E-mail")
	p.writes("tap: E-mail")
	p.must(p.Locator("#live-screen").PressSequentially("ada@example.com"))
	p.writes("input: ada@example.com")
	p.click("Password")
	p.writes("tap: Password")
	p.must(p.Locator("#live-screen").PressSequentially(sitePassword))
	p.writes("input: ${PASSWORD}")
	p.click(`"Log in"`)
	p.writes("tap: Log in")
}

// givesFiles uploads by a field and by a button.
func (p *tab) givesFiles() {
	p.l.t.Helper()
	p.click(`"Photo"`)
	p.uploads("photo.txt", "a photo")
	p.writes("webUpload: {selector: 'label=\"Photo\"', files: [photo.txt]}")
	p.asserts("Got photo.txt: a photo")
	p.click(`"Attach a letter"`)
	p.writes("tap: Attach a letter")
	p.uploads("letter.txt", "Dear Ada")
	p.writes("webUpload: {selector: 'text=\"Attach a letter\"', files: [letter.txt]}")
	p.asserts("Got letter.txt: Dear Ada")
	if strings.Contains(p.yaml(), "tap: Attach") {
		p.l.t.Errorf("the click that asked for the file is still there:\n%s", p.yaml())
	}
}

// answersAQuestion types into a dialog.
func (p *tab) answersAQuestion() {
	p.l.t.Helper()
	p.click(`"Rename"`)
	p.sees(`#dialog:not([hidden]):has-text("Your name?")`)
	p.must(p.Locator("#dialog input").Fill("Grace"))
	p.must(p.Locator("#dialog button:text('OK')").Click())
	p.writes("alert: {answer: accept, text: Grace}")
	p.asserts("Hello, Grace")

}

// dragsAndCloses acts on the new tab, goes back and forth, and closes it.
func (p *tab) dragsAndCloses() {
	p.l.t.Helper()
	p.click(`"Agree"`)
	p.writes("tap: Agree")
	p.asserts("Terms accepted")
	fromX, fromY := p.place("Clause one")
	toX, toY := p.place("Understood")
	p.must(p.Mouse().Move(fromX, fromY))
	p.must(p.Mouse().Down())
	// Holding before moving drags; otherwise it is a swipe.
	_, err := p.Evaluate(`new Promise((done) => setTimeout(done, 700))`)
	p.must(err)
	p.must(p.Mouse().Move(toX, toY, playwright.MouseMoveOptions{Steps: playwright.Int(4)}))
	p.must(p.Mouse().Up())
	p.writes("drag: {from: {label: Clause one}, to: {label: Understood}}")
	p.asserts("One is understood")
	p.shot("tabs-1440")
	p.inFull("tabs")
	p.must(p.Locator("#tabs button:text('Account')").Click())
	p.writes("webTab: {title: Account}")
	p.must(p.Locator("#tabs button:text('Terms')").Click())
	p.sees(`#tabs button[aria-current]:text('Terms')`)
	p.must(p.Locator("#tabs button:text('Close this tab')").Click())
	p.writes("webTab: {close: true}")
	p.asserts("Welcome, Ada")
	for _, size := range []int{1440, 1024} {
		p.must(p.SetViewportSize(size, 900))
		p.inFull(fmt.Sprint("recorded at ", size))
		p.shot(fmt.Sprint("recorded-page-", size))
	}
}

// uploads selects a file of this machine for the page that requests one.
func (p *tab) uploads(name, text string) {
	p.l.t.Helper()
	file := filepath.Join(p.l.t.TempDir(), name)
	p.must(os.WriteFile(file, []byte(text), 0o600))
	p.sees("#uploading:not([hidden])")
	p.must(p.Locator("#upload-files").SetInputFiles(file))
	p.inFull("an upload")
	p.must(p.Locator("#uploading button:text('Upload')").Click())
}

// asserts records an assertion of an element.
func (p *tab) asserts(words string) {
	p.l.t.Helper()
	p.must(p.Locator("#point").Click())
	p.click(words)
	p.must(p.Locator("#element h2:has-text(" + fmt.Sprintf("%q", words) + ")").WaitFor())
	before := strings.Count(p.yaml(), "- assert: ")
	p.must(p.Locator("#element button:text('Assert this')").First().Click())
	p.must(p.until(`n => document.getElementById("yaml").value.split("- assert: ").length === n + 2`, before))
	p.must(p.Locator("#point").Click())
}

// green runs a saved test by the command, twenty times, or once in short tests.
func (l *lab) green(file string, environ ...string) {
	l.t.Helper()
	times := 20
	if testing.Short() {
		times = 1
	}
	for n := range times {
		var out bytes.Buffer
		env := cli.SystemEnv()
		env.Args, env.Dir, env.Stdout, env.Stderr, env.Stdin = []string{"run", file}, l.dir, &out, &out, strings.NewReader("")
		for name, value := range l.vars {
			env.Environ = append(env.Environ, name+"="+value)
		}
		env.Environ = append(env.Environ, append(environ, "TAPROOT_NO_VIDEO=true", "TAPROOT_REPORTS_DIR="+
			filepath.Join(l.t.TempDir(), "reports"))...)
		env.Getenv = func(name string) string {
			for i := len(env.Environ) - 1; i >= 0; i-- {
				if value, is := strings.CutPrefix(env.Environ[i], name+"="); is {
					return value
				}
			}
			return ""
		}
		if code := cli.Run(l.t.Context(), env); code != 0 {
			l.t.Fatalf("run %d of %d ends with %d:\n%s", n+1, times, code, out.String())
		}
	}
}
