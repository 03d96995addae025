package ios

import (
	"context"
	"errors"
	"fmt"
	"image"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/dom"
	"github.com/taproot-dev/taproot/drivers/screen"
)

const (
	// touchPatience is how long a touch may take to the page in a WebView: WebKit waits for a second tap first.
	touchPatience = 1500 * time.Millisecond
	// aimLimit is how long a page may take to say what it is asked about a touch.
	aimLimit = 3 * time.Second
)

// touchInPage makes a gesture that starts on an element of a page, unless something of the app's that is clear takes
// it; the page holds it back when it would meet another element of the page.
func (d *Device) touchInPage(ctx context.Context, tree *screen.Tree, n *screen.Node, p image.Point,
	gesture func() error) error {
	if err := d.refuseTaken(ctx, tree, n, layersOver(tree, n, p)); err != nil {
		return err
	}
	d.web.mu.Lock()
	defer d.web.mu.Unlock()
	gen, _, _ := strings.Cut(n.Ref, "/")
	page := d.web.owners[gen]
	if page == nil {
		return fmt.Errorf("device %s: %w: the page has been left", d.info.ID, drivers.ErrMissed)
	}
	asking, cancel := context.WithTimeoutCause(ctx, aimLimit, errSilent)
	defer cancel()
	page.ctx = asking
	aimed, err := dom.Aim(page, n.Ref)
	if err != nil {
		return fmt.Errorf("device %s: %w: the page in the WebView changed: %s", d.info.ID, drivers.ErrMissed, shortly(err))
	}
	if err := gesture(); err != nil {
		return err
	}
	after, cancel := context.WithTimeoutCause(ctx, aimLimit, errSilent)
	defer cancel()
	page.ctx = after
	if _, err := aimed.Met(page, touchPatience); errors.Is(err, drivers.ErrMissed) {
		return fmt.Errorf("device %s: %w", d.info.ID, err)
	}
	return nil
}
