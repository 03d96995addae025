package engine_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
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

// run runs a case into a sink that keeps everything, in fake time.
func run(t *testing.T, steps string, dev drivers.Device, check func(t *testing.T, s *sink, r *event.CaseResult)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := &sink{dir: dir}
		result, err := engine.Run(t.Context(), testCase(t, steps), dev, s, engine.Options{})
		r := s.result(t)
		if err != nil || r.Result != result {
			t.Fatalf("result %s and in the events %s, %v", result, r.Result, err)
		}
		check(t, s, r)
	})
}

// packOf runs a case into a real report pack. The time-out is that of steps: long where they are to pass, short where
// one is to fail.
func packOf(t *testing.T, c plan.Case, dev drivers.Device, timeout time.Duration) (*event.CaseResult, []string) {
	t.Helper()
	dir, err := pack.NewRunDir(t.TempDir(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	p, err := dir.NewPack(event.Case{ID: c.Test.ID, Pack: c.Pack}, pack.PackOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Run(t.Context(), c, dev, p, engine.Options{Timeout: timeout}); err != nil {
		t.Fatal(err)
	}
	res, err := p.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(p.Dir(), "screenshots", "*.png"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range paths {
		paths[i] = filepath.Base(paths[i])
	}
	return res, paths
}

func results(r *event.CaseResult) string {
	var list []string
	for _, s := range r.Steps {
		list = append(list, string(s.Result))
	}
	return strings.Join(list, " ")
}

func TestPassTakesOneScreenshotOfEachStep(t *testing.T) {
	t.Parallel()
	w := &witness{device: &device{}}
	r, pictures := packOf(t, testCase(t, "  - tap: Go\n  - assert: Ready\n  - assert: Go\n"), w, time.Minute)
	if r.Result != event.Pass || results(r) != "pass pass pass" || r.Problem != nil {
		t.Errorf("%s: %s, %v", r.Result, results(r), r.Problem)
	}
	if want := []string{"01-tap-go.png", "02-assert-ready.png", "03-assert-go.png"}; !slices.Equal(pictures, want) {
		t.Errorf("pictures %v, want %v", pictures, want)
	}
	if r.Case.Device != "R58M" || r.Case.Model != "Acme One" || w.taps != 1 {
		t.Errorf("device %q, model %q, %d taps", r.Case.Device, r.Case.Model, w.taps)
	}
	if i := slices.IndexFunc(r.Attachments, func(a event.Attachment) bool { return a.Path == "logcat.txt" }); i < 0 {
		t.Errorf("no log among %+v", r.Attachments)
	}
}

func TestFailedAssertionTakesOneMoreScreenshotAndLeavesTheRestUnreached(t *testing.T) {
	t.Parallel()
	d := &device{}
	r, pictures := packOf(t,
		testCase(t, "  - tap: Go\n  - assert: {label: Paid, timeoutMs: 50}\n  - tap: Go\n  - tap: Go\n"), d, time.Minute)
	if r.Result != event.Fail || results(r) != "pass fail unreached unreached" || r.ProblemStep != 2 || d.taps != 1 {
		t.Errorf("%s: %s, problem of step %d, %d taps", r.Result, results(r), r.ProblemStep, d.taps)
	}
	if want := []string{"01-tap-go.png", "02-assert-paid-failed.png", "02-assert-paid.png"}; !slices.Equal(pictures,
		want) {
		t.Errorf("pictures %v, want %v", pictures, want)
	}
	if s := pack.Summarize(r); s.Steps != 4 || s.StepsPassed != 1 || s.StepsFailed != 1 || s.Screenshots != 3 {
		t.Errorf("summary %+v", s)
	}
}

func TestFailedActionTakesOneScreenshotOnly(t *testing.T) {
	t.Parallel()
	r, pictures := packOf(t, testCase(t, "  - tap: Nowhere\n  - assert: Ready\n"), &device{}, 50*time.Millisecond)
	if r.Result != event.Fail || results(r) != "fail unreached" {
		t.Errorf("%s: %s", r.Result, results(r))
	}
	if want := []string{"01-tap-nowhere.png"}; !slices.Equal(pictures, want) {
		t.Errorf("pictures %v, want %v", pictures, want)
	}
}

func TestStepsOwnTimeoutWins(t *testing.T) {
	t.Parallel()
	run(t, "  - assert: {label: Paid, timeoutMs: 3000}\n", &device{}, func(t *testing.T, _ *sink, r *event.CaseResult) {
		if d := r.Steps[0].Duration; d < 3*time.Second || d > 4*time.Second {
			t.Errorf("the step took %v", d)
		}
	})
	run(t, "  - assert: Paid\n", &device{}, func(t *testing.T, _ *sink, r *event.CaseResult) {
		if d := r.Duration; d < 10*time.Second || d > 11*time.Second {
			t.Errorf("the case took %v", d)
		}
	})
}

// TestPanicIsAnErrorWithItsStack: wherever the driver panics, the run continues, and the recording and the log are
// ended.
func TestPanicIsAnErrorWithItsStack(t *testing.T) {
	t.Parallel()
	boom := func() { panic("boom") }
	for name, broken := range map[string]*device{
		"Tree":       {onTree: func(context.Context) error { boom(); return nil }},
		"Tap":        {onTap: func(context.Context) error { boom(); return nil }},
		"Screenshot": {onScreenshot: func(context.Context) (image.Image, error) { boom(); return nil, nil }},
		"Info":       {onInfo: boom},
	} {
		t.Run(name, func(t *testing.T) {
			w := &witness{device: broken}
			run(t, "  - tap: Go\n  - assert: Ready\n", w, func(t *testing.T, _ *sink, r *event.CaseResult) {
				if r.Result != event.Error || r.Problem == nil || !strings.Contains(r.Problem.Message, "boom") {
					t.Fatalf("%s: %+v", r.Result, r.Problem)
				}
				if !strings.Contains(r.Problem.Stack, "engine_test.go") {
					t.Errorf("the stack does not lead to the panic:\n%s", r.Problem.Stack)
				}
				if want := map[string]string{"Screenshot": "pass error"}[name]; results(r) != cmp.Or(want, "error unreached") &&
					name != "Info" {
					t.Errorf("steps %s", results(r)) // the screenshot of a step is taken when the next step reads the screen
				}
				if w.filmsEnded != w.films || w.logsEnded != w.logs {
					t.Errorf("%d of %d films and %d of %d logs were ended", w.filmsEnded, w.films, w.logsEnded, w.logs)
				}
			})
		})
	}
}

func TestCancelledContextInterruptsWithinASecond(t *testing.T) {
	hang := func(ctx context.Context) error { <-ctx.Done(); return fmt.Errorf("device R58M: %w", ctx.Err()) }
	for name, d := range map[string]*device{
		"in a call":           {onTree: hang},
		"in a call that lies": {onTree: func(ctx context.Context) error { <-ctx.Done(); return drivers.ErrDeviceLost }},
		"while it waits":      {onTree: func(context.Context) error { return drivers.ErrNotReady }},
		"in a picture":        {onScreenshot: func(ctx context.Context) (image.Image, error) { return nil, hang(ctx) }},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				began := time.Now()
				time.AfterFunc(3*time.Second, func() { cancel(errors.New("somebody pressed Ctrl-C")) })
				s, w := &sink{dir: dir}, &witness{device: d}
				result, err := engine.Run(ctx, testCase(t, "  - tap: Go\n  - assert: Ready\n"), w, s, engine.Options{})
				if took := time.Since(began); took >= 4*time.Second {
					t.Errorf("it ended %v after the start", took)
				}
				r := s.result(t)
				if err != nil || result != event.Interrupted || r.Result != result || !strings.Contains(r.Problem.Message,
					"Ctrl-C") {
					t.Errorf("result %s, %s, %+v, %v", result, r.Result, r.Problem, err)
				}
				want := map[string]event.Result{"in a picture": event.Interrupted}[name] // it is taken when the second step looks
				if r.Steps[1].Result != cmp.Or(want, event.Unreached) || w.filmsEnded != 1 || w.logsEnded != 1 {
					t.Errorf("steps %s, %d films ended, %d logs", results(r), w.filmsEnded, w.logsEnded)
				}
			})
		})
	}
}

