package github

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/runtest"
	"github.com/taproot-dev/taproot/internal/testutil"
)

func annotations(t *testing.T, r *history.Run, p Places) string {
	t.Helper()
	var b bytes.Buffer
	if err := Annotate(&b, r, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	testutil.Golden(t, "annotations.txt",
		[]byte(annotations(t, runtest.Recorded(t), Places{Dir: "/w/repo/app", Workspace: "/w/repo"})))
	testutil.Golden(t, "summary.md", Summary(runtest.Recorded(t), Address{}, maxSummary))
	testutil.Golden(t, "summary-linked.md",
		Summary(runtest.Recorded(t), Address{Link: "https://ci.example/reports/7/index.html",
			Base: "https://ci.example/reports/7/"}, maxSummary))
}

// Every line is one command at column 0, whatever the texts hold, and names the place in the YAML file.
func TestAnnotationLines(t *testing.T) {
	text := annotations(t, runtest.Recorded(t), Places{})
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) != 11 { // nine bad tests, one more failure within the limit, one flaky
		t.Errorf("%d lines", len(lines))
	}
	for _, line := range lines {
		if !strings.HasPrefix(line, "::error file=") && !strings.HasPrefix(line, "::warning file=") ||
			strings.ContainsAny(line, "\r") {
			t.Errorf("%q", line)
		}
	}
	if !strings.Contains(text,
		"::error file=suites/shop/checkout.yaml,line=7,col=5,title=checkout (android)%3A "+
			"failed::suites/shop/checkout.yaml:7:5: expected \"Paid\"") {
		t.Error(text)
	}
	if !strings.Contains(text, "file=suites/50%25%2C a%3Ab/hostile.yaml,") {
		t.Error("the properties are not escaped")
	}
}

func TestTenPerType(t *testing.T) {
	for _, n := range []int{9, 10, 11, 100} {
		run := runtest.Synthetic(n * 10)
		bad := len(run.Bad())
		lines := strings.Split(strings.TrimSuffix(annotations(t, run, Places{}), "\n"), "\n")
		if len(lines) != min(bad, perType) {
			t.Errorf("%d bad tests make %d lines", bad, len(lines))
		}
		want := fmt.Sprintf("+%d more", bad-perType+1)
		if last := lines[len(lines)-1]; bad > perType != strings.Contains(last, "title="+want+"::") {
			t.Errorf("%d bad tests end with %s", bad, last)
		}
	}
}

func TestPlaces(t *testing.T) {
	for _, c := range []struct{ dir, workspace, file, want string }{
		{"", "", "suites/a.yaml", "suites/a.yaml"},
		{"/w/repo", "/w/repo", "suites/a.yaml", "suites/a.yaml"},
		{"/w/repo/app", "/w/repo", "suites/a.yaml", "app/suites/a.yaml"},
		{"/w/repo/app", "/w/repo", "/w/repo/x/a.yaml", "x/a.yaml"},
		{"/w/repo/app", "/w/repo", "../x/a.yaml", "x/a.yaml"},
		{"/w/repo", "/w/repo", "/elsewhere/a.yaml", "/elsewhere/a.yaml"},
	} {
		if got := (Places{Dir: c.dir, Workspace: c.workspace}).file(c.file); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// The summary of a step may have one MiB; what others wrote counts.
func TestSummaryRoom(t *testing.T) {
	run := runtest.Synthetic(12000)
	file := filepath.Join(t.TempDir(), "summary")
	if err := os.WriteFile(file, bytes.Repeat([]byte("x"), 300<<10), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := AppendSummary(file, run, Address{}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > maxSummary || len(data) < maxSummary*9/10 || !bytes.HasPrefix(data, []byte("xxx")) ||
		!bytes.Contains(data, []byte("\n… and ")) {
		t.Errorf("%d bytes", len(data))
	}
	full := filepath.Join(t.TempDir(), "full")
	if err := os.WriteFile(full, make([]byte, maxSummary), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := AppendSummary(full, run, Address{}); err == nil {
		t.Error("a full summary takes more")
	}
	if info, err := os.Stat(full); err != nil || info.Size() != maxSummary {
		t.Error(info, err)
	}
}

type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, errors.New("closed") }

func TestClosedOutput(t *testing.T) {
	if err := Annotate(closed{}, runtest.Synthetic(10), Places{}); err == nil {
		t.Error("no error")
	}
}
