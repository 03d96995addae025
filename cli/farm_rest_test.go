package cli_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// restClient is a server with the key for it.
type restClient struct {
	*served
	t   *testing.T
	key string
}

func (s restClient) get(into any, method, path, body string) asked {
	s.t.Helper()
	a := s.with(s.key, method, "/api"+path, body)
	if a.status >= 300 || json.Unmarshal([]byte(a.body), into) != nil {
		s.t.Fatalf("%s %s: %d %s", method, path, a.status, a.body)
	}
	return a
}

// restRun is the record of a run.
type restRun struct {
	ID, State, Result, Why string
	Cases                  []struct{ Pack, Test, State, Result, Problem, Device, Why string }
}

func (s restClient) run(body string) (r restRun) {
	s.t.Helper()
	s.get(&r, "POST", "/runs", body)
	return r
}

// follow returns what the server reports of a run until its end: the record, the names of its events, and of the files
// of its packs.
func (s restClient) follow(id string) (r restRun, list []string) {
	s.t.Helper()
	events := s.with(s.key, "GET", "/api/runs/"+id+"/events", "")
	for _, m := range regexp.MustCompile(`(?m)^event: (.*)$`).FindAllStringSubmatch(events.body, -1) {
		if m[1] != "run" { // the number of these events varies
			list = append(list, "event "+m[1])
		}
	}
	s.get(&r, "GET", "/runs/"+id, "")
	for _, c := range r.Cases {
		list = append(list, fmt.Sprint(c.Pack, " ", c.Test, " ", c.State, " ", c.Result, " ", c.Problem))
		var files struct{ Files []struct{ Path string } }
		s.get(&files, "GET", "/reports/"+id+"/"+c.Pack, "")
		for _, f := range files.Files {
			list = append(list, c.Pack+"/"+f.Path)
		}
		if a := s.with(s.key, "GET", "/api/reports/"+id+"/"+c.Pack+"/run.md", ""); a.status != 200 ||
			!strings.Contains(a.body, c.Test) {
			s.t.Errorf("run.md of %s: %d", c.Pack, a.status)
		}
	}
	slices.Sort(list)
	return r, list
}

// sendTests copies the tests of a project into its folder.
func (s restClient) sendTests(files map[string]string) {
	s.t.Helper()
	var packed, form bytes.Buffer
	zip := gzip.NewWriter(&packed)
	out := tar.NewWriter(zip)
	var errs []error
	for name, text := range files {
		errs = append(errs, out.WriteHeader(&tar.Header{Name: name, Size: int64(len(text)), Mode: 0o644}))
		_, err := out.Write([]byte(text))
		errs = append(errs, err)
	}
	errs = append(errs, out.Close(), zip.Close())
	parts := multipart.NewWriter(&form)
	part, err := parts.CreateFormFile("tests", "tests.tar.gz")
	if err == nil {
		_, err = part.Write(packed.Bytes())
	}
	errs = append(errs, err, parts.Close())
	r, err := http.NewRequest("POST", s.url+"/api/tests", &form)
	if err = errors.Join(append(errs, err)...); err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", parts.FormDataContentType())
	r.Header.Set("Authorization", "Bearer "+s.key)
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer a.Body.Close()
	if a.StatusCode != 200 && a.StatusCode != 201 {
		s.t.Fatal(a.Status)
	}
}

