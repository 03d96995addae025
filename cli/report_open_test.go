package cli

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/reporters"
	"github.com/taproot-dev/taproot/runner/run"
)

func TestReportOpen(t *testing.T) {
	t.Parallel()
	p := newReportProject(t)
	if _, err := run.Merged(t.Context(), p.run, reporters.Options{Quiet: true}); err != nil {
		t.Fatal(err)
	}
	putReportFile(t, filepath.Join(p.run, "login-ok", "artifacts", "evil.html"), "<script>1</script>")
	ctx, cancel := context.WithCancel(t.Context())
	out, write := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- Run(ctx, &process.Env{Args: []string{"report", "open", "latest/login-ok"}, Stdin: strings.NewReader(""),
			Stdout: write, Stderr: io.Discard, Dir: p.dir, Getenv: func(string) string { return "" }})
		_ = write.Close()
	}()
	address, err := bufio.NewReader(out).ReadString('\n')
	address = strings.TrimSpace(address)
	if err != nil || !strings.HasSuffix(address, "/2026-03-04T05-06-07/login-ok/report.html") {
		t.Fatal(address, err)
	}
	get := func(address, host string) (*http.Response, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		res, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res, string(body)
	}
	host := strings.TrimPrefix(address[:strings.LastIndex(address, "/2026")], "http://")
	if res, body := get(address, ""); res.StatusCode != 200 || !strings.Contains(body, "login-ok") ||
		res.Header.Get("Content-Security-Policy") != "" {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
	if res, _ := get(strings.Replace(address, "report.html", "artifacts/evil.html", 1), ""); res.StatusCode != 200 ||
		res.Header.Get("Content-Security-Policy") != "sandbox" {
		t.Errorf("what a test saved runs as a page of ours: %v", res.Header)
	}
	if res, body := get(address, "rebound.example"); res.StatusCode != http.StatusForbidden ||
		strings.Contains(body, "login-ok") {
		t.Errorf("another name of the machine gets %d", res.StatusCode)
	}
	if res, _ := get("http://"+host+"/2026-03-04T05-06-07/.live", ""); res.StatusCode != http.StatusNotFound {
		t.Errorf("a hidden file: %d", res.StatusCode)
	}
	if res, body := get("http://"+host+"/trace/", ""); res.StatusCode != 200 || !strings.Contains(body, "Playwright") {
		t.Errorf("Playwright's viewer: %d", res.StatusCode)
	}
	cancel()
	if c := <-code; c != 0 {
		t.Errorf("exit code %d", c)
	}
	p.want(t, 2, "there is no page", "open", "latest/none")
}
