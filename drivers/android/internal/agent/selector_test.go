package agent

import (
	"testing"

	"github.com/taproot-dev/taproot/drivers/android/internal/dump"
)

// TestCutTreeGivesNoSelector: the agent may find an element that its tree does not have.
func TestCutTreeGivesNoSelector(t *testing.T) {
	t.Parallel()
	got, err := dump.Parse(
		[]byte(`<hierarchy><android.widget.Button class="android.widget.Button" text="Go" resource-id="a:id/go" ` +
			`bounds="[0,0][9,9]" window-id="1"/></hierarchy>`))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, ok := TakeCensus(got, false).Selector(got.Windows[0]); ok {
		t.Error("a selector was sent")
	}
}
