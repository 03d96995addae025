package action

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/maestro"
)

// maestroPage returns the elements of a page as Maestro sees them.
//
//go:embed maestro_page.js
var maestroPage string

// pageLimit bounds what is asked of a page.
const pageLimit = 10 * time.Second

// domNode is an element of a page as maestroPage returns it.
type domNode struct {
	Text     string          `json:"t"`
	ID       *string         `json:"i"`
	Box      [4]int          `json:"b"`
	Selected *bool           `json:"s"`
	Option   bool            `json:"o"`
	Styles   map[string]bool `json:"c"`
	Children []domNode       `json:"n"`
}

func (d domNode) node() *maestro.Node {
	text := d.Text
	n := &maestro.Node{Text: &text, ID: d.ID, Bounds: image.Rect(0, 0, 0, 0), Bounded: true, Anywhere: d.Option,
		Styles: d.Styles}
	n.Bounds = image.Rectangle{Min: image.Pt(d.Box[0], d.Box[1]), Max: image.Pt(d.Box[2], d.Box[3])}
	for _, c := range d.Children {
		n.Children = append(n.Children, c.node())
	}
	return n
}

var errNoPage = errors.New("no page is open: start the flow with launchApp")

// readPageForMaestro reads the elements of the page.
func (s maestroSession) readPageForMaestro(ctx context.Context, css []string) (*maestroScreen, error) {
	if !s.flow.paged {
		return nil, &Failure{problem("%v", errNoPage)}
	}
	if css == nil {
		css = []string{}
	}
	list, err := json.Marshal(css)
	if err != nil {
		return nil, err
	}
	value, err := s.onPage(ctx, "("+maestroPage+")("+string(list)+")")
	if err != nil {
		return nil, err
	}
	text, _ := value.(string)
	var page struct {
		Width   int      `json:"w"`
		Height  int      `json:"h"`
		Loading bool     `json:"l"`
		Root    *domNode `json:"r"`
	}
	if err := json.Unmarshal([]byte(text), &page); err != nil {
		return nil, fmt.Errorf("%w: the page cannot be read: %w", drivers.ErrNotReady, err)
	}
	size, root := image.Pt(page.Width, page.Height), &maestro.Node{}
	if page.Root != nil {
		root = page.Root.node()
	}
	root = root.Within(size)
	root.Loading = page.Loading
	return &maestroScreen{root, size}, s.looked(ctx)
}

// onPage runs a script in the page.
func (s maestroSession) onPage(ctx context.Context, script string) (any, error) {
	pages, err := capability[drivers.WebPages](s.Session)
	if err != nil {
		return nil, err
	}
	value, err := pages.Eval(ctx, script, pageLimit)
	var wrong *drivers.ScriptError
	if errors.As(err, &wrong) { // the page went away under it
		return nil, fmt.Errorf("%w: %w", drivers.ErrNotReady, err)
	}
	return value, err
}

// chooseOption takes an option of the list that has the focus.
func (s maestroSession) chooseOption(ctx context.Context, p image.Point) error {
	_, err := s.onPage(ctx, fmt.Sprintf(`(() => {
	const list = document.activeElement
	const option = list && list.children && Array.from(list.querySelectorAll('option'))
		.find(o => Array.from(o.parentElement.children).indexOf(o) === %d)
	if (!option) return false
	option.selected = true
	list.dispatchEvent(new Event('change', { bubbles: true }))
	list.blur()
	return true
})()`, (p.Y-syntheticAt)/20))
	return err
}

// maestroView is the size of the window in which Maestro opens pages without a screen.
var maestroView = image.Pt(1024, 768)

// openURL shows a page: in a fresh browser the first time, and when its data shall go.
func (s maestroSession) openURL(ctx context.Context, address string, fresh bool) error {
	b, err := s.browser()
	if err != nil {
		return err
	}
	if err := s.mayOpen(ctx, address); err != nil {
		return err
	}
	s.tapped = nil
	if n, is := s.Device.(drivers.Navigator); is && s.flow.paged && !fresh {
		return n.Navigate(ctx, address, DefaultTimeout)
	}
	opts := drivers.PageOptions{Headed: s.Headed, Viewport: maestroView, Timeout: 30 * time.Second}
	if err := b.OpenPage(ctx, address, opts); err != nil {
		return err
	}
	s.flow.paged = true
	noteAnswer(s.Session)
	return nil
}
