package cli_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"image"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/cli/testdata/plainsuite"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// matched is what is on a screen, and whether "Paid" is found on it: of the six ways to compare, those that find it.
type matched struct {
	name        string
	page        string
	parts       []androidsim.Part
	pages, apps string // of matchModes: y or n
}

var matchModes = []dsl.MatchMode{"", "exact", "words", "prefix", "contains", "regex"}

func saidBy(texts ...string) (page string, parts []androidsim.Part) {
	for i, text := range texts {
		page += "<p class=r>" + text + "</p>"
		parts = append(parts, androidsim.Part{ID: "r", Text: text, Bounds: image.Rect(10, 100+60*i, 350, 150+60*i)})
	}
	return page, parts
}

func matchTable() []matched {
	var table []matched
	for _, row := range []struct{ text, pages, apps string }{
		{"Paid", "yyyyyy", ""},
		{"Not paid", "nnynyn", ""},
		{"Unpaid", "nnnnyn", ""},
		{"Paid later", "nnyyyn", ""},
		{"PAID", "ynyyyy", ""},
		{"\u00a0Pa\u200bid\u00a0", "ynyyyn", "ynyyyn"},
		{"Paid\nlater", "nnyyyn", "yyyyyy"}, // a page folds line ends, a phone's lines are texts
	} {
		page, parts := saidBy(row.text)
		table = append(table, matched{row.text, page, parts, row.pages, cmp.Or(row.apps, row.pages)})
	}
	hidden := matched{name: "hidden Paid", pages: "nnynyn", apps: "nnynyn"}
	hidden.page, hidden.parts = saidBy("Paid", "Not paid")
	hidden.page = strings.Replace(hidden.page, "<p ", "<p hidden ", 1)
	hidden.parts[0].Invisible = true
	value := matched{name: "in an input", page: "<input class=r value=Paid>", pages: "yyyyyy", apps: "yyyyyy",
		parts: []androidsim.Part{{ID: "r", Class: "android.widget.EditText", Entry: androidsim.NewEntry("Paid", false),
			Clickable: true, Bounds: image.Rect(10, 100, 350, 150)}}}
	return append(table, hidden, value)
}

// matching queries one front end after the other about the table.
type matching struct {
	*lab
	table   []matched
	app     string // "": pages
	site    string // of the pages
	pick    dsl.Selector
	shown   int // by the phone
	answers map[string]bool
}

// TestMatchingIsTheSame: whether a text is found is the same in every spelling and from every front end, on pages and
// on phones.
func TestMatchingIsTheSame(t *testing.T) {
	t.Parallel()
	for _, app := range []string{"", "com.example.matching"} {
		t.Run(cmp.Or(app, "pages"), func(t *testing.T) {
			t.Parallel()
			m := &matching{table: testutil.Few(2, matchTable()), app: app, answers: map[string]bool{},
				pick: dsl.Selector{CSS: ".r"}}
			if app == "" {
				useBrowser(t)
				m.lab = newLab(t, 0)
				site := httptest.NewServer(m)
				defer site.Close()
				m.site = site.URL
			} else {
				m.lab, m.pick = newLab(t, 1), dsl.Selector{ID: "r"}
				m.phones[0].InstallScene(app, "Matching", m.scene)
				m.phones[0].Unlock()
			}
			m.timed("YAML", m.yaml)
			m.timed("REST", m.rest)
			m.timed("MCP", m.mcp)
			m.timed("shell", m.shell)
			m.timed("Go", m.goTests)
			m.compare()
		})
	}
}

// scene shows a row of the table, and a button that leads to the next one.
func (m *matching) scene(androidsim.Moment) androidsim.Shown {
	next := androidsim.Part{Class: "android.widget.Button", Text: "Next", Clickable: true,
		Bounds: image.Rect(10, 500, 350, 560), Tapped: func() { m.shown = (m.shown + 1) % len(m.table) }}
	name := androidsim.Part{Text: m.title(m.shown), Bounds: image.Rect(10, 600, 350, 650)}
	return androidsim.Shown{Page: append([]androidsim.Part{next, name}, m.table[m.shown].parts...)}
}

