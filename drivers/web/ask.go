package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
)

// maxAnswer caps what a page's elements may come to as JSON.
const maxAnswer = 64 << 20

// asker is a page that package dom reads.
type asker struct {
	page  playwright.Page
	limit time.Duration
}

// Ask is askFor.
func (a asker) Ask(chain []string, command string, into any) error {
	return askFor(a.page, chain, command, into, a.limit)
}

// ask has the script of package dom answer in the document that chain leads to: a list of iframes, outermost first,
// each as the script's own ref command.
func ask(page playwright.Page, chain []string, command string, into any) error {
	return askFor(page, chain, command, into, callLimit-time.Second)
}

func askFor(page playwright.Page, chain []string, command string, into any, limit time.Duration) error {
	return askSelector(page.Locator(way(chain)+"taproot="+command), into, limit)
}

func askSelector(locator playwright.Locator, into any, limit time.Duration) error {
	text, err := locator.TextContent(playwright.LocatorTextContentOptions{Timeout: milliseconds(limit)})
	if err != nil {
		return err
	}
	if len(text) > maxAnswer {
		return errors.New("the page has too much in it")
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return fmt.Errorf("%w: the page's elements cannot be read", drivers.ErrNotReady)
	}
	return nil
}

func errorPage() error {
	return fmt.Errorf(
		"%w: the browser shows an error page in its place: the page led to an address that cannot be reached",
		drivers.ErrPage)
}
