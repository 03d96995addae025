package cli

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/internal/result/runtest"
)

// reportProject is a project with one run of recorded packs; those of finished cases are complete.
type reportProject struct {
	dir, run string
	env      map[string]string
}

func newReportProject(t *testing.T) *reportProject {
	t.Helper()
	p := &reportProject{dir: t.TempDir(), env: map[string]string{}}
	events := runtest.Glob(t, "event/testdata/events/*.ndjson")
	reports := filepath.Join(p.dir, "tests", "reports")
	p.run = filepath.Join(reports, runtest.Name)
	for name, text := range map[string]string{"go.mod": "module x\n", "tests/reports/notes.txt": "x"} {
		putReportFile(t, filepath.Join(p.dir, filepath.FromSlash(name)), text)
	}
	if err := os.CopyFS(p.run, os.DirFS(runtest.Lay(t, events...))); err != nil {
		t.Fatal(err)
	}
	return p
}

func putReportFile(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// report runs one command and returns its output and its exit code.
func (p *reportProject) report(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	env := &process.Env{
		Args:   append([]string{"report"}, args...),
		Stdin:  strings.NewReader(""),
		Stdout: &out,
		Stderr: &errs,
		Dir:    p.dir,
		Getenv: func(name string) string { return p.env[name] },
	}
	for name, value := range p.env {
		env.Environ = append(env.Environ, name+"="+value)
	}
	code = Run(t.Context(), env)
	return out.String(), errs.String(), code
}

func (p *reportProject) want(t *testing.T, wantCode int, wantText string, args ...string) string {
	t.Helper()
	out, errs, code := p.report(t, args...)
	if code != wantCode || !strings.Contains(out+errs, wantText) {
		t.Fatalf("report %s: exit code %d, want %d and %q\n%s%s", strings.Join(args, " "), code, wantCode, wantText,
			out, errs)
	}
	return out
}

func (p *reportProject) seal(t *testing.T) {
	t.Helper()
	p.want(t, 0, "killed: interrupted", "seal")
}

func TestReportSealAndVerify(t *testing.T) {
	t.Parallel()
	p := newReportProject(t)
	p.want(t, 1, "summary.json: is missing", "verify", "latest/killed")
	p.seal(t)
	p.want(t, 0, "no run has an unfinished report", "seal")
	p.want(t, 0, "packs checked: 1, all complete", "verify", "latest/killed")
	p.want(t, 0, "packs checked: 2, all complete", "verify", runtest.Name+"/killed",
		filepath.Join("tests", "reports", runtest.Name, "ios-only"))
	p.want(t, 1, "recording.mp4: is missing, but named in the events", "verify")
	p.want(t, 1, "recording.mp4: is missing, but named in the events", "verify", filepath.Join("tests", "reports",
		"latest"))
	p.want(t, 2, "there is no run other/latest in", "verify", "other/latest")
	putReportFile(t, filepath.Join(p.run, "killed", "run.md"), "changed")
	p.want(t, 1, "packs checked: 1, with problems: 1", "verify", "latest/killed")
	for _, name := range []string{"junit.xml", "ctrf.json", "run.json", "summary.md"} {
		if _, err := os.Stat(filepath.Join(p.run, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestReportExport(t *testing.T) {
	t.Parallel()
	p := newReportProject(t)
	for format, want := range map[string]string{"junit": "<testsuite ", "ctrf": `"reportFormat": "CTRF"`,
		"github":  "::error file=suites/failing/login.yaml,line=7",
		"summary": "## What went wrong", "json": `"format": "taproot.run/1"`} {
		for _, run := range []string{"", "latest", runtest.Name, p.run} {
			args := []string{"export", "--format", format}
			if run != "" {
				args = append(args, run)
			}
			if out := p.want(t, 0, want, args...); !strings.Contains(out, "login.yaml:7") {
				t.Errorf("%s does not say where", format)
			}
		}
	}
	if out := p.want(t, 0, "", "export", "--format", "junit", "--out", "x.xml"); out != "" {
		t.Errorf("%s", out)
	}
	if data, err := os.ReadFile(filepath.Join(p.dir, "x.xml")); err != nil || !bytes.HasPrefix(data, []byte("<?xml")) {
		t.Error(err)
	}
}

func TestReportUsage(t *testing.T) {
	t.Parallel()
	p := newReportProject(t)
	for want, args := range map[string][]string{
		"--format is required":           {"export"},
		`unknown format "html"`:          {"export", "--format", "html"},
		"no run 2020-01-01T00-00-00":     {"export", "--format", "junit", "2020-01-01T00-00-00"},
		"no run ../../etc":               {"verify", "../../etc"},
		"no pack nothing":                {"verify", "latest/nothing"},
		"no command \"burn\"":            {"burn"},
		"set TAPROOT_URL":                {"upload"},
		"no chat is configured":          {"notify", "--dry-run"},
		"unknown flag":                   {"prune", "--all"},
		"accepts at most 1 arg":          {"notify", "a", "b"},
		"is a folder":                    {"export", "--format", "junit", "--out", "."},
		"there are no reports":           {"verify", "--reports", "none"},
		"NOTIFY_URLS is not a URL":       {"notify"},
		"REPORT_MAX_RUNS=\"0\": use a w": {"prune"},
	} {
		p.env = map[string]string{}
		switch args[0] {
		case "notify":
			if len(args) == 1 {
				p.env["NOTIFY_URLS"] = "s3cret"
			}
		case "prune":
			p.env["REPORT_MAX_RUNS"] = "0"
		}
		p.want(t, 2, want, args...)
	}
}

// Every command has a help text.
func TestReportHelp(t *testing.T) {
	t.Parallel()
	p := newReportProject(t)
	p.want(t, 0, "Exit codes", "--help")
	p.want(t, 0, "Exit codes")
	var check func(c *cobra.Command)
	check = func(c *cobra.Command) {
		if c.Long == "" || c.Short == "" {
			t.Errorf("%s says nothing", c.Name())
		}
		for _, sub := range c.Commands() {
			check(sub)
		}
	}
	root, _, err := newRootCommand(&process.Env{Getenv: func(string) string { return "" }}).Find([]string{"report"})
	if err != nil {
		t.Fatal(err)
	}
	check(root)
}

func TestReportPrune(t *testing.T) {
	t.Parallel()
	p := newReportProject(t)
	old := filepath.Join(filepath.Dir(p.run), "2001-01-01T00-00-00")
	putReportFile(t, filepath.Join(old, ".live"), "")
	putReportFile(t, filepath.Join(p.run, ".keep"), "")
	p.want(t, 0, "would remove 2001-01-01T00-00-00: older than 30 days", "prune", "--dry-run")
	if _, err := os.Stat(old); err != nil {
		t.Error("a dry run removes:", err)
	}
	putReportFile(t, filepath.Join(p.dir, ".env"), "REPORT_MAX_DAYS=many\n")
	p.want(t, 2, "many", "prune")
	putReportFile(t, filepath.Join(p.dir, ".env"), "REPORT_MAX_DAYS=36500\n")
	p.want(t, 0, "no run is older than 36500 days", "prune")
	p.env["REPORT_MAX_DAYS"] = "30"
	p.want(t, 0, "removed 2001-01-01T00-00-00", "prune")
	if _, err := os.Stat(old); err == nil {
		t.Error("it is still there")
	}
	if _, err := os.Stat(p.run); err != nil {
		t.Error(err)
	}
}

func TestReportPack(t *testing.T) {
	t.Parallel()
	p := newReportProject(t)
	p.want(t, 3, "not complete", "pack", "latest/killed")
	p.seal(t)
	out := p.want(t, 0, "killed.tar.gz", "pack", "latest/killed")
	data, err := os.Open(strings.TrimSpace(out))
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	zip, err := gzip.NewReader(data)
	if err != nil {
		t.Fatal(err)
	}
	first, err := tar.NewReader(zip).Next()
	if err != nil || first.Name != "killed/" {
		t.Error(first, err)
	}
	if err := os.Symlink("/etc/hostname", filepath.Join(p.run, "ios-only", "link")); err != nil {
		t.Fatal(err)
	}
	p.want(t, 3, "link is a link", "pack", "latest/ios-only")
}

// An upload that failed continues where it stopped.
func TestReportUpload(t *testing.T) {
	t.Parallel()
	const key = "tk_0123456789"
	p := newReportProject(t)
	p.seal(t)
	var got []string
	broken := true
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, head, err := r.FormFile("pack")
		if err != nil || r.Header.Get("Authorization") != "Bearer "+key {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if len(got) == 2 && broken {
			w.WriteHeader(http.StatusForbidden)
			io.WriteString(w, `{"error":"forbidden","message":"not `+key+`"}`)
			return
		}
		got = append(got, strings.TrimSuffix(head.Filename, ".tar.gz"))
		w.WriteHeader(http.StatusCreated)
		io.WriteString(w, `{"run":"2026-03-04T05-06-07","pack":"x","digest":"00","url":"/reports/2026-03-04T05-06-07/x"}`)
	}))
	defer service.Close()
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	p.env["TAPROOT_URL"] = service.URL
	p.want(t, 2, "set TAPROOT_API_KEY", "upload")
	p.env["TAPROOT_API_KEY"] = key
	out, errs, code := p.report(t, "upload")
	if code != 3 || !strings.Contains(errs, "403: forbidden") || !strings.Contains(errs, "continues after the packs") ||
		strings.Contains(out+errs, key) {
		t.Errorf("%d %s%s", code, out, errs)
	}
	broken = false
	out = p.want(t, 0, "killed was uploaded before", "upload")
	if len(got) != 6 || strings.Count(out, "was uploaded before") != 2 {
		t.Errorf("%q\n%s", got, out)
	}
	p.want(t, 0, "killed uploaded, ", "upload", "latest/killed", "--again")
	if list, err := pack.ReadUploads(p.run); err != nil || len(list) != 6 {
		t.Error(list, err)
	}
}

func TestReportNotify(t *testing.T) {
	t.Parallel()
	p := newReportProject(t)
	answer := "ok"
	var bodies []string
	chat := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		bodies = append(bodies, string(body))
		io.WriteString(w, answer)
	}))
	defer chat.Close()
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	p.env["SLACK_WEBHOOK_URL"] = chat.URL + "/T0KEN-T0KEN#secret=hush-hush"
	p.env["NOTIFY_URLS"] = "https://open.feishu.cn/open-apis/bot/v2/hook/T0KEN-T0KEN#secret=hush-hush"
	p.env["TAPROOT_REPORT_URL"] = "https://ci.example/{run}"
	out := p.want(t, 0, "# slack (SLACK_WEBHOOK_URL)", "notify", "--dry-run")
	if len(bodies) != 0 || strings.Contains(out, "T0KEN") || strings.Contains(out, "hush") ||
		strings.Contains(out, chat.URL) || !strings.Contains(out, "https://ci.example/"+runtest.Name) {
		t.Error(out)
	}
	_, message, _ := strings.Cut(out, "# slack (SLACK_WEBHOOK_URL)\n")
	message, _, _ = strings.Cut(message, "\n# ")
	if !json.Valid([]byte(message)) {
		t.Errorf("%s", message)
	}
	delete(p.env, "NOTIFY_URLS")
	p.want(t, 0, "slack (SLACK_WEBHOOK_URL) received the message", "notify", runtest.Name)
	if len(bodies) != 1 {
		t.Error(bodies)
	}
	answer = "no_team"
	p.want(t, 3, "did not receive the message: 200, but not accepted: no_team", "notify")
}
