package server_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/golang-jwt/jwt/v5"

	"github.com/taproot-dev/taproot/dsl"
)

// operation is one operation of the document.
type operation struct {
	method, path string
	scope        string
	body         bool
	upload       bool
}

// operations lists the operations of the document.
func (l *lab) operations() (list []operation) {
	l.t.Helper()
	var doc struct {
		Paths map[string]map[string]struct {
			Scope       string `json:"x-scope"`
			RequestBody *struct {
				Content map[string]any
			}
		}
	}
	if err := json.Unmarshal(l.ask("GET", "/openapi.json", nil).body, &doc); err != nil {
		l.t.Fatal(err)
	}
	for path, methods := range doc.Paths {
		for method, o := range methods {
			op := operation{method: strings.ToUpper(method), path: path, scope: o.Scope}
			if o.RequestBody != nil {
				_, op.body = o.RequestBody.Content["application/json"]
				_, op.upload = o.RequestBody.Content["multipart/form-data"]
			}
			list = append(list, op)
		}
	}
	slices.SortFunc(list, func(a, b operation) int { return strings.Compare(a.path+a.method, b.path+b.method) })
	return list
}

// at fills in the path.
func (o operation) at(device string) string {
	return strings.NewReplacer("{id}", device, "{page}", "web-1", "{run}", "2026-03-04T05-06-07", "{name}", "login",
		"{path}", "run.md").Replace(o.path)
}

// TestEveryEndpointIsGuarded: every described operation exists, and rejects callers without permission in the same way,
// at the root and under /api.
func TestEveryEndpointIsGuarded(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1, withAuth)
	none, err := jwt.NewWithClaims(jwt.SigningMethodNone, jwt.MapClaims{"exp": inAnHour(), "scope": "*"}).SignedString(
		jwt.UnsafeAllowNoneSignatureType)
	if err != nil {
		t.Fatal(err)
	}
	forged, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"exp": inAnHour(), "scope": "*"}).SignedString(
		[]byte("another secret that is long enough, too"))
	if err != nil {
		t.Fatal(err)
	}
	expired := token(t, jwt.MapClaims{"exp": time.Now().Add(-time.Hour).Unix(), "scope": "*"})
	endless := token(t, jwt.MapClaims{"scope": "*"})
	ops := l.operations()
	if len(ops) < 100 {
		t.Fatalf("the document has %d operations only", len(ops))
	}
	for _, o := range ops {
		for _, prefix := range []string{"", "/api"} {
			path := prefix + o.at("SIM1")
			var body any
			if o.body {
				body = "{}"
			}
			if o.scope == "" {
				if !slices.Contains([]string{"/", "/healthz", "/openapi.json", "/docs", "/docs/try", "/docs/openapi-explorer.js"},
					o.path) {
					t.Errorf("%s %s is public", o.method, o.path)
				}
				if a := l.ask(o.method, path, body); a.status != 200 {
					t.Errorf("%s %s: %s", o.method, path, a)
				}
				continue
			}
			for name, c := range map[string]struct {
				headers []string
				status  int
				code    string
			}{
				"no credential":    {nil, 401, "missing_token"},
				"a wrong key":      {[]string{"X-API-Key", key + "x"}, 401, "invalid_token"},
				"a wrong bearer":   {[]string{"Authorization", "Bearer " + key + "x"}, 401, "invalid_token"},
				"no bearer":        {[]string{"Authorization", "Basic " + key}, 401, "invalid_token"},
				"expired":          {[]string{"Authorization", "Bearer " + expired}, 401, "invalid_token"},
				"without expiry":   {[]string{"Authorization", "Bearer " + endless}, 401, "invalid_token"},
				"alg none":         {[]string{"Authorization", "Bearer " + none}, 401, "invalid_token"},
				"signed by others": {[]string{"Authorization", "Bearer " + forged}, 401, "invalid_token"},
				"without scope": {
					[]string{"Authorization", "Bearer " + token(t, jwt.MapClaims{"exp": inAnHour(), "scope": "nothing:read"})}, 403,
					"forbidden"},
			} {
				if prefix != "" && name != "no credential" {
					continue // the same handler
				}
				a := l.ask(o.method, path, body, c.headers...)
				if a.status != c.status || a.code() != c.code {
					t.Errorf("%s %s with %s: %s", o.method, path, name, a)
				}
				if c.status == 401 && !strings.HasPrefix(a.header.Get("WWW-Authenticate"), "Bearer") {
					t.Errorf("%s %s with %s: WWW-Authenticate is %q", o.method, path, name, a.header.Get("WWW-Authenticate"))
				}
			}
			if a := l.ask(o.method, path+"?token="+key, body); a.status != 401 {
				t.Errorf("%s %s takes a credential from the address: %s", o.method, path, a)
			}
		}
	}
	if n := len(l.phones[0].Taps()); n > 0 {
		t.Errorf("%d taps were made", n)
	}
	for _, path := range []string{"/nothing", "/api/nothing", "/devices/SIM1/nothing"} {
		if a := l.ask("GET", path, nil); a.status != 401 {
			t.Errorf("%s without a credential: %s", path, a)
		}
	}
}

