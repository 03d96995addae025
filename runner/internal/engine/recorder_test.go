package engine_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/engine"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/syntax/maestro"
)

// shape is an element of a recorder's screen.
type shape struct {
	text, id, desc, hint                 string
	box                                  image.Rectangle
	clickable, disabled, checked, chosen bool
	focused                              bool
	from, to                             time.Duration // since the launch: when it is on the screen; to 0: for ever
	click                                func(*shape)
	inner                                []*shape
}

// recorder is a phone that shows shapes and keeps a list of all that it is asked to do.
type recorder struct {
	mu       sync.Mutex
	screen   []*shape
	began    time.Time
	done     []string
	missing  map[string]bool // apps that are not installed
	keyboard bool
	dark     bool
	airplane bool
	typed    string
	moves    bool // a swipe moves what is on the screen by 300
}

func (r *recorder) did(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done = append(r.done, fmt.Sprintf(format, args...))
}

func (r *recorder) Info() drivers.Info {
	return drivers.Info{ID: "R1", Platform: dsl.Android, Width: 540, Height: 960, APILevel: 34}
}

var recorded = image.Pt(540, 960)

func (r *recorder) Tree(context.Context) (*screen.Tree, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	root := &screen.Node{Type: "root", Children: r.nodes(r.screen)}
	return screen.NewTree([]*screen.Node{root}, recorded, time.Now()), nil
}

func (r *recorder) nodes(list []*shape) (all []*screen.Node) {
	age := time.Since(r.began)
	for _, s := range list {
		if age < s.from || s.to > 0 && age >= s.to {
			continue
		}
		all = append(all, &screen.Node{Type: "View", Text: s.text, ID: s.id, Desc: s.desc, Hint: s.hint, Bounds: s.box,
			Clickable: s.clickable,
			Disabled:  s.disabled, Checked: s.checked, Selected: s.chosen, Focused: s.focused, Editable: s.focused,
			Children: r.nodes(s.inner)})
	}
	return all
}

func (r *recorder) Screenshot(context.Context) (image.Image, error) {
	return image.NewRGBA(image.Rectangle{Max: recorded}), nil
}

func (r *recorder) Tap(_ context.Context, p image.Point) error {
	r.did("tap %d,%d", p.X, p.Y)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dispatch(r.screen, p)
	return nil
}

func (r *recorder) dispatch(list []*shape, p image.Point) bool {
	for _, s := range list {
		if r.dispatch(s.inner, p) {
			return true
		}
		if p.In(s.box) {
			if s.click != nil {
				s.click(s)
			}
			return true
		}
	}
	return false
}

func (r *recorder) Type(_ context.Context, text string) error {
	r.did("type %s", text)
	r.typed += text
	return nil
}

func (r *recorder) Close() error { return nil }

func (r *recorder) LongPress(_ context.Context, p image.Point, d time.Duration) error {
	r.did("longPress %d,%d %s", p.X, p.Y, d)
	return nil
}

func (r *recorder) DoubleTap(context.Context, image.Point) error {
	return errors.New("nobody asks for that")
}

func (r *recorder) Swipe(_ context.Context, a, b image.Point, d time.Duration) error {
	r.did("swipe %d,%d %d,%d %s", a.X, a.Y, b.X, b.Y, d)
	if r.moves {
		by := image.Pt(b.X-a.X, b.Y-a.Y)
		var shift func([]*shape)
		shift = func(list []*shape) {
			for _, s := range list {
				s.box = s.box.Add(by)
				shift(s.inner)
			}
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		shift(r.screen)
	}
	return nil
}

func (r *recorder) Drag(context.Context, image.Point, image.Point, time.Duration) error { return nil }

func (r *recorder) Press(_ context.Context, keys []string) error {
	r.did("press %s", strings.Join(keys, "+"))
	return nil
}

func (r *recorder) KeyboardShown(context.Context) (bool, error) { return r.keyboard, nil }

func (r *recorder) Erase(_ context.Context, n int) error {
	r.did("erase %d", n)
	return nil
}

func (r *recorder) app(verb, app string) error {
	if r.missing[app] {
		return fmt.Errorf("%w: %s", drivers.ErrNoApp, app)
	}
	r.did("%s %s", verb, app)
	return nil
}

func (r *recorder) Launch(_ context.Context, app string, force bool) error {
	verb := "launch"
	if force {
		verb = "relaunch"
	}
	return r.app(verb, app)
}

func (r *recorder) Foreground(context.Context) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, what := range slices.Backward(r.done) {
		if _, app, ok := strings.Cut(what, "launch "); ok {
			return strings.Fields(app)[0], nil
		}
	}
	return "", nil
}

func (r *recorder) LaunchWith(ctx context.Context, app string, how drivers.LaunchOptions) error {
	var args []string
	for k, v := range how.Arguments {
		args = append(args, k+"="+v)
	}
	slices.Sort(args)
	if how.Clear {
		if err := r.app("clear", app); err != nil {
			return err
		}
	}
	if err := r.SetPermissions(ctx, app, how.Permissions); err != nil {
		return err
	}
	start := "launch"
	if how.Force {
		start = "relaunch"
	}
	return r.app(start, strings.TrimSpace(app+" "+strings.Join(args, " ")))
}