// title is a text by which a test knows which row a phone shows.
func (m *matching) title(i int) string { return fmt.Sprintf("Row %d", i) }

// url is the address of the page with a row.
func (m *matching) url(i int) string { return fmt.Sprintf("%s/%d", m.site, i) }

// ServeHTTP serves the pages.
func (m *matching) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var i int
	if n, _ := fmt.Sscanf(r.URL.Path, "/%d", &i); n == 1 && i < len(m.table) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>x</title>"+m.table[i].page)
	}
}

func (m *matching) show(i int) {
	if m.app != "" {
		m.phones[0].Change(func() { m.shown = i })
	}
}

// modes are the ways to compare that are asked for.
func (m *matching) modes() []dsl.MatchMode { return testutil.Few(2, matchModes) }

func (m *matching) answer(i int, mode dsl.MatchMode, spelling string, holds bool) {
	m.answers[fmt.Sprintf("%d/%s/%s", i, mode, spelling)] = holds
}

// timed logs how long a front end took.
func (m *matching) timed(name string, ask func()) {
	began := time.Now()
	ask()
	m.t.Logf("%s: %s", name, time.Since(began).Round(time.Second))
}

func (m *matching) compare() {
	m.t.Helper()
	found := map[string]int{}
	for key, got := range m.answers {
		var i int
		mode, spelling, _ := strings.Cut(key[strings.IndexByte(key, '/')+1:], "/")
		fmt.Sscan(key[:strings.IndexByte(key, '/')], &i)
		found[spelling]++
		want := m.table[i].pages
		if m.app != "" {
			want = m.table[i].apps
		}
		for n, each := range matchModes {
			if string(each) == mode && (want[n] == 'y') != got {
				m.t.Errorf("%q, match %q, by %s: %t", m.table[i].name, mode, spelling, got)
			}
		}
	}
	for spelling, n := range found {
		if n < 2*len(m.table)/3 {
			m.t.Errorf("%s has %d answers", spelling, n)
		}
	}
	if len(found) < 14 {
		m.t.Errorf("only %d spellings: %v", len(found), found)
	}
}

// selected are the arguments with the picking selector.
func (m *matching) selected(more map[string]any) map[string]any {
	if m.app == "" {
		more["css"] = m.pick.CSS
	} else {
		more["id"] = m.pick.ID
	}
	return more
}

// spelled are the assertions of a mode, by their actions.
func (m *matching) spelled(mode dsl.MatchMode) map[string]map[string]any {
	with := func(more map[string]any) map[string]any {
		if mode != "" {
			more["match"] = mode
		}
		return more
	}
	all := map[string]map[string]any{
		"assert":           with(map[string]any{"label": "Paid"}),
		"assert with text": with(m.selected(map[string]any{"text": "Paid"})),
		"assertElement":    with(m.selected(map[string]any{"text": "Paid"})),
	}
	if m.app == "" {
		all["webAssert"] = with(map[string]any{"selector": m.pick.CSS, "text": "Paid"})
	}
	return all
}

// yaml runs a test with a step for each question.
func (m *matching) yaml() {
	m.t.Helper()
	m.show(0)
	platform := "web"
	text := ""
	if m.app != "" {
		platform, text = "android", "  - launch: {package: "+m.app+", force: true}\n"
	}
	step := func(i int, mode dsl.MatchMode, spelling string, args map[string]any) {
		action, _, _ := strings.Cut(spelling, " with")
		args["soft"], args["timeoutMs"], args["screenshot"] = true, 0, false
		args["name"] = fmt.Sprintf("%d/%s/yaml %s", i, mode, spelling)
		data, _ := json.Marshal(args)
		text += fmt.Sprintf("  - %s: %s\n", action, data)
	}
	for i := range m.table {
		switch {
		case m.app == "":
			text += fmt.Sprintf("  - openBrowser: %q\n", m.url(i))
		case i > 0:
			text += "  - tap: Next\n  - waitFor: " + m.title(i) + "\n"
		}
		for _, mode := range m.modes() {
			for spelling, args := range m.spelled(mode) {
				step(i, mode, spelling, args)
			}
			visible := map[string]any{"visible": m.spelled(mode)["assert with text"]}
			step(i, mode, "waitFor with text", visible)
		}
	}
	m.write("matching.yaml", "id: matching\nplatform: "+platform+"\nsteps:\n"+text)
	m.taproot("run", "matching.yaml").exits(m.t, 1)
	for _, s := range m.loaded().Cases[0].CaseResult.Steps {
		if s.Result != event.Pass && s.Result != event.Fail {
			m.t.Errorf("%s %s is %s: %+v", s.Action, s.Args, s.Result, s.Problem)
		}
		if s.Name != "" {
			m.answers[s.Name] = s.Result == event.Pass
		}
	}
}

