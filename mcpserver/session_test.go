package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner"
)

const listApp = `{"package": "com.example.list", "force": true}`

// TestParallelCalls: a hundred calls at once on four phones are answered, each by its own phone, and no tap is lost or doubled.
func TestParallelCalls(t *testing.T) {
	l := newLab(t, 4)
	s := connect(t, l.config(t))
	for _, p := range l.phones {
		s.ok("launch", `{"package": "com.example.list", "force": true, "device": "`+p.Serial()+`"}`)
	}
	before := map[string]int{}
	for _, p := range l.phones {
		before[p.Serial()] = len(p.Taps()) + len(p.Keys())
	}
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			serial := l.phones[i%4].Serial()
			tool, args := "press", `{"keys": ["volumeUp"], "device": "`+serial+`"}`
			switch i / 4 % 10 {
			case 1, 3:
				tool, args = "snapshot", `{"device": "`+serial+`"}`
			case 5:
				tool, args = "screenshot", `{"max_px": 64, "device": "`+serial+`"}`
			case 7:
				tool, args = "tap", `{"point": "50%,2%", "device": "`+serial+`"}`
			}
			r, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
			if err != nil || r.IsError || !strings.Contains(words(r), serial) {
				t.Errorf("%s on %s: %v %s", tool, serial, err, words(r))
			}
		})
	}
	all.Wait()
	for _, p := range l.phones {
		if n := len(p.Taps()) + len(p.Keys()) - before[p.Serial()]; n != 17 {
			t.Errorf("%s was touched %d times, want 17", p.Serial(), n)
		}
	}
}

// TestPanicInEachTool: a tool that breaks down is an error; the session goes on.
func TestPanicInEachTool(t *testing.T) {
	s := connect(t, newLab(t, 0).config(t))
	for name, tool := range s.server.tools {
		tool.def, tool.args = nil, nothing{}
		tool.do = func(context.Context, *call) (*mcp.CallToolResult, error) { panic("broken " + name) }
	}
	for name := range s.server.tools {
		s.refused(name, `{}`, "taproot itself broke down", "broken "+name)
	}
	if _, err := s.ListTools(t.Context(), nil); err != nil {
		t.Error(err)
	}
}

// TestCancel: a call that the client cancels leaves the phone to the next one.
func TestCancel(t *testing.T) {
	l := newLab(t, 1)
	s := connect(t, l.config(t))
	s.ok("launch", listApp)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "wait_for", Arguments: json.RawMessage(`{"visible": {"label": "Never there"}, "timeoutMs": 600000}`)})
		done <- err
	}()
	eventually(t, func() bool { return l.phones[0].Count("uiautomator") > 0 })
	cancel()
	began := time.Now()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("the call ended with %v", err)
	}
	s.ok("press", `{"keys": ["back"]}`) // or this would wait longer than the test may
	t.Logf("the phone was free after %s", time.Since(began))
}

func eventually(t testing.TB, ok func() bool) {
	t.Helper()
	deadline := time.NewTimer(2 * time.Minute)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatal("it did not come about")
		}
	}
}

// TestTwoClients: two clients on one phone; the lease decides, the other is told who has it, and no tap lands on a stale reference.
func TestTwoClients(t *testing.T) {
	l := newLab(t, 1)
	one, two := l.config(t), l.config(t)
	two.Idle = 50 * time.Millisecond
	one.Idle = 50 * time.Millisecond
	a, b := connect(t, one), connect(t, two)
	a.ok("launch", listApp)
	seen := a.ok("snapshot", `{}`)
	ref := refOf(t, seen, `"Edge"`)
	// Idle times are short here, so each may come in between. In every round one of them has the phone.
	taps := len(l.phones[0].Taps())
	if lease, err := b.server.pool.Take(t.Context(), "SIM1", "x"); err == nil {
		t.Log("the phone was idle already")
		lease.Release()
	} else if !errors.As(err, new(*runner.BusyError)) {
		t.Error(err)
	}
	eventually(t, func() bool {
		r := b.ask("launch", `{"package": "com.example.login", "force": true}`)
		return !r.IsError
	})
	eventually(t, func() bool { return !b.ask("wait_for", `{"visible": "E-mail"}`).IsError })
	eventually(t, func() bool {
		r := a.ask("tap", `{"ref": "`+ref+`", "timeoutMs": 500}`)
		if !r.IsError {
			t.Fatalf("a stale reference was tapped: %s", words(r))
		}
		return strings.Contains(words(r), "stale")
	})
	if n := len(l.phones[0].Taps()); n != taps {
		t.Errorf("%d taps", n-taps)
	}
}

