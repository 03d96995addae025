package dump

import (
	"fmt"
	"image"
	"testing"
)

// TestBarsOfTheWindowManager: phones before Android 10 have no bars in their dumps.
func TestBarsOfTheWindowManager(t *testing.T) {
	t.Parallel()
	const (
		head = "WINDOW MANAGER WINDOWS (dumpsys window windows)\n"
		body = "    mDisplayId=0 mSession=Session{1}\n    mHasSurface=%[2]t isReadyForDisplay()=%[2]t\n" +
			"    mFrame=[%[1]s] last=[%[1]s]\n"
		app = "  Window #1 Window{c0ffee u0 com.example/.Main}:\n    mFrame=[0,0][1080,1920] last=[0,0][1080,1920]\n"
	)
	status := "  Window #4 Window{a1 u0 StatusBar}:\n" + fmt.Sprintf(body, "0,0][1080,63", true)
	keys := func(name, frame string, shown bool) string {
		return "  Window #3 Window{b2 u0 " + name + "}:\n" + fmt.Sprintf(body, frame, shown)
	}
	for name, c := range map[string]struct {
		text string
		want []image.Rectangle
	}{
		"a bar of buttons": {head + status + keys("NavigationBar", "0,1794][1080,1920", true) + app,
			[]image.Rectangle{image.Rect(0, 0, 1080, 63), image.Rect(0, 1794, 1080, 1920)}},
		"at a side": {head + keys("NavigationBar0", "1794,0][1920,1080", true) + app,
			[]image.Rectangle{image.Rect(1794, 0, 1920, 1080)}},
		"gestures":      {head + keys("NavigationBar0", "0,1857][1080,1920", true) + app, nil},
		"a full screen": {head + keys("NavigationBar", "0,1794][1080,1920", false) + app, nil},
		"no bar":        {head + app, nil},
		"nothing":       {"", nil},
	} {
		bars := barsIn(c.text, 105)
		if len(bars) != len(c.want) {
			t.Errorf("%s: %v", name, bars)
			continue
		}
		for i, b := range bars {
			if b.Bounds != c.want[i] || !b.Blocks {
				t.Errorf("%s: %v", name, b)
			}
		}
	}
}