func (r *recorder) Stop(_ context.Context, app string) error     { return r.app("stop", app) }
func (r *recorder) Kill(_ context.Context, app string) error     { return r.app("kill", app) }
func (r *recorder) ClearApp(_ context.Context, app string) error { return r.app("clear", app) }
func (r *recorder) Install(context.Context, string) error        { return nil }
func (r *recorder) Uninstall(context.Context, string) error      { return nil }
func (r *recorder) ListApps(context.Context) ([]string, error)   { return nil, nil }
func (r *recorder) OpenLink(_ context.Context, link, _ string) error {
	r.did("link %s", link)
	return nil
}

func (r *recorder) SetPermissions(_ context.Context, app string, allow map[string]bool) error {
	for name, on := range allow {
		if strings.HasSuffix(name, "INTERNET") {
			return fmt.Errorf("%w: not changeable", drivers.ErrNotActionable)
		}
		r.did("permission %s %v", name, on)
	}
	return nil
}

func (r *recorder) Rotate(context.Context, bool) error { return nil }
func (r *recorder) SetRotation(_ context.Context, quarters int) error {
	r.did("turn %d", quarters)
	return nil
}

func (r *recorder) DarkMode(_ context.Context, on bool) error {
	r.did("dark %v", on)
	r.dark = on
	return nil
}

func (r *recorder) Airplane(_ context.Context, on bool) error {
	r.did("airplane %v", on)
	r.airplane = on
	return nil
}
func (r *recorder) IsDark(context.Context) (bool, error)               { return r.dark, nil }
func (r *recorder) IsAirplane(context.Context) (bool, error)           { return r.airplane, nil }
func (r *recorder) Locale(context.Context, string, string) error       { return nil }
func (r *recorder) Notifications(context.Context) error                { return nil }
func (r *recorder) Shell(context.Context, string) (string, int, error) { return "0", 0, nil }

func (r *recorder) SetLocation(_ context.Context, p drivers.Coordinates) error {
	r.did("location %g,%g", p.Latitude, p.Longitude)
	return nil
}

func (r *recorder) AddMedia(_ context.Context, path string) error {
	r.did("media %s", path[strings.LastIndexByte(path, '/')+1:])
	return nil
}

var (
	_ drivers.Gestures      = (*recorder)(nil)
	_ drivers.AppManager    = (*recorder)(nil)
	_ drivers.ProcessKiller = (*recorder)(nil)
	_ drivers.System        = (*recorder)(nil)
	_ drivers.Rotator       = (*recorder)(nil)
)

// texts are the files of a flow, by name.
type texts map[string]string

func (f texts) Read(name string) ([]byte, error) {
	text, ok := f[name]
	if !ok {
		return nil, fmt.Errorf("there is no such file")
	}
	return []byte(text), nil
}

func (f texts) Has(name string) bool { _, ok := f[name]; return ok }

// flowRun is how a flow went.
type flowRun struct {
	result  event.Result
	problem string
	took    time.Duration
	steps   []string // result and name of each, for those that did not pass
	phone   *recorder
}

// did joins what the phone was asked for.
func (f flowRun) did() string { return strings.Join(f.phone.done, "; ") }

// runFlow runs flow.yaml of the files, in fake time.
func runFlow(t *testing.T, phone *recorder, files texts) flowRun {
	t.Helper()
	f, err := maestro.Parse("flow.yaml", []byte(files["flow.yaml"]), files)
	if err != nil {
		t.Fatal(err)
	}
	return runTest(t, phone, f.Test("flow", dsl.Android))
}

// runTest runs a test on the phone, in fake time.
func runTest(t *testing.T, phone *recorder, test *dsl.Test) (out flowRun) {
	t.Helper()
	if phone == nil {
		phone = &recorder{}
	}
	synctest.Test(t, func(t *testing.T) {
		phone.began = time.Now()
		s := &sink{dir: t.TempDir()}
		c := plan.Case{Test: test, Platform: dsl.Android, Pack: "flow", Dir: t.TempDir(), Vars: map[string]string{
			"GIVEN": "outside"},
			Env: func(name string) (string, bool) { return "shell", name == "MAESTRO_SHELL" || name == "HOME" }}
		began := time.Now()
		result, err := engine.Run(t.Context(), c, phone, s, engine.Options{NoVideo: true})
		if err != nil {
			t.Fatal(err)
		}
		out = flowRun{result: result, took: time.Since(began), phone: phone}
		r := s.result(t)
		if r.Problem != nil {
			out.problem = r.Problem.Message
		}
		for _, step := range r.Steps {
			if step.Result != event.Pass {
				out.steps = append(out.steps, string(step.Result)+" "+step.Action)
			}
		}
	})
	return out
}

// commands runs commands alone.
func commands(t *testing.T, phone *recorder, list string) flowRun {
	t.Helper()
	return runFlow(t, phone, texts{"flow.yaml": "appId: com.app\n---\n" + list})
}

func at(text string, x, y int) *shape { return &shape{text: text, box: image.Rect(x, y, x+100, y+40)} }
