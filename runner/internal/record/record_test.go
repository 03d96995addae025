package record_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/cli"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/internal/toolchain"
	"github.com/taproot-dev/taproot/internal/toolchain/chromiumtest"
)

func TestMain(m *testing.M) { testutil.NoLeaks(m) }

const password = "correct horse ${battery}"

// site has what a recording must handle: fields, a list, two ways to upload, dialogs, another tab, a field with a
// value.
func site(t *testing.T) string {
	mux := http.NewServeMux()
	page := func(path, title, body string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w,
				`<!doctype html><html lang="en"><meta `+
					`charset="utf-8"><title>%s</title><style>label,p,button,a,select,input{display:block;margin:6px}`+
					`[hidden]{display:none}</style>%s`, title, body)
		})
	}
	page("/{$}", "Shop",
		`<h1>Shop</h1><form action="/home" onsubmit="if (p.value !== 'correct horse $' + '{battery}' || e.value !== `+
			`'ada@example.com') { wrong.hidden = false; return false }">
		<label>E-mail <input id="e" value="you@"></label><label>Password <input id="p" type="password"></label><button>Log `+
			`in</button></form><p id="wrong" hidden>Wrong password</p>`)
	page("/home", "Account", `<h1>Welcome, Ada</h1>
		<label>Country <select onchange="picked.textContent = 'Ships to ' + `+
		`this.selectedOptions[0].label"><option>Choose</option><option>Germany</option></select></label><p id="picked"></p>
		<label>Photo <input type="file" onchange="send(this)"></label>
		<input type="file" id="x1" hidden onchange="send(this)"><button onclick="x1.click()">Attach a letter</button><p `+
		`id="got"></p>
		<button onclick="if (confirm('Delete the account?')) gone.textContent = 'Account deleted'">Delete</button>
		<button onclick="gone.textContent = 'Hello, ' + prompt('Your name?')">Rename</button><p id="gone"></p>
		<a href="/terms" target="_blank">Terms of use</a>
		<script>async function send(field) { got.textContent = await (await fetch("/upload?name=" + field.files[0].name, `+
		`{method: "POST", body: field.files[0]})).text() }</script>`)
	page("/terms", "Terms",
		`<h1>Terms of the shop</h1><button onclick="ok.textContent = 'Terms accepted'">Agree</button><p id="ok"></p>`)
	page("/board", "Board",
		`<h1>Board</h1><p ondblclick="said.textContent = 'Renamed'" onclick="clicks.textContent = 'Clicked ' + ++count">My `+
			`board</p><p id="said"></p><p id="clicks"></p>
		<div id="card" style="width:120px;background:#fc9;user-select:none">Write tests</div><br><div id="done" `+
			`style="width:220px;height:90px;background:#9cf">Done</div><p id="moved"></p>
		<button onclick="history.back()">Leave the board</button><script>let count = 0, held = false; card.onpointerdown = `+
			`() => { held = true }; onpointerup = (e) => { if (held && done.contains(document.elementFromPoint(e.clientX, `+
			`e.clientY))) moved.textContent = "One is done"; held = false }</script>`)
	mux.HandleFunc("POST /upload", func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "Got %s: %s", r.URL.Query().Get("name"), data)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// person is a person in front of a browser that is recorded.
type person struct {
	t       *testing.T
	context playwright.BrowserContext
	page    playwright.Page
	out     *output
}

// output is the output of the command.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// eventually waits for a condition.
func (p *person) eventually(what string, holds func() bool) {
	p.t.Helper()
	for end := time.Now().Add(chromiumtest.Patience * time.Millisecond); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("%s never comes\n%s", what, p.out)
		}
	}
}

// records waits until a step is printed.
func (p *person) records(step string) {
	p.t.Helper()
	p.eventually(step, func() bool { return strings.Contains(p.out.String(), "  - "+step+"\n") })
}

// click clicks like a person, at the element's current position.
func (p *person) click(selector string) {
	p.t.Helper()
	box, err := p.page.Locator(selector).BoundingBox()
	must(p.t, err)
	must(p.t, p.page.Mouse().Click(box.X+box.Width/2, box.Y+box.Height/2))
}

// goes switches to the tab with a title.
func (p *person) goes(title string) {
	p.t.Helper()
	p.eventually("the tab "+title, func() bool {
		for _, page := range p.context.Pages() {
			if found, err := page.Title(); err == nil && found == title {
				p.page = page
				return true
			}
		}
		return false
	})
}

