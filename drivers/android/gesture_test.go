package android

import (
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/input"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

// gesturesPage opens the simulator's page that says which gesture it saw.
func gesturesPage(t *testing.T, o androidsim.Options) (*Device, *androidsim.Phone) {
	t.Helper()
	if o.DoubleTap == 0 {
		o.DoubleTap = 10 * time.Second
	}
	d, p := openPhone(t, o)
	if err := d.Launch(t.Context(), androidsim.ListPackage+"/.GesturesActivity", true); err != nil {
		t.Fatal(err)
	}
	return d, p
}

func pointOf(t *testing.T, d *Device, label string) image.Point {
	t.Helper()
	return centre(waitNode(t, d, label))
}

// TestGesturesOnEveryAndroid: each is seen by the app as what it is, and costs one command line.
func TestGesturesOnEveryAndroid(t *testing.T) {
	t.Parallel()
	for _, api := range levels() {
		t.Run(fmt.Sprint(api), func(t *testing.T) {
			t.Parallel()
			d, p := gesturesPage(t, androidsim.Options{API: api})
			target, apple, basket := pointOf(t, d, "target"), pointOf(t, d, "apple"), pointOf(t, d, "basket")
			for _, g := range []struct {
				sees string
				do   func() error
			}{
				{"Tapped", func() error { return d.Tap(t.Context(), target) }},
				{"Long pressed", func() error { return d.LongPress(t.Context(), target, 800*time.Millisecond) }},
				{"Tapped", func() error { return d.LongPress(t.Context(), target, 0) }},
				{"Apple dropped beside the basket",
					func() error { return d.Drag(t.Context(), apple, target, 300*time.Millisecond) }},
				{"Double tapped", func() error { return d.DoubleTap(t.Context(), target) }},
				{"Apple in the basket", func() error { return d.Drag(t.Context(), apple, basket, 0) }},
			} {
				lines := p.Shells()
				if err := g.do(); err != nil {
					t.Fatalf("%s: %v", g.sees, err)
				}
				if n := p.Shells() - lines; n != 1 {
					t.Errorf("%s took %d shell lines", g.sees, n)
				}
				if got := waitNode(t, d, "status").Text; got != g.sees {
					t.Errorf("the app saw %q instead of %q", got, g.sees)
				}
			}
		})
	}
}

// TestDoubleTapWhereEachInputIsSlow: two taps, one after the other, would be too far apart.
func TestDoubleTapWhereEachInputIsSlow(t *testing.T) {
	t.Parallel()
	d, _ := gesturesPage(t, androidsim.Options{
		API: 24, DoubleTap: 1200 * time.Millisecond, Latency: androidsim.Latency{Input: 1500 * time.Millisecond},
	})
	if err := d.DoubleTap(t.Context(), pointOf(t, d, "target")); err != nil {
		t.Fatal(err)
	}
	if got := waitNode(t, d, "status").Text; got != "Double tapped" {
		t.Errorf("the app saw %q", got)
	}
}

func TestSwipeScrolls(t *testing.T) {
	t.Parallel()
	for _, api := range levels() {
		d, p := openPhone(t, androidsim.Options{API: api})
		if err := d.Launch(t.Context(), androidsim.ListPackage, true); err != nil {
			t.Fatal(err)
		}
		waitNode(t, d, "Payments")
		if err := d.Swipe(t.Context(), image.Pt(500, 1800), image.Pt(500, 600), 100*time.Millisecond); err != nil {
			t.Fatalf("API %d: %v", api, err)
		}
		tree, err := d.Tree(t.Context())
		if err != nil || findNode(tree, "Payments") != nil || findNode(tree, "Item 10") == nil {
			t.Errorf("API %d: the list did not scroll: %v, %q", api, err, tree.Texts(20))
		}
		if taps := p.Taps(); len(taps) != 1 || taps[0].Kind != "swipe" {
			t.Errorf("API %d: %v", api, taps)
		}
	}
}

// TestPointsAfterRotation: the screen's size is asked again before a point is refused, and for nothing else.
func TestPointsAfterRotation(t *testing.T) {
	t.Parallel()
	d, p := gesturesPage(t, androidsim.Options{})
	if _, err := d.Screenshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := d.Rotate(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	shots := p.Count("screencap")
	for range 2 {
		if err := d.LongPress(t.Context(), image.Pt(2000, 500), 0); err != nil {
			t.Error(err)
		}
	}
	if n := p.Count("screencap") - shots; n != 1 {
		t.Errorf("%d screenshots for two points", n)
	}
	err := d.Tap(t.Context(), image.Pt(500, 2000))
	if !errors.Is(err, drivers.ErrNotActionable) || !strings.Contains(err.Error(), "2400x1080") {
		t.Errorf("error %v", err)
	}
}

// TestBrokenDragLiftsTheFinger: else it would be down in the next gesture.
func TestBrokenDragLiftsTheFinger(t *testing.T) {
	t.Parallel()
	d, p := gesturesPage(t, androidsim.Options{API: 34})
	p.Fail(androidsim.Fault{Match: "motionevent MOVE", Nth: 3, Kind: androidsim.Error, Output: "Killed\n", Code: 137})
	apple, basket := pointOf(t, d, "apple"), pointOf(t, d, "basket")
	if err := d.Drag(t.Context(), apple, basket, 0); err == nil || drivers.AppIsWrong(err) {
		t.Errorf("error %v", err)
	}
	if p.FingerDown() {
		t.Error("the finger is still down")
	}
}

func TestPress(t *testing.T) {
	t.Parallel()
	for _, api := range levels() {
		t.Run(fmt.Sprint(api), func(t *testing.T) {
			t.Parallel()
			d, p := openPhone(t, androidsim.Options{API: api, LoginLoading: 1})
			loginForm(t, d)
			all := append(drivers.KeyNames(), "q")
			for _, name := range all {
				if slices.Contains([]string{"power", "home", "back", "escape"}, name) {
					continue // they leave the screen
				}
				before := len(p.Keys())
				if err := d.Press(t.Context(), []string{name}); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				if n := len(p.Keys()) - before; n != 1 && name != "q" {
					t.Errorf("%s pressed %d keys", name, n)
				}
			}
			err := d.Press(t.Context(), []string{"control", "shift", "home"})
			if api < 31 {
				if !errors.Is(err, drivers.ErrUnsupported) || !strings.Contains(err.Error(), "Android 12") {
					t.Errorf("error %v", err)
				}
			} else if got := p.Keys(); err != nil || !slices.Equal(got[len(got)-1], []int{113, 59, 122}) {
				t.Errorf("%v, %v", got, err)
			}
			if err := d.Press(t.Context(), []string{"home"}); err != nil ||
				strings.HasPrefix(p.Foreground(), androidsim.LoginPackage) {
				t.Errorf("home: %v, %s is in front", err, p.Foreground())
			}
		})
	}
}

// TestEraseLongText: in pieces, with the caret anywhere.
func TestEraseLongText(t *testing.T) {
	t.Parallel()
	for _, api := range levels() {
		d, p := openPhone(t, androidsim.Options{API: api, LoginLoading: 1})
		loginForm(t, d)
		if err := d.Type(t.Context(), strings.Repeat("0123456789", 45)); err != nil {
			t.Fatal(err)
		}
		if err := d.Press(t.Context(), []string{"up"}); err != nil {
			t.Fatal(err)
		}
		if err := d.Erase(t.Context(), 445); err != nil {
			t.Fatal(err)
		}
		if got := fieldText(t, d); got != "01234" {
			t.Errorf("API %d: %q is left", api, got)
		}
		if err := d.Erase(t.Context(), -1); err != nil {
			t.Fatal(err)
		}
		if got := fieldText(t, d); got != "" && got != "E-mail" {
			t.Errorf("API %d: %q is left", api, got)
		}
		if len(p.Taps()) != 1 {
			t.Errorf("API %d: taps %v", api, p.Taps())
		}
	}
}

func TestEraseWithoutAField(t *testing.T) {
	t.Parallel()
	d, _ := openPhone(t, androidsim.Options{API: 28})
	if err := d.Erase(t.Context(), -1); !errors.Is(err, drivers.ErrNotActionable) {
		t.Errorf("error %v", err)
	}
}

// TestHideKeyboard: the screen stays, whatever the phone makes of escape, and when there is no keyboard.
func TestHideKeyboard(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]androidsim.Options{"": {}, "deaf to escape": {DeafToEscape: true},
		"escape goes back": {EscapeGoesBack: true}} {
		for _, api := range levels() {
			t.Run(fmt.Sprintf("%d/%s", api, name), func(t *testing.T) {
				t.Parallel()
				o := kind
				o.API, o.LoginLoading = api, 1
				d, p := openPhone(t, o)
				loginForm(t, d)
				for range 3 {
					if err := d.HideKeyboard(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				if shown, err := d.KeyboardShown(t.Context()); err != nil || shown {
					t.Errorf("shown %v, %v", shown, err)
				}
				if got := p.Keys(); !slices.EqualFunc(got, [][]int{{input.KeyBack}}, slices.Equal) {
					t.Errorf("keys %v", got)
				}
				if !strings.HasPrefix(p.Foreground(), androidsim.LoginPackage) {
					t.Errorf("it left the screen: %s", p.Foreground())
				}
			})
		}
	}
}
