package server_test

import (
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/server"
)

// TestAfterUse: with a policy, the app that was started during a lease or a case is stopped at its end; without one,
// and after calls without a lease, nothing is stopped.
func TestAfterUse(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2, func(o *server.Options) { o.Config.AfterUse = action.StopAfterUse })
	plain := newLab(t, 1)
	const app = "com.example.login"
	runs := func(front string) bool { return strings.HasPrefix(front, app) }
	launch := func(l *lab, device string, headers ...string) {
		t.Helper()
		if a := l.ask("POST", "/devices/"+device+"/launch", map[string]any{"package": app}, headers...); a.status != 200 {
			t.Error(a)
		}
	}
	held := func(l *lab, device string, during func(headers ...string)) {
		t.Helper()
		a := l.ask("POST", "/devices/"+device+"/lease", `{}`)
		if a.status != 200 {
			t.Fatal(a)
		}
		id := a.json(t)["lease"].(string)
		during("X-Lease", id)
		if a := l.ask("DELETE", "/devices/"+device+"/lease", nil, "X-Lease", id); a.status != 204 {
			t.Error(a)
		}
	}
	launch(l, "SIM1")
	held(l, "SIM1", func(...string) {})
	if front := l.phones[0].Foreground(); !runs(front) {
		t.Errorf("what was started before the lease is gone: %s is in front", front)
	}
	held(l, "SIM1", func(headers ...string) {
		launch(l, "SIM1", headers...)
		if front := l.phones[0].Foreground(); !runs(front) {
			t.Errorf("%s is in front", front)
		}
	})
	if front := l.phones[0].Foreground(); runs(front) {
		t.Error("the app of the lease still runs")
	}
	a := l.ask("POST", "/runs", map[string]any{"yaml": "id: a\nplatform: android\nsteps:\n  - launch: {package: " + app +
		", force: true}\n"})
	if a.status != 202 {
		t.Fatal(a)
	}
	l.ended(a.json(t)["id"].(string))
	for i, p := range l.phones {
		if front := p.Foreground(); runs(front) {
			t.Errorf("the app of the case still runs on phone %d", i+1)
		}
	}
	held(plain, "SIM1", func(headers ...string) { launch(plain, "SIM1", headers...) })
	if front := plain.phones[0].Foreground(); !runs(front) {
		t.Errorf("without a policy, %s is in front", front)
	}
}
