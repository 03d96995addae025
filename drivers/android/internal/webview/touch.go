package webview

import (
	"context"
	"errors"
	"fmt"
	"image"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/internal/dom"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/internal/phrase"
)

// OnPage converts a pixel of the screen to a place on a page, in pixels of CSS.
type OnPage func(image.Point) image.Point

// Touch makes a gesture that starts on an element of a page; the page blocks it when it would reach another element.
// An *UnknownTouch is the error of one that was made.
func (w *Reader) Touch(ctx context.Context, n *screen.Node, gesture func(context.Context, OnPage) error) error {
	return w.Use(ctx, n, func(ctx context.Context, place OnPage) error {
		page, err := w.owner(n)
		if err != nil {
			return err
		}
		var aimed *dom.Aimed
		err = w.asking(ctx, page, func() (err error) { aimed, err = dom.Aim(page, n.Ref); return err })
		if err != nil {
			return changed(err)
		}
		if err := gesture(ctx, place); err != nil {
			return err
		}
		err = w.asking(ctx, page, func() error { _, err := aimed.Met(page, w.Arrive); return err })
		_, unasked := aimed.Unasked()
		switch {
		case err != nil:
			return err
		case errors.Is(unasked, drivers.ErrDeviceLost):
			return unasked
		case errors.Is(unasked, errSilent), webdriver.Lost(unasked):
			return &UnknownTouch{Element: n, Why: shortly(unasked)}
		}
		return nil // a page that cannot be asked for another reason was replaced, or has a dialog open
	})
}

// UnknownTouch says of a touch that was made that its page has not answered whether it has reached its element.
type UnknownTouch struct {
	Element *screen.Node
	Why     string
}

func (e *UnknownTouch) Error() string { return dom.UnknownTouch(e.Element, e.Why) }

// errSilent says that a page does not answer.
var errSilent = errors.New("the page does not answer, and its scripts may be busy")

// asking calls do, which has questions for a page, for as long as they may take.
func (w *Reader) asking(ctx context.Context, page *pageConn, do func() error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, w.Ask, errSilent)
	defer cancel()
	page.ctx = ctx
	return do()
}

func shortly(err error) string { return phrase.LimitBytes(adb.FirstLine(err.Error()), 250) }

// Use calls do while the input of the source goes to the page that an element is of.
func (w *Reader) Use(ctx context.Context, n *screen.Node, do func(context.Context, OnPage) error) error {
	page, err := w.owner(n)
	if err != nil {
		return err
	}
	return w.Source.Use(ctx, func(ctx context.Context) error {
		if err := page.conn.Ready(ctx); err != nil {
			return changed(err)
		}
		return do(ctx, page.place)
	})
}

// owner returns the page that an element of the newest tree is of.
func (w *Reader) owner(n *screen.Node) (*pageConn, error) {
	gen, _, _ := strings.Cut(n.Ref, "/")
	page := w.owners[gen]
	if page == nil {
		return nil, fmt.Errorf("%w: the page has been left", drivers.ErrMissed)
	}
	return page, nil
}

// changed is the error of a touch before which a page cannot be asked. A server that has failed says nothing about the
// page.
func changed(err error) error {
	if errors.Is(err, drivers.ErrDeviceLost) || errors.Is(err, drivers.ErrUnsupported) || webdriver.Lost(err) ||
		webdriver.Is(err, webdriver.UnknownError) {
		return err
	}
	return fmt.Errorf("%w: the page in the WebView changed: %s", drivers.ErrMissed,
		phrase.LimitBytes(adb.FirstLine(err.Error()), 120))
}
