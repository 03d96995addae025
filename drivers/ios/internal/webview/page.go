package webview

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/dom"
	"github.com/taproot-dev/taproot/drivers/internal/inspector"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
)

// webPage is a page that is read through Web Inspector. The script runs in the page's own world: WebKit's protocol
// makes no other.
type webPage struct {
	session Session
	ctx     context.Context // of the reading that continues
	target  string          // to which all below belongs
	scripts map[int]string  // handles of the script, by the context in which it runs; 0 is the page's own
	listens bool            // contexts are reported
	ways    map[string]string
	frames  map[string]int // contexts by the way to their frame, as indices: "/0/2"
	about   probed
	last    image.Rectangle // the view in which it was seen last, in pixels of the screen
}

// probed is what a page says of how it is shown.
type probed struct {
	Visible       bool
	Width, Height float64 // in points, of the part of the page that the screen shows
}

const probeScript = `(() => { const v = window.visualViewport; return {visible: document.visibilityState === ` +
	`'visible', width: v.width * v.scale, height: v.height * v.scale}; })()`

// probePage queries how a page is shown; known is the one of an earlier read, if there is one.
func probePage(ctx context.Context, c Inspector, p inspector.Page, known *webPage) (*webPage, error) {
	page := known
	if page == nil || page.session.Err() != nil {
		session, err := c.Open(ctx, p)
		if err != nil {
			return nil, err
		}
		page = &webPage{session: session}
	}
	value, err := page.session.Value(ctx, probeScript, 0)
	if errors.Is(err, inspector.ErrLeft) { // it has gone to another site, which responds next
		value, err = page.session.Value(ctx, probeScript, 0)
	}
	if err != nil {
		page.session.Close()
		return nil, err
	}
	page.about = probed{}
	return page, json.Unmarshal(value, &page.about)
}

// read reads the page, with the places of the parts of texts; gen distinguishes its elements from those of other
// readings.
func (p *webPage) read(ctx context.Context, gen string, parts []screen.TextPart) (*dom.Page, error) {
	p.ctx, p.ways, p.frames = ctx, nil, nil
	page, err := dom.Read(p, dom.How{Gen: gen, Parts: parts, Plain: error.Error})
	if err != nil {
		return nil, err
	}
	if p.session.Target() != p.target {
		return nil, inspector.ErrLeft
	}
	return page, nil
}

var _ dom.Asker = (*webPage)(nil)

// errStale says that a handle is not that of the script in the page that is there.
var errStale = errors.New("the page is another one by now")

// askFunction has the script answer; null: it is not the script. WebKit counts handles from the beginning again in each
// document, so that one of a page that was left may be that of anything in the next. A page that was left may also live
// on, to be gone back to, and is not seen.
const askFunction = `function(command) { return document.defaultView && typeof this.query === 'function' ? ` +
	`this.query(document, command).textContent : null; }`

// Ask calls the script in a frame. A document that is another one by now gets the script again, once.
func (p *webPage) Ask(chain []string, command string, into any) error {
	for first := true; ; first = false {
		err := p.askOnce(chain, command, into)
		if refused := new(inspector.Refusal); !first || !errors.As(err, &refused) && !errors.Is(err, errStale) {
			return err
		}
		p.forget(p.target)
	}
}

func (p *webPage) askOnce(chain []string, command string, into any) error {
	script, err := p.script(chain)
	if err != nil {
		return err
	}
	value, err := p.session.CallOn(p.ctx, script, askFunction, command)
	if err != nil {
		return err
	}
	var text *string
	if err := json.Unmarshal(value, &text); err != nil {
		return errors.New("the page returned no text")
	}
	if text == nil {
		return errStale
	}
	return json.Unmarshal([]byte(*text), into)
}

// forget drops what belonged to the target, or the document, before.
func (p *webPage) forget(target string) {
	*p = webPage{session: p.session, ctx: p.ctx, target: target, about: p.about, last: p.last, listens: p.listens &&
		target == p.target}
}

// script returns the handle of the script in the frame that chain leads to.
func (p *webPage) script(chain []string) (string, error) {
	if now := p.session.Target(); now != p.target {
		p.forget(now)
	}
	in, err := p.context(chain)
	if err != nil {
		return "", err
	}
	if known := p.scripts[in]; known != "" {
		return known, nil
	}
	// What the script keeps for itself in the global object would be seen by the page there.
	handle, err := p.session.Handle(p.ctx, "(globalThis => "+dom.Engine()+")({})", in)
	if err != nil {
		return "", err
	}
	if p.scripts == nil {
		p.scripts = map[int]string{}
	}
	p.scripts[in] = handle
	return handle, nil
}

// context returns that of the frame that chain leads to, 0 for the page's own.
func (p *webPage) context(chain []string) (int, error) {
	if len(chain) == 0 {
		return 0, nil
	}
	way, err := p.way(chain)
	if err != nil {
		return 0, err
	}
	if of, ok := p.session.(framed); ok {
		return of.Frame(way), nil
	}
	if p.frames == nil {
		if err := p.survey(); err != nil {
			return 0, err
		}
	}
	in, ok := p.frames[way]
	if !ok {
		return 0, errors.New("no context is reported in which scripts of the frame run")
	}
	return in, nil
}