// rest queries a server.
func (m *matching) rest() {
	m.t.Helper()
	s := m.serve()
	device := "SIM1"
	post := func(path string, args map[string]any) map[string]any {
		m.t.Helper()
		data, _ := json.Marshal(args)
		status, body := s.ask("POST", path, string(data))
		var out map[string]any
		if err := json.Unmarshal([]byte(body), &out); err != nil || status != 200 {
			m.t.Fatalf("%s %s: %d %s", path, data, status, body)
		}
		return out
	}
	if m.app != "" {
		post("/devices/"+device+"/launch", map[string]any{"package": m.app, "force": true})
	}
	for i := range m.table {
		m.show(i)
		if m.app == "" {
			if i > 0 {
				s.ask("DELETE", "/web/"+device, "")
			}
			device = fmt.Sprint(post("/web/launch", map[string]any{"url": m.url(i)})["id"])
		} else {
			post("/devices/"+device+"/wait-for", map[string]any{"text": m.title(i)})
		}
		for _, mode := range m.modes() {
			for spelling, args := range m.spelled(mode) {
				action, _, _ := strings.Cut(spelling, " with")
				path := "/devices/" + device + "/" + strings.ReplaceAll(action, "assertElement", "assert-element")
				if action == "webAssert" {
					path = "/web/assert"
				}
				args["timeoutMs"] = 0
				m.answer(i, mode, "rest "+spelling, post(path, args)["passed"] == true)
			}
		}
	}
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait() // killed
}

// assistant is an assistant's side of `taproot mcp`.
type assistant struct {
	m   *matching
	in  io.WriteCloser
	out *bufio.Reader
	id  int
}

func (a *assistant) call(method string, params any) json.RawMessage {
	a.m.t.Helper()
	a.id++
	line, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": a.id, "method": method, "params": params})
	if _, err := fmt.Fprintf(a.in, "%s\n", line); err != nil {
		a.m.t.Fatal(err)
	}
	for {
		answer, err := a.out.ReadBytes('\n')
		var got struct {
			ID     int
			Result json.RawMessage
			Error  any
		}
		if err == nil {
			err = json.Unmarshal(answer, &got)
		}
		if err != nil || got.Error != nil {
			a.m.t.Fatalf("%s: %v %v %s", line, err, got.Error, answer)
		}
		if got.ID == a.id {
			return got.Result
		}
	}
}

// tool calls a tool and reports whether it did what it was asked for.
func (a *assistant) tool(name string, args map[string]any) (ok bool, said string) {
	a.m.t.Helper()
	data := a.call("tools/call", map[string]any{"name": name, "arguments": args})
	var got struct {
		IsError bool
		Content []struct{ Text string }
	}
	if err := json.Unmarshal(data, &got); err != nil {
		a.m.t.Fatal(err)
	}
	for _, c := range got.Content {
		said += c.Text
	}
	return !got.IsError, said
}