// TestTheLease: from its first call on a device is the client's; another client is told who has it, until the first one is idle or gone.
func TestTheLease(t *testing.T) {
	l := newLab(t, 1)
	a, b := connect(t, l.config(t)), connect(t, l.config(t))
	a.ok("launch", listApp)
	for _, tool := range []struct{ name, args string }{{"tap", `{"label": "Edge"}`}, {"snapshot", `{}`}, {"assert", `{"label": "Edge"}`}, {"screenshot", `{}`}, {"record", `{"action": "start"}`}} {
		b.refused(tool.name, tool.args, "SIM1 is in use by process "+fmt.Sprint(os.Getpid()), "taproot mcp", "try: wait until it is free")
	}
	if n := len(l.phones[0].Taps()); n != 0 {
		t.Errorf("%d taps", n)
	}
	if err := a.server.Close(); err != nil {
		t.Error(err)
	}
	b.ok("tap", `{"label": "Edge"}`)
}

// TestStaleRefs: what is gone is not tapped, whatever looks like it.
func TestStaleRefs(t *testing.T) {
	l := newLab(t, 2)
	s := connect(t, l.config(t))
	s.refused("tap", `{"ref": "e1"}`, "there are several devices: SIM1, SIM2", "set_device")
	s.ok("set_device", `{"device": "SIM1"}`)
	s.refused("tap", `{"ref": "e1"}`, "e1 is stale", "call snapshot")
	s.ok("launch", listApp)
	seen := s.ok("snapshot", `{}`)
	ref := refOf(t, seen, `"Edge"`)
	s.refused("tap", `{"ref": "`+ref+`", "device": "SIM2"}`, "is an element of SIM1, not of SIM2")
	s.refused("tap", `{"ref": "`+ref+`", "label": "Item 4"}`, "ref and label cannot stand together")
	s.ok("scroll_to", `{"label": "Item 30"}`)
	taps := len(l.phones[0].Taps())
	s.refused("tap", `{"ref": "`+ref+`"}`, ref+" is stale", "nothing was touched")
	s.refused("assert", `{"ref": "`+ref+`"}`, "stale")
	s.refused("wait_for", `{"visible": {"ref": "`+ref+`"}}`, "stale")
	s.refused("swipe", `{"direction": "up", "inside": {"ref": "`+ref+`"}}`, "stale")
	if n := len(l.phones[0].Taps()); n != taps {
		t.Errorf("%d taps", n-taps)
	}
	again := refOf(t, s.ok("snapshot", `{"find": "Item 30"}`), `"Item 30"`)
	if again == ref {
		t.Errorf("%s has a second meaning", ref)
	}
	if answer := s.ok("tap", `{"ref": "`+again+`"}`); !strings.HasSuffix(answer, "step: - tap: Item 30") {
		t.Errorf("tap says\n%s", answer)
	}
}

// TestScreenshotScale: the picture has the size that was asked for, and a point in it is the point on the phone.
func TestScreenshotScale(t *testing.T) {
	l := newLab(t, 1)
	s := connect(t, l.config(t))
	s.ok("launch", listApp)
	for _, c := range []struct {
		args string
		w, h int
		say  string
	}{{`{"max_px": 200}`, 90, 200, "factor 4"}, {`{"max_px": 700}`, 315, 700, "factor 1.1429"}, {`{"format": "png"}`, 360, 800, "factor 1)"}, {`{"max_px": 400, "marks": true}`, 180, 400, "factor 2"}} {
		r := s.ask("screenshot", c.args)
		picture, ok := r.Content[0].(*mcp.ImageContent)
		if r.IsError || !ok || r.StructuredContent != nil {
			t.Fatalf("%s: %s", c.args, words(r))
		}
		img, err := png.Decode(bytes.NewReader(picture.Data))
		if err != nil || img.Bounds().Dx() != c.w || img.Bounds().Dy() != c.h || !strings.Contains(words(r), c.say) {
			t.Errorf("%s: %v %v %s", c.args, err, img.Bounds(), words(r))
		}
	}
	s.refused("screenshot", `{"max_px": 4000}`, "at most 1920")
	if !strings.Contains(words(s.ask("screenshot", `{"max_px": 400, "marks": true}`)), `"Edge"`) {
		t.Error("the marks are not told")
	}
	answer := s.ok("tap", `{"point": "100,200"}`)
	if !strings.Contains(answer, "picture's pixels: 201,401 on the device") && !strings.Contains(answer, "picture's pixels: 200,400 on the device") || !strings.Contains(answer, "- tap: {point:") {
		t.Errorf("tap says\n%s", answer)
	}
	if answer := s.ok("tap", `{"point": "100,200", "scale": "device"}`); !strings.Contains(answer, "touched at 100,200") || !strings.Contains(answer, "device's pixels") {
		t.Errorf("tap says\n%s", answer)
	}
	if answer := s.ok("swipe", `{"from": "50%,80%", "to": "50%,30%"}`); !strings.HasSuffix(answer, `- swipe: {from: "50%,80%", to: "50%,30%"}`) {
		t.Errorf("swipe says\n%s", answer)
	}
	s.refused("tap", `{"point": "200,100", "scale": "picture"}`, "outside the picture of 180x400")
}

