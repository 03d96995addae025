package elements

import (
	"errors"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
)

func TestRefusedIsNotActionable(t *testing.T) {
	err := error(&refused{"x", "y"})
	if !errors.Is(err, drivers.ErrNotActionable) || !browser.IsKind(err) {
		t.Error("a refusal has lost its kind")
	}
}