// frameFunction finds a frame among those of its window: what can be asked of a window of any site.
const frameFunction = `function(command) {
	if (typeof this.query !== 'function') return null;
	const inner = this.query(document, command).contentWindow;
	for (let i = 0; i < window.length; i++) if (window[i] === inner) return i;
	return -1;
}`

// way is the place of a frame, as indices of the frames from the page's own on.
func (p *webPage) way(chain []string) (string, error) {
	if len(chain) == 0 {
		return "", nil
	}
	key := strings.Join(chain, "/")
	if known, ok := p.ways[key]; ok {
		return known, nil
	}
	around, last := chain[:len(chain)-1], chain[len(chain)-1]
	way, err := p.way(around)
	if err != nil {
		return "", err
	}
	script, err := p.script(around)
	if err != nil {
		return "", err
	}
	value, err := p.session.CallOn(p.ctx, script, frameFunction, last)
	if err != nil {
		return "", err
	}
	var index *int
	switch err := json.Unmarshal(value, &index); {
	case err != nil:
		return "", err
	case index == nil:
		return "", errStale
	case *index < 0:
		return "", errors.New("the frame is not among those of its window")
	}
	if p.ways == nil {
		p.ways = map[string]string{}
	}
	p.ways[key] = fmt.Sprintf("%s/%d", way, *index)
	return p.ways[key], nil
}

// wayScript returns the place of a frame; null: nowhere any more.
const wayScript = `(() => {
	let way = '';
	for (let w = window; w !== w.parent; w = w.parent) {
		if (!w.parent) return null;
		let i = 0;
		while (i < w.parent.length && w.parent[i] !== w) i++;
		way = '/' + i + way;
	}
	return way;
})()`

// survey queries all contexts for the places of their frames.
func (p *webPage) survey() error {
	if !p.listens {
		for _, domain := range []string{"Page", "Runtime"} { // contexts are reported where frames are
			if err := p.session.Call(p.ctx, domain+".enable", struct{}{}, nil); err != nil {
				return err
			}
		}
		p.listens = true
	}
	p.frames = map[string]int{}
	for _, c := range p.session.Contexts() {
		value, err := p.session.Value(p.ctx, wayScript, c.ID)
		if refused := new(inspector.Refusal); errors.As(err, &refused) {
			continue // its document is gone
		}
		if err != nil {
			return err
		}
		var way string
		if json.Unmarshal(value, &way) == nil && way != "" {
			p.frames[way] = c.ID
		}
	}
	return nil
}

const (
	// touchPatience is how long a touch may take to the page in a WebView: WebKit waits for a second tap first.
	touchPatience = 1500 * time.Millisecond
	// aimLimit is how long a page may take to say what it is asked about a touch.
	aimLimit = 3 * time.Second
)

// Touch makes a gesture that starts on an element of a page; the page holds it back when it would meet another element
// of the page.
func (w *Views) Touch(ctx context.Context, n *screen.Node, gesture func() error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	gen, _, _ := strings.Cut(n.Ref, "/")
	page := w.owners[gen]
	if page == nil {
		return fmt.Errorf("device %s: %w: the page has been left", w.link.ID, drivers.ErrMissed)
	}
	traits := w.source.Traits()
	ask := func(do func() error) error {
		asking, cancel := context.WithTimeoutCause(ctx, traits.Ask, ErrSilent)
		defer cancel()
		return w.source.Use(asking, func(ctx context.Context) error {
			page.ctx = ctx
			return do()
		})
	}
	var aimed *dom.Aimed
	if err := ask(func() (err error) { aimed, err = dom.Aim(page, n.Ref); return err }); err != nil {
		if w.fatal(err) != nil {
			return err
		}
		return fmt.Errorf("device %s: %w: the page in the WebView changed: %s", w.link.ID, drivers.ErrMissed, shortly(err))
	}
	if err := gesture(); err != nil {
		return err
	}
	err := ask(func() error { _, err := aimed.Met(page, traits.Touch); return err })
	_, unasked := aimed.Unasked()
	switch {
	case errors.Is(err, drivers.ErrMissed):
		return fmt.Errorf("device %s: %w", w.link.ID, err)
	case w.fatal(err) != nil:
		return err
	case w.fatal(unasked) != nil:
		return unasked
	case webdriver.Lost(unasked), errors.Is(unasked, ErrSilent) && !w.dialogOpen(ctx):
		traits.Warn(dom.UnknownTouch(n, shortly(unasked)))
	}
	return nil // a page that cannot be asked for another reason was replaced, or has a dialog open
}

// dialogOpen reports whether a dialog is open, for which the scripts of a page may wait.
func (w *Views) dialogOpen(ctx context.Context) bool {
	text, err := w.link.AlertText(ctx)
	return err == nil && text != nil
}
