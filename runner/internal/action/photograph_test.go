package action

import (
	"context"
	"errors"
	"image"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/internal/result/event"
)

// stoppedPage is a page with a dialog that is dismissed when its elements are read.
type stoppedPage struct {
	drivers.Device
	drivers.Navigator
	drivers.Alerter
	open *drivers.Alert
}

func (p *stoppedPage) Alert(context.Context) (*drivers.Alert, error) { return p.open, nil }

func (p *stoppedPage) Tree(context.Context) (*screen.Tree, error) {
	p.open = nil
	return &screen.Tree{}, nil
}

func (p *stoppedPage) Screenshot(context.Context) (image.Image, error) {
	return image.NewRGBA(image.Rect(0, 0, 2, 2)), nil
}

// TestPhotographLeavesADialogOpen: in tests with secrets the screenshot after the step that opened a dialog dismissed
// it, and alert found none.
func TestPhotographLeavesADialogOpen(t *testing.T) {
	t.Parallel()
	page := &stoppedPage{open: &drivers.Alert{Text: "Sure?"}}
	if _, err := Photograph(t.Context(), page, new(event.Mask)); !errors.Is(err, drivers.ErrNotReady) {
		t.Errorf("a picture of a page that is stopped: %v", err)
	}
	if page.open == nil {
		t.Fatal("the dialog was answered")
	}
	page.open = nil
	if _, err := Photograph(t.Context(), page, new(event.Mask)); err != nil {
		t.Error(err)
	}
}
