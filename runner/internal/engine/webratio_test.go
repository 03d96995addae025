package engine_test

import (
	"context"
	"fmt"
	"image"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/web"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/toolchain"
	"github.com/taproot-dev/taproot/internal/webtest"
	"github.com/taproot-dev/taproot/runner/internal/engine"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// flow is one of the twenty steps that both ways make: the YAML line, and the same in Playwright's own calls.
type flow struct {
	yaml string
	bare func(p playwright.Page, expect playwright.PlaywrightAssertions) error
}

func typing(selector, text string) flow {
	return flow{fmt.Sprintf("webType: {selector: %q, text: %q}", selector, text),
		func(p playwright.Page, _ playwright.PlaywrightAssertions) error {
			return p.Locator(selector).Fill(text)
		}}
}

func holding(selector, value string) flow {
	return flow{fmt.Sprintf("webAssert: {selector: %q, value: %q}", selector, value),
		func(p playwright.Page, expect playwright.PlaywrightAssertions) error {
			return expect.Locator(p.Locator(selector)).ToHaveValue(value)
		}}
}

func showing(selector, text string) flow {
	return flow{fmt.Sprintf("webAssert: {selector: %q, text: %q, match: words}", selector, text),
		func(p playwright.Page, expect playwright.PlaywrightAssertions) error {
			return expect.Locator(p.Locator(selector)).ToContainText(text)
		}}
}

func clicking(selector string) flow {
	return flow{fmt.Sprintf("webClick: %q", selector),
		func(p playwright.Page, _ playwright.PlaywrightAssertions) error { return p.Locator(selector).Click() }}
}

// answering is the page of the flow, which has nothing on its way when it is there: what was set going is awaited
// before a state counts.
const answering = "inputs.html#at-once"

// wholePage is a viewport that shows all of the page: what is asserted of a text must be in view.
var wholePage = image.Pt(1280, 1800)

// twentySteps is the flow; opening the page is the first.
func twentySteps() []flow {
	return []flow{
		typing("#text", "Ada"), holding("#text", "Ada"), typing("#email", "ada@example.com"), typing("#tel", "12345"),
		typing("#search", "shoes"),
		typing("#date", "2031-05-04"), typing("#area", "some text"), holding("#area", "some text"),
		{"webCheck: \"#box\"", func(p playwright.Page, _ playwright.PlaywrightAssertions) error {
			return p.Locator("#box").Check()
		}},
		showing("#log", "box true"), clicking("#switch"), showing("h1", "Inputs"),
		{"webSelect: {selector: \"#fruit\", value: b}", func(p playwright.Page, _ playwright.PlaywrightAssertions) error {
			_, err := p.Locator("#fruit").SelectOption(playwright.SelectOptionValues{Values: &[]string{"b"}})
			return err
		}},
		showing("#log", "fruit b"), clicking("#still"), showing("#log", "click 1"), typing("#number", "42"),
		holding("#number", "42"), clicking("#red"),
	}
}

// ways are the two ways to make the flow, on browsers that run already.
type ways struct {
	site    *webtest.Site
	driver  *web.Driver
	bare    playwright.Browser
	expect  playwright.PlaywrightAssertions
	steps   []flow
	ourCase plan.Case
}

// newWays starts both browsers. Both record no video, no trace and no log; both take a screenshot after every step, as
// reports need it.
func newWays(t testing.TB, slots int) *ways {
	t.Helper()
	w := &ways{site: webtest.New(t), driver: web.New(web.Options{Slots: slots}), steps: twentySteps()}
	t.Cleanup(func() { _ = w.driver.Close() })
	if _, err := w.driver.Devices(t.Context()); err != nil { // it also sets the environment that Playwright needs
		t.Fatal(err)
	}
	setup, err := toolchain.Playwright(t.Context(), toolchain.System())
	if err != nil {
		t.Fatal(err)
	}
	options := *setup.Options
	options.Stdout, options.Stderr = os.Stderr, os.Stderr
	pw, err := playwright.Run(&options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pw.Stop() })
	w.bare, err = pw.Chromium.Launch(playwright.BrowserTypeLaunchOptions{ExecutablePath: &setup.Chromium,
		ChromiumSandbox: &setup.Sandbox, Args: toolchain.ChromiumArgs()})
	if err != nil {
		t.Fatal(err)
	}
	w.expect = playwright.NewPlaywrightAssertions(60_000)
	text := "id: flow\nplatform: web\nsteps:\n  - openBrowser: {url: " + w.site.Page(answering) +
		fmt.Sprintf(", viewport: %dx%d}\n", wholePage.X, wholePage.Y)
	for _, s := range w.steps {
		text += "  - " + s.yaml + "\n"
	}
	tests, err := dsl.Parse("flow.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	w.ourCase = plan.Case{Test: tests[0], Platform: dsl.Web, Pack: "flow"}
	return w
}

// ours runs the flow with the engine, without recording, trace and snapshots of elements.
func (w *ways) ours(t testing.TB, dev drivers.Device) time.Duration {
	return w.oursWith(t, dev, engine.Options{NoVideo: true, NoTrace: true, NoDOM: true})
}

func (w *ways) oursWith(t testing.TB, dev drivers.Device, o engine.Options) time.Duration {
	began := time.Now()
	to := &sink{dir: t.TempDir()}
	result, err := engine.Run(t.Context(), w.ourCase, dev, to, o)
	if result != event.Pass || err != nil {
		t.Fatalf("%s, %v: %+v", result, err, to.events[len(to.events)-1].Problem)
	}
	return time.Since(began)
}

// plain makes it with playwright-go alone.
func (w *ways) plain(t testing.TB) time.Duration {
	began := time.Now()
	made, err := w.bare.NewContext(playwright.BrowserNewContextOptions{
		Viewport: &playwright.Size{Width: wholePage.X, Height: wholePage.Y}})
	if err != nil {
		t.Fatal(err)
	}
	page, err := made.NewPage()
	if err == nil {
		_, err = page.Goto(w.site.Page(answering))
	}
	for _, s := range append([]flow{{bare: func(playwright.Page, playwright.PlaywrightAssertions) error { return nil }}},
		w.steps...) {
		if err == nil {
			err = s.bare(page, w.expect)
		}
		if err == nil {
			_, err = page.Screenshot()
		}
		if err != nil {
			t.Fatalf("%s: %v", s.yaml, err)
		}
	}
	if err := made.Close(); err != nil {
		t.Fatal(err)
	}
	return time.Since(began)
}

// both runs the flow n times each way, in turn, each on a fresh context, and returns the times.
func (w *ways) both(t testing.TB, n int) (ours, plain []time.Duration) {
	for range n {
		dev, err := w.driver.Open(t.Context(), "web-1")
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		w.ours(t, dev)
		if err := dev.Close(); err != nil {
			t.Fatal(err)
		}
		ours = append(ours, time.Since(began))
		plain = append(plain, w.plain(t))
	}
	return ours, plain
}

// fastest is what a machine needs that does nothing else: whatever else it does makes times longer, never shorter.
func fastest(list []time.Duration) time.Duration { return slices.Min(list) }

func median(list []time.Duration) time.Duration {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

// maxRatio is what the engine may cost compared with Playwright alone.
const (
	maxRatio  = 1.10
	maxRounds = 10
	tooLong   = 3 * time.Minute // after which no round starts: this machine is slow
)

// BenchmarkTwentySteps makes rounds of both ways in turn, until the fastest ones are below the limit or rounds are out:
// noise passes, a cost of ours does not. It prints the ratio, and fails above the limit.
func BenchmarkTwentySteps(b *testing.B) {
	w := newWays(b, 1)
	w.both(b, 1) // to warm up
	var ours, plain []time.Duration
	ratio, began := 0.0, time.Now()
	for b.Loop() {
		for round := 0; round < maxRounds && time.Since(began) < tooLong; round++ {
			o, p := w.both(b, 3)
			ours, plain = append(ours, o...), append(plain, p...)
			ratio = float64(fastest(ours)) / float64(fastest(plain))
			if ratio <= maxRatio {
				break
			}
		}
	}
	b.ReportMetric(float64(median(ours).Milliseconds()), "ours-ms")
	b.ReportMetric(float64(median(plain).Milliseconds()), "bare-ms")
	b.ReportMetric(ratio, "ratio")
	if ratio > maxRatio {
		b.Errorf("the engine costs %.2f times what Playwright does; %.2f is the limit", ratio, maxRatio)
	}
}

// BenchmarkEvidence prints what snapshots of elements, a recording and a trace of the flow cost, as ratios to the flow
// without them.
func BenchmarkEvidence(b *testing.B) {
	w := newWays(b, 1)
	w.both(b, 1)
	kinds := map[string]engine.Options{"neither": {NoVideo: true, NoTrace: true, NoDOM: true},
		"dom":   {NoVideo: true, NoTrace: true},
		"trace": {NoVideo: true, NoDOM: true}, "film": {NoTrace: true, NoDOM: true}, "all": {}}
	times := map[string][]time.Duration{}
	for b.Loop() {
		for name, o := range kinds {
			dev, err := w.driver.Open(b.Context(), "web-1")
			if err != nil {
				b.Fatal(err)
			}
			began := time.Now()
			w.oursWith(b, dev, o)
			if err := dev.Close(); err != nil {
				b.Fatal(err)
			}
			times[name] = append(times[name], time.Since(began))
		}
	}
	for name, list := range times {
		b.ReportMetric(float64(median(list))/float64(median(times["neither"])), name+"-ratio")
	}
	b.ReportMetric(float64(median(times["neither"]).Milliseconds()), "neither-ms")
}

// BenchmarkSixteenFlows makes the flow sixteen times, one after the other and on four contexts of one browser at once.
func BenchmarkSixteenFlows(b *testing.B) {
	const flows = 16
	w := newWays(b, 4)
	run := func(contexts int) time.Duration {
		next := make(chan struct{}, flows)
		for range flows {
			next <- struct{}{}
		}
		close(next)
		began := time.Now()
		var all sync.WaitGroup
		for i := range contexts {
			all.Go(func() {
				for range next {
					dev, err := w.driver.Open(context.Background(), fmt.Sprintf("web-%d", i+1))
					if err != nil {
						b.Error(err)
						return
					}
					w.ours(b, dev)
					if err := dev.Close(); err != nil {
						b.Error(err)
					}
				}
			})
		}
		all.Wait()
		return time.Since(began)
	}
	run(1) // to warm up
	var one, four time.Duration
	for b.Loop() {
		one += run(1)
		four += run(4)
	}
	speedUp := float64(one) / float64(four)
	b.ReportMetric(float64(one.Milliseconds())/float64(b.N), "1-context-ms")
	b.ReportMetric(float64(four.Milliseconds())/float64(b.N), "4-contexts-ms")
	b.ReportMetric(speedUp, "speed-up")
	b.ReportMetric(speedUp/float64(min(4, runtime.NumCPU())), "speed-up-per-core")
}
