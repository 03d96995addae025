package live_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/live"
	"github.com/taproot-dev/taproot/runner/internal/pool"
)

// idle is how long phones without a lease stay open, in fake time.
const idle = 2 * time.Second

// devices opens devices with the options o; by default idle devices stay open for the whole test, also on a slow
// machine.
func devices(t *testing.T, p drivers.Driver, locks string, o live.Options) *live.Devices {
	t.Helper()
	if o.Idle == 0 {
		o.Idle = time.Hour
	}
	o.Pool = pool.New([]drivers.Driver{p}, pool.Options{Getenv: func(name string) string {
		if name == "XDG_RUNTIME_DIR" {
			return locks
		}
		return ""
	}})
	o.What = "the server"
	d, err := live.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func call(t *testing.T, d *live.Devices, id, who, action, args string) (live.Answer, error) {
	t.Helper()
	def, ok := dsl.Lookup(action)
	if !ok {
		t.Fatalf("no action %s", action)
	}
	v, err := source.FromJSON([]byte(args))
	if err != nil {
		t.Fatal(err)
	}
	return d.Call(t.Context(), live.Request{Device: id, Who: who, Def: def, Args: v})
}

// TestCallsTakeTurns: clients without a lease share a phone, one call after the other, and no call is lost.
func TestCallsTakeTurns(t *testing.T) {
	p := newPhones("A", "B")
	d := devices(t, p, t.TempDir(), live.Options{})
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			a, err := call(t, d, []string{"A", "B"}[i%2], fmt.Sprint("client ", i), "tap", `{"label": "Login"}`)
			if err != nil || a.Result != event.Pass || a.Detail.Point == nil {
				t.Errorf("%+v, %v", a, err)
			}
		})
	}
	all.Wait()
	if p.taps["A"] != 20 || p.taps["B"] != 20 || p.opened["A"] != 1 {
		t.Errorf("taps %v, opened %v", p.taps, p.opened)
	}
}

// TestWhatAnAnswerIs: a failure of the app is an answer; a mistake of the caller or a failure of the device is an
// error.
func TestWhatAnAnswerIs(t *testing.T) {
	p := newPhones("A")
	d := devices(t, p, t.TempDir(), live.Options{Exposed: map[string]string{"PASS": "hunter22"}})
	a, err := call(t, d, "A", "x", "assert", `{"label": "Welcome", "timeoutMs": 0}`)
	if err != nil || a.Result != event.Fail || !a.Problem.Assertion || a.Problem.Kind != event.NotFound {
		t.Errorf("%+v, %v", a, err)
	}
	for _, c := range []struct{ id, action, args, want string }{
		{"nobody", "tap", `{"label": "Login"}`, `there is no device "nobody"; there are A, off`},
		{"off", "tap", `{"label": "Login"}`, "device off cannot be used: offline: plug it in again"},
		{"A", "tap", `{"lable": "Login"}`, `did you mean "label"`},
		{"A", "webClick", `{"selector": "a"}`, `"webClick" does not work on A, which is android`},
		{"A", "tap", `{"label": "${HOME}"}`, "${HOME} is not defined"},
		{"A", "tap", `{"label": "${PASS} ${"}`, "not closed"},
	} {
		if _, err := call(t, d, c.id, "x", c.action, c.args); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s %s: %v, want %q", c.id, c.action, c.args, err, c.want)
		}
	}
	p.fail = errors.New("the cable was pulled while typing hunter22")
	if _, err := call(t, d, "A", "x", "tap", `{"label": "Login"}`); err == nil ||
		strings.Contains(err.Error(), "hunter22") || !strings.Contains(err.Error(), "cable") {
		t.Errorf("error %v", err)
	}
	if opened, open := p.count(); opened != 1 || open != 0 {
		t.Errorf("%d opened, %d open after a device error", opened, open)
	}
	a, err = call(t, d, "A", "x", "input", `{"text": "${PASS}"}`)
	if err != nil || a.Result != event.Pass {
		t.Fatalf("%+v, %v", a, err)
	}
	a, err = call(t, d, "A", "x", "assert", `{"label": "hunter2", "timeoutMs": 0}`)
	if err != nil || a.Result != event.Fail || strings.Contains(fmt.Sprintf("%+v", a.Problem), "hunter22") {
		t.Errorf("%+v, %v", a.Problem, err)
	}
}

