package console

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/server/internal/jobs"
	"github.com/taproot-dev/taproot/server/internal/service"
)

// runPages has the pages of runs, and their forms.
type runPages struct {
	api  apiCall
	farm bool // the server is the hub of a farm
}

// run is a run, as the pages show it.
type run struct {
	jobs.Record
	Who      string
	Done     int
	Passed   int
	Failed   int // including errors
	Other    int
	Uploaded bool
	Packs    []string
}

func runOf(r jobs.Record, names *strings.Replacer) run {
	one := run{Record: r, Who: names.Replace(r.By), Uploaded: r.By == ""}
	for _, c := range r.Cases {
		switch {
		case c.State != jobs.Ended:
			continue
		case c.Result == event.Pass:
			one.Passed++
		case failed(c.Result):
			one.Failed++
		default:
			one.Other++
		}
		one.Done++
	}
	return one
}

func runsOf(records []jobs.Record, names *strings.Replacer) (list []run) {
	for _, r := range records {
		list = append(list, runOf(r, names))
	}
	return list
}

func failed(v event.Result) bool {
	return v == event.Fail || v == event.Error || v == event.Interrupted
}

// Under reports whether the run has not ended.
func (r run) Under() bool { return r.State != jobs.Ended }

// Took returns the duration of the run.
func (r run) Took() time.Duration {
	if r.Started.IsZero() || r.Ended.IsZero() {
		return 0
	}
	return r.Ended.Sub(r.Started)
}

// Again reports whether there is something to run again.
func (r run) Again() bool {
	return !r.Under() && !r.Uploaded && slices.ContainsFunc(r.Cases, func(c jobs.Case) bool { return failed(c.Result) })
}

// Duration returns the duration of a case.
func (r run) Duration(c jobs.Case) time.Duration {
	return time.Duration(c.DurationMS) * time.Millisecond
}

// runs is the data of the page of runs and of the form that starts one.
type runs struct {
	Runs     []run
	Older    string
	Tests    []test
	Problems []mistake
	Form     start
	Key      string // a form that is sent twice starts one run
}

type test struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Platform string   `json:"platform"`
	Tags     []string `json:"tags"`
	File     string   `json:"file"`
	Steps    int      `json:"steps"`
	Chosen   bool     `json:"-"`
}

type mistake struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

// start is the form that starts a run.
type start struct {
	Tests    []string `json:"tests,omitempty"`
	YAML     string   `json:"yaml,omitempty"`
	Platform string   `json:"platform,omitempty"`
	Device   string   `json:"device,omitempty"`
	Labels   string   `json:"labelFilter,omitempty"`
	Pool     string   `json:"pool,omitempty"` // of a farm, like the next fields
	On       []string `json:"labels,omitempty"`
	Priority int      `json:"priority,omitempty"`
}

// OnText is the text of the field On.
func (s start) OnText() string { return strings.Join(s.On, ",") }

const pageLength = 50

func (c *runPages) page(q *request) error { return c.show(q, start{}, nil) }

func (c *runPages) show(q *request, form start, failed error) error {
	v := view{Title: "Runs", Tab: "runs"}
	d := runs{Form: form, Key: rand.Text()}
	path := "/runs?limit=200"
	if before := q.r.URL.Query().Get("before"); before != "" {
		path += "&before=" + pathSegment(before)
	}
	var records []jobs.Record
	if err := q.call("GET", path, nil, &records); err != nil {
		return err
	}
	names, err := q.names()
	if err != nil {
		return err
	}
	own := slices.DeleteFunc(runsOf(records, names), func(r run) bool { return r.Uploaded })
	if len(own) > pageLength {
		own = own[:pageLength]
		d.Older = own[pageLength-1].ID
	} else if len(records) == 200 {
		d.Older = records[199].ID
	}
	d.Runs = own
	var tests struct {
		Tests    []test    `json:"tests"`
		Problems []mistake `json:"problems"`
	}
	if q.project.Role.Covers(service.RoleMember) {
		if err := q.call("GET", "/tests", nil, &tests); err != nil {
			return err
		}
	}
	for i := range tests.Tests {
		tests.Tests[i].Chosen = slices.Contains(form.Tests, tests.Tests[i].ID)
	}
	d.Tests, d.Problems = tests.Tests, tests.Problems
	v.D = d
	if failed != nil {
		return q.showFormAgain("runs", v, failed)
	}
	return q.show("runs", v)
}