// browser starts a Chromium that a person uses, and returns its address. It can be recorded.
func browser(t *testing.T) (playwright.Browser, string) {
	t.Helper()
	setup, err := toolchain.Playwright(t.Context(), toolchain.System())
	must(t, err)
	for name, value := range setup.Env {
		t.Setenv(name, value)
	}
	profile, err := os.MkdirTemp("", "taproot-person-*")
	must(t, err)
	// Playwright, in the role of the person, does not follow them
	args := append(toolchain.ChromiumArgs(), "--headless", "--remote-debugging-port=0", "--user-data-dir="+profile,
		"--no-first-run", "--disable-back-forward-cache")
	if !setup.Sandbox {
		args = append(args, "--no-sandbox")
	}
	cmd := exec.Command(chromiumtest.Program(setup), append(args, "about:blank")...)
	said, err := cmd.StderrPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		// its processes write for a moment after they have been killed
		for n := 0; os.RemoveAll(profile) != nil && n < 100; n++ {
			time.Sleep(50 * time.Millisecond)
		}
	})
	address := ""
	for in := bufio.NewScanner(said); address == "" && in.Scan(); {
		if _, found, ok := strings.Cut(in.Text(), "DevTools listening on ws://"); ok {
			host, _, _ := strings.Cut(found, "/")
			address = "http://" + host
		}
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
	pw, err := playwright.Run(setup.Options)
	must(t, err)
	t.Cleanup(func() { _ = pw.Stop() })
	b, err := pw.Chromium.ConnectOverCDP(address)
	must(t, err)
	all, err := b.NewBrowserCDPSession()
	must(t, err)
	t.Cleanup(func() { // the executable may be a script with Chromium as its child
		if _, err := all.Send("Browser.close", nil); err != nil {
			t.Error("close the browser: ", err)
		}
	})
	return b, address
}

func environment(dir string, more ...string) *cli.Env {
	env := cli.SystemEnv()
	env.Dir, env.Stdin = dir, strings.NewReader("")
	env.Environ = append(env.Environ, append(more, "TAPROOT_NO_VIDEO=true", "DISPLAY=", "WAYLAND_DISPLAY=",
		"TAPROOT_REPORTS_DIR="+filepath.Join(dir, "reports"))...)
	env.Getenv = func(name string) string {
		for i := len(env.Environ) - 1; i >= 0; i-- {
			if value, is := strings.CutPrefix(env.Environ[i], name+"="); is {
				return value
			}
		}
		return ""
	}
	return env
}

// TestRecord: a person logs in, selects an option, uploads, answers dialogs and switches to another tab in a browser;
// the steps are printed as they occur, Ctrl-C saves them, and the test passes each time.
func TestRecord(t *testing.T) {
	b, address := browser(t)
	start, dir := site(t), t.TempDir()
	p := &person{t: t, context: b.Contexts()[0], out: &output{}}
	p.context.OnDialog(func(d playwright.Dialog) { // answered in the window
		go func() { _ = d.Accept(map[string]string{"prompt": "Grace"}[d.Type()]) }()
	})
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	env := environment(dir)
	env.Args, env.Stdout, env.Stderr = []string{"record", "--url", start, "-o", "suites/shop.yaml", "--connect", address},
		p.out, p.out
	ended := make(chan int, 1)
	go func() { ended <- cli.Run(ctx, env) }()
	p.eventually("the page", func() bool { return strings.Contains(p.out.String(), "openBrowser: ") })
	p.goes("Shop")
	p.eventually("the listening", func() bool {
		there, err := p.page.Evaluate(`Symbol.for("taproot.record") in window`)
		return err == nil && there == true
	})
	p.shop(dir)
	interrupt()
	if code := <-ended; code != 0 {
		t.Errorf("the recording ends with %d\n%s", code, p.out)
	}
	saved, err := os.ReadFile(filepath.Join(dir, "suites", "shop.yaml"))
	must(t, err)
	text := string(saved)
	if n := strings.Count(text, "to: back"); n != 1 {
		t.Errorf("the test goes back %d times:\n%s", n, text)
	}
	for _, never := range []string{"horse", "%,", "tap: Attach", "tap: Password\n"} {
		if strings.Contains(text, never) {
			t.Errorf("%q is in the test:\n%s", never, text)
		}
	}
	text = strings.Replace(text, fmt.Sprintf(", connect: %q", address), "", 1) // that browser ends with this test
	must(t, os.WriteFile(filepath.Join(dir, "suites", "shop.yaml"),
		[]byte(text+
			"  - assert: Welcome, Ada\n  - assert: Hello, Grace\n  - assert: \"Got letter.txt: Dear Ada\"\n  - assert: "+
			"Ships to Germany\n"), 0o600))
	times := 20
	if testing.Short() {
		times = 1
	}
	for n := range times {
		var out bytes.Buffer
		env := environment(dir, "PASSWORD="+password)
		env.Args, env.Stdout, env.Stderr = []string{"run", "suites/shop.yaml"}, &out, &out
		if testing.Short() {
			env.Args = append(env.Args, "--no-trace")
		}
		if code := cli.Run(t.Context(), env); code != 0 {
			t.Fatalf("run %d of %d ends with %d\n%s\n%s", n+1, times, code, text, out.String())
		}
	}
}

