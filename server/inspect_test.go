package server_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/coder/websocket"

	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
)

// TestInspect: the elements of a screen, the selectors of one of them, and the matches of a selector; also of a leased
// device.
func TestInspect(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	if a := l.ask("POST", "/devices/SIM1/launch", `{"package": "com.example.login", "force": true}`); a.status != 200 {
		t.Fatal(a)
	}
	if a := l.ask("POST", "/devices/SIM1/wait-for", `{"visible": "Sign in"}`); a.status != 200 {
		t.Fatal(a)
	}
	l.hold("SIM1")
	var all struct {
		Width, Height int
		Elements      []struct {
			Words string
			Box   struct{ Left, Top, Width, Height int }
		}
	}
	a := l.ask("POST", "/devices/SIM1/inspect", `{}`)
	if err := json.Unmarshal(a.body, &all); err != nil || all.Width != androidsim.Tiny.Width ||
		all.Height != androidsim.Tiny.Height {
		t.Fatalf("%s, %v", a, err)
	}
	for _, e := range all.Elements {
		if !strings.Contains(e.Words, `"Sign in"`) {
			continue
		}
		at, err := json.Marshal(map[string]string{
			"point": strings.Join([]string{strconv.Itoa(e.Box.Left + e.Box.Width/2), strconv.Itoa(e.Box.Top + e.Box.Height/2)},
				",")})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`"yaml":"Sign in"`, `"line":"tap: Sign in"`, `"line":"assert: Sign in"`,
			`"line":"waitFor: {notVisible: Sign in}"`, `"robust":true`, `"yaml":"{point: `} {
			if a := l.ask("POST", "/devices/SIM1/inspect", string(at)); a.status != 200 ||
				!strings.Contains(string(a.body), want) {
				t.Errorf("no %s in %s", want, a.body)
			}
		}
	}
	for selector, want := range map[string]string{"Sign in": `"result":"one"`,
		"{type: EditText}": `"result":"ambiguous"`, "nothing": `"result":"none"`} {
		body, _ := json.Marshal(map[string]string{"selector": selector})
		if a := l.ask("POST", "/devices/SIM1/inspect", string(body)); a.status != 200 ||
			!strings.Contains(string(a.body), want) {
			t.Errorf("%s: %s", selector, a)
		}
	}
	for _, wrong := range []string{`{"point": "x"}`, `{"point": "10,10", "selector": "x"}`, `{"selector": "{css: a}"}`,
		`{"selector": "{idd: a}"}`} {
		if a := l.ask("POST", "/devices/SIM1/inspect", wrong); a.status != 400 {
			t.Errorf("%s: %s", wrong, a)
		}
	}
}

// TestRunStepsOverTheSocket: the steps of some lines run and are reported, an invalid test is an error, and a running
// step can be stopped without closing the connection.
func TestRunStepsOverTheSocket(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	conn, _, err := l.dial("SIM1")
	if err != nil {
		t.Fatal(err)
	}
	yaml := "id: x\nplatform: android\nvars: {WHAT: none}\nsteps:\n  - tap: not there\n  - launch: com.example.login\n  " +
		"- " +
		"assert: ${WHAT}\n  - tap: not there\n"
	run := func(id, from, to int) string {
		body, err := json.Marshal(map[string]any{"id": id, "run": map[string]any{"yaml": yaml, "fromLine": from, "toLine": to,
			"vars": map[string]string{"WHAT": "Sign in"}}})
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	steps := func(message string, want ...[2]any) { // by their lines, with the result of those that have ended
		t.Helper()
		for i, w := range want {
			a := l.sendMaybe(conn, message, i == 0)
			if step, _ := a["step"].(map[string]any); step["line"] != w[0] || step["result"] != w[1] {
				t.Errorf("%v, want %v", a, w)
			}
		}
	}
	steps(run(1, 6, 7), [2]any{6.0, nil}, [2]any{6.0, "pass"}, [2]any{7.0, nil}, [2]any{7.0, "pass"})
	if a := l.sendMaybe(conn, "", false); a["id"] != 1.0 || a["outcome"].(map[string]any)["passed"] != true {
		t.Errorf("%v", a)
	}
	if a := l.sendMessage(conn,
		`{"id": 2, "run": {"yaml": "id: x\nplatform: android\nsteps:\n  - tapp: x\n"}}`); a["error"] == nil {
		t.Errorf("%v", a)
	}
	steps(run(3, 8, 8), [2]any{8.0, nil})
	if err := conn.Write(t.Context(), websocket.MessageText, []byte(`{"id": 4, "stop": 3}`)); err != nil {
		t.Fatal(err)
	}
	if out, _ := l.sendMaybe(conn, "", false)["outcome"].(map[string]any); out["message"] != "stopped" ||
		out["passed"] != false {
		t.Errorf("%v", out)
	}
	if a := l.sendMessage(conn, `{"id": 5, "do": {"tap": {"point": "50%,1%"}}}`); a["outcome"] == nil {
		t.Errorf("after the stop: %v", a)
	}
}

// sendMaybe is sendMessage, but sends no message when send is false.
func (l *lab) sendMaybe(conn *respondingSocket, message string, send bool) map[string]any {
	l.t.Helper()
	if send {
		return l.sendMessage(conn, message)
	}
	_, data, err := conn.Read(l.t.Context())
	if err != nil {
		l.t.Fatal(err)
	}
	var answer map[string]any
	if err := json.Unmarshal(data, &answer); err != nil {
		l.t.Fatal(err)
	}
	return answer
}