func (c *runPages) start(q *request) error {
	f := start{Tests: q.r.PostForm["tests"], YAML: strings.ReplaceAll(q.field("yaml"), "\r\n", "\n"),
		Platform: q.field("platform"), Device: strings.TrimSpace(q.field("device")),
		Labels: strings.TrimSpace(q.field("labels"))}
	if strings.TrimSpace(f.YAML) == "" {
		f.YAML = ""
	}
	var wrong error
	if c.farm {
		wrong = f.place(strings.TrimSpace(q.field("pool")), q.field("on"), strings.TrimSpace(q.field("priority")))
	}
	if wrong != nil {
		return c.show(q, f, wrong)
	}
	rec, err := q.start(f, q.field("key"))
	switch {
	case err != nil && f.YAML == "" && len(f.Tests) == 0:
		return c.show(q, f, invalid("Choose one or more tests, or write one."))
	case err != nil && f.YAML != "" && len(f.Tests) > 0:
		return c.show(q, f, invalid("Choose tests of the folder, or write one: not both."))
	case err != nil:
		return c.show(q, f, err)
	}
	q.redirect(q.base() + "/runs/" + pathSegment(rec.ID))
	return nil
}

// place reads the pool, labels and priority for a run on a farm.
func (s *start) place(pool, on, priority string) error {
	s.Pool = pool
	for one := range strings.SplitSeq(on, ",") {
		if one = strings.TrimSpace(one); one != "" {
			s.On = append(s.On, one)
		}
	}
	for _, one := range s.On {
		if name, value, _ := strings.Cut(one, "="); name == "" || value == "" {
			return invalid("Write labels as NAME=VALUE, with a comma between several: room=3,desk=west.")
		}
	}
	if priority == "" {
		return nil
	}
	var err error
	if s.Priority, err = strconv.Atoi(priority); err != nil || s.Priority < -10 || s.Priority > 10 {
		s.Priority = 0
		return invalid("The priority is a whole number from -10 to 10.")
	}
	return nil
}

// start starts a run by the API.
func (q *request) start(f start, key string) (rec jobs.Record, err error) {
	data, err := json.Marshal(f)
	if err != nil {
		return rec, err
	}
	r := q.ask(http.MethodPost, "/runs", bytes.NewReader(data), "application/json")
	if key != "" && len(key) <= 200 {
		r.Header.Set("Idempotency-Key", key)
	}
	err = q.send(r, &rec)
	return rec, err
}

func (c *runPages) uploadTests(q *request) error {
	var out struct{ Files int }
	if err := q.passOn("/tests", &out); err != nil {
		return c.show(q, start{}, err)
	}
	return q.done(q.base()+"/runs", "tests")
}

func (c *runPages) run(q *request) error {
	r, err := q.run()
	if err != nil {
		return err
	}
	return c.showRun(q, r, nil)
}

func (q *request) run() (r run, err error) {
	var rec jobs.Record
	if err := q.call("GET", "/runs/"+pathSegment(q.r.PathValue("run")), nil, &rec); err != nil {
		return r, err
	}
	names, err := q.names()
	if err != nil {
		return r, err
	}
	return runOf(rec, names), nil
}

func (c *runPages) showRun(q *request, r run, failed error) error {
	v := view{Title: "Run " + r.ID, Tab: "runs", D: r, Refresh: r.Under()}
	if failed != nil {
		return q.showFormAgain("run", v, failed)
	}
	return q.show("run", v)
}

// events passes on the events of a run.
func (c *runPages) events(q *request) error {
	r := q.ask(http.MethodGet, "/runs/"+pathSegment(q.r.PathValue("run"))+"/events", nil, "")
	if last := q.r.Header.Get("Last-Event-ID"); last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	c.api(q.w, r, q.person.In(q.project))
	return nil
}

func (c *runPages) cancel(q *request) error {
	id := q.r.PathValue("run")
	if err := q.call("DELETE", "/runs/"+pathSegment(id), nil, nil); err != nil {
		return err
	}
	return q.done(q.base()+"/runs/"+pathSegment(id), "cancelled")
}

// rerun starts the cases again that did not pass.
func (c *runPages) rerun(q *request) error {
	r, err := q.run()
	if err != nil {
		return err
	}
	var f start
	for _, one := range r.Cases {
		if failed(one.Result) && !slices.Contains(f.Tests, one.Test) {
			f.Tests = append(f.Tests, one.Test)
		}
	}
	if len(f.Tests) == 0 {
		return c.showRun(q, r, invalid("Nothing in this run failed."))
	}
	rec, err := q.start(f, "")
	if e := known(err); e != nil && e.Status == http.StatusBadRequest {
		err = invalid(
			"The tests of this run are not in the project's folder of tests, where they would be started " +
				"again. " + sentence(e.Message))
	}
	if err != nil {
		return c.showRun(q, r, err)
	}
	q.redirect(q.base() + "/runs/" + pathSegment(rec.ID))
	return nil
}
