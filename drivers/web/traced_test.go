package web

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// TestTracedByACanvas: an element that draws nothing over a canvas says where the canvas may draw it, in both browsers.
func TestTracedByACanvas(t *testing.T) {
	t.Parallel()
	const page = `<!doctype html><body style="margin:0"><canvas id=c width=400 height=300 style="position:absolute;` +
		`left:0;top:0"></canvas>
<span style="position:absolute;left:20px;top:20px;font:24px/40px monospace;color:transparent">Invoice 4711</span>
<div style="opacity:0;position:absolute;left:0;top:0"><div aria-label="Balance" style="position:absolute;left:20px;` +
		`top:100px;width:100px;height:30px"></div></div>
<b style="position:absolute;left:20px;top:150px">Drawn</b><p style="position:absolute;left:20px;top:350px;` +
		`color:transparent">Elsewhere</p>
<div style="opacity:0;background:#fff;position:absolute;left:20px;top:200px">Bubble</div>`
	check := func(t *testing.T, d *device) {
		Must(t, d.OpenPage(t.Context(), dataPage(page), drivers.PageOptions{}))
		tree := tree(t, d)
		for label, traced := range map[string]bool{"Invoice 4711": true, "Balance": true, "Drawn": false} {
			named := func(n *screen.Node) bool { return n.Text == label || n.Desc == label }
			n := find(tree, named)
			if n == nil || n.Hidden || (n.Traced != nil) != traced {
				t.Errorf("%s: %+v", label, n)
			}
			if traced && n != nil && n.Traced != nil && n.Traced.Area.Intersect(n.Bounds) != n.Traced.Area {
				t.Errorf("%s is drawn at %v, outside of %v", label, n.Traced.Area, n.Bounds)
			}
		}
		for _, label := range []string{"Elsewhere", "Bubble"} {
			named := func(n *screen.Node) bool { return n.Text == label || n.Desc == label }
			if n := find(tree, named); n != nil && !n.Hidden {
				t.Errorf("%s counts as drawn", label)
			}
		}
	}
	t.Run("chromium", func(t *testing.T) { check(t, open(t)) })
	t.Run("firefox", func(t *testing.T) {
		leftToFirefox(t)
		check(t, openFirefox(t))
	})
}

// TestDrawnBelow: of what a selector picks, the driver sees what its caller says is drawn, and what the page draws
// itself. Where no canvas may draw any of it, the caller is not called.
func TestDrawnBelow(t *testing.T) {
	t.Parallel()
	const body = `<style>body{margin:0;font:24px/30px monospace}.c{color:transparent}.p>*{position:absolute}</style>
<canvas width=400 height=300 style="position:absolute;left:0;top:0"></canvas>
<div class=p id=all style="height:300px"><span id=a class=c style="left:20px;top:20px">Invoice</span><span id=b ` +
		`class=c style="left:20px;top:60px">Ghost</span>
<p id=mixed style="left:20px;top:100px;margin:0">Total <i class=c>Ghost</i></p>
<button id=red class=c style="left:20px;top:140px;background:red">Ghost</button>
<div id=lines class=c style="left:20px;top:180px">Invoice<br>Ghost</div>
<div style="opacity:0;left:0;top:0"><div id=name aria-label=Balance style="position:absolute;left:200px;top:20px;` +
		`width:90px;height:30px"></div>
<div id=ghost aria-label=Ghost style="position:absolute;left:200px;top:60px;width:90px;height:30px"></div>
<div id=faded style="position:absolute;left:200px;top:100px"><p style="margin:0">Invoice</p><p>Ghost</p></div></div>` +
		`</div>
<b id=own style="position:absolute;left:20px;top:240px">Drawn</b>
<i id=away style="position:absolute;left:20px;top:340px;opacity:0">Away</i>`
	check := func(t *testing.T, d *device) {
		Must(t, d.OpenPage(t.Context(), dataPage("<!doctype html><meta charset=utf-8>"+body), drivers.PageOptions{}))
		asked := 0
		drawn := func(_ context.Context, _ *screen.Tree, n *screen.Node) (bool, error) {
			asked++
			return n.Traced != nil && n.Text != "Ghost" && n.Desc != "Ghost", nil
		}
		for selector, want := range map[string][]string{
			"#a": {"Invoice"}, "#b": nil, "#all > span": {"Invoice"}, "#mixed": {"Total"}, "#mixed i": nil, "#red": {""},
			"#lines": {"Invoice"}, "#name": {"Balance"}, "#ghost": nil, "#faded": {"Invoice"}, "#own": {"Drawn"}, "#away": nil,
		} {
			asked = 0
			seen, err := d.Look(t.Context(), selector, drivers.WebCondition{Drawn: drawn, Hidden: want == nil}, patience)
			if err != nil || !seen.Met || !slices.Equal(seen.Texts, want) {
				t.Errorf("%s: %v, want %q: %+v", selector, err, want, seen)
			}
			if none := selector == "#own" || selector == "#away"; (asked == 0) != none {
				t.Errorf("%s: asked %d times", selector, asked)
			}
		}
		if seen := look(t, d, "#all", drivers.WebCondition{Drawn: drawn}, patience); len(seen.Texts) != 1 ||
			!strings.Contains(seen.Texts[0], "Invoice") || strings.Contains(seen.Texts[0], "Ghost") {
			t.Errorf("all: %+v", seen)
		}
		at := drivers.WebTarget{Selector: "#a", Timeout: patience, Drawn: drawn}
		if text, err := d.TextOf(t.Context(), at); err != nil || text != "Invoice" {
			t.Errorf("the text is %q, %v", text, err)
		}
		Must(t, d.WaitElement(t.Context(), at, "visible"))
		at.Selector = "#b"
		Must(t, d.WaitElement(t.Context(), at, "hidden"))
		changing := func(_ context.Context, _ *screen.Tree, _ *screen.Node) (bool, error) {
			_, err := d.Eval(t.Context(), "document.getElementById('a').textContent += '!'", patience)
			return true, err
		}
		if seen := look(t, d, "#a", drivers.WebCondition{Drawn: changing, Text: new("Invoice")}, time.Second); seen.Met {
			t.Errorf("a text that came after the picture counts as drawn: %+v", seen)
		}
	}
	t.Run("chromium", func(t *testing.T) { check(t, open(t)) })
	t.Run("firefox", func(t *testing.T) {
		leftToFirefox(t)
		check(t, openFirefox(t))
	})
}
