package web

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// busyAfterTouch is a page that computes for so many milliseconds once its button was clicked.
func busyAfterTouch(milliseconds int) string {
	return fmt.Sprintf(`<button onclick="setTimeout(() => {
		for (const end = performance.now() + %d; performance.now() < end;); })" id=go>Go</button>`, milliseconds)
}

// A page that is busy after a touch still reports what the touch has met.
func TestABusyPageReportsWhatATouchHasMet(t *testing.T) {
	t.Parallel()
	d := display(t, busyAfterTouch(2500))
	button := byID(t, tree(t, d), "go")
	d.Aim(button)
	Must(t, d.Tap(t.Context(), centre(button)))
	if warned := d.TakeWarnings(); len(warned) > 0 || !strings.Contains(d.TouchMet(), "button#go") {
		t.Errorf("the touch has met %q, warnings %q", d.TouchMet(), warned)
	}
}

// A page that computes for longer than a touch may take leads to a warning.
func TestAPageThatNeverReportsWhatATouchHasMet(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "TestABusyPageReportsWhatATouchHasMet remains")
	d := display(t, busyAfterTouch(60_000))
	button := byID(t, tree(t, d), "go")
	d.Aim(button)
	d.slot.Limit = 10 * time.Second
	Must(t, d.Tap(t.Context(), centre(button)))
	d.slot.Limit = browser.CallLimit
	warned := strings.Join(d.TakeWarnings(), "\n")
	if !strings.Contains(warned, "Go") || !strings.Contains(warned, "has reached it is unknown") {
		t.Errorf("warnings %q", warned)
	}
}

// What a touch has met is kept until the next one is aimed: the first response may have come too late.
func TestWhatATouchHasMetIsKept(t *testing.T) {
	t.Parallel()
	for want, hidden := range map[string]bool{"hit": true, "missed": false} {
		d := display(t, fmt.Sprintf(`<button id=go>Go</button><div id=cover hidden style="position:fixed;inset:0">Wait</div>
			<script>addEventListener('mousemove', () => { document.getElementById('cover').hidden = %t; }, true)</script>`,
			hidden))
		button := byID(t, tree(t, d), "go")
		d.Aim(button)
		if err := d.Tap(t.Context(), centre(button)); hidden {
			Must(t, err)
		} else {
			WantError(t, err, drivers.ErrMissed, "div#cover")
		}
		_, page, err := d.slot.Page()
		Must(t, err)
		for range 2 {
			var answer struct{ Result string }
			if err := pages.AskFor(page, nil, "aimed", &answer, patience); err != nil || answer.Result != want {
				t.Errorf("want %s, got %s, %v", want, answer.Result, err)
			}
		}
	}
}
