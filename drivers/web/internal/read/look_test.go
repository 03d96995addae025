package read

import (
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/dom"
)

// TestNothingIsHiddenBeforeThePageHasLoaded is about one read.
func TestNothingIsHiddenBeforeThePageHasLoaded(t *testing.T) {
	r := Report{State: dom.State{Ready: "interactive"}}
	if r.meets(drivers.WebCondition{Hidden: true}) {
		t.Error("hidden on a page that still loads")
	}
}
