package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/taproot-dev/taproot/internal/result/finding"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/runtest"
)

// TestRunIDs checks that a run that takes longer than its call continues, and that get_report waits for it, stops it
// and reports it.
func TestRunIDs(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	s := connect(t, l.config(t))
	const slow = `{"wait_ms": 50, "yaml": "id: slow\nplatform: android\nsteps:\n  - launch: com.example.list\n` +
		`  - assert: {label: Never there, timeoutMs: 60000}\n"}`
	var state runState
	if err := json.Unmarshal([]byte(s.ok("run_test", slow)), &state); err != nil || state.State != "running" ||
		state.Run == "" {
		t.Fatalf("%+v %v", state, err)
	}
	eventually(t, func() bool {
		return strings.Contains(s.ok("get_report", `{"run": "`+state.Run+`", "wait_ms": 10}`), "step 1")
	})
	s.refused("tap", `{"label": "Edge", "timeoutMs": 100}`, "SIM1 is in use", "slow", "get_report waits for its end")
	answer := s.ok("get_report", `{"run": "`+state.Run+`", "stop": true}`)
	if err := json.Unmarshal([]byte(answer), &state); err != nil || state.State != "done" ||
		state.Result != "interrupted" {
		t.Errorf("%s", answer)
	}
	s.ok("tap", `{"label": "Edge"}`)

	const fails = `{"yaml": "id: fails\nplatform: android\nsteps:\n  - launch: com.example.list\n` +
		`  - assert: {label: Egde, timeoutMs: 200}\n"}`
	r := s.ask("run_test", fails)
	if text := words(r); !r.IsError || r.StructuredContent != nil || !strings.Contains(text, `"result":"fail"`) ||
		!strings.Contains(text, "Edge") || !strings.Contains(text, "test.yaml:5:5") {
		t.Errorf("a test that fails says %s", text)
	}
	if text := s.ok("get_report", `{}`); !strings.Contains(text, `"result":"fail"`) {
		t.Errorf("get_report says %s", text)
	}
	if text := s.ok("get_report", `{"as": "markdown"}`); !strings.Contains(text, "# fails") ||
		!strings.Contains(text, "## Steps") {
		t.Errorf("get_report says %s", text)
	}
	s.refused("get_report", `{"as": "markdown", "test": "nobody"}`, "fails")
	s.refused("get_report", `{"test": "nobody"}`, "fails")
	s.refused("get_report", `{"as": "yaml", "test": "fails"}`, "not about a run")
	s.refused("get_report", `{"run": "2020-01-01T00-00-00", "stop": true}`, "started no such run")
	if text := s.ok("get_report", `{"test": "fails"}`); !strings.Contains(text, `"id":"fails"`) {
		t.Errorf("get_report says %s", text)
	}
	if text := s.ok("get_report", `{"run": "`+state.Run+`"}`); !strings.Contains(text, "interrupted") {
		t.Errorf("get_report says %s", text)
	}

	ctx, cancel := context.WithCancel(t.Context())
	params := &mcp.CallToolParams{Name: "run_test",
		Arguments: json.RawMessage(strings.Replace(slow, `"wait_ms": 50`, `"wait_ms": 60000`, 1))}
	params.SetProgressToken("p")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = s.CallTool(ctx, params)
	}()
	var at float64
	for i := range 4 { // one for the step that ends, then those of the step that waits for a minute
		p := <-s.heard
		if p.ProgressToken != "p" || p.Progress <= at || p.Progress > p.Total || i > 0 &&
			!strings.Contains(p.Message, "so far") {
			t.Errorf("progress %d after %v: %+v", i, at, p)
		}
		at = p.Progress
	}
	cancel()
	<-ended
	eventually(t, func() bool { return !s.ask("device_info", `{}`).IsError })
}

// TestRunsOnTheDeviceThatWasSet checks that set_device applies to run_test, too, unless the call names another device.
func TestRunsOnTheDeviceThatWasSet(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	s := connect(t, l.config(t))
	const test = `"yaml": "id: brief\nplatform: android\nsteps:\n  - press: back\n"`
	for _, c := range []struct{ set, args, want string }{{"SIM1", `{` + test + `}`, "SIM1"},
		{"SIM2", `{` + test + `}`, "SIM2"}, {"SIM2", `{"device": "SIM1", ` + test + `}`, "SIM1"}} {
		s.ok("set_device", `{"device": "`+c.set+`"}`)
		if text := s.ok("run_test", c.args); !strings.Contains(text, `"device":"`+c.want+`"`) {
			t.Errorf("with %s set, run_test %s says %s", c.set, c.args, text)
		}
	}
	const pair = `"yaml": "id: pair\ndevices: {alice: {platform: android}, carol: {platform: android}}\nsteps:\n` +
		`  - on: {alice: [{press: back}], carol: [{press: home}]}\n"`
	text := s.ok("run_test", `{`+pair+`}`) // the device that was set is for tests with one
	if !strings.Contains(text, `"result":"pass"`) || !strings.Contains(text, `"pair"`) {
		t.Errorf("run_test with two devices says %s", text)
	}
	s.refused("run_test", `{"device": "SIM1", `+pair+`}`,
		"the test pair names its 2 devices itself, and the run is for SIM1")
}

