package console

import (
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/server/internal/jobs"
	"github.com/taproot-dev/taproot/server/internal/service"
)

// reportPages has the list of reports, and the files of reports.
type reportPages struct {
	service *service.Service
	api     apiCall
}

// reports is the data of the page of runs with reports, and of uploaded packs.
type reports struct {
	Runs   []run
	Older  string
	Text   string
	Result string
	Kind   string
	Any    bool // there are reports, even if none matches
}

// uploadNote is a file in the folder of an uploaded pack.
const uploadNote = "upload.json"

func (c *reportPages) page(q *request) error { return c.show(q, nil) }

func (c *reportPages) show(q *request, failed error) error {
	get := q.r.URL.Query()
	d := reports{Text: strings.TrimSpace(get.Get("text")), Result: get.Get("result"), Kind: get.Get("kind")}
	query := "?limit=200"
	if before := get.Get("before"); before != "" {
		query += "&before=" + pathSegment(before)
	}
	var folders []struct {
		Run          string
		Packs, Files []string
	}
	var records []jobs.Record
	if err := q.call("GET", "/reports"+query, nil, &folders); err != nil {
		return err
	}
	if err := q.call("GET", "/runs"+query, nil, &records); err != nil {
		return err
	}
	names, err := q.names()
	if err != nil {
		return err
	}
	d.Any = len(folders) > 0
	for _, f := range folders {
		at := slices.IndexFunc(records, func(r jobs.Record) bool { return r.ID == f.Run })
		if at < 0 {
			continue
		}
		one := runOf(records[at], names)
		one.Packs, one.Uploaded = f.Packs, slices.Contains(f.Files, uploadNote)
		if d.matches(one) {
			d.Runs = append(d.Runs, one)
		}
	}
	if len(folders) == 200 {
		d.Older = folders[199].Run
	}
	if len(d.Runs) > pageLength {
		d.Runs = d.Runs[:pageLength]
		d.Older = d.Runs[pageLength-1].ID
	}
	v := view{Title: "Reports", Tab: "reports", D: d}
	if failed != nil {
		return q.showFormAgain("reports", v, failed)
	}
	return q.show("reports", v)
}

// matches reports whether a run matches the filters.
func (d reports) matches(r run) bool {
	text := strings.ToLower(d.Text)
	named := text == "" || strings.Contains(strings.ToLower(r.ID), text) ||
		slices.ContainsFunc(r.Cases, func(c jobs.Case) bool {
			return strings.Contains(strings.ToLower(c.Test+" "+c.Pack),
				text)
		}) ||
		slices.ContainsFunc(r.Packs, func(p string) bool { return strings.Contains(strings.ToLower(p), text) })
	return named && (d.Result == "" || string(r.Result) == d.Result) &&
		(d.Kind == "" || (d.Kind == "uploaded") == r.Uploaded)
}

func (c *reportPages) upload(q *request) error {
	var out struct{ Run string }
	if err := q.passOn("/reports/upload", &out); err != nil {
		return c.show(q, err)
	}
	return q.done(q.base()+"/reports", "uploaded")
}

func (c *reportPages) remove(q *request) error {
	if err := q.call("DELETE", "/reports/"+pathSegment(q.r.PathValue("run")), nil, nil); err != nil {
		return c.show(q, err)
	}
	return q.done(q.base()+"/reports", "report-deleted")
}

// open redirects to a page of a report, at a URL that needs no cookie.
func (c *reportPages) open(q *request) error {
	id, name := q.r.PathValue("run"), q.r.PathValue("path")
	if name == "" {
		name = "index.html"
	}
	if !pack.IsRunName(id) {
		return service.ErrNotFound
	}
	if err := q.send(q.ask(http.MethodHead, "/reports/"+id+"/"+name, nil, ""), nil); err != nil {
		return err
	}
	q.redirect("/console/files/" + q.project.ID + "/" + q.person.Ticket(q.project, id) + "/" + escaped(name))
	return nil
}

// escaped escapes the parts of a path one by one.
func escaped(text string) string {
	parts := strings.Split(text, "/")
	for i := range parts {
		parts[i] = pathSegment(parts[i])
	}
	return strings.Join(parts, "/")
}

// file serves a page of a report and the files that it loads. Reports contain texts of tested apps, so the API shows
// them in a sandbox. Its requests have no cookie; the ticket in the URL identifies the person. A link to another run
// goes through the project's pages.
func (c *reportPages) file(q *request) error {
	q.person, q.project = nil, nil
	id, text, name := q.r.PathValue("project"), q.r.PathValue("ticket"), q.r.PathValue("path")
	if pack.IsRunName(text) {
		q.redirect("/console/p/" + pathSegment(id) + "/reports/" + text + "/" + escaped(name))
		return nil
	}
	person, project, run, err := c.service.OpenTicket(q.r.Context(), text, q.from())
	if err != nil {
		return err
	}
	if project.ID != id || name == "" || path.Clean("/"+name) != "/"+name {
		return service.ErrNotFound
	}
	r := q.ask(q.r.Method, "/reports/"+run+"/"+name, nil, "")
	for _, h := range []string{"Range", "If-Modified-Since", "If-Range"} {
		if v := q.r.Header.Get(h); v != "" {
			r.Header.Set(h, v)
		}
	}
	q.w.Header().Del("Cross-Origin-Opener-Policy")
	c.api(q.w, r, person.In(project))
	return nil
}

// allRuns is the target of links from pages of reports to the list of runs.
func (c *reportPages) allRuns(q *request) error {
	q.redirect("/console/p/" + pathSegment(q.r.PathValue("project")) + "/reports")
	return nil
}
