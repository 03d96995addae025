package truth_test

import (
	"fmt"
	"html"
	"image"
	"image/color"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/ios"
	"github.com/taproot-dev/taproot/drivers/web"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	iossim "github.com/taproot-dev/taproot/internal/sim/ios"
	"github.com/taproot-dev/taproot/internal/sim/ios/appium"
	"github.com/taproot-dev/taproot/internal/webtest"
	"github.com/taproot-dev/taproot/runner/internal/engine"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// cart is what a small app holds, and what was done to it, in order.
type cart struct {
	mu     sync.Mutex
	events []string
	items  int
	saved  string
}

func (c *cart) add() {
	c.items++
	c.events = append(c.events, fmt.Sprintf("add %d", c.items))
}

func (c *cart) save(name string) {
	c.saved = name
	c.events = append(c.events, "save "+name)
}

// cartSteps are done to the cart; deeds is what they do. The steps of vainSteps must fail after them.
const cartSteps = `
  - tap: Add
  - assert: "Items: 1"
  - tap: Add
  - assert: "Items: 2"
  - input: {into: Name, text: Zoe 42, replace: true}
  - tap: Save
  - assert: Saved Zoe 42
  - assertNot: Error
`

var (
	deeds     = []string{"add 1", "add 2", "save Zoe 42"}
	vainSteps = []string{`assert: {label: "Items: 3", timeout: 700ms}`, `assertNot: {label: "Items: 2", timeout: 700ms}`,
		`tap: {label: Remove, timeout: 700ms}`, `assertNot: {label: Save, timeout: 700ms}`}
)

// TestRandomFaults: the server of a browser, or of an iPhone, spoils some of its responses, at random. Whatever it
// does, nothing is done twice; a test passes only if all of it was done; none fails that passes without faults, and
// none passes that must fail: it is an error. Each session that is known is ended. FAULT_SEED says which sequence of
// faults is the first, FAULT_RUNS how many there are; TRUTH_APPIUM adds an Android phone behind Appium.
func TestRandomFaults(t *testing.T) {
	usual := 150
	if testing.Short() {
		usual = 4
	}
	seed, runs := number("FAULT_SEED", 1), number("FAULT_RUNS", usual)
	series := func(t *testing.T, runs int, run func(seed uint64) event.Result) {
		results := map[event.Result]int{}
		for n := range max(runs, 1) {
			results[run(uint64(seed+n))]++
		}
		t.Logf("results, without one where the device did not open: %v", results)
	}
	t.Run("iphone", func(t *testing.T) {
		t.Parallel()
		lab, err := iossim.New(t.TempDir(), iossim.Options{Devices: []iossim.DeviceOptions{
			{Phone: true, Scale: 1, Width: 300, Height: 640}}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(lab.Close)
		agent := lab.Device(0).StartAgent()
		series(t, runs, func(seed uint64) event.Result { return iphoneWithFaults(t, lab.Device(0), agent, seed) })
	})
	for _, agent := range []bool{false, true} {
		t.Run(map[bool]string{false: "adb", true: "agent"}[agent], func(t *testing.T) {
			t.Parallel()
			series(t, runs/2, func(seed uint64) event.Result { return adbWithFaults(t, agent, seed) })
		})
	}
	if lab := newAppiumLab(t); lab != nil {
		t.Run("appium", func(t *testing.T) {
			target, err := url.Parse(lab.URL)
			if err != nil {
				t.Fatal(err)
			}
			way := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
			series(t, runs/4, func(seed uint64) event.Result { return appiumWithFaults(t, lab, way, seed) })
		})
	}
	t.Run("browser", func(t *testing.T) {
		t.Parallel()
		ports, err := drivers.FreePorts(2)
		if err != nil {
			t.Fatal(err)
		}
		driver := webtest.Driver(t, "chromedriver", ports)
		series(t, runs/4, func(seed uint64) event.Result { return browserWithFaults(t, driver, seed) })
	})
}

// faulty is one test at a server with faults.
type faulty struct {
	seed    uint64
	way     trouble
	subject *cart
	last    string // the step that must fail; "": the test passes without faults
}

// trouble is what is on the way to a device.
type trouble interface {
	faults() []string // what has happened so far
	left() []string   // the sessions that the client has opened and not ended
}

// rateOf is how much of what goes to a server a test has spoilt.
func rateOf(seed uint64) float64 { return []float64{0, 0.005, 0.02, 0.06}[seed%4] }

func newFaulty(seed uint64, way trouble) *faulty {
	f := &faulty{seed: seed, subject: &cart{}, way: way}
	if seed%3 == 0 {
		f.last = vainSteps[seed/3%uint64(len(vainSteps))]
	}
	return f
}

// run opens the device, runs the test and compares what came of it with what was done.
func (f *faulty) run(t *testing.T, platform dsl.Platform, first, id string,
	driver drivers.Driver) (result event.Result) {
	yaml := fmt.Sprintf("id: faults\nplatform: %s\ntimeoutMs: 15000\nsteps:\n  - %s%s", platform, first, cartSteps)
	if f.last != "" {
		yaml += "  - " + f.last + "\n"
	}
	dir := t.TempDir()
	tests, err := dsl.Parse(filepath.Join(dir, "faults.yaml"), []byte(yaml))
	if err != nil {
		t.Fatalf("%v\n%s", err, yaml)
	}
	dev, err := driver.Open(t.Context(), id)
	if err == nil {
		sink := newSink(t, fmt.Sprintf("faults-%s-%d", platform, f.seed))
		c := plan.Case{Test: tests[0], Platform: platform, Pack: "truth", Dir: dir}
		result, err = engine.Run(t.Context(), c, dev, sink, engine.Options{NoVideo: true, NoTrace: true})
		if err != nil {
			t.Errorf("seed %d: %v", f.seed, err)
		}
		f.judge(t, result, sink.CaseResult(), len(tests[0].Steps))
		_ = dev.Close()
	}
	if err != nil && len(f.way.faults()) == 0 {
		t.Errorf("seed %d: without a fault: %v", f.seed, err)
	}
	_ = driver.Close() // a server that is away keeps its sessions
	if faults := f.way.faults(); len(f.way.left()) > 0 && !slices.ContainsFunc(faults, ending) {
		t.Errorf("seed %d: the sessions %q are left after %q", f.seed, f.way.left(), faults)
	}
	return result
}

// ending reports whether a fault is one of the end of a session.
func ending(fault string) bool { return strings.Contains(fault, " "+http.MethodDelete+" ") }

func (f *faulty) judge(t *testing.T, result event.Result, r *event.CaseResult, steps int) {
	f.subject.mu.Lock()
	did := slices.Clone(f.subject.events)
	f.subject.mu.Unlock()
	faults := f.way.faults()
	said := ""
	if r.Problem != nil {
		said = r.Problem.Message
	}
	bad := ""
	switch failed := slices.IndexFunc(r.Steps, func(s event.StepResult) bool { return s.Result == event.Fail }); {
	case len(did) > len(deeds) || !slices.Equal(did, deeds[:len(did)]):
		bad = "did something else than it says"
	case result == event.Pass && (f.last != "" || !slices.Equal(did, deeds)):
		bad = "passes"
	case result == event.Fail && (f.last == "" || failed != steps-1):
		bad = fmt.Sprintf("fails at step %d", failed+1)
	case result == event.Error && len(faults) == 0:
		bad = "is an error without a fault"
	}
	if bad != "" {
		t.Errorf("seed %d: the test %s: %s\ndone: %q\nfaults: %q\nlast step: %s", f.seed, bad, said, did, faults, f.last)
	}
}

func iphoneWithFaults(t *testing.T, phone *iossim.Device, agent string, seed uint64) event.Result {
	server := appium.New(agent)
	defer server.Close()
	way := newSpoiler(server.Config.Handler, seed, rateOf(seed))
	f := newFaulty(seed, way)
	hub := httptest.NewServer(way)
	defer hub.Close()
	name := &iossim.Entry{}
	row := func(n int) image.Rectangle { return image.Rect(10, 60+n*60, 290, 104+n*60) }
	plum, white := color.RGBA{0x4f, 0x46, 0xc8, 0xff}, color.RGBA{0xff, 0xff, 0xff, 0xff}
	press := func(label string, n int, do func()) iossim.Part {
		return iossim.Part{Kind: "Button", Label: label, Bounds: row(n), Fill: plum, Tapped: do,
			Parts: []iossim.Part{{Label: label, Bounds: row(n).Inset(6), Ink: white}}}
	}
	c := f.subject
	phone.ShowScene(func(iossim.Moment) []iossim.Part {
		c.mu.Lock()
		defer c.mu.Unlock()
		under := func(do func()) func() {
			return func() {
				c.mu.Lock()
				defer c.mu.Unlock()
				do()
			}
		}
		all := []iossim.Part{{Label: fmt.Sprintf("Items: %d", c.items), Bounds: row(0)},
			press("Add", 1, under(c.add)),
			{Kind: "TextField", Placeholder: "Name", Bounds: row(2), Fill: white, Ink: plum, Entry: name},
			press("Save", 3, under(func() { c.save(name.Text()) }))}
		if c.saved != "" {
			all = append(all, iossim.Part{Label: "Saved " + c.saved, Bounds: row(4)})
		}
		return all
	})
	driver, err := ios.NewRemote(dsl.RemoteServer{Name: "lab", URL: hub.URL, Platform: dsl.IOS, Sessions: 1,
		Capabilities: map[string]any{"appium:udid": "00008110-000A1C2D1C80001E"}}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return f.run(t, dsl.IOS, "launch: {package: "+iossim.SceneBundle+", force: true}", "lab-1", driver)
}

// cartPage is the page of the cart; what is done to it is sent to the server before the page shows it.
const cartPage = `<!doctype html><meta charset=utf-8><title>Cart</title>
<p id=n>Items: 0</p><button id=add>Add</button>
<p><label>Name <input id=name></label> <button id=save>Save</button><p id=out>
<script>
const send = (way, body) => {
	const x = new XMLHttpRequest();
	x.open("POST", way, false);
	x.send(body);
	return x.response;
};
add.onclick = () => { document.getElementById("n").textContent = "Items: " + send("/add") };
save.onclick = () => { out.textContent = "Saved " + send("/save", document.getElementById("name").value) };
</script>`

// ServeHTTP serves the page of the cart, and takes what is done there.
func (c *cart) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch r.URL.Path {
	case "/add":
		c.add()
		_, _ = fmt.Fprint(w, c.items)
	case "/save":
		c.save(string(body))
		_, _ = io.WriteString(w, html.EscapeString(c.saved))
	case "/":
		_, _ = io.WriteString(w, cartPage)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func browserWithFaults(t *testing.T, chromedriver http.Handler, seed uint64) event.Result {
	way := newSpoiler(chromedriver, seed, rateOf(seed))
	f := newFaulty(seed, way)
	hub := httptest.NewServer(way)
	defer hub.Close()
	site := httptest.NewServer(f.subject)
	defer site.Close()
	driver, err := web.NewRemote(web.Options{}, dsl.RemoteServer{Name: "lab", URL: hub.URL, Platform: dsl.Web, Sessions: 1,
		Capabilities: map[string]any{"browserName": "chrome", "goog:chromeOptions": webtest.ChromeOptions(t)}},
		t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return f.run(t, dsl.Web, "openBrowser: "+site.URL, "lab-1", driver)
}