// TestHold: only the holder can use a leased device, also across processes, until it is released or the time ends.
func TestHold(t *testing.T) {
	locks := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		p := newPhones("A")
		d := devices(t, p, locks, live.Options{Idle: idle})
		other := devices(t, newPhones("A"), locks, live.Options{Idle: idle})
		if _, err := d.Hold(t.Context(), "A", "anna", time.Minute); err != nil {
			t.Fatal(err)
		}
		var held *live.HeldError
		if _, err := call(t, d, "A", "bert", "tap", `{"label": "Login"}`); !errors.As(err, &held) || held.Who != "anna" {
			t.Errorf("bert: %v", err)
		}
		if _, err := d.Hold(t.Context(), "A", "bert", time.Minute); !errors.As(err, &held) {
			t.Errorf("bert holds: %v", err)
		}
		var busy *pool.BusyError
		time.Sleep(30 * time.Second) // longer than a phone without a lease stays open
		if _, err := call(t, other, "A", "carl", "tap", `{"label": "Login"}`); !errors.As(err, &busy) ||
			busy.Holder.PID != os.Getpid() || busy.Holder.What != "the server" {
			t.Errorf("carl: %v", err)
		}
		p.fail = errors.New("broken")
		if _, err := call(t, d, "A", "anna", "tap", `{"label": "Login"}`); err == nil {
			t.Error("a broken device passed")
		}
		if _, err := call(t, other, "A", "carl", "tap", `{"label": "Login"}`); !errors.As(err, &busy) {
			t.Errorf("a held device went to carl when it broke: %v", err)
		}
		if _, err := call(t, d, "A", "anna", "tap", `{"label": "Login"}`); err != nil {
			t.Errorf("anna: %v", err)
		}
		time.Sleep(31 * time.Second)
		if _, err := call(t, d, "A", "bert", "tap", `{"label": "Login"}`); err != nil {
			t.Errorf("bert, when the hold is over: %v", err)
		}
		if _, err := d.Hold(t.Context(), "A", "bert", time.Hour); err != nil {
			t.Fatal(err)
		}
		if was, err := d.Release(t.Context(), "A", "anna"); was || !errors.As(err, &held) {
			t.Errorf("anna released what bert holds: %v, %v", was, err)
		}
		if was, err := d.Release(t.Context(), "A", "bert"); !was || err != nil {
			t.Errorf("release: %v, %v", was, err)
		}
		if _, err := call(t, other, "A", "carl", "tap", `{"label": "Login"}`); err != nil {
			t.Errorf("carl, after the release: %v", err)
		}
		if _, open := p.count(); open != 0 {
			t.Errorf("%d devices are open", open)
		}
	})
}

// TestIdleGoesBack: another process can lease a phone without a lease soon after the last call.
func TestIdleGoesBack(t *testing.T) {
	locks := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		p := newPhones("A")
		d := devices(t, p, locks, live.Options{Idle: 5 * time.Second})
		for range 3 {
			if _, err := call(t, d, "A", "x", "tap", `{"label": "Login"}`); err != nil {
				t.Fatal(err)
			}
			time.Sleep(4 * time.Second)
		}
		if opened, open := p.count(); opened != 1 || open != 1 || len(d.Open()) != 1 {
			t.Errorf("opened %d times, %d open", opened, open)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if _, open := p.count(); open != 0 || len(d.Open()) != 0 {
			t.Errorf("%d open after the idle time, %v", open, d.Open())
		}
	})
}

