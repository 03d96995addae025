package devices

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/markdown"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/client"
	"github.com/taproot-dev/taproot/runner/live"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/server/internal/rest"
)

// inputRun requests that steps of a test run on the device.
type inputRun struct {
	// Path in the project of the test, or where it will be saved. Relative paths of files start at its folder.
	File     string            `json:"file"`
	YAML     string            `json:"yaml"`
	FromLine int               `json:"fromLine"` // of the first step; 0: the first one of the test
	ToLine   int               `json:"toLine"`   // in the last step; 0: the last one of the test
	PreferID bool              `json:"preferId"` // repairs prefer ids to texts
	Vars     map[string]string `json:"vars"`     // override those of the test
}

// inputStep reports that a step starts (without a result), or how it ended.
type inputStep struct {
	Line       int          `json:"line"`
	Action     string       `json:"action"`
	Device     string       `json:"device,omitempty"` // of a test with several, by its name
	Result     event.Result `json:"result,omitempty"`
	Message    string       `json:"message,omitempty"`
	Candidates []string     `json:"candidates,omitempty"`
	// Repairs are the step with other selectors, each of which matches exactly one element. Set when the selector
	// matched none or several.
	Repairs    []client.Repair `json:"repairs,omitempty"`
	DurationMS int64           `json:"duration_ms"`
}

// running is the current message, which another one can stop.
type running struct {
	mu       sync.Mutex
	id       string
	cancel   context.CancelFunc
	stopNext string // id of a message that was stopped before it started
}

func (r *running) begin(ctx context.Context, id json.RawMessage) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.id, r.cancel = string(id), cancel; r.stopNext == r.id {
		cancel()
	}
	r.stopNext = ""
	return ctx, func() {
		cancel()
		r.mu.Lock()
		defer r.mu.Unlock()
		r.cancel = nil
	}
}

// stop ends the message with this ID, or prevents it from starting.
func (r *running) stop(id json.RawMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cancel != nil && r.id == string(id) {
		r.cancel()
		return
	}
	r.stopNext = string(id)
}

// inputOn is the device of a message.
type inputOn struct {
	device string // its id
	alone  bool   // the message names it: the steps use no other one
}

// run performs the steps and reports each; the outcome passes if all steps pass.
func (i *inputSocket) run(ctx context.Context, on inputOn, r *inputRun, tell func(*inputStep)) (*Outcome, error) {
	info, err := i.s.devices.Info(ctx, on.device)
	if err != nil {
		return nil, rest.AsDeviceError(err)
	}
	c, err := i.draft(r, info.Platform)
	if err != nil {
		return nil, err
	}
	request := live.StepsRequest{Device: on.device, Who: i.who, Case: &c, Dir: c.Dir}
	if len(c.Devices) > 0 && !on.alone && i.team.names != nil {
		why, err := i.s.fits(ctx, i.team, c.Devices)
		if err != nil {
			return nil, err
		}
		if why != "" {
			return nil, rest.Invalid(why)
		}
		request.Devices = map[string]string{}
		for _, e := range c.Devices {
			request.Devices[e.Name] = i.team.names[e.Name]
		}
		request.Device = request.Devices[c.Test.MainDevice()]
	}
	test, err := selectSteps(c.Test, r)
	if err != nil {
		return nil, err
	}
	out := &Outcome{Passed: true}
	request.Test = test
	request.OnStep = func(step *dsl.Step) { tell(&inputStep{Line: step.Pos.Line, Action: step.Def.Name}) }
	request.Ended = func(e live.StepEnd) {
		step := inputStep{Line: e.Step.Pos.Line, Action: e.Step.Def.Name, Device: deviceOf(test, e), Result: e.Result,
			DurationMS: e.Took.Milliseconds()}
		if e.Problem != nil {
			if e.Result == event.Fail && e.Tree != nil {
				step.Repairs = client.Repairs(e.Tree, e.Step, r.PreferID)
			}
			step.Message, step.Candidates = markdown.VisibleLines(i.s.mask.Text(e.Problem.Message), rest.MaxMessage),
				e.Problem.Candidates
		}
		if e.Result != event.Pass && e.Result != event.Skipped {
			out.Passed, out.Message = false, step.Message
		}
		out.DurationMS += step.DurationMS
		if i.s.maskSecrets(&step) == nil {
			tell(&step)
		}
	}
	_, err = i.s.devices.Steps(ctx, request)
	if err != nil && out.Passed {
		return nil, rest.AsDeviceError(err)
	}
	return out, nil
}

// deviceOf names the device of a step that has ended: of several, the one that did not pass, or the first one on which
// it ran.
func deviceOf(t *dsl.Test, e live.StepEnd) string {
	if len(t.Devices) == 0 {
		return ""
	}
	if e.Problem != nil {
		return e.Failed
	}
	for name := range e.Step.Nested() {
		if e.Step.Def.Splits() {
			return name
		}
	}
	return t.MainDevice()
}

// draft reads the test. In the user's own project it is read as a file of its folder: with the suite's configuration,
// its data, the files that it runs and the environment. Elsewhere none of these exist.
func (i *inputSocket) draft(r *inputRun, platform dsl.Platform) (c plan.Case, err error) {
	vars := maps.Clone(i.s.o.Sandbox.Exposed)
	if vars == nil {
		vars = map[string]string{}
	}
	maps.Copy(vars, r.Vars)
	dir := i.s.o.Sandbox.Config.Dir
	if i.s.project == nil {
		c = plan.Case{Platform: platform, Dir: dir, Vars: vars, Env: func(string) (string, bool) { return "", false }}
		var tests []*dsl.Test
		if tests, err = dsl.Parse(rest.SentFile, []byte(r.YAML)); err == nil && len(tests) != 1 {
			return c, rest.Fault(http.StatusBadRequest, rest.CodeInvalid, "send one test")
		} else if err == nil {
			c.Test, c.Devices = tests[0], tests[0].Devices
		}
	} else {
		file := cmp.Or(filepath.ToSlash(r.File), rest.SentFile)
		if _, err := i.s.project.Stat(path.Dir(file)); !plan.YAMLFile(file) || !filepath.IsLocal(file) || err != nil &&
			!errors.Is(err, fs.ErrNotExist) {
			return c, rest.Invalid("run.file: name a file of this project that ends in .yaml")
		}
		c, err = plan.Draft(plan.Options{Dir: i.s.project.Name(), Platform: platform, Vars: vars,
			Env: i.s.o.Sandbox.Config.LookupEnv}, plan.Source{Name: file, Text: []byte(r.YAML)})
		c.Platform = platform
	}
	if err != nil {
		e := rest.Invalid(markdown.VisibleLines(i.s.mask.Text(err.Error()), rest.MaxMessage))
		var many source.Errors
		if errors.As(err, &many) && len(many) > 0 {
			e.Message = markdown.Visible(i.s.mask.Text(many[0].Msg), rest.MaxMessage)
		}
		return c, e
	}
	return c, nil
}

// selectSteps selects the requested steps.
func selectSteps(whole *dsl.Test, r *inputRun) (*dsl.Test, error) {
	test := *whole
	test.Steps = slices.Clone(test.Steps)
	first, last := 0, len(test.Steps)
	for at, step := range test.Steps {
		if r.FromLine > 0 && step.Pos.Line <= r.FromLine {
			first = at
		}
		if r.ToLine > 0 && step.Pos.Line <= r.ToLine {
			last = at + 1
		}
	}
	if test.Steps = test.Steps[first:max(first, last)]; len(test.Steps) == 0 {
		return nil, rest.Invalid("there are no steps to run")
	}
	return &test, nil
}