// TestInterruptIsNoErrorOfTheReport: the sink receives the end of the run, too, and the last screenshot is kept.
func TestInterruptIsNoErrorOfTheReport(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	d := &device{onScreenshot: func(context.Context) (image.Image, error) { cancel(); return blank, nil }}
	s := &sink{dir: t.TempDir()}
	result, err := engine.Run(ctx, testCase(t, "  - tap: Go\n  - assert: Ready\n"), d, s, engine.Options{})
	if err != nil || result != event.Interrupted || len(s.shots) != 1 {
		t.Errorf("result %s, %v, %d pictures", result, err, len(s.shots))
	}
}

func TestAssertionThatHeldIsAPassAlsoWhenTheRunEndsThen(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := &sink{dir: t.TempDir(), afterEvent: func(e event.Event) {
		if e.Kind == event.StepEnded {
			cancel()
		}
	}}
	if result, err := engine.Run(ctx, testCase(t, "  - assert: Ready\n"), &device{}, s, engine.Options{}); err != nil ||
		result != event.Pass {
		t.Errorf("result %s, %v", result, err)
	}
}

func TestNothingRunsAfterTheContextHasEnded(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d, s := &device{}, &sink{dir: t.TempDir()}
	result, err := engine.Run(ctx, testCase(t, "  - tap: Go\n"), d, s, engine.Options{})
	if err != nil || result != event.Interrupted || d.trees+d.taps+d.shots > 0 {
		t.Errorf("result %s, %v, %d trees, %d taps, %d pictures", result, err, d.trees, d.taps, d.shots)
	}
}

