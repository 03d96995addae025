package web

import (
	"context"
	"image"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// BenchmarkFlow makes the same ten steps through a Device and through bare Playwright calls, in turn, and reports the
// ratio of their times.
func BenchmarkFlow(b *testing.B) {
	opened, err := shared.Open(b.Context(), "web-1")
	if err != nil {
		b.Fatal(err)
	}
	d := opened.(*device)
	defer d.Close()
	browser, err := shared.launcher.For(b.Context(), drivers.PageOptions{})
	if err != nil {
		b.Fatal(err)
	}
	var ours, bare time.Duration
	parts := map[string]time.Duration{}
	for b.Loop() {
		began := time.Now()
		if err := deviceFlow(b.Context(), d, parts); err != nil {
			b.Fatal(err)
		}
		ours += time.Since(began)
		began = time.Now()
		if err := bareFlow(browser, parts); err != nil {
			b.Fatal(err)
		}
		bare += time.Since(began)
	}
	b.ReportMetric(float64(ours)/float64(bare), "ratio")
	b.ReportMetric(float64(ours.Milliseconds())/float64(b.N), "ours-ms/op")
	b.ReportMetric(float64(bare.Milliseconds())/float64(b.N), "bare-ms/op")
	for name, spent := range parts {
		b.ReportMetric(float64(spent.Microseconds())/1000/float64(b.N), name)
	}
}

// clocked runs steps and adds their times to parts; it ends with the first error.
func clocked(parts map[string]time.Duration, steps []step) error {
	for _, s := range steps {
		began := time.Now()
		if err := s.do(); err != nil {
			return err
		}
		parts[s.name] += time.Since(began)
	}
	return nil
}

type step struct {
	name string
	do   func() error
}

func deviceFlow(ctx context.Context, d *device, parts map[string]time.Duration) error {
	fill := func(selector, text string) func() error {
		return func() error { return d.FillIn(ctx, target(selector), text) }
	}
	shows := func(selector, text string) func() error {
		return func() error {
			seen, err := d.Look(ctx, selector, drivers.WebCondition{Text: &text}, 5*time.Second)
			if err == nil && !seen.Met {
				err = screen.ErrNotFound
			}
			return err
		}
	}
	var at image.Point
	return clocked(parts, []step{
		{"open-ours-ms", func() error { return d.OpenPage(ctx, site.Page("inputs.html"), drivers.PageOptions{}) }},
		{"fill-ours-ms", fill("#text", "Ada")}, {"fill-ours-ms", fill("#email", "a@b.c")},
		{"fill-ours-ms", fill("#area", "some text")},
		{"check-ours-ms", func() error { return d.Check(ctx, target("#box"), true) }},
		{"select-ours-ms", func() error {
			return d.SelectIn(ctx, target("#fruit"), drivers.WebChoice{Values: []string{"b"}})
		}},
		{"click-ours-ms", func() error { return d.ClickOn(ctx, target("#still"), drivers.WebClick{}) }},
		{"assert-ours-ms", shows("#log", "fruit b")}, {"assert-ours-ms", shows("h1", "Inputs")},
		{"place-ours-ms", func() error {
			t, err := d.Tree(ctx)
			if err == nil {
				at = centre(find(t, func(n *screen.Node) bool { return n.ID == "fruit" }))
			}
			return err
		}},
		{"tap-ours-ms", func() error { return d.Tap(ctx, image.Pt(at.X, 5)) }},
		{"close-ours-ms", func() error { return d.ClosePage(ctx) }},
	})
}

func bareFlow(browser playwright.Browser, parts map[string]time.Duration) error {
	var made playwright.BrowserContext
	var page playwright.Page
	var at playwright.Rect
	expect := playwright.NewPlaywrightAssertions(5000)
	fill := func(selector, text string) func() error {
		return func() error { return page.Locator(selector).Fill(text) }
	}
	shows := func(selector, text string) func() error {
		return func() error { return expect.Locator(page.Locator(selector)).ToContainText(text) }
	}
	return clocked(parts, []step{
		{"open-bare-ms", func() (err error) {
			if made, err = browser.NewContext(); err != nil {
				return err
			}
			if page, err = made.NewPage(); err == nil {
				_, err = page.Goto(site.Page("inputs.html"))
			}
			return err
		}},
		{"fill-bare-ms", fill("#text", "Ada")}, {"fill-bare-ms", fill("#email", "a@b.c")},
		{"fill-bare-ms", fill("#area", "some text")},
		{"check-bare-ms", func() error { return page.Locator("#box").SetChecked(true) }},
		{"select-bare-ms", func() error {
			_, err := page.Locator("#fruit").SelectOption(playwright.SelectOptionValues{Values: &[]string{"b"}})
			return err
		}},
		{"click-bare-ms", func() error { return page.Locator("#still").Click() }},
		{"assert-bare-ms", shows("#log", "fruit b")}, {"assert-bare-ms", shows("h1", "Inputs")},
		{"place-bare-ms", func() error {
			box, err := page.Locator("#fruit").BoundingBox()
			if err == nil {
				at = *box
			}
			return err
		}},
		{"tap-bare-ms", func() error { return page.Mouse().Click(at.X, 5) }},
		{"close-bare-ms", func() error { return made.Close() }},
	})
}
