package web

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/web/internal/journal"
	"github.com/taproot-dev/taproot/internal/result/runtest"
)

// harSchema is the schema of HTTP Archives that others publish.
func harSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	for _, name := range []string{"afterRequest", "beforeRequest", "browser", "cache", "content", "cookie", "creator",
		"entry", "har", "header", "log", "page",
		"pageTimings", "postData", "query", "request", "response", "timings"} {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(runtest.NPM(t, "har-schema@2.0.0", "package/lib/"+name+".json")))
		Must(t, err)
		Must(t, c.AddResource("file:///"+name+".json", withoutID(doc)))
	}
	schema, err := c.Compile("file:///har.json")
	Must(t, err)
	return schema
}

// withoutID removes the schema's own name: they are distinguished by their files.
func withoutID(doc any) any {
	if m, ok := doc.(map[string]any); ok {
		delete(m, "$id")
	}
	return doc
}

func TestEvidence(t *testing.T) {
	d := open(t)
	mask := func(s string) string { return strings.ReplaceAll(s, "hunter2", "•••") }
	rec, err := d.StartEvidence(t.Context(), drivers.WebEvidenceOptions{Dir: t.TempDir(), Mask: mask, Trace: true})
	Must(t, err)
	if _, err := d.StartEvidence(t.Context(), drivers.WebEvidenceOptions{}); err == nil {
		t.Error("it is begun twice")
	}
	Must(t, d.OpenPage(t.Context(), site.Page("requests.html"), drivers.PageOptions{}))
	Must(t, d.ClickOn(t.Context(), target("#load"), drivers.WebClick{}))
	mustShow(t, d, "#goods", "Apple")
	if list := rec.Troubles(); len(list) != 0 {
		t.Errorf("troubles of a page that is well: %q", list)
	}
	_, err = d.Eval(t.Context(),
		`(async () => { console.error('broken hunter2 ' + 'x'.repeat(280) + 'hunter2'); setTimeout(() => { throw new `+
			`Error('thrown') }, 0);
		await fetch('status/503'); await fetch('redirect?to=/status/404');
		await fetch('api/orders?token=hunter2&b=c', {method: 'POST', body: 'password=hunter2', headers: {Authorization: `+
			`'Basic abc'}});
		await fetch('http://127.0.0.1:1/').catch(() => 0) })()`, patience)
	Must(t, err)
	var seen []string
	if !until(t.Context(), patience, func() bool { seen = append(seen, rec.Troubles()...); return len(seen) >= 5 }) {
		t.Fatalf("troubles: %q", seen)
	}
	all := strings.Join(seen, "\n")
	for _, want := range []string{"console error: broken ••• x", "uncaught thrown", "503 GET " + site.Page("status/503"),
		"404 GET " + site.Page("status/404"),
		"GET http://127.0.0.1:1/: net::ERR_UNSAFE_PORT"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in %s", want, all)
		}
	}
	if strings.Contains(all, "hunter") || len(seen) != 5 {
		t.Errorf("%d troubles: %s", len(seen), all)
	}
	Must(t, d.OpenPage(t.Context(), site.Page("late.html"), drivers.PageOptions{})) // a second context has a second trace
	path, traces, err := rec.Stop(t.Context())
	if err != nil || len(traces) != 2 {
		t.Fatalf("traces %q, %v", traces, err)
	}
	for _, trace := range traces {
		checkTrace(t, trace)
	}
	checkHAR(t, path)
}

// checkTrace returns the names of the files in a trace.
func checkTrace(t *testing.T, path string) string {
	t.Helper()
	files, err := zip.OpenReader(path)
	Must(t, err)
	defer files.Close()
	var names []string
	for _, f := range files.File {
		names = append(names, f.Name)
	}
	all := strings.Join(names, " ")
	if !strings.Contains(all, "trace.trace") || !strings.Contains(all, "trace.network") {
		t.Errorf("the trace holds %s", all)
	}
	return all
}

func checkHAR(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	Must(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	Must(t, err)
	if err := harSchema(t).Validate(doc); err != nil {
		t.Error(err)
	}
	if strings.Contains(string(text), "hunter") || strings.Contains(string(text), "Basic abc") {
		t.Errorf("it shows what was secret")
	}
	var archive struct {
		Log struct{ Entries []journal.HAREntry }
	}
	Must(t, json.Unmarshal(text, &archive))
	find := func(part string) (found journal.HAREntry) {
		for _, e := range archive.Log.Entries {
			if strings.Contains(e.Request.URL, part) {
				found = e
			}
		}
		return found
	}
	if e := find("/api/orders"); e.Request.Method != "POST" || e.Request.Post == nil ||
		e.Request.Post.Text != "password=•••" || e.Response.Status != 201 || e.Time <= 0 {
		t.Errorf("the order: %+v", e)
	}
	if e := find("/status/503"); e.Response.Status != 503 || e.Page != "page_1" {
		t.Errorf("the 503: %+v", e)
	}
	if e := find("/late.html"); e.Response.Status != 200 || e.Page != "page_2" || e.Kind != "document" {
		t.Errorf("the second page: %+v", e)
	}
	if e := find(":1/"); e.Response.Failure == "" || e.Response.Status != 0 {
		t.Errorf("the dead server: %+v", e)
	}
}

// A HAR is bounded, and one of nothing is valid too.
func TestHARIsBounded(t *testing.T) {
	var b bytes.Buffer
	h := journal.NewHAR()
	h.Dropped = 3
	Must(t, h.Write(&b, func(s string) string { return s }))
	doc, err := jsonschema.UnmarshalJSON(&b)
	Must(t, err)
	Must(t, harSchema(t).Validate(doc))
	e := &journal.Evidence{How: drivers.WebEvidenceOptions{Mask: func(s string) string { return s }}}
	for range journal.MaxTroubles + 5 {
		e.Trouble("x")
	}
	if list := e.Troubles(); len(list) != journal.MaxTroubles+1 || list[journal.MaxTroubles] != "5 more" {
		t.Errorf("%q", list)
	}
}