var errFull = errors.New("no space left on device")

// TestReportThatCannotBeKeptIsAnErrorAndStopsTheDevice breaks each event of a case in turn.
func TestReportThatCannotBeKeptIsAnErrorAndStopsTheDevice(t *testing.T) {
	t.Parallel()
	const steps = "  - tap: Go\n  - tap: Go\n  - tap: Go\n"
	whole := &sink{dir: t.TempDir()}
	if result, err := engine.Run(t.Context(), testCase(t, steps), &device{}, whole, engine.Options{}); err != nil ||
		result != event.Pass {
		t.Fatalf("result %s, %v", result, err)
	}
	for n, e := range whole.events {
		t.Run(fmt.Sprintf("%d %s", n+1, e.Kind), func(t *testing.T) {
			s, w, seen := &sink{dir: t.TempDir()}, &witness{device: &device{}}, 0
			var calls int
			s.failEmit = func(event.Event) error {
				if seen++; seen == n+1 {
					calls = w.trees + w.taps
					return errFull
				}
				return nil
			}
			result, err := engine.Run(t.Context(), testCase(t, steps), w, s, engine.Options{NoVideo: true})
			if result != event.Error || !errors.Is(err, errFull) {
				t.Errorf("result %s, %v", result, err)
			}
			if more := w.trees + w.taps - calls; more != 0 {
				t.Errorf("%d calls of the device after the report was lost", more)
			}
			if w.logsEnded != w.logs || n == 0 && w.logs > 0 {
				t.Errorf("%d of %d logs were ended", w.logsEnded, w.logs)
			}
			if r := s.result(t); e.Kind != event.CaseEnded &&
				(r.Result != event.Error || !strings.Contains(r.Problem.Message, "no space left")) {
				t.Errorf("the events say %s, %+v", r.Result, r.Problem)
			}
		})
	}
}

func TestScreenshotOrLogThatCannotBeKeptIsAnError(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*sink{"picture": {failShot: errFull}, "log": {failAdd: errFull}} {
		t.Run(name, func(t *testing.T) {
			s.dir = t.TempDir()
			w := &witness{device: &device{}}
			result, err := engine.Run(t.Context(), testCase(t, strings.Repeat("  - tap: Go\n", 4)), w, s,
				engine.Options{})
			if r := s.result(t); result != event.Error || r.Result != result || !errors.Is(err, errFull) {
				t.Errorf("result %s, %s, %v", result, r.Result, err)
			}
			if name == "picture" && w.taps != 2 { // the second step saw the screen as the first one left it
				t.Errorf("%d taps, although the first screenshot was lost after the second one", w.taps)
			}
		})
	}
}

// TestUnwritableReportOverridesAFailure: the failure could not be read anywhere.
func TestUnwritableReportOverridesAFailure(t *testing.T) {
	t.Parallel()
	s := &sink{dir: t.TempDir(), failShot: errFull}
	result, err := engine.Run(t.Context(), testCase(t, "  - assert: {label: Paid, timeoutMs: 0}\n"), &device{}, s,
		engine.Options{})
	if result != event.Error || !errors.Is(err, errFull) {
		t.Errorf("result %s, %v", result, err)
	}
}

