package drivers

import (
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"testing"
)

// Messages had \u00a0 where the screen shows a space.
func TestQuoteShowsWhatTheScreenShows(t *testing.T) {
	for text, want := range map[string]string{"Total:\u00a05\u202f€": "\"Total:\u00a05\u202f€\"", "a\nb": `"a\nb"`,
		"\u202eevil": `"\u202eevil"`} {
		if got := screen.Quote(text); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
