package server_test

import (
	"bytes"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
	"time"

	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/server"
)

func withShell(o *server.Options) { o.Config.AllowShell = true }

// TestDevices calls the routes that a client uses with a phone.
func TestDevices(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	a := l.ask("GET", "/devices", nil)
	if text := string(a.body); a.status != 200 || !strings.Contains(text, `"id":"SIM1"`) ||
		!strings.Contains(text, `"id":"SIM2"`) || !strings.Contains(text, `"open":false`) {
		t.Fatal(a)
	}
	if a := l.ask("GET", "/devices/SIM1", nil); a.json(t)["platform"] != "android" ||
		a.json(t)["width"] != float64(androidsim.Tiny.Width) {
		t.Error(a)
	}
	if a := l.ask("POST", "/devices/SIM1/launch", map[string]any{"package": "com.example.login",
		"force": true}); a.status != 200 || a.json(t)["passed"] != true {
		t.Fatal(a)
	}
	if a := l.ask("POST", "/devices/SIM1/tap", map[string]any{"label": "E-mail"}); a.status != 200 ||
		a.json(t)["detail"].(map[string]any)["point"] == nil {
		t.Fatal(a)
	}
	if a := l.ask("POST", "/devices/SIM1/input", map[string]any{"text": "ada@example.com"}); a.status != 200 {
		t.Fatal(a)
	}
	if a := l.ask("POST", "/devices/SIM1/assert", map[string]any{"label": "ada@example.com"}); a.status != 200 ||
		a.json(t)["passed"] != true {
		t.Error(a)
	}
	if a := l.ask("POST", "/devices/SIM1/assert", map[string]any{"label": "Welcome", "timeoutMs": 0}); a.status != 200 ||
		a.json(t)["passed"] != false ||
		a.json(t)["expected"] == nil || a.json(t)["actual"] == nil || a.json(t)["message"] == nil {
		t.Errorf("an assertion that does not hold: %s", a)
	}
	if a := l.ask("POST", "/devices/SIM1/tap", map[string]any{"label": "Nothing", "timeoutMs": 0}); a.status != 422 ||
		a.code() != "element_not_found" {
		t.Error(a)
	}
	if a := l.ask("POST", "/devices/SIM1/tap", map[string]any{"type": "EditText", "timeoutMs": 0}); a.status != 422 ||
		a.code() != "ambiguous_element" {
		t.Error(a)
	}
	if a := l.ask("POST", "/devices/SIM1/launch", map[string]any{"package": "com.example.nothing"}); a.status != 422 ||
		a.code() != "app_not_found" {
		t.Error(a)
	}
	if a := l.ask("POST", "/devices/SIM1/extract", map[string]any{"type": "EditText", "index": 0}); a.json(
		t)["value"] != "ada@example.com" {
		t.Error(a)
	}
	if a := l.ask("POST", "/devices/SIM1/web-click", map[string]any{"selector": "a"}); a.status != 400 {
		t.Error(a)
	}
	if a := l.ask("POST", "/devices/SIM1/shell", map[string]any{"command": "id"}); a.status != 403 {
		t.Errorf("the shell was not allowed: %s", a)
	}
	if a := l.ask("GET", "/devices/SIM1/tree", nil); !strings.Contains(string(a.body), `"windows"`) ||
		!strings.Contains(string(a.body), "Password") {
		t.Error(a)
	}
	l.hold("SIM1") // or it goes back when nothing is asked of it for two seconds
	if text := string(l.ask("GET", "/devices/SIM1", nil).body); !strings.Contains(text, `"open":true`) {
		t.Error(text)
	}
}

// hold leases a phone for the following requests.
func (l *lab) hold(device string) {
	l.t.Helper()
	a := l.ask("POST", "/devices/"+device+"/lease", map[string]any{"ttlSeconds": 3600})
	id, _ := a.json(l.t)["lease"].(string)
	if a.status != 200 || id == "" {
		l.t.Fatal(a)
	}
	l.header.Set("X-Lease", id)
}