// TestCancelledCalls: a caller that disconnects while it waits leaves nothing behind; one that disconnects during its
// call stops it.
func TestCancelledCalls(t *testing.T) {
	locks := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		p := newPhones("A")
		d := devices(t, p, locks, live.Options{Idle: idle})
		p.during = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		def, _ := dsl.Lookup("tap")
		args, _ := source.FromJSON([]byte(`{"label": "Login"}`))
		gone := errors.New("client went away")
		errs := make(chan error, 3)
		for range 3 {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { cancel(gone) })
			go func() {
				_, err := d.Call(ctx, live.Request{Device: "A", Who: "x", Def: def, Args: args})
				errs <- err
			}()
		}
		for range 3 {
			if err := <-errs; !errors.Is(err, gone) {
				t.Errorf("error %v", err)
			}
		}
		go func() {
			_, err := d.Call(t.Context(), live.Request{Device: "A", Who: "x", Def: def, Args: args})
			errs <- err
		}()
		synctest.Wait()
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if err := <-errs; !errors.Is(err, live.ErrClosed) {
			t.Errorf("a call during the end: %v", err)
		}
		if _, err := call(t, d, "A", "x", "tap", `{"label": "Login"}`); !errors.Is(err, live.ErrClosed) {
			t.Errorf("a call after the end: %v", err)
		}
		if _, open := p.count(); open != 0 {
			t.Errorf("%d devices are open", open)
		}
	})
}

// TestPanicCostsOneCall: a driver that panics does not end the server.
func TestPanicCostsOneCall(t *testing.T) {
	p := newPhones("A")
	d := devices(t, p, t.TempDir(), live.Options{})
	err := d.Use(t.Context(), "A", "x", func(context.Context, *action.Performer) error { panic("boom") })
	if err == nil || !strings.Contains(err.Error(), "boom") {
		t.Errorf("error %v", err)
	}
	if _, err := call(t, d, "A", "x", "tap", `{"label": "Login"}`); err != nil {
		t.Error(err)
	}
}

// TestAnOpenDeviceWithoutAPageStaysOpen: a call that needs a page is the client's mistake. A device that a client has
// leased is not closed for it.
func TestAnOpenDeviceWithoutAPageStaysOpen(t *testing.T) {
	p := newPhones("A")
	d := devices(t, p, t.TempDir(), live.Options{})
	if _, err := call(t, d, "A", "x", "tap", `{"label": "Login"}`); err != nil {
		t.Fatal(err)
	}
	p.fail = drivers.NoPage("no page is open: begin with openBrowser")
	answer, err := call(t, d, "A", "x", "tap", `{"label": "Login"}`)
	if err != nil || answer.Result != event.Fail || answer.Problem.Kind != event.NoPage {
		t.Errorf("%+v, %v", answer, err)
	}
	if opened, open := p.count(); opened != 1 || open != 1 {
		t.Errorf("%d opened, %d open", opened, open)
	}
}

// TestConfirm: a caller can reject the matched element, which is then not touched.
func TestConfirm(t *testing.T) {
	p := newPhones("A")
	d := devices(t, p, t.TempDir(), live.Options{})
	def, _ := dsl.Lookup("tap")
	v, err := source.FromJSON([]byte(`{"label": "Login"}`))
	if err != nil {
		t.Fatal(err)
	}
	other := errors.New("another element")
	r := live.Request{Device: "A", Who: "x", Def: def, Args: v, Confirm: func(tree *screen.Tree, m screen.Match) error {
		if m.Node.Text != "Login" || !m.Node.Within(tree.Windows[0]) {
			t.Errorf("asked about %v", m.Node)
		}
		return &live.InvalidError{Err: other}
	}}
	if _, err := d.Call(t.Context(), r); !errors.Is(err, other) || p.taps["A"] != 0 {
		t.Errorf("%v, %d taps", err, p.taps["A"])
	}
	r.Confirm = nil
	if a, err := d.Call(t.Context(), r); err != nil || a.Result != event.Pass || p.taps["A"] != 1 {
		t.Errorf("%+v, %v, %d taps", a, err, p.taps["A"])
	}
}

