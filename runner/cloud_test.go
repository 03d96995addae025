package runner_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/testrun"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

// cloudFleet has devices that are sessions of a cloud.
type cloudFleet struct {
	*fleet
	refuse error // of results; nil: they are taken

	mu       sync.Mutex
	sessions []string // test, build: result
}

type cloudDevice struct {
	drivers.Device
	fleet *cloudFleet
	n     int
}

func (c *cloudFleet) Open(ctx context.Context, id string) (drivers.Device, error) {
	d, err := c.fleet.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	test := testrun.Of(ctx)
	c.sessions = append(c.sessions, fmt.Sprintf("%s of %s:", test.ID, test.Build))
	return &cloudDevice{Device: d, fleet: c, n: len(c.sessions) - 1}, nil
}

func (d *cloudDevice) SessionURL() string { return fmt.Sprint("https://cloud.example/", d.n) }

func (d *cloudDevice) ReportResult(ctx context.Context, passed bool, reason string) error {
	d.fleet.mu.Lock()
	defer d.fleet.mu.Unlock()
	if ctx.Err() != nil {
		reason = "the context has ended: " + reason
	}
	text := map[bool]string{true: " passed", false: " failed "}[passed]
	if !passed {
		text += strings.SplitN(reason, ":", 2)[0]
	}
	d.fleet.sessions[d.n] += text
	return d.fleet.refuse
}

// A cloud gets the result of each test on a session of its own: passed for one that has passed, and for no other.
func TestCloudGetsResults(t *testing.T) {
	for name, is := range map[string]struct {
		src    string
		onLook func(cancel context.CancelFunc) func(string) error
		want   []string
		result event.Result
	}{
		"pass": {src: "  - assert: Ready", want: []string{"t of CI 7: passed"}, result: event.Pass},
		"fail": {src: "  - assert: {label: Missing, timeoutMs: 0}", want: []string{"t of CI 7: failed fail"},
			result: event.Fail},
		"error": {src: "  - assert: Ready", onLook: func(context.CancelFunc) func(string) error {
			return func(string) error { return errors.New("no answer") }
		}, want: []string{"t of CI 7: failed error"}, result: event.Error},
		"interrupted": {src: "  - assert: Ready", onLook: func(cancel context.CancelFunc) func(string) error {
			return func(string) error { cancel(); return context.Canceled }
		}, want: []string{"t of CI 7: failed interrupted"}, result: event.Interrupted},
		"skipped": {src: "  - assert: Ready\nskip: not today", want: nil, result: event.Skipped},
		"known failure": {src: "  - assert: {label: Missing, timeoutMs: 0}\nfails: {because: later}",
			want: []string{"t of CI 7: failed expected"}, result: event.Expected},
		"known failure that passes": {src: "  - assert: Ready\nfails: {because: later}",
			want:   []string{"t of CI 7: failed fail"},
			result: event.Fail},
		"lost session": {src: "  - assert: Ready\nretries: 1", onLook: func(context.CancelFunc) func(string) error {
			return losing([]string{"web-1"})
		}, want: []string{"t of CI 7: failed error", "t of CI 7: passed"}, result: event.Pass},
		"second attempt": {src: "  - assert: {label: Missing, timeoutMs: 0}\nretries: 1",
			want: []string{"t of CI 7: failed fail", "t of CI 7: failed fail"}, result: event.Fail},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			f := &cloudFleet{fleet: newPages(1).fleet}
			if is.onLook != nil {
				f.onLook = is.onLook(cancel)
			}
			o := runInCloud(ctx, t, f, is.src)
			if o.Result() != is.result {
				t.Errorf("%s, not %s: %v", o.Result(), is.result, o.Err)
			}
			if diff := cmp.Diff(is.want, f.sessions); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func runInCloud(ctx context.Context, t *testing.T, f *cloudFleet, src string) run.Outcome {
	t.Helper()
	locks := locksIn(t.TempDir())
	r := newRunner(t, run.Config{Getenv: func(name string) string {
		if value := map[string]string{"CIRCLECI": "true", "CIRCLE_BUILD_NUM": "7"}[name]; value != "" {
			return value
		}
		return locks(name)
	}}, f)
	r.Last = true
	outcome := r.All(ctx, []plan.Case{parseCase(t, "id: t\nplatform: "+string(dsl.Web)+"\nsteps:\n"+src+"\n")})[0]
	for i := range f.sessions {
		f.sessions[i] = strings.Replace(f.sessions[i], "CircleCI 7", "CI 7", 1)
	}
	return outcome
}

// The report has the page of the session, and a result that the cloud does not take is a warning, not a failure.
func TestCloudRefusesAResult(t *testing.T) {
	f := &cloudFleet{fleet: newPages(1).fleet, refuse: errors.New("the cloud did not take the result")}
	o := runInCloud(t.Context(), t, f, "  - assert: Ready")
	if o.Result() != event.Pass || !cmp.Equal(o.CaseResult.Warnings, []string{"the cloud did not take the result"}) {
		t.Errorf("%s, warnings %q", o.Result(), o.CaseResult.Warnings)
	}
	for file, want := range map[string]string{"run.md": "- session: https://cloud.example/0",
		"summary.json": `"session": "https://cloud.example/0"`} {
		text, err := os.ReadFile(filepath.Join(o.Dir, file))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %s: %v", file, want, err)
		}
	}
	var summary struct{ Notes []string }
	text, _ := os.ReadFile(filepath.Join(o.Dir, "summary.json"))
	if json.Unmarshal(text, &summary) != nil || len(summary.Notes) != 1 {
		t.Errorf("%s", text)
	}
}
