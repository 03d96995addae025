package touch

import (
	"context"
	"errors"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
)

// The page that has the mouse keeps it until the touch ends or the browser is gone; one that waits stops with the
// context of the step.
func TestPagesTakeTurnsAtTheMouse(t *testing.T) {
	t.Parallel()
	b := &browser.Browser{Brand: browser.Brand{OneMouse: true}, Mouse: make(chan struct{}, 1), Lost: make(chan struct{})}
	one, two := &pages.BrowserContext{Health: pages.NewHealth(b)}, &pages.BrowserContext{Health: pages.NewHealth(b)}
	release, err := holdMouse(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := holdMouse(over, two); !errors.Is(err, context.Canceled) {
		t.Errorf("while the other page has it: %v", err)
	}
	release()
	release() // does no harm
	again, err := holdMouse(t.Context(), two)
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Mouse) != 1 {
		t.Error("the mouse was given back twice")
	}
	close(b.Lost)
	if _, err := holdMouse(t.Context(), one); !errors.Is(err, drivers.ErrDeviceLost) {
		t.Errorf("of a browser that is gone: %v", err)
	}
	again()

	b.Brand.OneMouse = false
	for _, s := range []*pages.BrowserContext{one, two} {
		if _, err := holdMouse(t.Context(), s); err != nil {
			t.Errorf("pages that have a mouse each: %v", err)
		}
	}
}
