package dump

import (
	"context"
	"image"

	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

var (
	barWindow  = lazyregexp.New(`(?m)^\s*Window #\d+ Window\{\w+ (?:u\d+ )?(StatusBar|NavigationBar\d*)\}:`)
	nextWindow = lazyregexp.New(`(?m)^\s*Window #\d+ `)
	barAway    = lazyregexp.New(`\b(?:mHasSurface=false|isReadyForDisplay\(\)=false|isOnScreen=false|isVisible=false)`)
)

const (
	besideBar = 24 // dp: what ends within them has a bar over it, where there is one
	leastBar  = 40 // dp: a navigation bar that is not as thick has no buttons
	normalDPI = 160
)

// AskBars adds the bars of the system to the tree of a phone that dumps one window alone. The window manager is
// queried only for a tree with something that takes touches at an edge of the screen.
func (u *Reader) AskBars(ctx context.Context, from *Dump, tree *screen.Tree) {
	for _, f := range from.Facts {
		if f.Kind != "" || f.Title != "" {
			return
		}
	}
	dp := func(n int) int { return n * max(u.Phone.Info.Density, normalDPI) / normalDPI }
	inner := image.Rectangle{Max: tree.Size.Sub(image.Pt(0, dp(besideBar)))}
	if tree.Size.X > tree.Size.Y { // in landscape, the navigation bar may be at a side
		inner.Min.X, inner.Max.X = dp(besideBar), inner.Max.X-dp(besideBar)
	}
	if !touchableBeyond(tree, inner) {
		return
	}
	said := u.Phone.Link.QueryOptional(ctx, adb.Command{Name: "dumpsys window windows",
		Line: "dumpsys window windows"})
	tree.Bars = barsIn(said, dp(leastBar))
}

// touchableBeyond reports whether an element that takes touches reaches out of an area at the bottom or at a side.
func touchableBeyond(tree *screen.Tree, area image.Rectangle) bool {
	for n := range tree.All {
		if n.Clickable && !n.Hidden && !n.Bounds.Empty() &&
			(n.Bounds.Max.Y > area.Max.Y || n.Bounds.Min.X < area.Min.X || n.Bounds.Max.X > area.Max.X) {
			return true
		}
	}
	return false
}

// barsIn reads the visible bars of what the window manager reports. Their buttons are not known.
func barsIn(dumpsys string, least int) []*screen.Node {
	var bars []*screen.Node
	for _, at := range barWindow.FindAllStringSubmatchIndex(dumpsys, -1) {
		about := dumpsys[at[1]:]
		if next := nextWindow.FindStringIndex(about); next != nil {
			about = about[:next[0]]
		}
		frame := phone.WindowFrame.FindStringSubmatch(about)
		if frame == nil || barAway.MatchString(about) {
			continue
		}
		bar := &screen.Node{Type: "StatusBar", Desc: "the status bar", Package: "com.android.systemui",
			Bounds: phone.Rectangle(frame[1:]), Blocks: true}
		if dumpsys[at[2]:at[3]] != "StatusBar" {
			bar.Type, bar.Desc = "NavigationBar", "the navigation bar"
			if min(bar.Bounds.Dx(), bar.Bounds.Dy()) < least {
				continue
			}
		}
		bars = append(bars, bar)
	}
	return bars
}
