package ios

import (
	"context"
	"errors"
	"image"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
	"github.com/taproot-dev/taproot/internal/result/event"
	iossim "github.com/taproot-dev/taproot/internal/sim/ios"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/runner/action"
)

// fault is a row of the matrix: what goes wrong, during which call, and the result on a step that makes that call.
type fault struct {
	name  string
	fault iossim.Fault
	call  func(ctx context.Context, d *device) error
	want  event.Result
	kind  error  // that the error must wrap, if any
	says  string // a part of its text
	phone bool
}

func tree(ctx context.Context, d *device) error { _, err := d.Tree(ctx); return err }

func shot(ctx context.Context, d *device) error { _, err := d.Screenshot(ctx); return err }

func tap(ctx context.Context, d *device) error { return d.Tap(ctx, image.Pt(195, 600)) }

func launch(ctx context.Context, d *device) error { return d.Launch(ctx, iossim.LoginBundle, true) }

func film(ctx context.Context, d *device) error {
	dir, err := os.MkdirTemp("", "iossim-film-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	f, err := d.StartRecording(ctx, dir)
	if err == nil {
		_, err = f.Stop(context.WithoutCancel(ctx))
	}
	return err
}

func matrix() []fault {
	refuse := func(match, word, text string) iossim.Fault {
		return iossim.Fault{Match: match, Kind: iossim.Refuse, Word: word, Text: text}
	}
	on := func(match string, kind iossim.Kind) iossim.Fault { return iossim.Fault{Match: match, Kind: kind} }
	return []fault{
		{name: "WebDriverAgent dies while it reads the screen", fault: on("GET /source", iossim.Die), call: tree,
			want: event.Error, kind: drivers.ErrDeviceLost},
		{name: "WebDriverAgent dies during a tap", fault: on("POST /wda/tap", iossim.Die), call: tap, want: event.Error,
			kind: drivers.ErrDeviceLost},
		{name: "the connection breaks during a tap", fault: on("POST /wda/tap", iossim.Drop), call: tap, want: event.Error,
			kind: drivers.ErrDeviceLost},
		{name: "the connection breaks during typing", fault: on("POST /wda/keys", iossim.Drop),
			call: func(ctx context.Context, d *device) error { return d.Type(ctx, "x") }, want: event.Error,
			kind: drivers.ErrDeviceLost},
		{name: "the session was lost once", fault: iossim.Fault{Match: "POST /wda/tap", Kind: iossim.Forget, Nth: 1},
			call: tap, want: event.Pass},
		{name: "the session is lost again and again", fault: on("POST /wda/tap", iossim.Forget), call: tap,
			want: event.Error, kind: drivers.ErrDeviceLost, says: "invalid session id"},
		{name: "a stale element", fault: refuse("/clear", "stale element reference", "gone"), call: erase, want: event.Fail,
			kind: screen.ErrNotFound},
		{name: "a field that cannot be cleared", fault: refuse("/clear", "invalid element state", "no"), call: erase,
			want: event.Fail, kind: drivers.ErrNotActionable},
		{name: "the app crashed, says WebDriverAgent", fault: refuse("POST /wda/tap", "invalid element state",
			"The application under test with bundle id 'a.b' is not running, possibly "+
				"crashed"), call: tap, want: event.Fail, kind: drivers.ErrAppCrashed},
		{name: "the screen cannot be captured", fault: refuse("GET /screenshot", "unable to capture screen", "protected"),
			call: shot, want: event.Error, kind: drivers.ErrNotReady, phone: true},
		{name: "the screen cannot be captured, and simctl can", fault: refuse("GET /screenshot", "unable to capture screen",
			"protected"), call: shot, want: event.Pass},
		{name: "the tree takes too long for XCTest", fault: refuse("GET /source", "timeout", "snapshot"), call: tree,
			want: event.Error, kind: drivers.ErrNotReady},
		{name: "a cut answer", fault: on("GET /source", iossim.Cut), call: tree, want: event.Error,
			kind: drivers.ErrDeviceLost},
		{name: "a cut picture", fault: on("GET /screenshot", iossim.Cut), call: shot, want: event.Error,
			kind: drivers.ErrDeviceLost},
		{name: "another server's answer", fault: on("GET /source", iossim.Garbage), call: tree, want: event.Error,
			kind: drivers.ErrDeviceLost},
		{name: "an unknown error", fault: refuse("POST /wda/tap", "unknown error", "Error Domain=NSCocoaErrorDomain"),
			call: tap, want: event.Error},
		{name: "a slow answer", fault: iossim.Fault{Match: "GET /source", Kind: iossim.Slow, For: 300 * time.Millisecond},
			call: tree, want: event.Pass},
		{name: "an old WebDriverAgent without this", fault: refuse("POST /actions", "unknown command", "Unhandled endpoint"),
			call: func(ctx context.Context, d *device) error {
				return d.Pinch(ctx, image.Pt(195, 400), 20, 90, 0)
			}, want: event.Error, kind: drivers.ErrUnsupported},
		{name: "recordVideo never starts", fault: on("recordVideo", iossim.Hang),
			call: func(ctx context.Context, d *device) error {
				ctx, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
				defer cancel()
				return film(ctx, d)
			}, want: event.Error},
		{name: "recordVideo ends at once", fault: iossim.Fault{Match: "recordVideo", Kind: iossim.Refuse,
			Text: "Error: Error Domain=NSPOSIXErrorDomain Code=54\n", Code: 54}, call: film, want: event.Error, says: "Code=54"},
		{name: "no pictures come from an iPhone", fault: on("nothing", iossim.Hang),
			call: func(ctx context.Context, d *device) error {
				d.Recorder.Film = "http://127.0.0.1:1"
				return film(ctx, d)
			}, want: event.Error, phone: true},
		{name: "simctl fails to launch", fault: iossim.Fault{Match: "simctl launch", Kind: iossim.Refuse,
			Text: "The request was denied by service delegate (SBMainWorkspace)\n", Code: 4}, call: launch, want: event.Error,
			says: "SBMainWorkspace"},
		{name: "simctl knows no such app", fault: on("nothing", iossim.Hang),
			call: func(ctx context.Context, d *device) error { return d.Launch(ctx, "com.example.none", true) },
			want: event.Fail, kind: drivers.ErrNoApp},
		{name: "devicectl knows no such app", fault: on("nothing", iossim.Hang),
			call: func(ctx context.Context, d *device) error { return d.Launch(ctx, "com.example.none", true) },
			want: event.Fail, kind: drivers.ErrNoApp, phone: true},
		{name: "a link on a simulator that was shut down", fault: iossim.Fault{Match: "simctl openurl", Kind: iossim.Refuse,
			Text: "Unable to lookup in current state: Shutdown\n", Code: 149}, call: openLink, want: event.Error},
		{name: "a link that nothing opens", fault: on("nothing", iossim.Hang), call: openLink, want: event.Fail,
			kind: drivers.ErrNoApp},
		{name: "the iPhone is locked", fault: iossim.Fault{Match: "process launch", Kind: iossim.Refuse,
			Text: "ERROR: The application failed to launch.\n       Unable to launch com.example.login because the device was " +
				"not, or could not be, unlocked.\n", Code: 1}, call: launch, want: event.Error, says: "unlocked", phone: true},
		{name: "the simulator was shut down", fault: iossim.Fault{Match: "simctl launch", Kind: iossim.Refuse,
			Text: "Unable to lookup in current state: Shutdown\n", Code: 149}, call: launch, want: event.Error},
	}
}

func openLink(ctx context.Context, d *device) error { return d.OpenLink(ctx, "nobody://x", "") }

func erase(ctx context.Context, d *device) error { return d.Erase(ctx, -1) }

// TestFaultMatrix: what goes wrong on the way is an error, what is wrong with the app a fail, and nothing passes that
// did not happen.
func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	for i, f := range matrix() {
		t.Run(f.name, func(t *testing.T) {
			if i%3 != 0 {
				testutil.Leave(t, "two faults of three")
			}
			t.Parallel()
			d, b := opened(t, small(iossim.DeviceOptions{Phone: f.phone}))
			page(t, d, "Form")
			tapOn(t, d, "note")
			must(t, d.Type(t.Context(), "text"))
			if strings.Contains(f.says, "battery") {
				b.lab.Device(0).Show("Low battery", "OK")
			}
			b.lab.Fail(f.fault)
			before := b.lab.Noted(f.fault.Match)
			began := time.Now()
			err := f.call(t.Context(), d)
			if got := action.ResultOf(err); got != f.want {
				t.Errorf("%s, not %s: %v", got, f.want, err)
			}
			if f.kind != nil && !errors.Is(err, f.kind) {
				t.Errorf("not a %q: %v", f.kind, err)
			}
			if f.says != "" && (err == nil || !strings.Contains(err.Error(), f.says)) {
				t.Errorf("it does not say %q: %v", f.says, err)
			}
			if took := time.Since(began); took > time.Minute {
				t.Errorf("it took %v", took)
			}
			calls := b.lab.Noted(f.fault.Match) - before
			if acts := strings.HasPrefix(f.fault.Match, "POST /wda/"); acts && f.fault.Kind != iossim.Forget && calls > 1 {
				t.Errorf("an action was made %d times", calls)
			}
		})
	}
}