func TestScreenshots(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	a := l.ask("GET", "/devices/SIM1/screenshot", nil)
	picture, err := png.Decode(bytes.NewReader(a.body))
	if err != nil || a.header.Get("Content-Type") != "image/png" || picture.Bounds().Dx() != androidsim.Tiny.Width ||
		picture.Bounds().Dy() != androidsim.Tiny.Height {
		t.Fatalf("%v, %s", err, a.header)
	}
	a = l.ask("GET", "/devices/SIM1/screenshot?format=jpeg&max=300", nil)
	picture, err = jpeg.Decode(bytes.NewReader(a.body))
	if err != nil || a.header.Get("Content-Type") != "image/jpeg" || picture.Bounds().Dx() != 135 ||
		picture.Bounds().Dy() != 300 {
		t.Fatalf("%v, %s", err, a.header)
	}
	for _, query := range []string{"format=gif", "max=0", "max=x", "max=99999999999999999999", "size=3", "format="} {
		if a := l.ask("GET", "/devices/SIM1/screenshot?"+query, nil); a.status != 400 {
			t.Errorf("%s: %s", query, a)
		}
	}
	files := l.ask("POST", "/devices/SIM1/screenshot", map[string]any{"name": "home/../x"}).json(t)["files"].([]any)
	if file := files[0].(map[string]any); file["name"] != "home-..-x.png" || file["size"].(float64) < 100 {
		t.Errorf("%v", file["name"])
	}
}

// TestReservations: a device is reserved for later, others see until when, and from then on only its holder can use it.
func TestReservations(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2, withAuth)
	path, tap := "/devices/SIM1/lease", map[string]any{"label": "Login"}
	mine, others := []string{"X-API-Key", key}, []string{"X-API-Key", other}
	now := time.Now().UTC().Truncate(time.Second)
	span := func(from, until time.Duration) map[string]any {
		return map[string]any{"holder": "ada", "why": "the demo", "from": now.Add(from), "until": now.Add(until)}
	}
	for what, body := range map[string]map[string]any{"without an end": {"from": now.Add(time.Hour)},
		"of the past": span(-time.Hour, time.Hour), "that ends before it begins": span(2*time.Hour, time.Hour),
		"of a year": span(time.Hour, 365*24*time.Hour),
		"in a year": span(365*24*time.Hour, 366*24*time.Hour), "without a beginning": {"until": now.Add(time.Hour)},
		"why of a lease": {"why": "x"}, "a second line": {"from": now.Add(time.Hour), "until": now.Add(2 * time.Hour),
			"why": "a\nb"}} {
		if a := l.ask("POST", path, body, mine...); a.status != 400 {
			t.Errorf("%s: %s", what, a)
		}
	}
	made := l.ask("POST", path, span(30*time.Minute, time.Hour), mine...)
	if made.status != 200 || made.json(t)["since"] != now.Add(30*time.Minute).Format(time.RFC3339) {
		t.Fatal(made)
	}
	lease := made.json(t)["lease"].(string)
	for what, body := range map[string]any{"overlaps it": span(40*time.Minute, 2*time.Hour),
		"a lease into it": map[string]any{"ttlSeconds": 3000}} {
		a := l.ask("POST", path, body, others...)
		if a.status != 409 || a.code() != "device_busy" || a.json(t)["until"] == nil ||
			!strings.Contains(string(a.body), "by ada") || !strings.Contains(string(a.body), "the demo") {
			t.Errorf("what %s: %s", what, a)
		}
	}
	if a := l.ask("POST", path, span(time.Hour, 2*time.Hour), others...); a.status != 200 {
		t.Errorf("behind it: %s", a)
	}
	for _, list := range []string{"/devices", "/devices/SIM1", path} {
		if a := l.ask("GET", list, nil, others...); strings.Count(string(a.body), "the demo") != 2 ||
			strings.Contains(string(a.body), lease) {
			t.Errorf("%s: %s", list, a)
		}
	}
	if a := l.ask("POST", "/devices/SIM1/tap", tap, others...); a.status != 200 {
		t.Errorf("before it: %s", a)
	}
	if a := l.ask("DELETE", path, nil, others...); a.status != 204 {
		t.Error(a)
	}
	if a := l.ask("DELETE", path, nil, append(others, "X-Lease", lease)...); a.status != 204 ||
		strings.Count(string(l.ask("GET", path, nil, mine...).body), "the demo") != 1 {
		t.Errorf("taken back by who has the id: %s, %s", a, l.ask("GET", path, nil, mine...))
	}
	eventually(t, "it is made before it begins", func() bool {
		made = l.ask("POST", "/devices/SIM2/lease",
			map[string]any{"holder": "ada", "from": time.Now().Add(300 * time.Millisecond), "until": now.Add(time.Hour)},
			mine...)
		return made.status == 200
	})
	show := append(mine, "X-Lease", made.json(t)["lease"].(string))
	eventually(t, "it begins", func() bool {
		a := l.ask("POST", "/devices/SIM2/tap", tap, others...)
		return a.status == 409 && strings.Contains(string(a.body), "ada")
	})
	if a := l.ask("POST", "/devices/SIM2/tap", tap, mine...); a.status != 409 {
		t.Errorf("its credential without its id: %s", a)
	}
	if a := l.ask("POST", "/devices/SIM2/tap", tap, show...); a.status != 200 {
		t.Errorf("its holder: %s", a)
	}
	if a := l.ask("POST", "/devices/SIM2/tap", tap, others...); a.status != 409 ||
		a.json(t)["until"] != now.Add(time.Hour).Format(time.RFC3339) {
		t.Errorf("others are told until when: %s", a)
	}
	if a := l.ask("DELETE", "/devices/SIM2/lease", nil, show...); a.status != 204 {
		t.Error(a)
	}
	if a := l.ask("POST", "/devices/SIM2/tap", tap, others...); a.status != 200 {
		t.Errorf("after it was given back: %s", a)
	}
}

