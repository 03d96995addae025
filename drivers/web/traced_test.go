package web

import (
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

// TestTracedByACanvas: an element that draws nothing over a canvas says where the canvas may draw it, in both browsers.
func TestTracedByACanvas(t *testing.T) {
	t.Parallel()
	const page = `<!doctype html><body style="margin:0"><canvas id=c width=400 height=300 style="position:absolute;` +
		`left:0;top:0"></canvas>
<span style="position:absolute;left:20px;top:20px;font:24px/30px monospace;color:transparent">Invoice 4711</span>
<div style="opacity:0;position:absolute;left:0;top:0"><div aria-label="Balance" style="position:absolute;left:20px;` +
		`top:100px;width:100px;height:30px"></div></div>
<b style="position:absolute;left:20px;top:150px">Drawn</b><p style="position:absolute;left:20px;top:350px;` +
		`color:transparent">Elsewhere</p>
<div style="opacity:0;background:#fff;position:absolute;left:20px;top:200px">Bubble</div>`
	check := func(t *testing.T, d *Device) {
		must(t, d.OpenPage(t.Context(), dataPage(page), drivers.PageOptions{}))
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