// TestSecrets: a value that the user exposed by name is typed and shown nowhere; no other name means anything.
func TestSecrets(t *testing.T) {
	l := newLab(t, 1)
	l.env["HOME_SECRET"] = "not for you"
	conf := l.config(t)
	const secret = "s3cr3t-value"
	conf.Exposed = map[string]string{"PASS": secret}
	s := connect(t, conf)
	s.ok("launch", `{"package": "com.example.login", "force": true}`)
	s.refused("input", `{"text": "${HOME_SECRET}"}`, "HOME_SECRET", "not defined")
	s.refused("tap", `{"label": "${HOME}"}`, "not defined")
	s.ok("tap", `{"label": "E-mail"}`) // a field that shows what it holds
	var said []string
	said = append(said, s.ok("input", `{"text": "${PASS}"}`), s.ok("snapshot", `{}`), s.ok("snapshot", `{"find": "mail"}`), s.ok("logs", `{}`),
		words(s.ask("assert", `{"label": "${PASS}x", "timeoutMs": 100}`)), words(s.ask("tap", `{"label": "`+secret+`z", "timeoutMs": 100}`)),
		words(s.ask("snapshot", `{"find": "`+secret+`"}`)), words(s.ask("run_test", `{"test": "`+secret+`"}`)), s.ok("get_report", `{"as": "yaml"}`))
	for _, text := range said {
		if strings.Contains(text, secret) {
			t.Errorf("the secret is in\n%s", text)
		}
	}
	if !strings.Contains(said[1], "•••") || !strings.HasSuffix(said[0], "step: - input: ${PASS}") {
		t.Errorf("input says %s\nsnapshot says\n%s", said[0], said[1])
	}
	r := s.ask("screenshot", `{"max_px": 1200}`)
	img, err := png.Decode(bytes.NewReader(r.Content[0].(*mcp.ImageContent).Data))
	if err != nil {
		t.Fatal(err)
	}
	colours := map[string]bool{} // of the field, which is painted over
	for x := 40; x < 320; x += 3 {
		colours[fmt.Sprint(img.At(x, 128))] = true
	}
	if len(colours) != 1 {
		t.Errorf("the field with the secret shows %d colours", len(colours))
	}
	s.refused("record", `{"action": "start"}`, "secrets")
	if _, err := New(Config{Runner: conf.Runner, Exposed: map[string]string{"PIN": "1"}}); err == nil {
		t.Error("a secret of one character is accepted")
	}
}