// TestEveryEndpointChecksRequests: wrong methods, bodies and IDs get the same responses everywhere.
func TestEveryEndpointChecksRequests(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	for i, o := range l.operations() {
		path := o.at("SIM1")
		wrong := "PUT"
		if a := l.ask(wrong, path, nil); a.status != 405 || a.code() != "method_not_allowed" ||
			!strings.Contains(a.header.Get("Allow"), o.method) {
			t.Errorf("%s %s: %s, Allow %q", wrong, path, a, a.header.Get("Allow"))
		}
		if a := l.ask(o.method, path+"/"+strings.Repeat("x", 3)+"/y/z", nil); a.status != 404 && a.status != 405 {
			t.Errorf("%s %s/xxx/y/z: %s", o.method, path, a)
		}
		if strings.Contains(o.path, "{id}") && !strings.HasPrefix(o.path, "/runs") &&
			!slices.Contains([]string{"/devices/{id}/launch"}, o.path) {
			// Errors of the body are reported first, so the body must be valid.
			kind := "application/json"
			if o.upload {
				kind = "multipart/form-data; boundary=x"
			}
			if a := l.ask(o.method, o.at("NOBODY"), nil, "Content-Type", kind); a.status != 404 && a.status != 400 ||
				a.status == 404 && a.code() != "device_not_found" {
				t.Errorf("%s %s: %s", o.method, o.at("NOBODY"), a)
			}
		}
		if o.method == "GET" {
			for _, query := range []string{"nonsense=1", "max=100&max=100", "limit=1&limit=1", "limit=%zz", "max=100;limit=5"} {
				if a := l.ask("GET", path+"?"+query, nil); a.status != 400 || a.code() != "invalid_request" {
					t.Errorf("GET %s?%s: %s", path, query, a)
				}
			}
		}
		if o.upload {
			if a := l.ask(o.method, path, "{}"); a.status != 415 || a.code() != "unsupported_media_type" {
				t.Errorf("%s %s as JSON: %s", o.method, path, a)
			}
		}
		if !o.body {
			continue
		}
		for name, c := range map[string]struct {
			body, kind string
			status     int
			code       string
		}{
			"a form":           {"label=x", "application/x-www-form-urlencoded", 415, "unsupported_media_type"},
			"plain text":       {`{"label":"x"}`, "text/plain", 415, "unsupported_media_type"},
			"another alphabet": {`{"label":"x"}`, "application/json; charset=utf-16", 415, "unsupported_media_type"},
			"no type":          {`{"label":"x"}`, "-", 415, "unsupported_media_type"},
			"broken JSON":      {`{`, "application/json", 400, "invalid_request"},
			"two values":       {`{} {}`, "application/json", 400, "invalid_request"},
			"no object":        {`[]`, "application/json", 400, "invalid_request"},
			"a text":           {`"x"`, "application/json", 400, "invalid_request"},
			"an unknown field": {`{"nonsense": 1}`, "application/json", 400, "invalid_request"},
			"a wrong type": {`{"timeoutMs": {"x": 1}, "yaml": 5, "ttlSeconds": "x"}`, "application/json", 400,
				"invalid_request"},
			"a key twice":     {`{"timeoutMs": 1, "timeoutMs": 2}`, "application/json", 400, "invalid_request"},
			"another case":    {`{"TimeoutMS": 1, "Yaml": "", "TTLSeconds": 5}`, "application/json", 400, "invalid_request"},
			"no UTF-8":        {"{\"x\": \"\xff\"}", "application/json", 400, "invalid_request"},
			"a step's option": {`{"optional": true}`, "application/json", 400, "invalid_request"},
			"too deep": {strings.Repeat(`{"x":`, 200) + "1" + strings.Repeat("}", 200), "application/json", 400,
				"invalid_request"},
			"much too large":     {`{"x": "` + strings.Repeat("x", 2<<20) + `"}`, "application/json", 413, "payload_too_large"},
			"a negative timeout": {`{"timeoutMs": -1}`, "application/json", 400, "invalid_request"},
		} {
			if testing.Short() && name == "much too large" && i%10 != 0 {
				continue
			}
			headers := []string{"Content-Type", c.kind}
			r := l.request(o.method, path, c.body, headers...)
			if c.kind == "-" {
				r.Header.Del("Content-Type")
			}
			if a := l.send(r); a.status != c.status || a.code() != c.code || len(a.body) > 20_000 {
				t.Errorf("%s %s with %s: %s", o.method, path, name, a)
			}
		}
	}
	if n := len(l.phones[0].Taps()); n > 0 {
		t.Errorf("%d taps were made", n)
	}
}