// restOnFarm checks that runs of the API of a hub run on the phones of hosts, with the records, events, reports and
// results of runs on one machine.
func restOnFarm(t *testing.T, f *farm) {
	alone := newLab(t, 1)
	here, farm := restClient{alone.serve(), t, ""}, restClient{f.serve, t, f.key}
	text, err := json.Marshal(
		"id: ok\nplatform: android\nsteps:\n  - run: login.yaml\n---\nid: bad\nplatform: android\nvars: {WORD: none}\n" +
			"steps:\n" +
			" " +
			" " +
			"- " +
			"assert: {label: \"${WORD}\", timeoutMs: 0}\n")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"login.yaml": "id: login\nplatform: android\nsteps:\n  - assert: {label: Login, timeoutMs: 2000}\n",
		"rows.yaml":  "id: rows\nplatform: android\ndata: rows.csv\nsteps:\n  - assert: {label: \"${text}\", timeoutMs: 0}\n",
		"rows.csv":   "text\nLogin\nNothing like this\n"}
	for name, content := range files {
		alone.write(name, content)
	}
	farm.sendTests(files)
	bodies := []string{`{"noVideo": true, "vars": {"WORD": "Nowhere"}, "yaml": ` + string(text) + `}`,
		`{"noVideo": true, "tests": ["rows", "login"], "timeoutMs": 1000}`}
	if testing.Short() {
		bodies = bodies[:1]
	}
	for _, body := range bodies {
		_, want := here.follow(here.run(body).ID)
		r, got := farm.follow(farm.run(body).ID)
		if !slices.Equal(want, got) {
			t.Errorf("%s here:\n%s\n\non the farm:\n%s", body, strings.Join(want, "\n"), strings.Join(got, "\n"))
		}
		if r.State != "ended" || r.Result != "fail" || !strings.HasPrefix(r.Cases[0].Device, "SIM") {
			t.Errorf("%+v", r)
		}
	}

	long := farm.run(
		`{"noVideo": true, "yaml": "id: long\nplatform: android\nsteps:\n  - assert: Login\n  - sleep: 10m\n"}`)
	eventually(t, "it is under way", func() bool {
		var r restRun
		farm.get(&r, "GET", "/runs/"+long.ID, "")
		return r.Cases[0].State == "running"
	})
	var r restRun
	farm.get(&r, "DELETE", "/runs/"+long.ID, "")
	if r.State != "ended" || r.Result != "interrupted" || r.Cases[0].Device == "" {
		t.Errorf("cancelled: %+v", r)
	}
	waits := farm.run(`{"pool": "nowhere", "tests": ["login"]}`)
	eventually(t, "it waits for a pool that no host is in", func() bool {
		return strings.Contains(farm.with(f.key, "GET", "/api/farm", "").body, "pool nowhere is wanted")
	})
	farm.get(&r, "GET", "/runs/"+waits.ID, "")
	if r.State != "queued" || !strings.Contains(r.Why, "pool nowhere is wanted") || r.Cases[0].State != "queued" ||
		r.Cases[0].Why != r.Why {
		t.Errorf("while it waits: %+v", r)
	}
	r = restRun{}
	if farm.get(&r, "DELETE", "/runs/"+waits.ID, ""); r.Result != "interrupted" || r.Cases[0].Device != "" {
		t.Errorf("cancelled while it waits: %+v", r)
	}
	var tokens struct{ AccessToken string }
	restClient{f.serve, t, ""}.get(&tokens, "POST", "/auth/login",
		`{"email": "ada@example.com", "password": "a password of some length"}`)
	figures := f.serve.with(tokens.AccessToken, "GET", "/api/metrics", "").body
	has(t, "the figures", figures, `taproot_farm_cases_total{pool="lab",result="pack"}`,
		`taproot_farm_wait_seconds_count{pool="lab"}`, `taproot_farm_dispatch_seconds_count{pool="lab"}`,
		`taproot_farm_cases{state="waiting",pool="lab"} 0`, `taproot_farm_cases{state="running",pool="lab"} 0`,
		"taproot_farm_runs ", `taproot_farm_hosts{pool="lab",state="online"} 1`,
		`taproot_farm_devices{platform="android",pool="lab",use="`)
	if a := farm.with(f.key, "POST", "/api/farm/runs", `{"protocol": 99}`); a.status != 409 ||
		!strings.Contains(a.body, "update the hub") || !strings.Contains(a.body, `"error":"version_mismatch"`) {
		t.Errorf("a client of another version: %d %s", a.status, a.body)
	}
	if a := farm.with(f.key, "GET", "/api/farm/runs", ""); a.status != 405 ||
		!strings.Contains(a.body, `"error":"method_not_allowed"`) {
		t.Errorf("another method: %d %s", a.status, a.body)
	}
	if a := here.with("", "POST", "/api/runs", `{"pool": "lab", "tests": ["login"]}`); a.status != 422 &&
		a.status != 400 || !strings.Contains(a.body, "not a hub") {
		t.Errorf("a pool of a server that is not a hub: %d %s", a.status, a.body)
	}
}

// sharesOfFarm sets and prints the share of a project of the farm, as the operator.
func sharesOfFarm(t *testing.T, f *farm) {
	admin := func(args ...string) ended {
		return f.hub.taproot(append(append([]string{"admin"}, args...), "--data", "data")...)
	}
	listed := admin("shares")
	rows := strings.Split(strings.TrimSpace(listed.stdout), "\n")
	if len(rows) != 2 {
		t.Fatalf("%+v", listed)
	}
	project := strings.Fields(rows[1])[0]
	admin("share", project, "--weight", "3").exits(t, 0)
	admin("share", project, "--limit", "2").exits(t, 0)
	if got := strings.Fields(admin("share", project).stdout); !slices.Equal(got[5:],
		[]string{project, "3", "2", "0", "0"}) {
		t.Errorf("%q", got)
	}
	if out := admin("share", project, "--weight", "0"); out.code != 2 || !strings.Contains(out.stderr, "1 to 1000") {
		t.Errorf("%+v", out)
	}
	if out := admin("share", "prj_nobody"); out.code != 2 {
		t.Errorf("a project that is not there: %+v", out)
	}
	l := newLab(t, 0)
	l.env = append(l.env, "TAPROOT_API_KEY="+f.key)
	has(t, "farm status", l.taproot("farm", "status", "--hub", f.serve.url).stdout,
		"0 running, 0 waiting; weight 3, at most 2 at once")
}
