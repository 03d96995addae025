package elements

import (
	"context"
	_ "embed"
	"encoding/base64"
	"fmt"
	"mime"
	"os"
	"path/filepath"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/dom"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
)

// maxDropped caps the files that a script passes to a page.
const maxDropped = 50 << 20

// dropScript watches a drop, and makes one where the browser cannot be made to.
//
//go:embed script/drop.js
var dropScript string

// dropped is what became of a drop.
type dropped struct{ Came, Taken bool }

// DropFiles drops files on an element, as they are dragged from a folder.
func (fs *Files) DropFiles(ctx context.Context, at drivers.WebTarget, files []string) error {
	paths, err := fs.uploads(files)
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return fmt.Errorf("%w: no file was given to drop on %s", drivers.ErrNotActionable, naming(at))
	}
	s, _, err := fs.actor.slot.Page()
	if err != nil {
		return err
	}
	var become dropped
	err = fs.actor.once(ctx, at, singleAction{
		try: func(zone playwright.Locator, timeout *float64) error {
			return zone.WaitFor(playwright.LocatorWaitForOptions{State: playwright.WaitForSelectorStateVisible,
				Timeout: timeout})
		},
		do: func(zone playwright.Locator, timeout *float64) (err error) {
			if err := zone.ScrollIntoViewIfNeeded(playwright.LocatorScrollIntoViewIfNeededOptions{
				Timeout: timeout}); err != nil {
				return err
			}
			if s.Browser.Brand.Devtools {
				become, err = dropByDevtools(s, zone, paths, timeout)
			} else {
				become, err = dropByEvents(zone, paths, timeout)
			}
			return err
		},
	})
	if err == nil && !become.Taken {
		err = fmt.Errorf("%w: %s takes no files: the page does not answer dragover and drop there with preventDefault",
			drivers.ErrNotActionable, naming(at))
	}
	return err
}

// dropByDevtools has Chromium drop the files themselves.
func dropByDevtools(s *pages.BrowserContext, zone playwright.Locator, paths []string, timeout *float64) (become dropped,
	err error) {
	page, err := zone.Page()
	if err != nil {
		return become, err
	}
	watch, err := zone.EvaluateHandle(dropScript, nil, playwright.LocatorEvaluateHandleOptions{Timeout: timeout})
	if err != nil {
		return become, err
	}
	box, err := zone.BoundingBox(playwright.LocatorBoundingBoxOptions{Timeout: timeout})
	if err != nil {
		return become, err
	}
	if box == nil {
		return become, fmt.Errorf("%w: the element went away", drivers.ErrNotReady)
	}
	cdp, err := s.Context.NewCDPSession(page)
	if err != nil {
		return become, err
	}
	defer func() { _ = cdp.Detach() }() // it ends with the page otherwise
	list := make([]any, len(paths))
	for i, path := range paths {
		list[i] = path
	}
	data := map[string]any{"items": []any{}, "files": list, "dragOperationsMask": 1}
	send := func(kind string) error {
		_, err := cdp.Send("Input.dispatchDragEvent", map[string]any{"type": kind, "x": dom.Clamp(box.X + box.Width/2),
			"y": dom.Clamp(box.Y + box.Height/2), "data": data})
		return err
	}
	for _, kind := range []string{"dragEnter", "dragOver", "dragOver"} {
		if err := send(kind); err != nil {
			return become, err
		}
	}
	last := "drop"
	if accepted, err := watch.Evaluate("watch => watch.accepts()"); err != nil {
		return become, err
	} else if accepted != true {
		last = "dragCancel" // the browser would open the files in place of the page
	}
	if err := send(last); err != nil {
		return become, err
	}
	return becomeOf(watch.Evaluate("watch => watch.end()"))
}

// dropByEvents has the page get the events of a drop, with copies of the files.
func dropByEvents(zone playwright.Locator, paths []string, timeout *float64) (become dropped, err error) {
	var files []any
	size := 0
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return become, fmt.Errorf("%w: %w", screen.ErrNotFound, err)
		}
		if size += len(data); size > maxDropped {
			return become, fmt.Errorf("%w: the files are too large to be dropped: more than %d MB", drivers.ErrNotActionable,
				maxDropped>>20)
		}
		files = append(files, map[string]any{"name": filepath.Base(path), "type": mime.TypeByExtension(filepath.Ext(path)),
			"data": base64.StdEncoding.EncodeToString(data)})
	}
	return becomeOf(zone.Evaluate(dropScript, files, playwright.LocatorEvaluateOptions{Timeout: timeout}))
}

func becomeOf(said any, err error) (dropped, error) {
	answer, _ := said.(map[string]any)
	came, _ := answer["came"].(bool)
	taken, _ := answer["taken"].(bool)
	return dropped{Came: came, Taken: taken}, err
}
