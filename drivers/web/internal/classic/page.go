package classic

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"slices"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"
	"golang.org/x/image/draw"

	"github.com/taproot-dev/taproot/internal/screenimage"
)

// Page is one window.
type Page struct {
	uncalled
	*events
	*Traffic
	notForPages
	context *Context
	handle  string
	opener  *Page
	number  int // of the windows of its context, from 1
	main    *Frame
	// attached is set once, before the page is reported; nil: there is only WebDriver
	attached Window

	mu      sync.Mutex
	address string     // that was read last
	mouse   [2]float64 // where it was moved to last
}

// uncalled are the methods of a page that nothing calls. They are deeper than all others.
type uncalled struct{ playwright.Page }

func newPage(c *Context, handle string, opener *Page) *Page {
	p := &Page{context: c, handle: handle, opener: opener, events: &events{}}
	p.Traffic = newTraffic(p)
	p.notForPages.name = c.browser.traits.Name
	p.events.page, p.main = p, &Frame{page: p}
	return p
}

// Context returns the browser that the page is open in.
func (p *Page) Context() playwright.BrowserContext { return p.context }

// Opener returns the page that has opened this one, nil if none has.
func (p *Page) Opener() (playwright.Page, error) {
	if p.opener == nil {
		return nil, nil
	}
	return p.opener, nil
}

// detach ends the connection next to that of WebDriver.
func (p *Page) detach() {
	if p.attached != nil {
		p.attached.Close()
	}
}

// DeclaresClosedRoots reports whether declares finds closed shadow roots in the HTML of a document of the page.
func (p *Page) DeclaresClosedRoots(ctx context.Context, loading bool, declares func(html string) bool) bool {
	return p.attached != nil && p.attached.DeclaresClosedRoots(ctx, loading, declares)
}

// MainFrame is the page itself.
func (p *Page) MainFrame() playwright.Frame { return p.main }

// Locator is of elements of the page.
func (p *Page) Locator(selector string, _ ...playwright.PageLocatorOptions) playwright.Locator {
	return &Locator{page: p, selector: selector}
}

// Keyboard is that of the browser.
func (p *Page) Keyboard() playwright.Keyboard { return &Keyboard{page: p} }

// Mouse is that of the browser.
func (p *Page) Mouse() playwright.Mouse { return &Mouse{page: p} }

// urlLimit is how long the URL of a page is waited for; then the one before is the answer.
const urlLimit = 2 * time.Second

// URL returns that of the page, which responds also when its scripts are busy.
func (p *Page) URL() string {
	p.mu.Lock()
	last := p.address
	p.mu.Unlock()
	if p.ended() || p.context.isAsked() {
		return last
	}
	var now string
	err := p.context.do(p, urlLimit, func(ctx context.Context) (err error) {
		return p.context.command(ctx, func() error { now, err = p.context.session.URL(ctx, urlLimit); return err })
	})
	if err != nil || now == "" {
		return last
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.address = now
	return now
}

// Title returns that of the page.
func (p *Page) Title() (string, error) {
	at, err := p.at()
	return at.Title, err
}

// place is what a document says of itself.
type place struct {
	URL, Document, Ready, Title    string
	Width, Height, Entries, Frames int
}

func (p *Page) at() (at place, err error) {
	err = p.context.do(p, callLimit, func(ctx context.Context) error { return p.ask(ctx, "at", nil, &at) })
	return at, err
}

// Screenshot returns what the window shows of the page.
func (p *Page) Screenshot(options ...playwright.PageScreenshotOptions) (raw []byte, err error) {
	limit := callLimit
	if len(options) > 0 {
		limit = limitOf(options[0].Timeout)
	}
	err = p.context.do(p, limit, func(ctx context.Context) error {
		return p.context.command(ctx, func() error { raw, err = p.context.session.Screenshot(ctx, limit); return err })
	})
	if err != nil || !p.context.browser.traits.Phone {
		return raw, err
	}
	return scaled(raw, p.context.size)
}

// scaled is a screenshot of a phone in pixels of CSS.
func scaled(raw []byte, size image.Point) ([]byte, error) {
	whole, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("the screenshot cannot be decoded: %w", err)
	}
	if whole.Bounds().Size() == size {
		return raw, nil
	}
	small := image.NewRGBA(image.Rectangle{Max: size})
	draw.ApproxBiLinear.Scale(small, small.Rect, whole, whole.Bounds(), draw.Src, nil)
	var out bytes.Buffer
	err = screenimage.EncodePNG(&out, small)
	return out.Bytes(), err
}

