package engine_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
)

// talker is a device with taps that make its log report an error.
type talker struct {
	*device
	log  io.Writer
	says string // a format that takes the time twice
	form string // of its times; default: logcat's
}

func (d *talker) StartLog(_ context.Context, to io.Writer) (func() error, error) {
	d.log = to
	return func() error { return nil }, nil
}

func (d *talker) tap(context.Context) error {
	now := time.Now().Format(cmp.Or(d.form, "01-02 15:04:05.000"))
	_, err := fmt.Fprintf(d.log, d.says, now, now)
	return err
}

const (
	appStarts = "%s   600   601 I ActivityManager: Start proc 47:com.example/u0a1 for activity\n"
	appErrs   = "%s    47    48 E Pay     : java.net.SocketTimeoutException: timeout\n"
	otherErrs = "%s    99    99 E Other   : java.lang.Error: of another app\n"
)

// The app logged why it could not pay, but the report listed no log lines.
func TestWhatTheAppLoggedAroundAFailure(t *testing.T) {
	t.Parallel()
	d := &talker{device: &device{}, says: appErrs + otherErrs}
	d.onTap = d.tap
	app := &launcher{talker: d}
	run(t, "  - launch: com.example\n  - tap: Go\n  - assert: {label: Paid, timeoutMs: 500}\n", app,
		func(t *testing.T, s *sink, r *event.CaseResult) {
			step := r.Step(3)
			if r.Result != event.Fail || step == nil || len(step.Around) != 1 {
				t.Fatalf("%s, %+v", r.Result, r.Steps)
			}
			if in := step.Around[0]; in.Kind != event.IncidentLog || !in.Cause ||
				in.Text != "E/Pay: java.net.SocketTimeoutException: timeout" {
				t.Errorf("%+v", in)
			}
			if want := "; meanwhile in the app's log: E/Pay: java.net.SocketTimeoutException: timeout"; !strings.HasSuffix(
				r.Problem.Message, want) {
				t.Errorf("%q does not end with %q", r.Problem.Message, want)
			}
		})
}

// A simulator's app threw an exception; it is listed around the failure as for Android.
func TestWhatASimulatorsAppThrewAroundAFailure(t *testing.T) {
	t.Parallel()
	d := &talker{device: &device{}, form: "2006-01-02 15:04:05.000",
		says: "%s E  example[47:1a2b] [com.example:pay] NSURLErrorException: the server cannot be found\n%s F  Other[99:1] " +
			"[com.other:x] Fatal error: of another app\n"}
	d.onTap = d.tap
	run(t, "  - launch: com.example\n  - tap: Go\n  - assert: {label: Paid, timeoutMs: 500}\n", &launcher{talker: d},
		func(t *testing.T, s *sink, r *event.CaseResult) {
			step := r.Step(3)
			if r.Result != event.Fail || step == nil || len(step.Around) != 1 {
				t.Fatalf("%s, %+v", r.Result, r.Steps)
			}
			if in := step.Around[0]; in.Kind != event.IncidentException || !in.Cause ||
				in.Text != "NSURLErrorException: the server cannot be found" {
				t.Errorf("%+v", in)
			}
		})
}

// launcher is a talker that starts apps.
type launcher struct{ *talker }

func (d *launcher) Launch(context.Context, string, bool) error {
	if d.form != "" {
		return nil
	}
	_, err := fmt.Fprintf(d.log, appStarts, time.Now().Format("01-02 15:04:05.000"))
	return err
}

func (d *launcher) Foreground(context.Context) (string, error) { return "com.example", nil }

// What went wrong long before the step has nothing to do with it.
func TestWhatWasLoggedLongBefore(t *testing.T) {
	t.Parallel()
	d := &talker{device: &device{}, says: appErrs + otherErrs}
	d.onTap = d.tap
	run(t, "  - launch: com.example\n  - tap: Go\n  - sleep: 2s\n  - assert: {label: Paid, timeoutMs: 500}\n",
		&launcher{d}, func(t *testing.T, s *sink, r *event.CaseResult) {
			if step := r.Step(4); r.Result != event.Fail || len(step.Around) != 0 || strings.Contains(r.Problem.Message,
				"meanwhile") {
				t.Errorf("%+v", step)
			}
		})
}
