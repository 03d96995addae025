package shell

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/client"
	"github.com/taproot-dev/taproot/runner/live"
	"github.com/taproot-dev/taproot/runner/plan"
)

// replay is a test that runs in a session.
type replay struct {
	*client.Call
	session *session
	one     plan.Case
	from    int // the first step to perform, from 0
	device  string
	devices map[string]string // of a test with several: by their names
	lines   []string
	ended   int
	failed  *event.Problem
	at      string // the name of the device that failed, of several
	written *written
}

// test performs a test, or its steps from one on, on the session's device, and leaves the device as it is when a step
// fails.
func (s *session) test(ctx context.Context, c *client.Call, req TestRequest) (*client.Answer, error) {
	r := &replay{Call: c, session: s}
	if err := r.plan(req); err != nil {
		return nil, err
	}
	if err := r.choose(ctx, req.From == ""); err != nil {
		return nil, err
	}
	r.assume()
	test := *r.one.Test
	test.Steps = test.Steps[r.from:]
	if r.from == 0 {
		test.Steps = append(slices.Clone(test.Before), test.Steps...)
	}
	off := false
	for i := range test.Steps {
		test.Steps[i].Options.Screenshot = &off
	}
	before := r.Saved()
	if r.from == 0 {
		before = nil
		r.Keep(nil)
	}
	began := time.Now()
	_, err := s.live.Steps(ctx, live.StepsRequest{Device: r.device, Devices: r.devices, Who: s.client.Who, Test: &test,
		Case: &r.one, Dir: r.one.Dir, Saved: before,
		Ended: func(e live.StepEnd) { r.addLine(&test, e) }})
	if err != nil {
		return nil, fmt.Errorf("%s\n%w", strings.Join(r.lines, "\n"), err)
	}
	r.mean()
	r.lines = append(r.lines, r.Screen(r.device).NewsOf(ctx)...)
	if r.failed == nil {
		r.lines = append(r.lines, fmt.Sprintf("pass: %s (%d ms); the session stays open", r.one.Test.ID,
			time.Since(began).Milliseconds()))
		return client.Text(strings.Join(r.lines, "\n")), nil
	}
	refusal := c.RefusalOf(r.failed)
	step := test.Steps[r.ended-1]
	refusal.Prefix = strings.Join(r.lines, "\n") + "\n" + fmt.Sprintf("fail: step %d, line %d: ", r.number(),
		step.Pos.Line)
	refusal.Done = fmt.Sprintf("the session stays open as the step left it; when it is fixed: taproot run %s --from %d",
		req.Path, r.number())
	return nil, refusal
}

// number returns the number, from 1 in the file, of the step that ended last; blocks before count as the first step.
func (r *replay) number() int {
	n := r.ended
	if r.from == 0 {
		n -= len(r.one.Test.Before)
	}
	return max(n, 1) + r.from
}

// plan finds the test and the first step.
func (r *replay) plan(req TestRequest) error {
	conf := r.session.conf
	conf.Vars, conf.Dir = maps.Clone(req.Vars), r.Dir
	path := req.Path
	if !filepath.IsAbs(path) && r.Dir != "" {
		if _, err := os.Stat(filepath.Join(r.Dir, path)); err == nil {
			path = filepath.Join(r.Dir, path)
		}
	}
	p, err := conf.Plan(path)
	if err != nil {
		return &live.InvalidError{Err: err}
	}
	if len(p.Cases) != 1 {
		var ids []string
		for _, one := range p.Cases {
			ids = append(ids, one.Test.ID+" ("+string(one.Platform)+")")
		}
		return &client.Refusal{What: fmt.Sprintf("%s contains %d cases, and a session runs one: %s", req.Path, len(p.Cases),
			strings.Join(ids, ", ")), Try: "name a test by its id"}
	}
	r.one = p.Cases[0]
	if r.written, err = writtenOf(r.one, r.Dir); err != nil {
		return err
	}
	r.from, err = firstStep(r.one.Test.Steps, req.From)
	return err
}

// firstStep finds a step by its number, or by a line of the file: "4", ":12" or "line 12".
func firstStep(steps dsl.Steps, from string) (int, error) {
	if from == "" {
		return 0, nil
	}
	text, byLine := strings.CutPrefix(from, "line ")
	if !byLine {
		text, byLine = strings.CutPrefix(from, ":")
	}
	n, err := strconv.Atoi(strings.TrimSpace(text))
	wrong := &client.Refusal{What: fmt.Sprintf("--from %q names no step of the test, which has %d", from, len(steps)),
		Try: "the number of a step, such as 4, or a line of the file, such as :12"}
	switch {
	case err != nil || n < 1:
		return 0, wrong
	case !byLine && n <= len(steps):
		return n - 1, nil
	case !byLine:
		return 0, wrong
	}
	for i := len(steps) - 1; i >= 0; i-- {
		if steps[i].Pos.Line <= n {
			return i, nil
		}
	}
	return 0, nil
}

// choose finds the device: that of the session, or a new page for a test that runs from its start.
func (r *replay) choose(ctx context.Context, fresh bool) error {
	if len(r.one.Devices) > 0 {
		return r.chooseAll(ctx, fresh)
	}
	var err error
	if r.one.Platform == dsl.Web && fresh && len(r.Pages()) == 0 && r.Device == "" {
		r.device, err = r.NewPage(ctx)
		return err
	}
	r.device, err = r.Pick(ctx, []dsl.Platform{r.one.Platform})
	return err
}

// assume describes the state that the skipped steps are assumed to have left.
func (r *replay) assume() {
	if r.from == 0 {
		return
	}
	at := r.session.client.Mask.Text(r.News.At(r.device))
	line := fmt.Sprintf("from step %d (line %d): taken for done are %d steps before it, on %s", r.from+1,
		r.one.Test.Steps[r.from].Pos.Line, r.from, r.device)
	if at != "" {
		line += " at " + r.Foreign(at)
	}
	if saved := r.Saved(); len(saved) > 0 {
		line += "; variables: " + strings.Join(slices.Sorted(maps.Keys(saved)), ", ")
	}
	r.lines = append(r.lines, line)
}

// addLine adds a line for a step that ended.
func (r *replay) addLine(test *dsl.Test, e live.StepEnd) {
	r.ended++
	r.Keep(e.Saved)
	if e.Result != event.Pass {
		r.failed, r.at = e.Problem, e.Failed
		return
	}
	if e.Step.Foreign() == nil && len(r.devices) == 0 { // taproot save writes tests with one device
		r.Journal.Add(r.written.done(r.Call, e.Step, r.device, r.one.Platform))
	}
	line := fmt.Sprintf("ok: step %d, line %d: %s (%d ms)", r.number(), e.Step.Pos.Line, e.Step.Def.Name,
		e.Took.Milliseconds())
	if e.Detail != nil && e.Detail.Matched != "" {
		line += " " + r.Foreign(e.Detail.Matched)
	}
	r.lines = append(r.lines, line)
}