// TestEveryActionIsThere: every action that programs can request responds as the document describes, for the example of
// the reference, on a phone.
func TestEveryActionIsThere(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1, withShell)
	said := 0
	for _, def := range dsl.Vocabulary() {
		if def.Interfaces&dsl.REST == 0 || !def.On(dsl.Android) {
			continue
		}
		body := exampleBody(t, def)
		delete(body, "timeout")
		body["timeoutMs"] = 1
		if def.OwnKey("timeoutMs") || def.Name == "sleep" {
			delete(body, "timeoutMs")
		}
		a := l.ask("POST", "/devices/SIM1/"+kebab(def.Name), body)
		expected := []int{200, 403, 422, 502}
		if def.Name == "install" || def.Name == "addMedia" { // the reference's files are not here
			expected = []int{400}
		}
		if !slices.Contains(expected, a.status) {
			t.Errorf("%s %v: %s", def.Name, body, a)
		}
		said++
	}
	if said < 30 {
		t.Errorf("%d actions only", said)
	}
}

// TestOldPathsNameTheNew: the error of the path that an action had names the present one.
func TestOldPathsNameTheNew(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	for old, now := range map[string]string{"/devices/SIM1/rotate": "/devices/SIM1/set-orientation",
		"/api/devices/SIM1/dark-mode": "/devices/SIM1/set-dark-mode", "/devices/web-1/web-page": "/devices/web-1/web-tab",
		"/web/page": "/web/tab", "/web/dark-mode": "/web/set-dark-mode", "/api/web/airplane": "/web/set-airplane-mode"} {
		a := l.ask("POST", old, map[string]any{})
		if a.status != 404 || a.code() != "not_found" || !strings.Contains(string(a.body), "is called "+now+" now") {
			t.Errorf("%s: %s", old, a)
		}
	}
	for foreign, own := range map[string]string{"/devices/SIM1/tap-on": "/devices/SIM1/tap",
		"/api/devices/SIM1/launchApp": "/devices/SIM1/launch", "/web/goto": "/web/launch"} {
		a := l.ask("POST", foreign, map[string]any{})
		if a.status != 404 || a.code() != "not_found" || !strings.Contains(string(a.body), "the action is at "+own) {
			t.Errorf("%s: %s", foreign, a)
		}
	}
	if a := l.ask("POST", "/devices/SIM1/turn", map[string]any{}); a.status != 404 ||
		!strings.Contains(string(a.body), "there is nothing at this path") {
		t.Errorf("a path that never was: %s", a)
	}
}

func kebab(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('-')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// exampleBody returns the example of the reference as JSON.
func exampleBody(t *testing.T, def dsl.Def) map[string]any {
	t.Helper()
	var step map[string]any
	if err := yaml.Unmarshal([]byte(def.Example), &step); err != nil {
		t.Fatalf("%s: %v", def.Name, err)
	}
	switch v := step[def.Name].(type) {
	case nil:
		return map[string]any{}
	case map[string]any:
		delete(v, "as")
		return v
	default:
		k, list := scalarKey(reflect.TypeOf(def.Args))
		if _, is := v.([]any); list && !is {
			v = []any{v}
		}
		return map[string]any{k: v}
	}
}

// scalarKey returns the key that a short form sets.
func scalarKey(t reflect.Type) (key string, list bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			if key, list := scalarKey(f.Type); key != "" {
				return key, list
			}
		}
		if f.Tag.Get("scalar") == "true" {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			return key, f.Type.Kind() == reflect.Slice
		}
	}
	return "", false
}

// TestServerPages: the routes that need no device.
func TestServerPages(t *testing.T) {
	t.Parallel()
	l := newLab(t, 0)
	if a := l.ask("GET", "/", nil); a.status != 200 || a.json(t)["name"] != "taproot" {
		t.Error(a)
	}
	if a := l.ask("GET", "/docs", nil); !strings.Contains(string(a.body), "/devices/{id}/wait-stable") ||
		strings.Contains(string(a.body), "<script") {
		t.Errorf("%.300s", a.body)
	}
	if a := l.ask("HEAD", "/healthz", nil); a.status != http.StatusOK {
		t.Error(a)
	}
	for path, want := range map[string]string{"//": "not_found", "/devices/../healthz": "", "/devices//SIM1": "not_found",
		"/Devices": "not_found", "/devices/": "not_found", "/api/api/devices": "not_found"} {
		if a := l.ask("GET", path, nil); want != "" && (a.status != 404 || a.code() != want) {
			t.Errorf("%s: %s", path, a)
		}
	}
	text := string(l.ask("GET", "/metrics", nil).body)
	for _, want := range []string{`taproot_http_requests_total{method="GET",route="GET /docs",status="200"} 1`,
		`taproot_http_requests_total{method="GET",route="other",status="404"}`,
		"taproot_http_request_seconds_bucket", `taproot_runs{state="running"} 0`, "process_resident_memory_bytes",
		"go_goroutines", "# TYPE taproot_runs gauge", "# TYPE taproot_http_request_seconds histogram"} {
		if !strings.Contains(text, want) {
			t.Errorf("the figures lack %s", want)
		}
	}
}
