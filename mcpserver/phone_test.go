package mcpserver

import (
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/dsl"
)

// TestLogin signs in on a phone by label and by reference, and runs the session as a test.
func TestLogin(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	conf := l.config(t)
	conf.Exposed = map[string]string{"APP_PASSWORD": appPassword}
	s := connect(t, conf)
	s.ok("launch", `{"package": "com.example.login", "force": true}`)
	s.ok("wait_for", `{"visible": {"label": "Sign in"}}`)
	seen := s.ok("snapshot", `{}`)
	t.Log(seen)
	if answer := s.ok("tap", `{"ref": "`+refOf(t, seen, "E-mail")+`"}`); !strings.HasSuffix(answer,
		"step: - tap: E-mail") {
		t.Errorf("tap says\n%s", answer)
	}
	if answer := s.ok("input", `{"text": "ada@example.com"}`); !strings.HasSuffix(answer,
		"step: - input: ada@example.com") {
		t.Errorf("input says\n%s", answer)
	}
	s.ok("tap", `{"label": "Password"}`)
	if answer := s.ok("input", `{"text": "${APP_PASSWORD}"}`); !strings.HasSuffix(answer,
		"step: - input: ${APP_PASSWORD}") || strings.Contains(answer, appPassword) {
		t.Errorf("input says\n%s", answer)
	}
	t.Log(s.ok("snapshot", `{"diff": true}`))
	t.Log(s.ok("tap", `{"label": "Sign in", "timeoutMs": 20000}`))
	t.Log(s.ok("assert", `{"label": "Welcome, Ada"}`))
	yaml := s.ok("get_report", `{"as": "yaml"}`)
	t.Log(yaml)
	tests, err := dsl.Parse("session.yaml", []byte(yaml))
	if err != nil || len(tests) != 1 || len(tests[0].Steps) != 8 {
		t.Fatalf("%v, %v\n%s", tests, err, yaml)
	}
	if strings.Contains(yaml, appPassword) || !strings.Contains(yaml, "secrets: [APP_PASSWORD]") {
		t.Errorf("the test says\n%s", yaml)
	}
	t.Log(s.ok("run_test", `{"yaml": `+quotedJSON(yaml)+`}`))
	t.Log(s.ok("get_report", `{}`))
	t.Log(s.ok("device_info", `{}`), s.ok("list_devices", `{}`), s.ok("list_apps", `{}`), s.ok("logs", `{"max": 5}`))
}
