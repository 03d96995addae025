package androidsim

import (
	"fmt"
	"strings"
	"testing"
)

// TestForbiddenPictures: what phones return where a window forbids screenshots, and what their window managers report.
func TestForbiddenPictures(t *testing.T) {
	t.Parallel()
	for _, o := range []struct {
		api   int
		style SecureStyle
		bytes int
		code  int
		flags string
	}{
		{24, SecureByAPI, 0, 1, "fl=#81812100"}, {24, SecureZeros, 12, 0, "fl=#81812100"},
		{27, SecureByAPI, 0, 1, "fl=#81812100"},
		{30, SecureByAPI, 0, 1, "fl=LAYOUT_IN_SCREEN LAYOUT_INSET_DECOR SECURE"},
		{34, SecureByAPI, 0, 1, "fl=LAYOUT_IN_SCREEN LAYOUT_INSET_DECOR SECURE"},
		{34, SecureBlack, 16 + 4*540*1200, 0, " SECURE "}, {36, SecureByAPI, 16 + 4*540*1200, 0, " SECURE "},
	} {
		t.Run(fmt.Sprint(o.api, o.style), func(t *testing.T) {
			t.Parallel()
			b := newBench(t, Options{API: o.api, Secure: o.style, Width: 540, Height: 1200, Density: 210})
			b.page("Secure")
			if res := b.sh("screencap"); len(res.out) != o.bytes || res.code != o.code {
				t.Errorf("%d bytes, exit %d", len(res.out), res.code)
			}
			if said := b.sh("dumpsys window windows").out; !strings.Contains(said, o.flags) ||
				!strings.Contains(said, "mHasSurface=true") {
				t.Error(said)
			}
			b.page("Toast")
			if res := b.sh("screencap"); len(res.out) < 4*540*1200 || res.code != 0 {
				t.Errorf("of another page: %d bytes, exit %d", len(res.out), res.code)
			}
		})
	}
}