// TestLeases: only the holder can use a leased device, others see who it is, and the lease ends with its time.
func TestLeases(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1, withAuth)
	tap := map[string]any{"label": "Login"}
	mine, others := []string{"X-API-Key", key}, []string{"X-API-Key", other}
	path := "/devices/SIM1/lease"
	if a := l.ask("GET", path, nil, mine...); a.status != 200 || a.json(t)["leased"] != false {
		t.Fatal(a)
	}
	lease := l.ask("POST", path, map[string]any{"ttlSeconds": 600}, mine...)
	if lease.status != 200 || lease.json(t)["lease"] == "" {
		t.Fatal(lease)
	}
	if a := l.ask("POST", "/devices/SIM1/tap", tap, mine...); a.status != 200 {
		t.Errorf("the holder: %s", a)
	}
	for _, c := range [][2]string{{"POST", "/devices/SIM1/tap"}, {"GET", "/devices/SIM1/screenshot"},
		{"GET", "/devices/SIM1/tree"}, {"GET", "/devices/SIM1/logs"}, {"POST", path}, {"DELETE", path}} {
		var body any
		if c[0] == "POST" {
			body = "{}"
		}
		if c[1] == "/devices/SIM1/tap" {
			body = tap
		}
		a := l.ask(c[0], c[1], body, others...)
		if a.status != 409 || a.code() != "device_busy" || a.json(t)["holder"] == nil || a.json(t)["until"] == nil {
			t.Errorf("%s %s of another one: %s", c[0], c[1], a)
		}
	}
	if text := string(l.ask("GET", path, nil, others...).body); !strings.Contains(text, `"leased":true`) ||
		strings.Contains(text, lease.json(t)["lease"].(string)) {
		t.Errorf("the lease as others see it: %s", text)
	}
	longer := l.ask("POST", path, map[string]any{"ttlSeconds": 3600}, mine...)
	was, err := time.Parse(time.RFC3339Nano, lease.json(t)["until"].(string))
	if err != nil {
		t.Fatal(err)
	}
	is, err := time.Parse(time.RFC3339Nano, longer.json(t)["until"].(string))
	if err != nil || is.Sub(was) < 8*time.Minute {
		t.Errorf("until %s, then %s", was, is)
	}
	// A client that sends the lease's ID can use the device, with any credential.
	if a := l.ask("POST", "/devices/SIM1/tap", tap, "X-API-Key", other, "X-Lease",
		longer.json(t)["lease"].(string)); a.status != 200 {
		t.Error(a)
	}
	if a := l.ask("DELETE", path, nil, mine...); a.status != 204 {
		t.Error(a)
	}
	if a := l.ask("DELETE", path, nil, mine...); a.status != 204 {
		t.Errorf("once more: %s", a)
	}
	if a := l.ask("POST", "/devices/SIM1/tap", tap, others...); a.status != 200 {
		t.Errorf("after the release: %s", a)
	}
	for _, body := range []string{`{"ttlSeconds": 0}`, `{"ttlSeconds": 100000}`, `{"ttlSeconds": 7200}`,
		`{"holder": "a\nb"}`, `{"holder": "<b>"}`, `{"ttl": 5}`} {
		if a := l.ask("POST", path, body, mine...); a.status != 400 {
			t.Errorf("%s: %s", body, a)
		}
	}
	if a := l.ask("POST", "/devices/NOBODY/lease", nil, mine...); a.status != 404 {
		t.Error(a)
	}
}

