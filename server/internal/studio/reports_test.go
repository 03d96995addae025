package studio_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTryOnAReport: a person opens the report of a test, and evaluates other steps on its screens; a report that is
// damaged says so, and nothing outside of the reports is served.
func TestTryOnAReport(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.passes("id: pay\nplatform: android\nsteps:\n  - launch: {package: com.example.list, force: true}\n"+
		"  - tap: Payments\n  - assert: Unpaid\n", nil)
	p := l.open(l.link("/studio/reports"), 1440, false)
	p.accessible("reports")
	p.must(p.GetByText("pay").Click())
	p.sees(`h2:text("Try on the screen of step 1")`)
	p.must(p.Locator(`#steps button[data-step="3"]`).Click())
	p.sees(`#screen img[alt="The screen of step 3"]`)
	if typed, _ := p.Locator("#question").InputValue(); typed != "assert: Unpaid" {
		t.Errorf("the question is %q at first", typed)
	}
	for _, c := range []struct{ question, word, why string }{
		{"assert: Unpaid", "holds", "Unpaid"},
		{"assert: Paid", "fails", "the screen shows"},
		{"assert: {ocr: Paid}", "not recorded", "pixels"},
		{"asert: Paid", "not a question", "did you mean"},
		{"<img src=x onerror=alert(1)>", "fails", "the screen shows"},
	} {
		p.must(p.Locator("#question").Fill(c.question))
		p.must(p.Locator("#trying button").Click())
		p.sees(`#results li:first-child[data-word="` + c.word + `"] code:text-is("` + c.question + `")`)
		if text, _ := p.Locator("#results li").First().TextContent(); !strings.Contains(text, c.why) {
			t.Errorf("%s: %s", c.question, text)
		}
	}
	p.must(p.Locator(`#steps button[data-step="1"]`).Click())
	p.must(p.Locator("#trying button").Click())
	p.sees(`#results li:first-child[data-word="not recorded"]`)
	p.accessible("results")
	p.inFull("results")
	if !testing.Short() {
		p.must(p.SetViewportSize(390, 800))
		p.accessible("results on a narrow screen")
	}
	l.refusesReports()
}

// refusesReports: reports need their scope, files outside of a pack are not there, and a damaged report names its file.
func (l *lab) refusesReports() {
	t := l.t
	t.Helper()
	reports := l.vars["TAPROOT_REPORTS_DIR"]
	packs, err := filepath.Glob(filepath.Join(reports, "20*", "pay*"))
	if err != nil || len(packs) != 1 {
		t.Fatalf("%v %v", packs, err)
	}
	at := "/studio/reports/" + filepath.Base(filepath.Dir(packs[0])) + "/" + filepath.Base(packs[0])
	login, _, headers := l.ask("POST", "/studio/enter", "key="+key, "Content-Type", "application/x-www-form-urlencoded")
	cookie, _, _ := strings.Cut(headers.Get("Set-Cookie"), ";")
	if login != http.StatusSeeOther || cookie == "" {
		t.Fatalf("log in: %d", login)
	}
	if err := errors.Join(os.Symlink(l.dir, filepath.Join(reports, "2026-01-01T00-00-00")),
		os.Symlink("/etc/hostname", filepath.Join(packs[0], "screenshots", "link.png")),
		os.WriteFile(filepath.Join(l.dir, "events.ndjson"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	ask := func(method, path, body string, want int, says string) {
		t.Helper()
		status, text, _ := l.ask(method, path, body, "Cookie", cookie, "Content-Type", "application/json")
		if status != want || !strings.Contains(text, says) {
			t.Errorf("%s %s %s: %d %.300s, want %d %s", method, path, body, status, text, want, says)
		}
	}
	ask("POST", at+"/try", `{"step": 3, "question": "assert: Unpaid"}`, 200, `"word":"holds"`)
	ask("POST", at+"/try", `{"step": 9, "question": "assert: Unpaid"}`, 422, "there is no step 9")
	ask("POST", at+"/try", `{"step": 3, "question": ""}`, 422, "is empty")
	ask("POST", at+"/try", `{"step": "3"}`, 400, "Send")
	ask("POST", at+"/try", strings.Repeat("[", 64<<10), 400, "Send")
	ask("GET", at+"/screenshots/link.png", "", 404, "")
	ask("GET", at+"/screenshots/..%2Fevents.ndjson", "", 404, "")
	ask("GET", "/studio/reports/2026-01-01T00-00-00/project", "", 404, "")
	ask("GET", "/studio/reports/..%2F..%2Fproject/pay", "", 404, "")
	ask("GET", "/studio/reports/2026-01-01T00-00-01/pay", "", 404, "")
	if status, _, _ := l.ask("POST", at+"/try", `{}`, "Content-Type", "application/json"); status != 401 {
		t.Errorf("without a session: %d", status)
	}
	if err := os.WriteFile(filepath.Join(packs[0], "artifacts", "frames.ndjson"), []byte(`{"format": "taproot.frames/9"}`),
		0o600); err != nil {
		t.Fatal(err)
	}
	ask("POST", at+"/try", `{"step": 3, "question": "assert: Unpaid"}`, 422,
		`frames.ndjson: the format is "taproot.frames/9"`)
}
