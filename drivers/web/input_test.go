package web

import (
	"context"
	"errors"
	"image"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/internal/testutil"
)

func TestTapAndType(t *testing.T) {
	t.Parallel()
	d := browse(t, "form.html")
	WantError(t, d.Type(t.Context(), "x"), drivers.ErrNotActionable, "no field has the focus")
	tap(t, d, byID(t, tree(t, d), "name"))
	if n := byID(t, tree(t, d), "name"); !n.Focused {
		t.Error("the field that was tapped has no focus")
	}
	for _, text := range []string{"Zoë ", "😀"} {
		if err := d.Type(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	if n := byID(t, tree(t, d), "name"); n.Text != "Zoë 😀" {
		t.Errorf("the field holds %q", n.Text)
	}
	tap(t, d, byID(t, tree(t, d), "gift"))
	if n := byID(t, tree(t, d), "gift"); !n.Checked {
		t.Error("the tapped box is not checked")
	}
	WantError(t, d.Type(t.Context(), "x"), drivers.ErrNotActionable, "takes no text")
	// It is below the fold.
	if err := d.Reveal(t.Context(), byID(t, tree(t, d), "pin")); err != nil {
		t.Fatal(err)
	}
	tap(t, d, byID(t, tree(t, d), "pin"))
	if err := d.Type(t.Context(), "1234"); err != nil {
		t.Fatal(err)
	}
	if n := byID(t, tree(t, d), "pin"); n.Text != "••••" || !n.Password {
		t.Errorf("the tree shows the password as %q", n.Text)
	}
	WantError(t, d.Tap(t.Context(), image.Pt(1280, 5)), drivers.ErrNotActionable, "outside")
}

func TestTypeGoesBehindWhatIsThere(t *testing.T) {
	t.Parallel()
	for _, c := range testutil.Few(2, [][2]string{
		{"text", `<input id=f value="one">`},
		{"number", `<input id=f type=number value="1">`},
		{"editable", `<div id=f contenteditable>one</div>`},
		{"area", `<textarea id=f rows=3>one&#10;two</textarea>`},
		{"email", `<input id=f type=email value="a@b">`},
	}) {
		t.Run(c[0], func(t *testing.T) {
			d := display(t, c[1]+`<script>f.focus()</script>`)
			before := byID(t, tree(t, d), "f").Text
			if err := d.Type(t.Context(), "23"); err != nil {
				t.Fatal(err)
			}
			if n := byID(t, tree(t, d), "f"); n.Text != before+"23" {
				t.Errorf("%q became %q", before, n.Text)
			}
		})
	}
}

func TestTypeALongText(t *testing.T) {
	t.Parallel()
	d := display(t, `<textarea id=f autofocus></textarea><script>f.focus()</script>`)
	text := strings.Repeat("long text ", 100)
	if err := d.Type(t.Context(), text); err != nil {
		t.Fatal(err)
	}
	mustShow(t, d, "#f", strings.TrimSpace(text))
}

func TestTypeInAFrame(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "TestElementsInNestedFrames remains")
	d := browse(t, "iframe.html")
	for _, name := range []string{"same", "cross"} {
		tr := tree(t, d)
		f := byID(t, tr, name)
		field := find(tr, func(n *screen.Node) bool { return n.ID == "field" && n.Within(f) })
		if field == nil {
			t.Fatalf("no field in frame %s", name)
		}
		tap(t, d, field)
		if err := d.Type(t.Context(), "hi"); err != nil {
			t.Fatal(err)
		}
		mustShow(t, d, "#log", name+" typed hi")
	}
}

func TestScreenshotIsTheViewport(t *testing.T) {
	t.Parallel()
	d := display(t,
		`<style>body{margin:0;background:#00f}#r{position:absolute;left:100px;top:50px;width:10px;height:10px;`+
			`background:#f00}</style><div id=r></div>`)
	picture, err := d.Screenshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if picture.Bounds() != image.Rect(0, 0, 1280, 720) {
		t.Errorf("bounds %v", picture.Bounds())
	}
	p := centre(byID(t, tree(t, d), "r"))
	if r, g, b, _ := picture.At(p.X, p.Y).RGBA(); r>>8 != 255 || g != 0 || b != 0 {
		t.Errorf("the picture is not red at %v where the tree says so", p)
	}
}

func TestCallsOnABusyPageEndWithTheirContext(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "TestAHungPageIsClosedHard and TestACancelledWaitLeavesThePageAlive remain")
	d := visitPage(t, "busy.html")
	d.slot.Grace = browser.ActGrace
	button := centre(byID(t, tree(t, d), "hang"))
	_, page, err := d.slot.Page()
	if err != nil {
		t.Fatal(err)
	}
	if err := page.Mouse().Move(float64(button.X), float64(button.Y)); err != nil {
		t.Fatal(err)
	}
	_, _ = page.Evaluate(`() => setTimeout(() => document.getElementById('hang').click(), 0)`)
	if !until(t.Context(), patience, func() bool { // until it hangs
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := d.Tree(ctx)
		return errors.Is(err, context.DeadlineExceeded)
	}) {
		t.Fatal("the page does not hang")
	}
	for name, call := range map[string]func(context.Context) error{
		"tree":       func(ctx context.Context) error { _, err := d.Tree(ctx); return err },
		"screenshot": func(ctx context.Context) error { _, err := d.Screenshot(ctx); return err },
		"look": func(ctx context.Context) error {
			_, err := d.Look(ctx, "#log", drivers.WebCondition{Hidden: true}, time.Minute)
			return err
		},
		"fill": func(ctx context.Context) error { return d.Fill(ctx, "#x", "x", time.Minute) },
	} {
		endsWithContext(t, name, call)
	}
	// An action that was started abandons the page, so it comes last.
	endsWithContext(t, "tap", func(ctx context.Context) error { return d.Tap(ctx, button) })
	_, err = d.Tree(t.Context())
	WantError(t, err, drivers.ErrDeviceLost)
}

// endsWithContext checks that call is stuck until its context ends, and then returns soon.
func endsWithContext(t *testing.T, name string, call func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- call(ctx) }()
	select {
	case err := <-done:
		t.Errorf("%s: returned by itself: %v", name, err)
	case <-time.After(300 * time.Millisecond):
	}
	cancel()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	case <-time.After(patience):
		t.Fatalf("%s goes on after its context was cancelled", name)
	}
}