// TestPathsStayInside: files are read below the working folder alone, whatever the way.
func TestPathsStayInside(t *testing.T) {
	l := newLab(t, 1)
	conf := l.config(t)
	s := connect(t, conf)
	dir := conf.Runner.Dir
	out := t.TempDir()
	const test = "id: stray\nplatform: android\nsteps:\n  - launch: com.example.list\n"
	for name, text := range map[string]string{"outside.yaml": test, "app.apk": "PK\x03\x04\npackage=com.stray\n", "block.yaml": "steps:\n  - sleep: 1\n", "rows.csv": "A\n1\n"} {
		if err := os.WriteFile(filepath.Join(out, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rel, err := filepath.Rel(dir, out)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"inside.yaml": "id: inside\nplatform: android\nsteps:\n  - launch: com.example.list\n",
		"refers.yaml": "id: refers\nplatform: android\nsteps:\n  - run: " + rel + "/block.yaml\n",
		"rows.yaml":   "id: rows\nplatform: android\ndata: " + rel + "/rows.csv\nsteps:\n  - launch: com.example.list\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink(filepath.Join(out, "outside.yaml"), filepath.Join(dir, "link.yaml")), os.Symlink(out, filepath.Join(dir, "folder")),
		os.Symlink(filepath.Join(out, "app.apk"), filepath.Join(dir, "link.apk"))); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{out + "/outside.yaml", rel + "/outside.yaml", "link.yaml", "folder/outside.yaml", "folder", "/etc/passwd", "../../../../etc/passwd", "a\x00b", "/", ".."} {
		for _, tool := range []string{`list_tests {"path": %s}`, `validate_test {"path": %s}`, `run_test {"test": %s}`} {
			name, args, _ := strings.Cut(tool, " ")
			if text := s.refused(name, fmt.Sprintf(args, quotedJSON(path))); strings.Contains(text, "stray") || strings.Contains(text, "root:") {
				t.Errorf("%s %q says %s", name, path, text)
			}
		}
	}
	for _, path := range []string{"refers.yaml", "rows.yaml"} {
		s.refused("validate_test", `{"path": "`+path+`"}`, "outside of the working folder")
		s.refused("run_test", `{"test": "`+path+`"}`, "outside of the working folder")
	}
	s.refused("validate_test", `{"yaml": "id: x\nplatform: android\nsteps:\n  - run: `+rel+`/block.yaml\n"}`, "outside")
	for _, path := range []string{out + "/app.apk", rel + "/app.apk", "link.apk"} {
		s.refused("install", `{"path": "`+path+`"}`)
	}
	for _, pkg := range l.phones[0].Packages() {
		if pkg == "com.stray" {
			t.Error("an app from outside was installed")
		}
	}
	s.refused("get_report", `{"run": "../../../etc"}`, "not the id of a run")
	if err := os.Remove(filepath.Join(dir, "link.yaml")); err != nil {
		t.Fatal(err)
	}
	s.ok("validate_test", `{"path": "inside.yaml"}`)
	s.ok("validate_test", `{"path": "`+filepath.Join(dir, "inside.yaml")+`"}`)
}

// TestSchemes: links open only what the user allows.
func TestSchemes(t *testing.T) {
	l := newLab(t, 1)
	conf := l.config(t)
	conf.Schemes = []string{"shop"}
	s := connect(t, conf)
	for _, link := range []string{"file:///etc/hosts", "javascript:alert(1)", "content://contacts", "intent://x#Intent;end", "tel:112", "FILE:///etc", "data:text/html,x", "market://x"} {
		s.refused("open_link", `{"url": "`+link+`"}`, "may not be opened", "--allow-scheme")
	}
	if text := s.refused("open_link", `{"url": "${X:-file}:///etc/hosts"}`); !strings.Contains(text, "may not be opened") && !strings.Contains(text, "link") {
		t.Errorf("a scheme in a variable: %s", text)
	}
	for _, link := range []string{"file:///etc/passwd", "FILE:///etc/passwd", "chrome://version", "view-source:file:///etc/passwd"} {
		s.refused("open_browser", `{"url": "`+link+`"}`)
		s.refused("web_navigate", `{"url": "`+link+`", "device": "web-1"}`)
	}
	if answer := words(s.ask("open_link", `{"url": "shop://item/5"}`)); strings.Contains(answer, "may not be opened") {
		t.Errorf("a scheme that is allowed: %s", answer)
	}
}

// TestErrorsSayWhatToDo: each names what was looked for, three that are near, and what to try.
func TestErrorsSayWhatToDo(t *testing.T) {
	l := newLab(t, 1)
	s := connect(t, l.config(t))
	s.ok("launch", listApp)
	for _, c := range []struct{ tool, args, want string }{
		{"tap", `{"label": "Egde", "timeoutMs": 300}`, `"Egde" did not appear`},
		{"tap", `{"label": "zzzzzz", "timeoutMs": 300}`, `"zzzzzz" did not appear`},
		{"assert", `{"label": "Unpaid", "timeoutMs": 300}`, `"Unpaid" did not appear`},
	} {
		text := s.refused(c.tool, c.args, c.want, "nearest: ", "try: ")
		near, _, _ := strings.Cut(text[strings.Index(text, "nearest: "):], "\ntry:")
		if n := strings.Count(near, "["); n != 6 { // two brackets of bounds each
			t.Errorf("%s %s names %d corners\n%s", c.tool, c.args, n, text)
		}
	}
	for _, c := range []struct{ tool, args, want string }{
		{"tap", `{}`, "give one of label, ref, id, point, inside"},
		{"assert", `{"index": 1}`, "give one of label, ref, id, inside"},
		{"tap", `{"label": ""}`, "empty"},
		{"tap", `{"label": {"a": 1}}`, "must be a text"},
		{"tap", `{"label": "Edge", "count": 99}`, "at most 10"},
		{"tap", `{"label": "Edge", "device": "nobody"}`, `there is no device "nobody"`},
		{"tap", `{"label": "Edge", "device": ["SIM1"]}`, "must be the id"},
		{"tap", `{"label": "Edge", "css": "x"}`, `no argument "css"`},
		{"tap", `{"label": "Edge", "timeoutMs": -1}`, "timeoutMs"},
		{"device_info", `{"device": "web-9"}`, "web-9"},
		{"set_device", `{"device": "nobody"}`, `there is no device "nobody"`},
		{"set_device", `{}`, "device"},
		{"web_click", `{"selector": "#x"}`, "no page is open"},
		{"web_click", `{}`, "give one of selector, ref"},
		{"web_click", `{"selector": "#x", "device": "SIM1"}`, "does not work on SIM1"},
		{"web_snapshot", `{"device": "SIM1"}`, "no browser page"},
		{"launch", `{"package": "no.such.app"}`, "list_apps"},
		{"uninstall", `{"package": ""}`, "empty"},
		{"snapshot", `{"max": 0}`, "at least 1"},
		{"snapshot", `{"max": "many"}`, "number"},
		{"record", `{"action": "stop"}`, "nothing is being recorded"},
		{"record", `{"action": "pause"}`, "start"},
		{"get_report", `{"as": "yaml2"}`, "yaml"},
		{"get_report", `{}`, ""},
		{"run_test", `{}`, "either test or yaml"},
		{"run_test", `{"test": "no-such-test"}`, "no-such-test"},
		{"validate_test", `{"yaml": "id: x\nsteps:\n  - tapp: Login\n"}`, `did you mean "tap"?`},
		{"validate_test", `{"yaml": "a: [", "path": "x"}`, "either"},
		{"press", `{"keys": ["hyper+x"]}`, "hyper"},
		{"swipe", `{"direction": "sideways"}`, "sideways"},
		{"ocr", `{"find": "zzzzzz"}`, "no line that was read"},
	} {
		s.refused(c.tool, c.args, c.want)
	}
	for _, args := range []string{`[]`, `"x"`, `7`} {
		r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "tap", Arguments: json.RawMessage(args)})
		if err == nil && !r.IsError {
			t.Errorf("arguments %s are accepted", args)
		}
	}
	if s.ok("tap", `{"label": "Edge", "index": null, "device": null, "inside": null}`) == "" {
		t.Error("null is no argument")
	}
}

