package server_test

import (
	"net/http"
	"testing"
)

// FuzzBodies: any body gets a documented response, and never a 500.
func FuzzBodies(f *testing.F) {
	paths := []string{"/devices/NOBODY/tap", "/devices/NOBODY/swipe", "/devices/NOBODY/lease", "/web/route", "/web/type",
		"/tests/validate", "/tests/validate", "/devices/NOBODY/extract"}
	for i, body := range []string{`{"label": "Sign in", "below": {"id": "x"}}`, `{"from": "1,2", "to": "50%,5%"}`,
		`{"ttlSeconds": 5, "holder": "x"}`, `{"url": "**", "json": {"a": [1, null]}}`,
		`{"selector": "#x", "text": "${A}"}`,
		`{"yaml": "id: x\nplatform: web\nsteps:\n  - log: x\n", "vars": {"A": "b"}, "tests": ["x"]}`,
		`{"yaml": "id: x\nsteps: [{tap: x}]"}`, "{\"regex\": \"(\xff\"}"} {
		f.Add(i, body)
	}
	l := newLab(f, 0)
	f.Fuzz(func(t *testing.T, path int, body string) {
		own := *l
		own.t = t
		p := paths[(path%len(paths)+len(paths))%len(paths)]
		a := own.ask("POST", p, body)
		if a.status == http.StatusInternalServerError || a.status == 0 {
			t.Fatal(a)
		}
	})
}
