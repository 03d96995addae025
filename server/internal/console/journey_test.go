package console_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/internal/result/pack"
)

// firstTest runs on the simulated phone.
const firstTest = "id: first\nplatform: android\nsteps:\n  - sleep: 10ms\n"

// TestJourney is the path of a new person, in real Chromium: register, create a key, run a test with it, upload its
// pack, see it.
func TestJourney(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	p := l.open(screen{})
	p.goTo("/console/")
	p.press("link", "Create an account")
	p.fill("E-mail", "ada@example.com")
	p.fill("Password", password)
	p.press("button", "Create the account")
	p.sees("Your account is ready")
	p.fill("E-mail", "ada@example.com")
	p.fill("Password", password)
	p.press("button", "Log in")
	p.sees("Get started")
	base := projectInPath.FindString(p.URL())
	p.inFull("overview of a new project")
	p.shot("empty-overview")

	p.press("link", "Create a key")
	p.sees("There is no key yet")
	p.fill("Name", "CI")
	p.press("button", "Create the key")
	p.sees("Copy it now.")
	p.shot("key-made")
	p.inFull("a key that was made")
	key, err := p.Locator("#key").TextContent()
	p.must(err)
	curl, err := p.Locator("#curl").TextContent()
	p.must(err)
	p.must(p.Context().GrantPermissions([]string{"clipboard-read", "clipboard-write"}))
	p.press("button", "Copy the key")
	p.sees("Copied")
	if copied, err := p.Evaluate(`navigator.clipboard.readText()`); err != nil || copied != key {
		t.Errorf("copied: %v %v", copied, err)
	}
	if out, err := runCurl(t.Context(), curl); err != nil || !strings.Contains(string(out), `"platform":"android"`) {
		t.Errorf("%s: %v\n%s", strings.ReplaceAll(curl, key, "KEY"), err, out)
	}
	p.goTo(base + "keys")
	if text, err := p.Content(); err != nil || strings.Contains(text, key) {
		t.Error("the key is shown a second time, or ", err)
	}

	// A program runs a test with the key.
	started := l.ask("", "POST", "/api/runs", nil, "Authorization", "Bearer "+key, "Content-Type", "application/json")
	if started.status != 400 {
		t.Fatal(started)
	}
	id := l.runWith(key, firstTest)
	p.goTo(base + "runs")
	p.sees("key “CI”")
	p.press("link", "Passed first")
	p.press("link", "Open the report")
	p.sees("wall time")
	if !strings.Contains(p.URL(), "/console/files/") {
		t.Errorf("the report is shown at %s", p.URL())
	}
	p.must(p.Locator(".rowname a").First().Click())
	p.sees("sleep")

	// Its pack is uploaded to another project by the form.
	p.goTo("/console/projects")
	p.fill("Name", "Second")
	p.press("button", "Create the project")
	p.sees("The project was created")
	second := projectInPath.FindString(p.URL())
	p.goTo(second + "reports")
	p.sees("There is no report yet")
	archive := filepath.Join(t.TempDir(), "first.tar.gz")
	folders, err := filepath.Glob(filepath.Join(l.root, "projects", "*", "reports", id, "first"))
	if err != nil || len(folders) != 1 {
		t.Fatal(folders, err)
	}
	if err := pack.ArchiveFile(folders[0], archive); err != nil {
		t.Fatal(err)
	}
	p.must(p.Locator("input[type=file]").SetInputFiles(archive))
	p.press("button", "Upload the pack")
	p.sees("The pack was uploaded")
	p.inFull("reports")
	p.shot("reports")
	p.must(p.Locator("td b", playwright.PageLocatorOptions{HasText: "first"}).Click())
	p.sees("wall time")
	p.must(p.Locator(".rowname a").First().Click())
	p.sees("sleep")
	wide, err := p.Evaluate(`[...document.images].every(i => i.complete && i.naturalWidth > 0) && document.images.length`)
	p.must(err)
	t.Logf("pictures of the report: %v", wide)
	if origin, err := p.Evaluate(`origin`); err != nil || origin != "null" {
		t.Errorf("the report's origin is %v %v: it is not in a sandbox", origin, err)
	}

	p.goTo(second + "reports")
	p.must(p.Locator("summary", playwright.PageLocatorOptions{HasText: "Delete"}).First().Click())
	p.press("button", "Delete the reports")
	p.sees("The reports of the run were deleted")
	p.sees("There is no report yet")
	if left, err := filepath.Glob(filepath.Join(l.root, "projects", strings.Split(second, "/")[3], "reports", "*",
		"first")); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
	if _, err := os.Stat(folders[0]); err != nil {
		t.Error("the pack of the first project: ", err)
	}
}

// runWith runs a test by the API and waits until it has ended.
func (l *lab) runWith(key, yaml string) (id string) {
	l.t.Helper()
	a := l.api(key, "POST", "/api/runs", map[string]string{"yaml": yaml})
	var rec struct{ ID, State string }
	decode(l.t, a.body, &rec)
	// The stream of events ends with the run.
	l.ask("", "GET", "/api/runs/"+rec.ID+"/events", nil, "Authorization", "Bearer "+key, "Sec-Fetch-Site", "none")
	a = l.api(key, "GET", "/api/runs/"+rec.ID, nil)
	if !strings.Contains(a.body, `"state":"ended"`) {
		l.t.Fatal(a)
	}
	return rec.ID
}

// runCurl runs the command of the page, or sends its request where the machine has no curl.
func runCurl(ctx context.Context, line string) ([]byte, error) {
	if _, err := exec.LookPath("curl"); err == nil {
		return exec.CommandContext(ctx, "sh", "-c", line).CombinedOutput()
	}
	parts := regexp.MustCompile(`^curl --fail-with-body -H '([^:']+): ([^']+)' (\S+)$`).FindStringSubmatch(line)
	if parts == nil {
		return nil, fmt.Errorf("another command than curl with one header: %q", line)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, parts[3], nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set(parts[1], parts[2])
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	out, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= 400 {
		err = errors.New(response.Status)
	}
	return out, err
}