func TestDeviceLostInMidTestIsAnErrorThatNamesIt(t *testing.T) {
	t.Parallel()
	lost := fmt.Errorf("%w: the connection to device R58M broke", drivers.ErrDeviceLost)
	d := &device{}
	d.onTap = func(context.Context) error {
		d.onTree = func(context.Context) error { return lost }
		d.onScreenshot = func(context.Context) (image.Image, error) { return nil, lost }
		return nil
	}
	run(t, "  - tap: Go\n  - assert: Ready\n  - tap: Go\n", &witness{device: d, stopLog: func() error { return lost },
		stopFilm: func() error { return lost }},
		func(t *testing.T, _ *sink, r *event.CaseResult) {
			if r.Result != event.Error || results(r) != "pass error unreached" || !strings.Contains(r.Problem.Message,
				"R58M") {
				t.Errorf("%s: %s, %+v", r.Result, results(r), r.Problem)
			}
		})
}

// TestHangingDeviceIsNotWaitedForTwice: a device that blocks a step blocks its screenshot, too.
func TestHangingDeviceIsNotWaitedForTwice(t *testing.T) {
	t.Parallel()
	d := &device{}
	d.onTree = func(ctx context.Context) error { return drivers.ErrDeviceLost }
	d.onScreenshot = func(ctx context.Context) (image.Image, error) { <-ctx.Done(); return nil, ctx.Err() }
	run(t, "  - assert: Ready\n", d, func(t *testing.T, _ *sink, r *event.CaseResult) {
		if r.Result != event.Error || r.Duration > 6*time.Second {
			t.Errorf("%s after %v", r.Result, r.Duration)
		}
	})
}

// mortal is a device with an app that crashes some time after a tap.
type mortal struct {
	*device
	after  time.Duration
	tapped time.Time
}

func (m *mortal) Tap(ctx context.Context, p image.Point) error {
	m.tapped = time.Now()
	return m.device.Tap(ctx, p)
}

func (m *mortal) Crashed(context.Context) (*drivers.Crash, error) {
	if m.tapped.IsZero() || time.Since(m.tapped) < m.after {
		return nil, nil
	}
	return &drivers.Crash{App: "com.example", Kind: drivers.CrashException, Reason: "no basket"}, nil
}

// TestAppHasTimeToDieOfTheLastStep: it is looked for once more when the last step has gone well.
func TestAppHasTimeToDieOfTheLastStep(t *testing.T) {
	t.Parallel()
	for after, want := range map[time.Duration]event.Result{900 * time.Millisecond: event.Fail, time.Hour: event.Pass} {
		run(t, "  - assert: Ready\n  - tap: Go\n", &mortal{device: &device{}, after: after},
			func(t *testing.T, _ *sink, r *event.CaseResult) {
				if r.Result != want || want == event.Fail && !strings.Contains(r.Problem.Message,
					"com.example crashed: no basket") {
					t.Errorf("an app that dies %s after the tap: %s, %+v", after, r.Result, r.Problem)
				}
				if r.Duration > 3*time.Second {
					t.Errorf("it took %s", r.Duration)
				}
			})
	}
}

func TestEmptyScreenshotIsAWarning(t *testing.T) {
	t.Parallel()
	d := &device{onScreenshot: func(context.Context) (image.Image, error) { return nil, nil }}
	run(t, "  - tap: Go\n", d, func(t *testing.T, s *sink, r *event.CaseResult) {
		if r.Result != event.Pass || len(s.shots) != 0 || !strings.Contains(strings.Join(r.Steps[0].Notes, ";"),
			"empty image") {
			t.Errorf("%s, %d pictures, notes %q", r.Result, len(s.shots), r.Steps[0].Notes)
		}
	})
}

// TestFailedRecordingAndLogAreWarnings: errors and panics, at the start and at the end.
func TestFailedRecordingAndLogAreWarnings(t *testing.T) {
	t.Parallel()
	fail := func() error { return errors.New("no encoder") }
	burst := func() error { panic("no encoder") }
	for how, broken := range map[string]func() error{"error": fail, "panic": burst} {
		for name, w := range map[string]*witness{
			"start film": {startFilm: broken}, "stop film": {stopFilm: broken},
			"start log": {startLog: broken}, "stop log": {stopLog: broken},
			"both": {startFilm: broken, startLog: broken},
		} {
			t.Run(how+" "+name, func(t *testing.T) {
				w.device = &device{}
				run(t, "  - tap: Go\n", w, func(t *testing.T, s *sink, r *event.CaseResult) {
					if r.Result != event.Pass {
						t.Errorf("%s: %+v", r.Result, r.Problem)
					}
					if said := s.noFilm + strings.Join(r.Notes, ";"); !strings.Contains(said, "no encoder") {
						t.Errorf("the report does not tell: %q", said)
					}
				})
			})
		}
	}
}

