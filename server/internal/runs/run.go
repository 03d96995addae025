package runs

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/runner/run"
	"github.com/taproot-dev/taproot/server/internal/jobs"
	"github.com/taproot-dev/taproot/server/internal/rest"
)

const (
	runDoc = `Runs tests of the server, by their ids, or the tests of a text. Responds at once with the run's record;
GET /runs/{id} returns its progress, GET /runs/{id}/events streams it. With an Idempotency-Key, the same request sent
again returns the same run. ${NAME} in a test is a variable of the request or of the test, or one of the server's
environment that its operator exposes.`
	eventsDoc = `Server-sent events: "run" with the record of the run whenever it changes, and one for each event of a
case. A client that was disconnected sends the id of the last event as Last-Event-ID and gets what followed. The stream
ends with the run.`
)

// RunRequest selects what to run.
type RunRequest struct {
	Tests       []string          `json:"tests,omitempty" maxItems:"1000" nullable:"false" doc:"Ids of tests."`
	YAML        string            `json:"yaml,omitempty" doc:"The text of a file of tests, instead."`
	Vars        map[string]string `json:"vars,omitempty" doc:"Values of variables; they override those of the tests."`
	Platform    dsl.Platform      `json:"platform,omitempty" enum:"android,ios,web" doc:"Only the cases of one platform."`
	Device      string            `json:"device,omitempty" maxLength:"256" doc:"Use this device only."`
	LabelFilter string            `json:"labelFilter,omitempty" maxLength:"1000" doc:"Tags, such as smoke && !slow."`
	Environment string            `json:"environment,omitempty" maxLength:"100" doc:"An environment of the suite's taproot.yaml."`
	Timeout     *rest.Span        `json:"timeout,omitempty" doc:"How long steps wait that say nothing themselves, at most 1h."`
	TimeoutMs   int               `json:"timeoutMs,omitempty" minimum:"1" maximum:"3600000" deprecated:"true" doc:"The same."`
	NoVideo     bool              `json:"noVideo,omitempty" doc:"Record no video."`
	Pool        string            `json:"pool,omitempty" maxLength:"100" doc:"Of a farm: only devices of this pool."`
	Labels      []string          `json:"labels,omitempty" maxItems:"20" nullable:"false" example:"[\"room=3\"]" doc:"Of a farm: only devices with all of these labels, NAME=VALUE."`
	Priority    int               `json:"priority,omitempty" minimum:"-10" maximum:"10" doc:"Of a farm: higher first among runs of the project; one level equals ten minutes of waiting."`
}

type runInput struct {
	Key  string `header:"Idempotency-Key" maxLength:"200" doc:"The same key starts no second run."`
	Body RunRequest
}

type startedRun struct {
	Status   int
	Location string `header:"Location" doc:"Path of the run."`
	Body     jobs.Record
}

type oneRun struct{ Body jobs.Record }

type runList struct{ Body []jobs.Record }

type runID struct {
	ID string `path:"id" example:"2026-03-04T05-06-07"`
}