// TestDurationsInBodies: a duration is a number of milliseconds or a text with its unit, the older names in seconds and
// milliseconds stay, and both together are refused by name.
func TestDurationsInBodies(t *testing.T) {
	t.Parallel()
	l, lease := newLab(t, 1), ""
	for _, c := range []struct {
		path, body, want string
		status           int
	}{
		{"/devices/SIM1/lease", `{"ttl": "1m30s"}`, `"lease"`, 200},
		{"/devices/SIM1/wait-stable", `{"timeout": "5s"}`, `"passed":true`, 200},
		{"/devices/SIM1/wait-stable", `{"timeoutMs": 5000}`, `"passed":true`, 200},
		{"/devices/SIM1/wait-stable", `{"timeout": 5000}`, `"passed":true`, 200},
		{"/devices/SIM1/wait-stable", `{"timeout": "5s", "timeoutMs": 5000}`,
			`\"timeout\" and \"timeoutMs\" are the same`, 400},
		{"/devices/SIM1/wait-stable", `{"timeout": "5 sec"}`, "write 5s", 400},
		{"/devices/SIM1/long-press", `{"label": "x", "duration": "2m"}`, "at most 1m", 400},
		{"/devices/SIM1/lease", `{"ttl": "1m", "ttlSeconds": 60}`, `\"ttl\" and \"ttlSeconds\" are the same`, 400},
		{"/devices/SIM1/lease", `{"ttl": 5}`, "body.ttl: at least 1s", 400},
		{"/devices/SIM1/lease", `{"ttl": "2h"}`, "body.ttl: at most 1h", 400},
		{"/devices/SIM1/lease", `{"ttl": "2 hours"}`, "write 2h", 400},
		{"/devices/SIM1/lease", `{"ttl": "soon"}`, "write 5s, 1m30s, or milliseconds", 400},
		{"/devices/SIM1/lease", `{"ttlSeconds": 7200}`, "body.ttlSeconds: at most 1h", 400},
		{"/devices/SIM1/recording", `{"max": "31m"}`, "body.max: at most 30m", 400},
		{"/runs", `{"tests": ["a"], "timeout": "2h"}`, "body.timeout: at most 1h", 400},
		{"/runs", `{"tests": ["a"], "timeout": "5s", "timeoutMs": 1}`, `are the same`, 400},
	} {
		var with []string
		if strings.HasSuffix(c.path, "wait-stable") || strings.HasSuffix(c.path, "long-press") {
			with = []string{"X-Lease", lease}
		}
		a := l.ask("POST", c.path, c.body, with...)
		if a.status != c.status || !strings.Contains(string(a.body), c.want) {
			t.Errorf("%s %s: %s", c.path, c.body, a)
		}
		if id, _ := a.json(t)["lease"].(string); id != "" {
			lease = id
		}
	}
}

