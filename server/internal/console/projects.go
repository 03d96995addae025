package console

import (
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/server/internal/jobs"
	"github.com/taproot-dev/taproot/server/internal/service"
)

// projectPages has the pages of projects as a whole: the list, the overview, the settings and the usage.
type projectPages struct{ dropper }

// home redirects to the first project, or to the list if there is none.
func (c *projectPages) home(q *request) error {
	p, err := q.person.Project(q.r.Context(), "")
	switch {
	case errors.Is(err, service.ErrNotFound):
		q.redirect("/console/projects")
		return nil
	case err != nil:
		return err
	}
	q.redirect("/console/p/" + p.ID + "/")
	return nil
}

type projects struct {
	Plan service.Plan
	Name string
}

func (c *projectPages) list(q *request) error {
	return q.show("projects", view{Title: "Projects", D: projects{Plan: q.person.Plan()}})
}

func (c *projectPages) create(q *request) error {
	name := q.field("name")
	p, err := q.person.CreateProject(q.r.Context(), name)
	if err != nil {
		return q.showFormAgain("projects", view{Title: "Projects", D: projects{q.person.Plan(), name}}, err)
	}
	return q.done("/console/p/"+p.ID+"/", "project")
}

// overview is the data of the page of a project: its content, or the next step when it is empty.
type overview struct {
	Keys    int
	Runs    []run
	Usage   service.Usage
	Percent int
	HasKey  bool
	HasRun  bool
	Curl    string
}

func (c *projectPages) overview(q *request) error {
	ctx := q.r.Context()
	keys, err := q.project.Keys(ctx)
	if err != nil {
		return err
	}
	var o overview
	for _, k := range keys {
		if k.Revoked.IsZero() {
			o.Keys++
		}
	}
	var records []jobs.Record
	if err := q.call("GET", "/runs?limit=5", nil, &records); err != nil {
		return err
	}
	names, err := q.names()
	if err != nil {
		return err
	}
	o.Runs = runsOf(records, names)
	if o.Usage, err = q.project.Usage(ctx, ""); err != nil {
		return err
	}
	o.Percent = percent(o.Usage)
	o.HasKey, o.HasRun = o.Keys > 0, len(o.Runs) > 0
	return q.show("overview", view{Title: q.project.Name, Tab: "overview", D: o})
}

// percent returns how much of the month's requests is used.
func percent(u service.Usage) int {
	if u.Plan.PerMonth == 0 {
		return 0
	}
	return min(100*u.Used/u.Plan.PerMonth, 100)
}

// names maps the names of callers to the names that people know: addresses of members, and names of keys.
func (q *request) names() (*strings.Replacer, error) {
	members, err := q.project.Members(q.r.Context())
	if err != nil {
		return nil, err
	}
	keys, err := q.project.Keys(q.r.Context())
	if err != nil {
		return nil, err
	}
	var pairs []string
	for _, m := range members {
		pairs = append(pairs, "user:"+m.Account, m.Email)
	}
	for _, k := range keys {
		pairs = append(pairs, "key:"+k.ID, "key “"+k.Name+"”")
	}
	return strings.NewReplacer(pairs...), nil
}

type settings struct {
	Name       string
	Days, Runs string
}

func (c *projectPages) settings(q *request) error {
	p := q.project
	return q.show("settings", view{Title: "Settings", Tab: "settings", D: settings{p.Name, strconv.Itoa(p.ReportDays),
		strconv.Itoa(p.ReportRuns)}})
}

func (c *projectPages) changeSettings(q *request) error {
	s := settings{q.field("name"), q.field("days"), q.field("runs")}
	days, bad := strconv.Atoi(strings.TrimSpace(s.Days))
	runs, worse := strconv.Atoi(strings.TrimSpace(s.Runs))
	var err error = invalid("Write the retention as whole numbers.")
	if bad == nil && worse == nil {
		err = q.project.Change(q.r.Context(), service.Settings{Name: &s.Name, ReportDays: &days, ReportRuns: &runs})
	}
	if err != nil {
		return q.showFormAgain("settings", view{Title: "Settings", Tab: "settings", D: s}, err)
	}
	return q.done(q.base()+"/settings", "settings")
}

// remove requires the name of the project as a confirmation.
func (c *projectPages) remove(q *request) error {
	p := q.project
	if strings.TrimSpace(q.field("name")) != p.Name {
		return q.showFormAgain("settings", view{Title: "Settings", Tab: "settings",
			D: settings{p.Name, strconv.Itoa(p.ReportDays),
				strconv.Itoa(p.ReportRuns)}},
			invalid("To delete the project, enter its name as shown above."))
	}
	if err := p.Delete(q.r.Context()); err != nil {
		return err
	}
	c.drop(q, p.ID)
	return q.done("/console/projects", "project-deleted")
}

// publicURL returns the URL of the API: the configured one, or that of the browser's request.
func (q *request) publicURL() string {
	u := q.frame.o.Service.PublicURL()
	if u == service.DefaultURL {
		u = (&url.URL{Scheme: "http", Host: q.r.Host}).String()
	}
	return u
}