func TestNoVideoDoesNotRecord(t *testing.T) {
	t.Parallel()
	w, s := &witness{device: &device{}}, &sink{dir: t.TempDir()}
	result, err := engine.Run(t.Context(), testCase(t, "  - tap: Go\n"), w, s, engine.Options{NoVideo: true})
	if err != nil || result != event.Pass || w.films != 0 || s.noFilm == "" || w.logsEnded != 1 {
		t.Errorf("%s, %v, %d films, reason %q, %d logs", result, err, w.films, s.noFilm, w.logsEnded)
	}
}

// TestVariablesThatHaveNoValueAreAnErrorOfTheCase: plan.Build finds them before, but the environment may change.
func TestVariablesThatHaveNoValueAreAnErrorOfTheCase(t *testing.T) {
	t.Parallel()
	tests, err := dsl.Parse("a.yaml",
		[]byte("id: a\nplatform: android\nvars: {USER: \"${GONE}\"}\nsteps:\n  - tap: ${USER}\n"))
	if err != nil {
		t.Fatal(err)
	}
	d, s := &device{}, &sink{dir: t.TempDir()}
	result, err := engine.Run(t.Context(), plan.Case{Test: tests[0], Platform: dsl.Android, Pack: "a"}, d, s,
		engine.Options{})
	r := s.result(t)
	if err != nil || result != event.Error || r.Result != result || !strings.Contains(r.Problem.Message, "GONE") ||
		d.trees+d.shots > 0 {
		t.Errorf("%s, %s, %+v, %v", result, r.Result, r.Problem, err)
	}
	if len(r.Steps) != 1 || r.Steps[0].Args != "${USER}" {
		t.Errorf("steps %+v", r.Steps)
	}
}

func TestTypedTextNeverNamesAScreenshot(t *testing.T) {
	t.Parallel()
	d := &device{}
	run(t, "  - input: lovelace\n", d, func(t *testing.T, s *sink, _ *event.CaseResult) {
		if len(s.shots) != 1 || s.shots[0].Label != "input" {
			t.Errorf("pictures %+v", s.shots)
		}
	})
}

// TestWorkFolderThatCannotBeMadeIsAnError of the report, before the device is asked for anything.
func TestWorkFolderThatCannotBeMadeIsAnError(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w, s := &witness{device: &device{}}, &sink{dir: file}
	result, err := engine.Run(t.Context(), testCase(t, "  - tap: Go\n"), w, s, engine.Options{})
	if err == nil || result != event.Error || w.trees+w.films+w.logs > 0 {
		t.Errorf("%s, %v, %d trees, %d films, %d logs", result, err, w.trees, w.films, w.logs)
	}
}

// discard is a sink that keeps nothing.
type discard struct{ dir string }

func (d discard) Emit(event.Event) error                       { return nil }
func (d discard) Screenshot(context.Context, event.Shot) error { return nil }
func (d discard) Mask() *event.Mask                            { return &event.Mask{} }
func (d discard) Dir() string                                  { return d.dir }
func (d discard) Add(event.Attachment, int, string) error      { return nil }
func (d discard) AddClip(string, time.Time)                    {}
func (d discard) NoRecording(string)                           {}

// BenchmarkEngineStep is the engine's own cost of one step: the device does nothing and the sink keeps nothing.
func BenchmarkEngineStep(b *testing.B) {
	const steps = 100
	c := testCase(b, strings.Repeat("  - tap: {point: \"10,10\"}\n", steps))
	dev, s := &device{}, discard{b.TempDir()}
	b.ReportAllocs()
	for b.Loop() {
		if result, err := engine.Run(b.Context(), c, dev, s, engine.Options{NoVideo: true}); err != nil ||
			result != event.Pass {
			b.Fatalf("%s, %v", result, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/steps, "ns/step")
}