// A call that hangs ends with its context, at once.
func TestHangingCallsEnd(t *testing.T) {
	t.Parallel()
	for match, call := range map[string]func(context.Context, *device) error{"GET /source": tree, "GET /screenshot": shot,
		"POST /wda/tap": tap, "simctl launch": launch} {
		d, b := opened(t, small(iossim.DeviceOptions{}))
		b.lab.Fail(iossim.Fault{Match: match, Kind: iossim.Hang})
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		began := time.Now()
		err := call(ctx, d)
		cancel()
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > wda.CallLimit/2 {
			t.Errorf("%s: %v after %v", match, err, took)
		}
		closing := time.Now()
		must(t, d.Close())
		if took := time.Since(closing); took > wda.CallLimit {
			t.Errorf("%s: to close it took %v", match, took)
		}
	}
}

// Our own limit makes a lost device of a WebDriverAgent that does not answer.
func TestASlowWebDriverAgentIsLost(t *testing.T) {
	t.Parallel()
	d, b := opened(t, small(iossim.DeviceOptions{}))
	b.lab.Fail(iossim.Fault{Match: "GET /source", Kind: iossim.Hang})
	ask := wda.Get("the element tree", "/source")
	ask.Limit = 100 * time.Millisecond
	if err := d.link.Do(t.Context(), ask, nil); !errors.Is(err, drivers.ErrDeviceLost) ||
		!strings.Contains(err.Error(), "within 100ms") {
		t.Error(err)
	}
}

func TestWebDriverAgentIsStartedAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t, quick(iossim.DeviceOptions{}))
	driver := b.driver(t)
	phone := b.lab.Device(0)
	for range 2 {
		dev, err := driver.Open(t.Context(), phone.UDID())
		must(t, err)
		must(t, dev.Close())
	}
	if n := b.lab.Noted("test-without-building"); n != 1 {
		t.Errorf("it was started %d times for two tests", n)
	}
	b.lab.Fail(iossim.Fault{Match: "GET /source", Kind: iossim.Die})
	dev, err := driver.Open(t.Context(), phone.UDID())
	must(t, err)
	if _, err := dev.Tree(t.Context()); !errors.Is(err, drivers.ErrDeviceLost) {
		t.Errorf("%v", err)
	}
	must(t, dev.Close())
	b.lab.Heal()
	dev, err = driver.Open(t.Context(), phone.UDID())
	must(t, err)
	must(t, dev.Close())
	must(t, driver.Close())
	if phone.AgentRuns() {
		t.Error("a WebDriverAgent that we started outlives the driver")
	}
}

func TestWebDriverAgentDoesNotStart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		phone   bool
		program string
		fault   iossim.Fault
	}{
		{false, "xcrun", iossim.Fault{Match: "xcodebuild", Kind: iossim.Refuse, Code: 65,
			Text: "xcodebuild: error: Signing for \"WebDriverAgentRunner\" requires a development team.\n"}},
		{true, "ios", iossim.Fault{Match: "runwda", Kind: iossim.Refuse, Code: 1,
			Text: `{"level":"ERROR","msg":"Failed running WDA","err":"requires a development team"}`}},
		{true, "xcrun", iossim.Fault{Match: "POST /session", Kind: iossim.Refuse, Word: "session not created",
			Text: "requires a development team"}},
	} {
		b := newBench(t, quick(iossim.DeviceOptions{Phone: c.phone})).only(t, c.program)
		b.lab.Fail(c.fault)
		_, err := b.driver(t).Open(t.Context(), b.lab.Device(0).UDID())
		if !errors.Is(err, drivers.ErrDeviceLost) || !strings.Contains(err.Error(), "development team") {
			t.Errorf("%s: %v", c.program, err)
		}
	}
	b := newBench(t, quick(iossim.DeviceOptions{}))
	b.lab.Fail(iossim.Fault{Match: "xcodebuild", Kind: iossim.Hang})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := b.driver(t).Open(ctx, b.lab.Device(0).UDID()); err == nil {
		t.Error("opened without a WebDriverAgent")
	}
}

// TestWebDriverAgentTakesAnotherPort: a WebDriverAgent that does not take the port that it was given says which one it
// took.
func TestWebDriverAgentTakesAnotherPort(t *testing.T) {
	t.Parallel()
	d, _ := opened(t, small(iossim.DeviceOptions{OwnPort: true}))
	must(t, d.Launch(t.Context(), iossim.LoginBundle, true))
	wait(t, d, "E-mail")
}

// go-ios takes its time to open a port: the recording that is requested at once is not refused for that.
func TestRecordingOfAPortThatOpensLate(t *testing.T) {
	t.Parallel()
	b := newBench(t, quick(iossim.DeviceOptions{Phone: true})).only(t, "ios")
	b.lab.Fail(iossim.Fault{Match: " 9100", Kind: iossim.Slow, For: 500 * time.Millisecond})
	d, _ := b.open(t)
	f, err := d.StartRecording(t.Context(), t.TempDir())
	must(t, err)
	_, err = f.Stop(t.Context())
	must(t, err)
}
