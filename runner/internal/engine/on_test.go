package engine_test

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/runner/internal/engine"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// severalHead is the head of a test with three phones.
const severalHead = "id: sample\ndevices:\n  alice: {platform: android}\n  bob: {platform: android}\n" +
	"  carol: {platform: android}\n"

// phone is a device with an id.
type phone struct {
	*device
	id string
}

func (p *phone) Info() drivers.Info {
	return drivers.Info{ID: p.id, Manufacturer: "Acme", Model: "One"}
}

// several are the three phones.
type several struct{ alice, bob, carol *phone }

func newSeveral() several {
	one := func(id string) *phone { return &phone{device: &device{}, id: id} }
	return several{one("A1"), one("B2"), one("C3")}
}

func (s several) open() []engine.Device {
	return []engine.Device{{Name: "alice", Device: s.alice}, {Name: "bob", Device: s.bob},
		{Name: "carol", Device: s.carol}}
}

// severalCase makes a case of what follows the devices of a test.
func severalCase(t testing.TB, text string) plan.Case {
	t.Helper()
	tests, err := dsl.Parse("suites/sample.yaml", []byte(severalHead+text))
	if err != nil {
		t.Fatal(err)
	}
	if err := dsl.Link(tests[0], nil); err != nil {
		t.Fatal(err)
	}
	return plan.Case{Test: tests[0], Platform: dsl.Android, Pack: "sample", Devices: tests[0].Devices}
}

// onSeveral runs steps on three phones, in fake time.
func onSeveral(t *testing.T, ctx context.Context, s several, text string) (*event.CaseResult, *sink, time.Duration) {
	t.Helper()
	out := &sink{dir: t.TempDir()}
	began := time.Now()
	result, err := engine.RunOn(ctx, severalCase(t, text), s.open(), out, engine.Options{})
	r := out.result(t)
	if err != nil || r.Result != result {
		t.Fatalf("result %s and in the events %s, %v", result, r.Result, err)
	}
	return r, out, time.Since(began)
}

// listed lists the steps: the device, the action, the result, and why it has that.
func listed(r *event.CaseResult) string {
	var b strings.Builder
	for _, s := range r.Steps {
		fmt.Fprintf(&b, "%s %s %s", s.Device, s.Action, s.Result)
		if s.Problem != nil {
			b.WriteString(": " + s.Problem.Message)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func wantListed(t *testing.T, r *event.CaseResult, want string) {
	t.Helper()
	if got := listed(r); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestStepsRunOnTheDeviceThatTheyName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSeveral()
		r, _, _ := onSeveral(t, t.Context(), s, `
vars: {who: nobody}
steps:
  - tap: Go
  - on: {bob: [{tap: Go}, {set: {who: bob}}]}
  - forEach: {in: [1, 2], steps: [{on: {carol: [{tap: Go}]}}]}
  - on: {alice: [{tap: Go}]}
  - assertTrue: who == "bob"
after:
  - on: {bob: [{log: "${who}"}]}
`)
		if r.Result != event.Pass || s.alice.taps != 2 || s.bob.taps != 1 || s.carol.taps != 2 {
			t.Errorf("%s; taps %d %d %d", r.Result, s.alice.taps, s.bob.taps, s.carol.taps)
		}
		wantListed(t, r, "alice tap pass\nbob tap pass\nbob set pass\ncarol tap pass\ncarol tap pass\nalice tap pass\n"+
			"alice assertTrue pass\nbob log pass\n")
		carol := event.CaseDevice{Name: "carol", Platform: dsl.Android, ID: "C3", Model: "Acme One"}
		if d := r.Case.Devices; len(d) != 3 || d[0].ID != "A1" || d[2] != carol || r.Case.Device != "A1" {
			t.Errorf("devices %+v, device %s", d, r.Case.Device)
		}
		if r.Steps[3].In != "forEach 1/2: 1" {
			t.Errorf("in %q", r.Steps[3].In)
		}
	})
}

func TestDevicesRunAtOnceAndKeepTheirValues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSeveral()
		r, _, took := onSeveral(t, t.Context(), s, `
vars: {known: before}
steps:
  - on:
      alice: [{sleep: 5s}, {set: {a: one}}, {log: "${known}"}]
      bob: [{sleep: 4s}, {set: {known: after}}, {log: "${known}"}]
      carol: [{forEach: {in: [1, 2], var: a2, steps: [{sleep: 1s}]}}]
  - assertTrue: a == "one" && known == "after"
`)
		if r.Result != event.Pass || took < 5*time.Second || took > 9*time.Second {
			t.Errorf("%s after %s\n%s", r.Result, took, listed(r))
		}
		var notes []string
		for _, step := range r.Steps {
			notes = append(notes, step.Notes...)
			if step.Detail != nil {
				notes = append(notes, step.Detail.Notes...)
			}
		}
		slices.Sort(notes)
		if !slices.Equal(notes, []string{"after", "before"}) {
			t.Errorf("logged %q", notes)
		}
	})
}

