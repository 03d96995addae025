package pages

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/dom"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
)

// maxAnswer caps what a page's elements may come to as JSON.
const maxAnswer = 64 << 20

// Asker is a page that package dom reads.
type Asker struct {
	page  playwright.Page
	limit time.Duration
}

// NewAsker returns a page that has so long for each answer.
func NewAsker(page playwright.Page, limit time.Duration) Asker {
	return Asker{page: page, limit: limit}
}

// Ask is AskFor.
func (a Asker) Ask(chain []string, command string, into any) error {
	return AskFor(a.page, chain, command, into, a.limit)
}

// Ask has the script of package dom answer in the document that chain leads to: a list of iframes, outermost first,
// each as the script's own ref command.
func Ask(page playwright.Page, chain []string, command string, into any) error {
	return AskFor(page, chain, command, into, browser.CallLimit-time.Second)
}

func AskFor(page playwright.Page, chain []string, command string, into any, limit time.Duration) error {
	return AskSelector(page.Locator(Way(chain)+"taproot="+command), into, limit)
}

func AskSelector(locator playwright.Locator, into any, limit time.Duration) error {
	text, err := locator.TextContent(playwright.LocatorTextContentOptions{Timeout: browser.Milliseconds(limit)})
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

// Way is the selector that enters the frames of a chain.
func Way(chain []string) string {
	var b strings.Builder
	for _, frame := range chain {
		b.WriteString("taproot=" + frame + EnterFrame)
	}
	return b.String()
}

const EnterFrame = " >> internal:control=enter-frame >> "

// Zoom queries the page's zoom where it may have one.
func (s *BrowserContext) Zoom(page playwright.Page) (dom.Zoom, error) {
	if !s.mobile {
		return dom.Zoom{}, nil
	}
	var answer struct{ Zoom dom.Zoom }
	err := Ask(page, nil, "zoom", &answer)
	return answer.Zoom, err
}