// board opens another page by its URL, double-clicks, drags, and goes back.
func (p *person) board() {
	t := p.t
	account := p.page.URL()
	address := strings.Replace(account, "/home", "/board", 1)
	address, _, _ = strings.Cut(address, "?")
	_, err := p.page.Goto(address)
	must(t, err)
	p.records("webNavigate: " + address)
	box, err := p.page.Locator("p:text('My board')").BoundingBox()
	must(t, err)
	must(t, p.page.Mouse().Dblclick(box.X+20, box.Y+box.Height/2))
	p.records("doubleTap: My board")
	must(t, p.page.Locator("#said:text('Renamed')").WaitFor())
	must(t, p.page.Locator("#clicks:text('Clicked 2')").WaitFor())
	from, err := p.page.Locator("#card").BoundingBox()
	must(t, err)
	to, err := p.page.Locator("#done").BoundingBox()
	must(t, err)
	must(t, p.page.Mouse().Move(from.X+60, from.Y+8))
	must(t, p.page.Mouse().Down())
	must(t, p.page.Mouse().Move(to.X+100, to.Y+40, playwright.MouseMoveOptions{Steps: playwright.Int(5)}))
	must(t, p.page.Mouse().Up())
	p.records("drag: {from: {label: Write tests}, to: {label: Done}}")
	must(t, p.page.Locator("#moved:text('One is done')").WaitFor())
	_, err = p.page.Reload()
	must(t, err)
	p.records("webNavigate: {to: reload}")
	p.click("button")
	p.records("tap: Leave the board") // the page itself goes back
	p.eventually("the page before", func() bool { return p.page.URL() == account })
	must(t, p.page.Locator("h1:text('Welcome')").WaitFor())
	_, err = p.page.GoForward()
	must(t, err)
	p.records("webNavigate: {to: forward}")
	_, err = p.page.GoBack()
	must(t, err)
	p.records("webNavigate: {to: back}")
	must(t, p.page.Locator("h1:text('Welcome')").WaitFor())
}

// shop performs the person's actions.
func (p *person) shop(dir string) {
	t := p.t
	p.click("#e")
	p.records("tap: E-mail")
	must(t, p.page.Keyboard().Press("Control+A"))
	must(t, p.page.Keyboard().Type("ada@example.com"))
	p.records("input: ada@example.com")
	p.click("#p")
	p.records("tap: Password")
	must(t, p.page.Keyboard().Type(password))
	p.records("input: {into: Password, text: \"${PASSWORD}\"}")
	must(t, p.page.Keyboard().Press("Enter"))
	p.records("press: enter")
	must(t, p.page.Locator("h1:text('Welcome')").WaitFor())
	p.board()
	_, err := p.page.Locator("select").SelectOption(playwright.SelectOptionValues{Labels: &[]string{"Germany"}})
	must(t, err)
	p.records("webSelect: {selector: label=Country, label: Germany}")
	for _, file := range []struct{ field, name, text string }{{"label input", "photo.txt", "a photo"},
		{"#x1", "letter.txt", "Dear Ada"}} {
		if file.field == "#x1" {
			p.click("button:text('Attach')")
			p.records("tap: Attach a letter")
		}
		must(t, p.page.Locator(file.field).SetInputFiles(playwright.InputFile{Name: file.name, MimeType: "text/plain",
			Buffer: []byte(file.text)}))
		p.eventually(file.name, func() bool { return strings.Contains(p.out.String(), "files: ["+file.name+"]") })
		if there, err := os.ReadFile(filepath.Join(dir, "suites", file.name)); err != nil || string(there) != file.text {
			t.Errorf("%q, %v", there, err)
		}
	}
	p.click("button:text('Delete')")
	p.records("alert: accept")
	p.click("button:text('Rename')")
	p.records("alert: {answer: accept, text: Grace}")
	p.click("a")
	p.records("webTab: {title: Terms}")
	p.goes("Terms")
	p.click("button")
	p.records("tap: Agree")
	p.goes("Account")
	p.click("h1")
	p.records("webTab: {title: Account}")
	p.records("tap: Welcome, Ada")
	p.goes("Terms")
	must(t, p.page.Close())
	p.records("webTab: {title: Terms}\n  - webTab: {close: true}")
}
