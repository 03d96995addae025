package server_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/taproot-dev/taproot/internal/blob"
	"github.com/taproot-dev/taproot/internal/blob/blobtest"
	"github.com/taproot-dev/taproot/internal/store/storetest"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/server"
	"github.com/taproot-dev/taproot/server/internal/service"
)

// tarOf creates an archive of files.
func tarOf(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	out := tar.NewWriter(zip)
	for name, text := range files {
		if err := out.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(text)),
			Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// foreignPack is the smallest valid pack, of a test with an ID.
func foreignPack(t testing.TB, id string) []byte {
	t.Helper()
	return tarOf(t,
		map[string]string{
			id + "/summary.json": fmt.Sprintf(
				`{"id": %q, "result": "pass", "duration_ms": 1, "steps": 1, "steps_passed": 1, "steps_failed": 0, "screenshots": `+
					`0, "artifacts": []}`, id)})
}

// replica is one of several servers of one service.
type replica struct {
	*lab
	key string
}

func (r *replica) as(method, path string, body any, headers ...string) answer {
	r.t.Helper()
	return r.ask(method, path, body, append([]string{"X-API-Key", r.key}, headers...)...)
}

func (r *replica) sendPart(path, part string, data []byte) answer {
	r.t.Helper()
	body, kind := form(r.t, part, part+".tar.gz", data)
	return r.as("POST", path, body, "Content-Type", kind)
}

// runs returns the names of the project's runs.
func (r *replica) runs() string { r.t.Helper(); return string(r.as("GET", "/api/reports", nil).body) }

// TestReplicasShareReports: what one of several servers stores is available on all, also on one that starts with empty
// folders; what one deletes is deleted on all.
func TestReplicasShareReports(t *testing.T) {
	t.Parallel()
	t.Run("sqlite and a folder", func(t *testing.T) {
		testutil.Leave(t, "the same with PostgreSQL and S3, and TestSharedFolderOfOld with a folder")
		dir := t.TempDir()
		shareReports(t, storetest.SQLite(t), dir, nil)
	})
	t.Run("postgres and s3", func(t *testing.T) {
		s3 := blobtest.Start(t)
		shareReports(t, storetest.Postgres(t), s3.Address("/taproot"), s3)
	})
}

func shareReports(t *testing.T, database, address string, s3 *blobtest.Server) {
	bucket, err := blob.Open(address, s3.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	var person *service.Person
	var made service.MadeKey
	var token string
	start := func(phones int) *replica {
		s, with := withService(t, database)
		if person == nil {
			person, token = newAccount(t, s, "ada@example.com")
			project, err := person.Project(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			if made, err = project.CreateKey(t.Context(), service.NewKey{Name: "CI", Scopes: []string{"*"}}); err != nil {
				t.Fatal(err)
			}
		}
		return &replica{newLab(t, phones, with, func(o *server.Options) { o.Bucket = bucket }), made.Secret}
	}
	one, two := start(1), start(0)

	// Tests.
	if a := one.sendPart("/api/tests", "tests",
		tarOf(t, map[string]string{"a.yaml": "id: first\nplatform: android\nsteps:\n  - assert: Login\n"})); a.status != 200 {
		t.Fatal(a)
	}
	if a := two.sendPart("/api/tests", "tests",
		tarOf(t, map[string]string{"quick.yaml": strings.Replace(shortRun, "quick", "second", 1)})); a.status != 200 {
		t.Fatal(a)
	}
	for _, r := range []*replica{one, two} {
		if a := r.as("GET", "/api/tests", nil); strings.Contains(string(a.body), "first") ||
			!strings.Contains(string(a.body), "second") {
			t.Errorf("the tests that were sent last: %s", a)
		}
	}

	// A run of them.
	a := one.as("POST", "/api/runs", map[string]any{"tests": []string{"second"}})
	if a.status != 202 {
		t.Fatal(a)
	}
	run := a.json(t)["id"].(string)
	eventually(t, "the run has ended",
		func() bool { return one.as("GET", "/api/runs/"+run, nil).json(t)["state"] == "ended" })
	was, is := one.as("GET", "/api/runs/"+run, nil), two.as("GET", "/api/runs/"+run, nil)
	if is.status != 200 || is.json(t)["result"] != "pass" || is.json(t)["by"] != was.json(t)["by"] {
		t.Errorf("a run of the other server: %s, there %s", is, was)
	}
	for _, file := range []string{"/index.html", "/second", "/second/summary.json", "/second.tar.gz"} {
		if here, there := two.as("GET", "/api/reports/"+run+file, nil), one.as("GET", "/api/reports/"+run+file,
			nil); here.status != 200 || !bytes.Equal(here.body, there.body) {
			t.Errorf("%s: %s", file, here)
		}
	}

	// Packs, of one second, through both.
	var mu sync.Mutex
	names := map[string]string{}
	var all sync.WaitGroup
	for i := range 6 {
		r, id := []*replica{one, two}[i%2], fmt.Sprintf("pack%d", i)
		archive := foreignPack(t, id)
		all.Go(func() {
			a := r.sendPart("/api/reports/upload", "pack", archive)
			if a.status != 201 {
				t.Error(a)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			name := a.json(t)["run"].(string)
			if names[name] != "" {
				t.Errorf("%s and %s lie in one run, %s", names[name], id, name)
			}
			names[name] = id
		})
	}
	all.Wait()
	for name, id := range names {
		for _, r := range []*replica{one, two} {
			if a := r.as("GET", "/api/reports/"+name+"/"+id+"/summary.json", nil); a.status != 200 || a.json(t)["id"] != id {
				t.Errorf("%s: %s", id, a)
			}
		}
	}
	if a, b := one.runs(), two.runs(); a != b || strings.Count(a, "pack") < 6 {
		t.Errorf("one server has\n%s\nthe other\n%s", a, b)
	}
	if a := two.sendPart("/api/reports/upload", "pack", foreignPack(t, "pack0")); a.status != 200 ||
		names[a.json(t)["run"].(string)] != "pack0" {
		t.Errorf("a pack that the other server took: %s", a)
	}

	// Deleted data stays deleted, and the rest is available on a new server.
	var gone string
	for gone = range names {
		break
	}
	if a := two.as("DELETE", "/api/reports/"+gone, nil); a.status != 204 {
		t.Error(a)
	}
	// It may still be visible within a second of the last check of the bucket.
	if a := one.as("GET", "/api/reports/"+gone+"/index.html", nil); a.status != 404 && a.status != 200 {
		t.Error(a)
	}
	if strings.Contains(one.runs(), gone) {
		t.Error("a run that another server deleted is still listed")
	}
	three := start(0)
	if a, b := one.runs(), three.runs(); a != b {
		t.Errorf("a new server has\n%s\nnot\n%s", b, a)
	}
	if a := three.as("GET", "/api/tests", nil); !strings.Contains(string(a.body), "second") {
		t.Error(a)
	}
	if s3 != nil {
		storeIsDown(t, s3, one, two)
	}

	// Limits apply on all servers; a deleted project leaves nothing.
	id := person.Account.ID
	project, err := person.Project(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if a := one.ask("POST", "/api/projects/"+project.ID, map[string]any{"reportRuns": 3}, "Authorization", "Bearer "+
		token); a.status != 200 {
		t.Fatal(a, id)
	}
	if a := one.sendPart("/api/reports/upload", "pack", foreignPack(t, "newest")); a.status != 201 {
		t.Error(a)
	}
	for _, r := range []*replica{one, two, three} {
		if list := r.runs(); strings.Count(list, `"run"`) != 3 || !strings.Contains(list, "newest") {
			t.Errorf("after the limit became 3: %s", list)
		}
	}
	if a := two.ask("DELETE", "/api/projects/"+project.ID, nil, "Authorization", "Bearer "+token); a.status != 204 {
		t.Error(a)
	}
	if names, err := bucket.List(t.Context(), "projects/"+project.ID+"/"); err != nil || len(names) != 0 {
		t.Errorf("of a project that was deleted: %v, %v", names, err)
	}
}

// storeIsDown: a pack that could not be stored is not acknowledged, and is stored when it is sent again.
func storeIsDown(t *testing.T, s3 *blobtest.Server, one, two *replica) {
	before := len(s3.Names())
	s3.Down(true)
	for what, a := range map[string]answer{"an upload": one.sendPart("/api/reports/upload", "pack",
		foreignPack(t, "late")), "a list": two.as("GET", "/api/reports", nil)} {
		if a.status != 503 || a.code() != "unavailable" || a.header.Get("Retry-After") == "" ||
			strings.Contains(string(a.body), s3.URL) {
			t.Errorf("%s while the store is down: %s %v", what, a, a.header)
		}
	}
	s3.Down(false)
	if a := one.sendPart("/api/reports/upload", "pack", foreignPack(t, "late")); a.status != 200 && a.status != 201 {
		t.Error(a)
	}
	if !strings.Contains(two.runs(), `"late"`) || len(s3.Names()) != before+1 {
		t.Errorf("the store was down: %v", s3.Names())
	}
}

// TestSharedFolderOfOld: reports and tests from before the bucket existed are shared, too, and so is what a killed
// server left.
func TestSharedFolderOfOld(t *testing.T) {
	t.Parallel()
	database, dir := storetest.SQLite(t), t.TempDir()
	bucket, err := blob.Open(dir, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	s, with := withService(t, database)
	person, token := newAccount(t, s, "ada@example.com")
	var o server.Options
	l := newLab(t, 0, with, func(options *server.Options) { o = *options })
	ask := func(method, path string, body any, headers ...string) answer {
		return l.ask(method, path, body, append(headers, "Authorization", "Bearer "+token)...)
	}
	for path, data := range map[string][]byte{"/reports/upload": foreignPack(t, "old"),
		"/tests": tarOf(t, map[string]string{"quick.yaml": shortRun, ".hidden/note": "x"})} {
		part := map[string]string{"/tests": "tests", "/reports/upload": "pack"}[path]
		body, kind := form(t, part, part+".tar.gz", data)
		if a := ask("POST", path, body, "Content-Type", kind); a.status/100 != 2 {
			t.Fatal(a)
		}
	}
	if err := l.server.Close(); err != nil {
		t.Fatal(err)
	}
	o.Bucket = bucket
	if l.server, err = server.New(o); err != nil {
		t.Fatal(err)
	}
	l.http.Config.Handler = l.server.Handler()
	if a := ask("GET", "/reports", nil); !strings.Contains(string(a.body), `"old"`) {
		t.Error(a)
	}
	project, err := person.Project(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	names, err := bucket.List(t.Context(), "projects/"+project.ID+"/")
	if err != nil || len(names) != 2 {
		t.Errorf("%v, %v", names, err)
	}
	if err := os.RemoveAll(filepath.Join(o.Projects, project.ID)); err != nil {
		t.Fatal(err)
	}
	if err := l.server.Close(); err != nil {
		t.Fatal(err)
	}
	if l.server, err = server.New(o); err != nil {
		t.Fatal(err)
	}
	l.http.Config.Handler = l.server.Handler()
	for path, want := range map[string]string{"/reports": `"old"`, "/tests": `"quick"`} {
		if a := ask("GET", path, nil); !strings.Contains(string(a.body), want) {
			t.Errorf("a server without folders: %s: %s", path, a)
		}
	}
}