// TestLeasesWithoutAuthentication: clients without a credential send the lease's ID.
func TestLeasesWithoutAuthentication(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	lease := l.ask("POST", "/devices/SIM1/lease", map[string]any{"holder": "job 7", "ttlSeconds": 3600})
	id, _ := lease.json(t)["lease"].(string)
	if lease.status != 200 || id == "" {
		t.Fatal(lease)
	}
	tap := map[string]any{"label": "Login"}
	if a := l.ask("POST", "/devices/SIM1/tap", tap); a.status != 409 || !strings.Contains(string(a.body), "job 7") {
		t.Error(a)
	}
	if a := l.ask("POST", "/devices/SIM1/tap", tap, "X-Lease", "nonsense"); a.status != 409 {
		t.Error(a)
	}
	if a := l.ask("POST", "/devices/SIM1/tap", tap, "X-Lease", id); a.status != 200 {
		t.Error(a)
	}
	if a := l.ask("POST", "/devices/SIM1/lease", map[string]any{"ttlSeconds": 1}, "X-Lease", id); a.status != 200 ||
		a.json(t)["lease"] != id {
		t.Errorf("a renewal: %s", a)
	}
	eventually(t, "the lease ends by itself",
		func() bool { return l.ask("GET", "/devices/SIM1/lease", nil).json(t)["leased"] == false })
	if a := l.ask("POST", "/devices/SIM1/tap", tap); a.status != 200 {
		t.Error(a)
	}
}

// TestLeaseOfAnUnpluggedPhone: the holder can release it, and lease it again when it is plugged in.
func TestLeaseOfAnUnpluggedPhone(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	path := "/devices/SIM1/lease"
	id, _ := l.ask("POST", path, map[string]any{"ttlSeconds": 3600}).json(t)["lease"].(string)
	l.phones[0].Close()
	if a := l.ask("POST", "/devices/SIM1/tap", map[string]any{"label": "Login"}, "X-Lease", id); a.status != 502 ||
		a.code() != "device_error" {
		t.Error(a)
	}
	if a := l.ask("GET", path, nil); a.status != 200 || a.json(t)["leased"] != true {
		t.Error(a)
	}
	if a := l.ask("DELETE", path, nil); a.status != 409 {
		t.Errorf("without the lease's id: %s", a)
	}
	if a := l.ask("DELETE", path, nil, "X-Lease", id); a.status != 204 {
		t.Error(a)
	}
	if a := l.ask("GET", path, nil); a.status != 404 && a.json(t)["leased"] != false {
		t.Error(a)
	}
}

// TestNoModel: without a model, actions that need one fail with that reason, and the device does not change.
func TestNoModel(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.hold("SIM1")
	if a := l.ask("POST", "/devices/SIM1/assert-visual", map[string]any{"prompt": "a button"}); a.status != 502 ||
		a.code() != "vision_error" || !strings.Contains(string(a.body), "OPENAI_API_KEY") {
		t.Error(a)
	}
	if a := l.ask("GET", "/devices/SIM1", nil); a.json(t)["open"] != true {
		t.Errorf("it was closed: %s", a)
	}
}
