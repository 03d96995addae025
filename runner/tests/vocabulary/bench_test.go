package vocabulary

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android"
	"github.com/taproot-dev/taproot/drivers/web"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/mailbox/mailboxtest"
	"github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/webtest"
)

// lanesOf is how many devices of a platform work through the cells at once.
const lanesOf = 3

// bench is one device of a platform for its share of the cells.
type bench struct {
	driver drivers.Driver
	id     string
	site   string
	// ready prepares the device for a cell.
	ready func(c cell)
	// done ends what ready started; may be nil.
	done func()
	// facts are what an effect can ask about what happened since ready.
	facts func(ctx context.Context, dev drivers.Device) map[string]any
}

// benches are the platforms that have a driver.
func benches(t *testing.T) map[dsl.Platform]func(*testing.T) []bench {
	t.Helper()
	return map[dsl.Platform]func(*testing.T) []bench{dsl.Android: androidBenches, dsl.IOS: iosBenches, dsl.Web: webBenches}
}

// androidBenches are simulated phones.
func androidBenches(t *testing.T) []bench {
	kind := androidsim.Options{Width: 360, Height: 800, Density: 140, LoginLoading: 1, LoginSpinner: 1, Root: true,
		Console: true}
	server, phones := androidsim.Start(t, slices.Repeat([]androidsim.Options{kind}, lanesOf)...)
	driver := android.New(android.Options{NotesDir: t.TempDir(), Getenv: server.Getenv, FindADB: androidsim.NoADB})
	var lanes []bench
	for _, phone := range phones {
		lanes = append(lanes, androidBench(driver, phone, newSite(t)))
	}
	return lanes
}

// androidBench is one phone. Effects ask its own log: taps (kind, label, id, x, y), keys, commands(name),
// setting(space, key), night(), packages(), granted(app, permission), locales(app), running(app), extras(app),
// foreground(), screen(), file(path), gallery(), place(), acceleration(), turns(), fingers().
func androidBench(driver drivers.Driver, phone *androidsim.Phone, site *site) bench {
	var taps, keys int
	var counts map[string]int
	return bench{driver: driver, id: phone.Serial(), site: site.url,
		ready: func(c cell) {
			taps, keys, counts = len(phone.Taps()), len(phone.Keys()), phone.Counts()
			for _, f := range c.faults {
				phone.Fail(f)
			}
		},
		done: phone.Heal,
		facts: func(context.Context, drivers.Device) map[string]any {
			made := []map[string]any{}
			for _, tap := range phone.Taps()[taps:] {
				made = append(made, map[string]any{"kind": tap.Kind, "label": tap.Label, "id": tap.ID, "x": tap.Point.X,
					"y": tap.Point.Y, "at": tap.At.UnixMilli()})
			}
			after := phone.Counts()
			return map[string]any{
				"taps": made, "keys": phone.Keys()[keys:],
				"commands": func(name string) int { return after[name] - counts[name] },
				"setting":  phone.Setting, "night": phone.Night, "packages": phone.Packages, "granted": phone.Granted,
				"locales": phone.Locales, "running": phone.Running, "foreground": phone.Foreground, "screen": phone.Tree,
				"gallery": phone.Gallery, "fingers": phone.Fingers, "turns": func() int { _, n := phone.Acceleration(); return n },
				"acceleration": func() []float64 { at, _ := phone.Acceleration(); return at }, "place": func() []float64 {
					latitude, longitude, _ := phone.Location()
					return []float64{latitude, longitude}
				},
				"extras": func(app string) map[string]string {
					out := map[string]string{}
					for name, extra := range phone.Extras(app) {
						out[name] = extra.Kind + " " + extra.Value
					}
					return out
				},
				"file": func(path string) string {
					data, err := phone.ReadFile(path)
					if err != nil {
						return "no file: " + err.Error()
					}
					return string(data)
				},
			}
		}}
}

// site is the sample pages, and what they were asked for.
type site struct {
	url string

	mu       sync.Mutex
	requests []string
}

func newSite(t *testing.T) *site {
	s := &site{}
	pages, mail := webtest.Handler(), mailboxtest.NewMailpit(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/pit/") {
			mail.Config.Handler.ServeHTTP(w, r)
			return
		}
		s.mu.Lock()
		s.requests = append(s.requests, r.Method+" "+r.URL.RequestURI())
		s.mu.Unlock()
		pages.ServeHTTP(w, r)
	}))
	s.url = server.URL
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return s
}

// webBenches are pages of one browser.
func webBenches(t *testing.T) []bench {
	driver := web.New(web.Options{Slots: lanesOf, Width: 640, Height: 480})
	var lanes []bench
	for i := range lanesOf {
		lanes = append(lanes, webBench(driver, fmt.Sprintf("web-%d", i+1), newSite(t)))
	}
	return lanes
}

// webBench is one page. Effects ask it, js(script), and the site, requests.
func webBench(driver drivers.Driver, id string, site *site) bench {
	return bench{driver: driver, id: id, site: site.url,
		ready: func(cell) {
			site.mu.Lock()
			defer site.mu.Unlock()
			site.requests = nil
		},
		facts: func(ctx context.Context, dev drivers.Device) map[string]any {
			site.mu.Lock()
			defer site.mu.Unlock()
			return map[string]any{"requests": slices.Clone(site.requests), "js": func(script string) (any, error) {
				page, ok := dev.(drivers.WebPages)
				if !ok {
					return nil, fmt.Errorf("the device has no pages")
				}
				return page.Eval(ctx, script, 5*time.Second)
			}}
		}}
}

// with joins facts.
func with(all ...map[string]any) map[string]any {
	out := map[string]any{}
	for _, m := range all {
		maps.Copy(out, m)
	}
	return out
}