// limitOf is a time limit in Playwright's form.
func limitOf(timeout *float64) time.Duration {
	if timeout == nil || *timeout <= 0 {
		return waitDefault
	}
	return time.Duration(*timeout * float64(time.Millisecond))
}

// BringToFront makes the window the one that keys go to.
func (p *Page) BringToFront() error {
	return p.context.do(p, callLimit, func(context.Context) error { return nil })
}

// SetViewportSize is for the size that all windows of the context have.
func (p *Page) SetViewportSize(width, height int) error {
	if width == p.context.size.X && height == p.context.size.Y {
		return nil
	}
	return fmt.Errorf("%s cannot change the size of a page that is open", p.context.browser.traits.Name)
}

// Close closes the window.
func (p *Page) Close(...playwright.PageCloseOptions) error {
	err := p.context.do(p, callLimit, func(ctx context.Context) error {
		if err := p.context.command(ctx, func() error { return p.context.session.CloseWindow(ctx) }); err != nil {
			return err
		}
		p.context.window = ""
		return p.context.survey(ctx, true)
	})
	if errors.Is(err, playwright.ErrTargetClosed) && p.IsClosed() {
		return nil
	}
	return err
}

// Frame is the page itself, or a frame in it.
type Frame struct {
	playwright.Frame
	page *Page
	path []int // places in the lists of frames of the windows around it
}

// Page returns the page that the frame is in.
func (f *Frame) Page() playwright.Page { return f.page }

// IsDetached reports whether the page has been closed.
func (f *Frame) IsDetached() bool { return f.page.IsClosed() }

// ParentFrame returns the frame around this one.
func (f *Frame) ParentFrame() playwright.Frame {
	if len(f.path) == 0 {
		return nil
	}
	if len(f.path) == 1 {
		return f.page.main
	}
	return &Frame{page: f.page, path: f.path[:len(f.path)-1]}
}

// URL returns that of the document in the frame.
func (f *Frame) URL() string {
	if len(f.path) == 0 {
		return f.page.URL()
	}
	at, err := f.at()
	if err != nil {
		return ""
	}
	return at.URL
}

func (f *Frame) at() (at place, err error) {
	err = f.inside(func(ctx context.Context) error { return f.page.ask(ctx, "at", nil, &at) })
	return at, err
}

// inside calls do with the frame chosen.
func (f *Frame) inside(do func(ctx context.Context) error) error {
	c := f.page.context
	return c.do(f.page, callLimit, func(ctx context.Context) error {
		for _, number := range f.path {
			if err := c.enterFrame(ctx, f.page, func() error { return c.session.EnterFrameAt(ctx, number) }); err != nil {
				return err
			}
		}
		return do(ctx)
	})
}

// ChildFrames lists the frames in the document.
func (f *Frame) ChildFrames() (list []playwright.Frame) {
	at, err := f.at()
	if err != nil {
		return nil
	}
	for i := range min(at.Frames, 100) {
		list = append(list, &Frame{page: f.page, path: append(slices.Clone(f.path), i)})
	}
	return list
}

// Evaluate runs a script in the frame.
func (f *Frame) Evaluate(expression string, arg ...any) (value any, err error) {
	err = f.inside(func(ctx context.Context) error {
		value, err = f.page.run(ctx, expression, run{Argument: first(arg)})
		return err
	})
	return value, err
}

func first(arg []any) any {
	if len(arg) == 0 {
		return nil
	}
	return arg[0]
}