// TestAttach: a background task keeps the device open, ends with it, and cannot be ended twice.
func TestAttach(t *testing.T) {
	locks := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		p := newPhones("A")
		d := devices(t, p, locks, live.Options{Idle: idle})
		stopped := 0
		start := func(*action.Performer) (func() error, error) { return func() error { stopped++; return nil }, nil }
		detach, _, err := d.Attach(t.Context(), "A", "x", start)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if _, open := p.count(); open != 1 || stopped != 0 {
			t.Errorf("%d open, stopped %d times", open, stopped)
		}
		if _, err := call(t, d, "A", "y", "tap", `{"label": "Login"}`); err != nil {
			t.Error(err)
		}
		if _, _, err := d.Attach(t.Context(), "A", "x", func(*action.Performer) (func() error, error) {
			return nil, errors.New("no log")
		}); err == nil || err.Error() != "no log" {
			t.Errorf("%v", err)
		}
		if err := errors.Join(detach(), detach()); err != nil || stopped != 1 {
			t.Errorf("%v, stopped %d times", err, stopped)
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if _, open := p.count(); open != 0 {
			t.Errorf("%d open after the idle time", open)
		}
		detach, gone, err := d.Attach(t.Context(), "A", "x", start)
		if err != nil {
			t.Fatal(err)
		}
		p.fail = errors.New("broken")
		if _, err := call(t, d, "A", "y", "tap", `{"label": "Login"}`); err == nil {
			t.Error("a broken device passed")
		}
		<-gone
		if err := detach(); err != nil || stopped != 2 {
			t.Errorf("%v, stopped %d times", err, stopped)
		}
	})
}

// TestWhatIsNotTheDevicesFault: a device stays open after an unsupported action, and when no text recognition is
// available.
func TestWhatIsNotTheDevicesFault(t *testing.T) {
	noModel := errors.New("no model answers")
	for name, c := range map[string]struct {
		tap  error
		ask  string
		args string
		want error
	}{
		"unsupported": {tap: fmt.Errorf("%w: typing", drivers.ErrUnsupported), ask: "tap", args: `{"label": "Login"}`,
			want: drivers.ErrUnsupported},
		"not ready": {tap: fmt.Errorf("%w: an open dialog stops the page", drivers.ErrNotReady), ask: "tap",
			args: `{"label": "Login"}`, want: drivers.ErrNotReady},
		"no model":  {ask: "assertVisual", args: `{"prompt": "a button"}`, want: noModel},
		"no OCR":    {ask: "tap", args: `{"ocr": "Login"}`, want: noModel},
		"no reader": {ask: "extract", args: `{"prompt": "the button", "as": "x"}`, want: noModel},
		"no finder": {ask: "tap", args: `{"describe": "a button"}`, want: noModel},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPhones("A")
			d := devices(t, p, t.TempDir(), live.Options{Vision: closed{noModel}})
			p.fail = c.tap
			if _, err := call(t, d, "A", "x", c.ask, c.args); !errors.Is(err, c.want) {
				t.Error(err)
			}
			if opened, open := p.count(); opened != 1 || open != 1 {
				t.Errorf("%d opened, %d open", opened, open)
			}
		})
	}
}

// closed is vision that fails.
type closed struct{ err error }

func (c closed) OCR(context.Context, image.Image) ([]drivers.TextLine, error) { return nil, c.err }
func (c closed) FindImage(context.Context, image.Image, image.Image) ([]drivers.Sighting, error) {
	return nil, c.err
}
func (c closed) Judge(context.Context, image.Image, string, int) (drivers.Judgement, error) {
	return drivers.Judgement{}, c.err
}
func (c closed) ExtractText(context.Context, image.Image, string) (drivers.Extraction, error) {
	return drivers.Extraction{}, c.err
}
func (c closed) Locate(context.Context, image.Image, string) (drivers.Located, error) {
	return drivers.Located{}, c.err
}