// mcp calls tools as an assistant does.
func (m *matching) mcp() {
	m.t.Helper()
	cmd := exec.Command("taproot", "mcp", "--dir", m.dir)
	cmd.Dir, cmd.Env = m.dir, m.env
	a := &assistant{m: m}
	out, err := cmd.StdoutPipe()
	if err == nil {
		a.in, err = cmd.StdinPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		m.t.Fatal(err)
	}
	a.out = bufio.NewReader(out)
	defer func() {
		_ = a.in.Close()
		_ = cmd.Wait() // its end is its exit
	}()
	a.call("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "matching", "version": "1"}})
	fmt.Fprintln(a.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	must := func(name string, args map[string]any) {
		m.t.Helper()
		if ok, said := a.tool(name, args); !ok {
			m.t.Fatalf("%s %v: %s", name, args, said)
		}
	}
	m.show(0)
	if m.app != "" {
		must("launch", map[string]any{"package": m.app, "force": true})
	}
	for i := range m.table {
		m.show(i)
		if m.app == "" {
			if i > 0 {
				must("close_browser", map[string]any{})
			}
			must("open_browser", map[string]any{"url": m.url(i)})
		} else {
			must("wait_for", map[string]any{"text": m.title(i)})
		}
		for _, mode := range m.modes() {
			for spelling, args := range m.spelled(mode) {
				tool := map[string]string{"assert": "assert", "webAssert": "web_assert"}[spelling]
				if spelling == "assert with text" && m.app != "" { // there is no css
					tool = "assert"
				}
				if tool == "" {
					continue
				}
				args["timeoutMs"] = 0
				ok, said := a.tool(tool, args)
				if !ok && !strings.Contains(said, "Paid") {
					m.t.Errorf("%s %v: %s", tool, args, said)
				}
				m.answer(i, mode, "mcp "+spelling, ok)
			}
		}
	}
}

// shell runs single commands: exit code 0 means that the text was found, 1 that it was not.
func (m *matching) shell() {
	m.t.Helper()
	defer func() { m.command(0, "close", "--all") }()
	m.show(0)
	if m.app != "" {
		m.command(0, "open", m.app)
	}
	every, modes := 1, matchModes
	if testing.Short() { // each command is a process
		every, modes = 3, []dsl.MatchMode{"", "words"}
	}
	for i := 0; i < len(m.table); i += every {
		m.show(i)
		switch {
		case m.app != "":
			m.command(0, "wait-for", "--text", m.title(i))
		case i > 0:
			m.command(0, "close-browser")
			fallthrough
		default:
			m.command(0, "open-browser", m.url(i))
		}
		for _, mode := range modes {
			words := map[string][]string{
				"assert":         {"assert", "Paid"},
				"assert-element": {"assert-element", "--css", m.pick.CSS, "--text", "Paid"},
				"web-assert":     {"web-assert", m.pick.CSS, "--text", "Paid"},
			}
			if m.app != "" {
				words["assert-element"] = []string{"assert-element", "--id", m.pick.ID, "--text", "Paid"}
				delete(words, "web-assert")
			}
			for spelling, line := range words {
				if line = append(line, "--timeout-ms", "0"); mode != "" {
					line = append(line, "--match", string(mode))
				}
				got := m.taproot(line...)
				if got.code > 1 {
					m.t.Errorf("taproot %s: exit code %d\n%s%s", strings.Join(line, " "), got.code, got.stdout, got.stderr)
				}
				m.answer(i, mode, "shell "+spelling, got.code == 0)
			}
		}
	}
}

// goTests runs a test in Go with its matchers.
func (m *matching) goTests() {
	m.t.Helper()
	ask := plainsuite.Matching{App: m.app, Pick: m.pick, Modes: m.modes()}
	m.show(0)
	for i := range m.table {
		name := m.title(i)
		if m.app == "" {
			name = m.url(i)
		}
		ask.Texts = append(ask.Texts, name)
	}
	data, _ := json.Marshal(ask)
	own := *m.lab
	own.env = append(own.env, "MATCHING="+string(data), "TAPROOT_REQUIRE_DEVICES=true")
	own.dir = filepath.Join(projectRoot(m.t), "cli", "testdata", "plainsuite")
	got := own.start("plainsuite.test", "-test.v", "-test.run", "^TestMatching$").wait()
	got.exits(m.t, 0)
	for line := range strings.Lines(got.stdout) {
		if rest, is := strings.CutPrefix(strings.TrimSpace(line), "answer "); is {
			at := strings.LastIndexByte(rest, ' ')
			key := strings.SplitN(rest[:at], "/", 3)
			m.answers[key[0]+"/"+key[1]+"/go "+key[2]] = rest[at+1:] == "true"
		}
	}
}