// TestReportHasFindings: get_report has weak assertions and repairs in a few bytes, of a run of this session and of one
// on the disk.
func TestReportHasFindings(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	c := l.config(t)
	s := connect(t, c)
	s.ok("run_test", `{"yaml": "id: list\nplatform: android\nsteps:\n  - launch: com.example.list\n`+
		`  - tap: Payments\n  - assert: Payments\n  - assert: Unpaid\n"}`)
	if text := s.ok("get_report", `{}`); !strings.Contains(text,
		`"weak":"1 of 2 assertions cannot fail, test.yaml:6"`) {
		t.Errorf("get_report says %s", text)
	}

	dir := runtest.Lay(t, runtest.Glob(t, "event/testdata/events/fail.ndjson")...)
	c.Runner.Reports = filepath.Dir(dir)
	weak := finding.Weakness{Assertions: 9, Weak: 5, Findings: []finding.Weak{}}
	for i := range 5 {
		weak.Findings = append(weak.Findings, finding.Weak{File: "suites/shop.yaml", Line: 7 + i})
	}
	repair := finding.Repair{File: "suites/failing/login.yaml", Line: 8, Old: "- tap: Sign in", New: "- tap: Log in",
		Score: 91, Evidence: finding.Evidence{Pack: "login-wrong", Step: 4, Was: strings.Repeat("button ", 100)}}
	if err := errors.Join(history.WriteWeak(dir, weak),
		history.WriteRepairs(dir, finding.Repairs{Repairs: []finding.Repair{repair}})); err != nil {
		t.Fatal(err)
	}
	stored := connect(t, c)
	text := stored.ok("get_report", `{}`)
	for _, want := range []string{
		`"weak":"5 of 9 assertions cannot fail, suites/shop.yaml:7, suites/shop.yaml:8, suites/shop.yaml:9, …"`,
		`"repair":"suites/failing/login.yaml:8: - tap: Log in (score 91)"`} {
		if !strings.Contains(text, want) {
			t.Errorf("get_report does not say %s: %s", want, text)
		}
	}
	if err := errors.Join(os.Remove(filepath.Join(dir, finding.WeakFile)),
		os.WriteFile(filepath.Join(dir, finding.RepairFile), []byte(`{"format": "taproot.repairs/9"}`), 0o600)); err != nil {
		t.Fatal(err)
	}
	if less := stored.ok("get_report", `{}`); strings.Contains(less, "weak") || strings.Contains(less, "repair") ||
		len(text)-len(less) > 300 {
		t.Errorf("without findings get_report says %s, with them %d bytes more", less, len(text)-len(less))
	}
}

// TestOwnActionsAndPrograms checks that an assistant runs the project's own actions, in a test, in YAML and as a step;
// that it runs no program, whatever the environment says; and that the password of a mailbox is in no answer.
func TestOwnActionsAndPrograms(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.env["TAPROOT_ALLOW_EXEC"] = "true"
	c := l.config(t)
	for name, text := range map[string]string{
		"actions/openList.yaml": "params:\n  item: {type: text, required: true}\nsteps:\n  - launch: com.example.list\n" +
			"  - assert: ${item}\n",
		"own.yaml":  "id: own\nplatform: android\nsteps:\n  - openList: {item: Payments}\n",
		"exec.yaml": "id: exec\nplatform: android\nsteps:\n  - exec: [touch, done]\n",
	} {
		path := filepath.Join(c.Runner.Dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	s := connect(t, c)
	for _, args := range []string{`{"test": "own.yaml"}`,
		`{"yaml": "id: sent\nplatform: android\nsteps:\n  - openList: {item: Payments}\n"}`} {
		if text := s.ok("run_test", args); !strings.Contains(text, `"result":"pass"`) {
			t.Errorf("run_test %s says %s", args, text)
		}
	}
	s.ok("run_test", `{"steps": [{"openList": {"item": "Payments"}}]}`)
	s.refused("run_test", `{"steps": [{"openList": {}}]}`, "item")
	const refused = "exec steps are not allowed here"
	for _, args := range []string{`{"test": "exec.yaml"}`, `{"steps": [{"exec": ["touch", "done"]}]}`,
		`{"yaml": "id: sent\nplatform: android\nsteps:\n  - exec: [touch, done]\n"}`} {
		if text := words(s.ask("run_test", args)); !strings.Contains(text, refused) {
			t.Errorf("run_test %s says %s", args, text)
		}
	}
	if _, err := os.Stat(filepath.Join(c.Runner.Dir, "done")); err == nil {
		t.Error("a program ran")
	}
	step := `{"waitForMail": {"server": "imaps://ada:love-lace-1@127.0.0.1:1", "to": "a@example.com"}}`
	said := words(s.ask("run_test", `{"steps": [`+step+`]}`)) + words(s.ask("get_report", `{"as": "yaml"}`))
	if !strings.Contains(said, "mail server 127.0.0.1:1") || strings.Contains(said, "love-lace-1") {
		t.Errorf("waitForMail says %s", said)
	}
}
