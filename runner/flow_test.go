package runner_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers/web"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/internal/toolchain/chromiumtest"
	"github.com/taproot-dev/taproot/internal/webtest"
	"github.com/taproot-dev/taproot/runner/internal/failure"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/run"
	"github.com/taproot-dev/taproot/runner/internal/syntax/maestro"
)

// flowsOf are flows that are run as they are, and as the tests that the import makes of them. The first word of the
// comment at their beginning is the result.
func flowsOf(t *testing.T, kind string) []string {
	t.Helper()
	names, err := filepath.Glob("testdata/flows/" + kind + "-*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatal("no flows", err)
	}
	if few := map[string][]string{"phone": names[:min(len(names), 4)],
		"page": names[min(len(names)-1, 2):min(len(names), 3)]}; testing.Short() {
		names = few[kind]
	}
	return names
}

type onDisk struct{}

func (onDisk) Read(name string) ([]byte, error) { return os.ReadFile(name) }
func (onDisk) Has(name string) bool             { _, err := os.Stat(name); return err == nil }

// both returns the case of a flow, and that of its import, which calls the same flows unchanged.
func both(t *testing.T, file, site string) (want event.Result, direct, imported plan.Case) {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(string(src), "# "), ":")
	f, err := maestro.Parse(filepath.ToSlash(file), []byte(strings.ReplaceAll(string(src), "SITE", site)), onDisk{})
	if err != nil {
		t.Fatal(err)
	}
	id := strings.TrimSuffix(filepath.Base(file), ".yaml")
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	n := maestro.ToNative(f, maestro.NativeOptions{ID: id, Platform: dsl.Android, Rel: func(name string) string {
		rel, err := filepath.Rel(dir, filepath.Join(here, name))
		if err != nil {
			t.Fatal(err)
		}
		return filepath.ToSlash(rel)
	}})
	for _, lost := range n.Lost {
		t.Errorf("no native form: %v", lost)
	}
	p, err := plan.Build(plan.Options{Dir: here, Inline: nil, Args: []string{written(t, dir, id, n.Text)}, Files: true})
	if err != nil {
		t.Fatalf("%v\n%s", err, n.Text)
	}
	test := f.Test(id, dsl.Android)
	return event.Result(first), plan.Case{Test: test, Platform: test.Platform, Pack: id, Dir: dir}, p.Cases[0]
}

// written puts the import next to the flow, for the duration of the test.
func written(t *testing.T, dir, id string, text []byte) string {
	t.Helper()
	file := filepath.Join(dir, "imported-"+id+".yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(file) })
	return file
}

// TestFlowsOnAPhone: a flow and its import have one result, and the phone's own log shows the same touches.
func TestFlowsOnAPhone(t *testing.T) {
	t.Parallel()
	driver, phones := driverOf(t, androidsim.Options{Width: 360, Height: 800, Density: 140, LoginLoading: 1,
		LoginSpinner: 1})
	r := newRunner(t, run.Config{NoVideo: true}, driver)
	for _, file := range flowsOf(t, "phone") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			playsTheSame(t, r, phones[0], file)
		})
	}
}

// playsTheSame runs a flow and its import.
func playsTheSame(t *testing.T, r *run.Runner, phone *androidsim.Phone, file string) {
	t.Helper()
	want, direct, imported := both(t, file, "")
	touches := func(c plan.Case) []string {
		before := len(phone.Taps())
		if o := r.Run(t.Context(), c); o.Result() != want {
			t.Fatalf("%s, want %s\n%s", o.Result(), want, failure.Text(o))
		}
		var made []string
		for _, tap := range phone.Taps()[before:] {
			made = append(made, fmt.Sprintf("%s %v %s", tap.Kind, tap.Point, tap.Label))
		}
		return made
	}
	imported.Pack += "-imported"
	if a, b := touches(direct), touches(imported); !slices.Equal(a, b) {
		t.Errorf("the flow touched\n%s\nits import\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
	}
}

const hybridPage = `<!doctype html><meta name=viewport content="width=device-width"><title>Pay</title><label>E-mail ` +
	`<input id=mail></label><p hidden>Never shown</p>
<button onclick="done.textContent='Paid by '+mail.value">Pay now</button><p id=done></p>`

// TestFlowOfAWebView: androidWebViewHierarchy reads the page in an app's WebView, and so does the import.
func TestFlowOfAWebView(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "it starts the whole Chromium; package android reads WebViews, and TestFlowsOnAPhone plays flows")
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, hybridPage)
	}))
	defer site.Close()
	var chromium chromiumtest.DevTools
	defer chromium.Close()
	driver, phones := driverOf(t, androidsim.Options{Width: 360, Height: 800, Density: 140})
	phones[0].InstallWebView("com.example.hybrid", "Hybrid", androidsim.WebView{
		URL: site.URL, DevTools: chromium.Start(t)})
	playsTheSame(t, newRunner(t, run.Config{NoVideo: true}, driver), phones[0], "testdata/flows/webview-form.yaml")
}

// TestRecipeOfAWebView runs the recipe of docs/recipes.md that needs an app with a WebView.
func TestRecipeOfAWebView(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "it starts the whole Chromium; package android reads WebViews, and TestFlowsOnAPhone plays flows")
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, hybridPage)
	}))
	defer site.Close()
	var chromium chromiumtest.DevTools
	defer chromium.Close()
	driver, phones := driverOf(t, androidsim.Options{Width: 360, Height: 800, Density: 140})
	phones[0].InstallWebView("com.example.hybrid", "Hybrid", androidsim.WebView{
		URL: site.URL, DevTools: chromium.Start(t)})
	file := filepath.Join("..", "suites", "recipes", "yours", "webview.yaml")
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	tests, err := dsl.Parse(file, src)
	if err != nil {
		t.Fatal(err)
	}
	o := newRunner(t, run.Config{NoVideo: true}, driver).Run(t.Context(),
		plan.Case{Test: tests[0], Platform: dsl.Android, Pack: tests[0].ID, Dir: filepath.Dir(file)})
	if o.Result() != event.Pass {
		t.Error(failure.Text(o))
	}
}

// TestFlowsOnPages is the same for flows with url.
func TestFlowsOnPages(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(webtest.Handler())
	defer server.Close()
	driver := web.New(web.Options{})
	defer driver.Close()
	r := newRunner(t, run.Config{NoVideo: true, NoTrace: true}, driver)
	for _, file := range flowsOf(t, "page") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want, direct, imported := both(t, file, server.URL)
			imported.Pack += "-imported"
			for _, c := range []plan.Case{direct, imported} {
				if o := r.Run(t.Context(), c); o.Result() != want {
					t.Errorf("%s: %s, want %s\n%s", c.Pack, o.Result(), want, failure.Text(o))
				}
			}
		})
	}
}