type listInput struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"At most so many."`
	Before string `query:"before" doc:"Only those before this one, for the next page."`
}

// testID matches the ID of a test.
var testID = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

func (s *Runs) startRun(ctx context.Context, in *runInput) (*startedRun, error) {
	b := in.Body
	switch {
	case len(b.Tests) == 0 && strings.TrimSpace(b.YAML) == "":
		return nil, rest.Invalid(`body: say what to run: "tests" (ids) or "yaml" (a text)`)
	case len(b.Tests) > 0 && b.YAML != "":
		return nil, rest.Invalid(`body: "tests" and "yaml" exclude each other`)
	case slices.ContainsFunc(b.Tests, func(id string) bool { return !testID.MatchString(id) }):
		return nil, rest.Invalid("body.tests: ids of tests, not files")
	}
	if s.o.OnFarm == nil && (b.Pool != "" || len(b.Labels) > 0 || b.Priority != 0) {
		return nil, rest.Invalid(
			"body: pool, labels and priority are for the devices of a farm, and this server is not a hub")
	}
	for name := range b.Vars {
		if !varName.MatchString(name) {
			return nil, rest.Invalid(fmt.Sprintf("body.vars: %.50q cannot be the name of a variable", name))
		}
	}
	if _, err := b.limit(); err != nil {
		return nil, err
	}
	content, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	asked := s.jobRequest(b)
	asked.By, asked.Key, asked.Content = rest.CallerOf(ctx).Who(), in.Key, string(content)
	rec, known, err := s.jobs.Start(ctx, asked)
	if err != nil {
		return nil, err
	}
	out := &startedRun{Status: http.StatusAccepted, Location: "/runs/" + rec.ID, Body: rec}
	if known {
		out.Status = http.StatusOK
	}
	return out, nil
}

func (s *Runs) jobRequest(b RunRequest) jobs.Request {
	return jobs.Request{Tests: b.Tests, YAML: b.YAML, Place: jobs.Placement{Pool: b.Pool, Labels: b.Labels,
		Priority: b.Priority}, Change: func(c *run.Config) { s.narrow(c, b) }}
}

// limit returns how long steps wait; 0: as long as the server says.
func (b RunRequest) limit() (time.Duration, error) {
	return rest.SpanOr("timeout", b.Timeout, "timeoutMs", b.TimeoutMs, time.Millisecond, time.Hour)
}

// runAgain reads the request of a run that an earlier process has queued.
func (s *Runs) runAgain(content string) (jobs.Request, error) {
	var b RunRequest
	err := json.Unmarshal([]byte(content), &b)
	return s.jobRequest(b), err
}

var varName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)

// narrow applies the client's choices to the configuration of a run.
func (s *Runs) narrow(c *run.Config, b RunRequest) {
	c.Vars, c.Platform, c.Labels, c.NoVideo = b.Vars, b.Platform, b.LabelFilter, c.NoVideo || b.NoVideo
	if b.Device != "" {
		c.Device = b.Device
	}
	if b.Environment != "" {
		c.Environment = b.Environment
	}
	if limit, err := b.limit(); err == nil && limit > 0 {
		c.Timeout = limit
	}
	if b.YAML != "" {
		c.NoFilePages = true
		// relative paths start where the client's files may be
		c.Access, c.Dir = s.o.Sandbox.Access(false), s.o.Sandbox.Root.Name()
	}
}

func (s *Runs) listRuns(ctx context.Context, in *listInput) (*runList, error) {
	list := s.jobs.List(in.Limit, in.Before)
	for i := range list {
		list[i] = s.jobs.Explain(ctx, list[i])
	}
	return &runList{list}, nil
}

func (s *Runs) getRun(ctx context.Context, in *runID) (*oneRun, error) {
	rec, err := s.jobs.Get(in.ID)
	return &oneRun{s.jobs.Explain(ctx, rec)}, err
}

func (s *Runs) cancelRun(ctx context.Context, in *runID) (*oneRun, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.o.MaxCall, rest.ErrTooLong)
	defer cancel()
	rec, err := s.jobs.Cancel(ctx, in.ID)
	return &oneRun{rec}, err
}

// followRun writes the events of a run as server-sent events.
func (s *Runs) followRun(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.jobs.Get(r.PathValue("id")); err != nil {
		return err
	}
	ctx, free := drivers.Bound(r.Context(), s.o.Streams)
	defer free()
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	if r.Method == http.MethodHead {
		return nil // a response to HEAD must not wait for events
	}
	out := &rest.EventStream{W: w}
	if err := out.Send(": events of run " + r.PathValue("id") + "\n\n"); err != nil {
		return nil
	}
	defer out.Beat(ctx)()
	_ = s.jobs.Follow(ctx, r.PathValue("id"), r.Header.Get("Last-Event-ID"), func(e jobs.Event) error {
		return out.Send("id: " + e.ID + "\nevent: " + e.Name + "\ndata: " + string(e.Data) + "\n\n")
	})
	return nil
}
