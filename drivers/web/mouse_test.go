package web

import (
	"errors"
	"fmt"
	"image"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

// The pages of one Firefox, each on a device of its own, touch at once, and each receives its own touches alone, whole.
func TestFirefoxPagesTakeTurns(t *testing.T) {
	t.Parallel()
	leftToFirefox(t) // TestPagesTakeTurnsAtTheMouse has the rule
	const rounds = 8
	page := dataPage(
		`<style>div{width:90px;height:90px;margin:10px;background:#ccc}</style><div id=a>A</div><div id=b>B</div><script>
		n = {mousedown: 0, mouseup: 0, pointerdown: 0, pointerup: 0};
		for (const kind in n) addEventListener(kind, () => n[kind]++, true)</script>`)
	var pages sync.WaitGroup
	for range 3 {
		d := openFirefox(t)
		Must(t, d.OpenPage(t.Context(), page, drivers.PageOptions{}))
		pages.Go(func() {
			made := 0
			for range rounds {
				for what, touch := range map[string]func() error{
					"tap":   func() error { return d.Tap(t.Context(), image.Pt(50, 50)) },
					"drag":  func() error { return d.Drag(t.Context(), image.Pt(50, 50), image.Pt(50, 150), 100*time.Millisecond) },
					"click": func() error { return d.ClickOn(t.Context(), target("#a"), drivers.WebClick{}) },
					"hover": func() error { return d.Hover(t.Context(), target("#b")) },
				} {
					switch err := touch(); {
					case errors.Is(err, drivers.ErrNotReady): // of a busy machine: it was not made
					case err != nil:
						t.Errorf("%s: %v", what, err)
					case what != "hover":
						made++
					}
				}
			}
			got, err := d.Eval(t.Context(), "[n.mousedown, n.mouseup, n.pointerdown, n.pointerup].join()", patience)
			if want := fmt.Sprintf("%d,%[1]d,%[1]d,%[1]d", made); err != nil || got != want || made < rounds {
				t.Errorf("%v, %v: want %s", got, err, want)
			}
		})
	}
	pages.Wait()
}