// TestRunIDs: a run that takes longer than the client waits goes on; get_report waits for it, stops it, and tells of it.
func TestRunIDs(t *testing.T) {
	l := newLab(t, 1)
	s := connect(t, l.config(t))
	const slow = `{"wait_ms": 50, "yaml": "id: slow\nplatform: android\nsteps:\n  - launch: com.example.list\n  - assert: {label: Never there, timeoutMs: 60000}\n"}`
	var state runState
	if err := json.Unmarshal([]byte(s.ok("run_test", slow)), &state); err != nil || state.State != "running" || state.Run == "" {
		t.Fatalf("%+v %v", state, err)
	}
	eventually(t, func() bool {
		return strings.Contains(s.ok("get_report", `{"run": "`+state.Run+`", "wait_ms": 10}`), "step 1")
	})
	s.refused("tap", `{"label": "Edge", "timeoutMs": 100}`, "SIM1 is in use", "slow", "get_report waits for its end")
	answer := s.ok("get_report", `{"run": "`+state.Run+`", "stop": true}`)
	if err := json.Unmarshal([]byte(answer), &state); err != nil || state.State != "done" || state.Result != "interrupted" {
		t.Errorf("%s", answer)
	}
	s.ok("tap", `{"label": "Edge"}`)

	const fails = `{"yaml": "id: fails\nplatform: android\nsteps:\n  - launch: com.example.list\n  - assert: {label: Egde, timeoutMs: 200}\n"}`
	r := s.ask("run_test", fails)
	if text := words(r); !r.IsError || r.StructuredContent != nil || !strings.Contains(text, `"result":"fail"`) || !strings.Contains(text, "Edge") || !strings.Contains(text, "test.yaml:5:5") {
		t.Errorf("a test that fails says %s", text)
	}
	if text := s.ok("get_report", `{}`); !strings.Contains(text, `"result":"fail"`) {
		t.Errorf("get_report says %s", text)
	}
	if text := s.ok("get_report", `{"as": "markdown"}`); !strings.Contains(text, "# fails") || !strings.Contains(text, "## Steps") {
		t.Errorf("get_report says %s", text)
	}
	s.refused("get_report", `{"as": "markdown", "test": "nobody"}`, "fails")
	s.refused("get_report", `{"test": "nobody"}`, "fails")
	s.refused("get_report", `{"as": "yaml", "test": "fails"}`, "not about a run")
	s.refused("get_report", `{"run": "2020-01-01T00-00-00", "stop": true}`, "began no such run")
	if text := s.ok("get_report", `{"test": "fails"}`); !strings.Contains(text, `"id":"fails"`) {
		t.Errorf("get_report says %s", text)
	}
	if text := s.ok("get_report", `{"run": "`+state.Run+`"}`); !strings.Contains(text, "interrupted") {
		t.Errorf("get_report says %s", text)
	}

	ctx, cancel := context.WithCancel(t.Context())
	params := &mcp.CallToolParams{Name: "run_test", Arguments: json.RawMessage(strings.Replace(slow, `"wait_ms": 50`, `"wait_ms": 60000`, 1))}
	params.SetProgressToken("p")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = s.CallTool(ctx, params)
	}()
	if p := <-s.heard; p.ProgressToken != "p" || !strings.Contains(p.Message, "slow") {
		t.Errorf("progress %+v", p)
	}
	cancel()
	<-ended
	eventually(t, func() bool { return !s.ask("device_info", `{}`).IsError })
}