func TestAFailureCancelsTheWaitsOfOthersAndFinishesTheirTouches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSeveral()
		finished := false
		s.carol.onTap = func(ctx context.Context) error {
			err := drivers.Pause(ctx, 3*time.Second)
			finished = err == nil
			return err
		}
		r, out, took := onSeveral(t, t.Context(), s, `
steps:
  - on:
      alice: [{sleep: 1s}, {assert: {label: Paid, timeout: 1s}}, {tap: Go}]
      bob: [{waitFor: {visible: Paid, timeout: 60s}}, {tap: Go}, {if: {cond: "true", then: [{tap: Ready}]}}]
      carol: [{tap: Go}, {tap: Ready}]
  - tap: Go
`)
		if r.Result != event.Fail || !finished || took > 8*time.Second {
			t.Errorf("%s after %s, touch finished: %t", r.Result, took, finished)
		}
		var list []string
		for _, step := range r.Steps {
			why := ""
			if step.Problem != nil {
				why, _, _ = strings.Cut(step.Problem.Message, " did not")
			}
			list = append(list, fmt.Sprintf("%s %s %s %s", step.Device, step.Action, step.Result, why))
		}
		slices.Sort(list)
		n := fmt.Sprint(r.ProblemStep)
		want := []string{"alice assert fail \"Paid\"", "alice tap unreached ", "alice tap unreached ", "alice sleep pass ",
			"bob tap unreached stopped: alice failed in step " + n, "bob tap unreached stopped: alice failed in step " + n,
			"bob waitFor interrupted stopped: alice failed in step " + n, "carol tap pass ",
			"carol tap unreached stopped: alice failed in step " + n}
		slices.Sort(want)
		if !slices.Equal(list, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(list, "\n"), strings.Join(want, "\n"))
		}
		if sum := pack.Summarize(r); sum.StepsFailed != 1 || len(sum.Problems) != 1 || sum.Problem.Step != r.ProblemStep {
			t.Errorf("summary %+v", sum)
		}
		var moments []string
		for _, shot := range out.shots {
			if shot.Device != "" {
				moments = append(moments, fmt.Sprintf("%s %d", shot.Device, shot.Step))
			}
		}
		slices.Sort(moments)
		if !slices.Equal(moments, []string{"bob " + n, "carol " + n}) {
			t.Errorf("moments %q", moments)
		}
	})
}

func TestOfTwoFailuresTheFirstIsTheProblemAndAnErrorOutranksIt(t *testing.T) {
	const steps = `
steps:
  - on:
      alice: [{retry: {times: 1, steps: [{tap: Nothing, timeout: 2s}]}}]
      bob: [{tap: Go}]
      carol: [{tap: Go}]
`
	text := strings.Replace(steps, "{tap: Nothing, timeout: 2s}", "{tap: {label: Nothing, timeout: 2s}}", 1)
	for _, c := range []struct {
		name string
		bob  error
		want event.Result
		says string
	}{
		{"two failures", nil, event.Fail, "did not appear"},
		{"an error", drivers.ErrDeviceLost, event.Error, "bob (B2): "},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSeveral()
				s.bob.onTap = func(context.Context) error { // it continues after alice has failed
					time.Sleep(3 * time.Second)
					return c.bob
				}
				r, _, _ := onSeveral(t, t.Context(), s, text)
				if r.Result != c.want || r.Problem == nil || !strings.Contains(r.Problem.Message, c.says) {
					t.Errorf("%s: %+v", r.Result, r.Problem)
				}
				if c.bob != nil && (!r.LostDevice() || r.Step(r.ProblemStep).Device != "bob" || len(r.Failures()) != 2) {
					t.Errorf("lost %t, step %+v, %d failures", r.LostDevice(), r.Step(r.ProblemStep), len(r.Failures()))
				}
			})
		})
	}
}

