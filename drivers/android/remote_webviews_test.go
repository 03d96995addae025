package android

import (
	"errors"
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
)

// TestWebViewsOfARemotePhone: of several WebViews on a screen, each has the elements of its page, touches and text
// reach the page in which they are made, and nothing of one page is in the place of the other.
func TestWebViewsOfARemotePhone(t *testing.T) {
	t.Parallel()
	f, d, driver, _ := onPages(t)
	defer driver.Close()
	f.set(func() { f.web.two = true })
	tree, err := d.Tree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	now, again := findNode(tree, "Pay now"), findNode(tree, "Pay again")
	if now == nil || again == nil || !now.Bounds.In(image.Rect(0, 400, 400, 600)) ||
		!again.Bounds.In(image.Rect(0, 600, 400, 800)) || tree.Cut() != "" {
		t.Fatalf("%q\n%s", tree.Cut(), shown(tree))
	}
	for _, n := range []int{1, 0} {
		f.set(func() { f.web.used, f.web.touched = nil, 0 })
		node := []*struct{ name, window string }{{"Pay now", fakeWindow}, {"Pay again", fakeSecond}}[n]
		m := findNode(tree, node.name)
		d.(drivers.Aimer).Aim(m)
		if err := d.Tap(t.Context(), m.Bounds.Min.Add(m.Bounds.Size().Div(2))); err != nil ||
			!slices.Equal(f.web.used, []string{node.window}) {
			t.Errorf("%s: %v, %q", node.name, err, f.web.used)
		}
	}
	for _, window := range []string{fakeSecond, fakeWindow} {
		f.set(func() { f.web.used, f.web.focus = nil, []string{window} })
		if err := d.Type(t.Context(), "x"); err != nil || !slices.Equal(f.web.used, []string{window}) {
			t.Errorf("typed: %v, into %q", err, f.web.used)
		}
	}
	f.set(func() { f.web.used, f.web.focus = nil, []string{fakeWindow, fakeSecond} })
	if err := d.Type(t.Context(), "x"); !errors.Is(err, drivers.ErrNotActionable) || len(f.web.used) != 0 {
		t.Errorf("typed where two fields have the focus: %v, into %q", err, f.web.used)
	}
	tree, err = d.Tree(t.Context())
	if err != nil || findNode(tree, "Pay now") == nil || findNode(tree, "Pay again") == nil {
		t.Fatalf("%v\n%s", err, shown(tree))
	}
	_ = d.Close()
	if f.touch != 0 || len(f.web.wrong) != 0 {
		t.Errorf("%d touches of the phone, in the wrong context: %q", f.touch, f.web.wrong)
	}
}

// TestPageBesideOneThatCannotBeRead: the page that responds is read and touched. What is on the other one is unknown.
func TestPageBesideOneThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*fakePages)
		cut    string
	}{
		"hangs":             {func(w *fakePages) { w.hung = fakeSecond }, "its scripts may be busy"},
		"cannot be entered": {func(w *fakePages) { w.shut = fakeSecond }, "no such window"},
	} {
		for _, how := range []string{"auto", "devtools"} {
			t.Run(name+" "+how, func(t *testing.T) {
				t.Parallel()
				f, d, driver, _ := onPages(t)
				defer driver.Close()
				if err := d.(drivers.WebViewReader).ReadWebViews(how); err != nil {
					t.Fatal(err)
				}
				f.set(func() { f.web.two = true; c.change(f.web) })
				tree, err := d.Tree(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				now := findNode(tree, "Pay now")
				if now == nil || findNode(tree, "Pay again") != nil || !strings.Contains(tree.Cut(), c.cut) {
					t.Fatalf("%q\n%s", tree.Cut(), shown(tree))
				}
				if err := tapPage(t, d, now); err != nil || !slices.Equal(f.web.used, []string{fakeWindow}) {
					t.Errorf("%v, %q", err, f.web.used)
				}
				if err := errors.Join(d.Close()); err != nil || len(f.web.wrong) != 0 || f.touch != 0 {
					t.Errorf("%v, %q", err, f.web.wrong)
				}
			})
		}
	}
}