// TestRunsOnTheDeviceThatWasSet: set_device holds for run_test, too, unless the call names another device.
func TestRunsOnTheDeviceThatWasSet(t *testing.T) {
	l := newLab(t, 2)
	s := connect(t, l.config(t))
	const test = `"yaml": "id: brief\nplatform: android\nsteps:\n  - press: back\n"`
	for _, c := range []struct{ set, args, want string }{{"SIM1", `{` + test + `}`, "SIM1"}, {"SIM2", `{` + test + `}`, "SIM2"}, {"SIM2", `{"device": "SIM1", ` + test + `}`, "SIM1"}} {
		s.ok("set_device", `{"device": "`+c.set+`"}`)
		if text := s.ok("run_test", c.args); !strings.Contains(text, `"device":"`+c.want+`"`) {
			t.Errorf("with %s set, run_test %s says %s", c.set, c.args, text)
		}
	}
}

// TestSessionAsTest: what is written down is what was done, and only what went well.
func TestSessionAsTest(t *testing.T) {
	l := newLab(t, 1)
	s := connect(t, l.config(t))
	s.refused("get_report", `{"as": "yaml"}`, "nothing was done")
	s.ok("launch", listApp)
	s.ok("tap", `{"label": "Edge", "timeoutMs": 5000, "index": 0}`)
	s.refused("tap", `{"label": "Egde", "timeoutMs": 100}`)
	s.ok("press", `{"keys": ["back"]}`)
	s.ok("wait_stable", `{}`)
	s.ok("wait_for", `{"gone": "Loading: 5 %"}`)
	s.ok("snapshot", `{}`)
	yaml := s.ok("get_report", `{"as": "yaml"}`)
	want := "platform: android\nsteps:\n  - launch: {package: com.example.list, force: true}\n  - tap: {label: Edge, timeoutMs: 5000, index: 0}\n" +
		"  - press: back\n  - waitStable:\n  - waitFor: {gone: \"Loading: 5 %\"}\n"
	if _, steps, _ := strings.Cut(yaml, "\n"); steps != want {
		t.Errorf("the session as a test:\n%s", yaml)
	}
	if _, err := dsl.Parse("x.yaml", []byte(yaml)); err != nil {
		t.Error(err)
	}
}