func TestSoftAndOptionalStepsStopNoOtherDevice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSeveral()
		r, out, _ := onSeveral(t, t.Context(), s, `
steps:
  - on:
      alice: [{tap: {label: Nothing, timeout: 1s, optional: true}}, {tap: Go}]
      bob: [{tap: {label: Nothing, timeout: 1s, soft: true}}, {tap: Go}]
      carol: [{sleep: 5s}, {tap: Go}]
  - tap: Ready
`)
		if r.Result != event.Fail || s.alice.taps != 2 || s.bob.taps != 1 || s.carol.taps != 1 {
			t.Errorf("%s; taps %d %d %d\n%s", r.Result, s.alice.taps, s.bob.taps, s.carol.taps, listed(r))
		}
		if step := r.Step(r.ProblemStep); step == nil || step.Device != "bob" {
			t.Errorf("the problem is of %+v", step)
		}
		var moments []string // around the failure of the soft step
		for _, shot := range out.shots {
			if shot.Device != "" && shot.Step == r.ProblemStep {
				moments = append(moments, shot.Device)
			}
		}
		if slices.Sort(moments); !slices.Equal(moments, []string{"alice", "carol"}) {
			t.Errorf("moments %q", moments)
		}
	})
}

func TestOptionsOfOnAreThoseOfAllDevices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSeveral()
		r, _, took := onSeveral(t, t.Context(), s, `
steps:
  - try:
      steps:
        - on:
            timeout: 3s
            alice: [{sleep: 60s}]
            bob: [{try: {steps: [{sleep: 60s}], always: [{tap: Go}]}}]
      onFailure: [{log: late}]
  - on: {optional: true, bob: [{tap: {label: Nothing, timeout: 1s}}], carol: [{sleep: 60s}]}
  - on: {retries: 1, carol: [{tap: {label: Nothing, timeout: 1s}}], optional: true}
`)
		if r.Result != event.Pass || took > 20*time.Second || s.bob.taps != 1 {
			t.Errorf("%s after %s, %d taps\n%s", r.Result, took, s.bob.taps, listed(r))
		}
		if !strings.Contains(listed(r), "the on took longer than 3s") {
			t.Error(listed(r))
		}
	})
}

func TestAnInterruptEndsAllDevices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSeveral()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(2*time.Second, cancel)
		r, _, took := onSeveral(t, ctx, s, `
steps:
  - on:
      alice: [{sleep: 60s}]
      bob: [{waitFor: {visible: Paid, timeout: 60s}}, {tap: Go}]
after:
  - tap: Go
`)
		if r.Result != event.Interrupted || took > 5*time.Second {
			t.Errorf("%s after %s", r.Result, took)
		}
		slices.SortFunc(r.Steps, func(a, b event.StepResult) int { return cmp.Compare(a.Device, b.Device) })
		wantListed(t, r, "alice sleep interrupted: the run was interrupted\nalice tap unreached\n"+
			"bob waitFor interrupted: the run was interrupted\nbob tap unreached\n")
	})
}

func TestAPanicOfOneDeviceIsItsError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSeveral()
		s.bob.onScreenshot = func(context.Context) (image.Image, error) { panic("no picture") }
		r, _, _ := onSeveral(t, t.Context(), s, `
steps:
  - on: {alice: [{sleep: 60s}], bob: [{tap: Go}, {tap: Go}]}
`)
		if r.Result != event.Error || !strings.HasPrefix(r.Problem.Message, "bob (B2): ") {
			t.Errorf("%s: %+v", r.Result, r.Problem)
		}
	})
}

func TestAReportThatCannotBeWrittenStopsAllDevices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSeveral()
		out := &sink{dir: t.TempDir()}
		n := 0
		out.failEmit = func(e event.Event) error {
			if e.Kind == event.StepStarted {
				n++
			}
			if n > 2 {
				return fmt.Errorf("the disk is full")
			}
			return nil
		}
		result, err := engine.RunOn(t.Context(), severalCase(t, `
steps:
  - on: {alice: [{sleep: 60s}], bob: [{tap: Go}, {tap: Go}]}
`), s.open(), out, engine.Options{})
		if result != event.Error || err == nil {
			t.Errorf("%s, %v", result, err)
		}
	})
}
