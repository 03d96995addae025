package inspector

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/ios/ui"
)

// webAnswer is how long a page of Chromium may take for what it is asked.
const webAnswer = 5 * time.Second

// webTab is a page of Chromium that a WebView shows, or would.
type webTab struct {
	page    *webPage
	behind  bool
	session string // of the simulated device's own hands on it
	target  string // Chromium's

	mu    sync.Mutex
	size  image.Point
	swaps int // counts the targets that WebKit would have had for it
	url   string
}

// newTab makes an empty page. One that is behind says that it is hidden.
func (w *webPage) newTab(home string, behind bool) (*webTab, error) {
	var made struct {
		ID string `json:"targetId"`
	}
	if err := w.client.Call(w.ctx, "", "Target.createTarget", map[string]any{"url": "about:blank",
		"browserContextId": home, "newWindow": true}, &made); err != nil {
		return nil, err
	}
	t := &webTab{page: w, behind: behind, target: made.ID}
	var err error
	if t.session, err = t.attach(w.ctx); err != nil {
		return nil, err
	}
	asks := []struct {
		method string
		params any
	}{
		{"Emulation.setTouchEmulationEnabled", map[string]any{"enabled": true, "maxTouchPoints": 5}},
		{"Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}},
	}
	if behind {
		asks = append(asks, struct {
			method string
			params any
		}{"Page.addScriptToEvaluateOnNewDocument",
			map[string]any{"source": "Object.defineProperty(Document.prototype, 'visibilityState', {get: () => 'hidden'})"}})
	}
	for _, a := range append(asks, struct {
		method string
		params any
	}{"Page.enable", nil}) {
		if err := t.ask(w.ctx, a.method, a.params, nil); err != nil {
			return nil, err
		}
	}
	_, at := w.bounds(w.app.device.MetricsNow())
	t.fit(w.ctx, at)
	return t, nil
}

// attach opens a way to the page of its own, with its own events.
func (t *webTab) attach(ctx context.Context) (string, error) {
	var attached struct {
		Session string `json:"sessionId"`
	}
	err := t.page.client.Call(ctx, "", "Target.attachToTarget", map[string]any{"targetId": t.target, "flatten": true},
		&attached)
	return attached.Session, err
}

func (t *webTab) detach(session string) {
	ctx, cancel := context.WithTimeout(t.page.ctx, webAnswer)
	defer cancel()
	_ = t.page.client.Call(ctx, "", "Target.detachFromTarget", map[string]any{"sessionId": session}, nil)
}

func (t *webTab) ask(ctx context.Context, method string, params, into any) error {
	return t.page.client.Call(ctx, t.session, method, params, into)
}

func (t *webTab) eval(ctx context.Context, expression string, into any) error {
	return t.page.client.Evaluate(ctx, t.session, expression, into)
}

// goTo loads a page, and waits until it is whole.
func (t *webTab) goTo(ctx context.Context, url string) error {
	if err := t.ask(ctx, "Page.navigate", map[string]any{"url": url}, nil); err != nil {
		return err
	}
	t.mu.Lock()
	t.url = url
	t.mu.Unlock()
	for ctx.Err() == nil {
		var at []string
		if t.eval(ctx, "[document.readyState, location.href]", &at) == nil && at[0] == "complete" &&
			strings.HasPrefix(at[1], strings.TrimSuffix(url, "/")) {
			return nil
		}
		t.page.app.device.Host.Rest(ctx, 5*time.Millisecond)
	}
	return ctx.Err()
}

// leave goes to another site.
func (t *webTab) leave(ctx context.Context, url string) error {
	i := t.page.app.inspector
	i.provisional(t)
	if err := t.goTo(ctx, url); err != nil {
		return err
	}
	t.mu.Lock()
	t.swaps++
	t.mu.Unlock()
	i.committed(t)
	return nil
}

// fit sets the page to the size of the view.
func (t *webTab) fit(ctx context.Context, b image.Rectangle) {
	t.mu.Lock()
	same := t.size == b.Size()
	t.size = b.Size()
	t.mu.Unlock()
	if !same {
		_ = t.ask(ctx, "Emulation.setDeviceMetricsOverride", map[string]any{"width": b.Dx(), "height": b.Dy(),
			"deviceScaleFactor": t.page.app.device.Opts.Scale, "mobile": true}, nil)
	}
}

// shoot is what the page looks like; nil when it does not say.
func (t *webTab) shoot(ctx context.Context) image.Image {
	ctx, cancel := context.WithTimeout(ctx, webAnswer)
	defer cancel()
	var got struct {
		Data []byte `json:"data"`
	}
	if t.ask(ctx, "Page.captureScreenshot", map[string]any{"format": "png", "optimizeForSpeed": true}, &got) != nil {
		return nil
	}
	img, err := png.Decode(bytes.NewReader(got.Data))
	if err != nil {
		return nil
	}
	return img
}

// scroll is a finger that moved the page.
func (t *webTab) scroll(ctx context.Context, by image.Point) {
	_ = t.ask(ctx, "Input.dispatchMouseEvent", map[string]any{"type": "mouseWheel", "x": t.size.X / 2, "y": t.size.Y / 2,
		"deltaX": -by.X, "deltaY": -by.Y}, nil)
}

// editsScript says whether what has the focus is edited with a keyboard.
const editsScript = `(() => {
	let e = document.activeElement;
	while (e && e.tagName === 'IFRAME' && e.contentDocument) e = e.contentDocument.activeElement;
	if (!e || e.readOnly || e.disabled) return false;
	if (e.isContentEditable || e.tagName === 'TEXTAREA') return true;
	return e.tagName === 'INPUT' && !/^(button|checkbox|color|file|hidden|image|radio|range|reset|submit)$/.test(e.type);
})()`

// hearScript lists what VoiceOver has of a page: its texts and controls, in the order of the document. HTML's ids are
// not among that.
const hearScript = `(() => {
	const kinds = {BUTTON: 'Button', A: 'Link', TEXTAREA: 'TextView', SELECT: 'Button', IMG: 'Image'};
	const inputs = {checkbox: 'Switch', radio: 'RadioButton', submit: 'Button', button: 'Button', reset: 'Button', ` +
	`password: 'SecureTextField', hidden: ''};
	const list = [];
	const walk = n => {
		for (const c of n.childNodes) {
			if (c.nodeType === 3 && c.data.trim()) {
				const range = document.createRange();
				range.selectNodeContents(c);
				list.push(['StaticText', c.data.trim(), '', range.getBoundingClientRect(), false]);
			}
			if (c.nodeType !== 1 || /^(SCRIPT|STYLE)$/.test(c.tagName) || c.getAttribute('aria-hidden') === 'true' || ` +
	`!c.checkVisibility({visibilityProperty: true})) continue;
			const kind = c.tagName === 'INPUT' ? (c.type in inputs ? inputs[c.type] : 'TextField') : kinds[c.tagName];
			if (!kind) { walk(c); continue; }
			const label = c.getAttribute('aria-label') || (c.labels && c.labels[0] ? c.labels[0].textContent.trim() : '') || ` +
	`c.innerText || c.alt || '';
			list.push([kind, label, kind === 'Switch' ? String(+c.checked) : c.type === 'password' ? ` +
	`'•'.repeat(c.value.length) : c.value || '', c.getBoundingClientRect(), document.activeElement === c]);
		}
	};
	walk(document.body);
	return list.slice(0, 500).map(([kind, label, value, r, focused]) => ({kind, label, value, x: r.x, y: r.y, w: ` +
	`r.width, h: r.height, focused}));
})()`

// hear returns the elements of the page, which is at a place of the screen.
func (t *webTab) hear(ctx context.Context, at image.Rectangle) (list []*ui.View) {
	ctx, cancel := context.WithTimeout(ctx, webAnswer)
	defer cancel()
	var told []struct {
		Kind, Label, Value string
		X, Y, W, H         float64
		Focused            bool
	}
	if t.eval(ctx, hearScript, &told) != nil {
		return nil
	}
	for _, e := range told {
		v := &ui.View{Kind: e.Kind, Label: e.Label, Value: e.Value, Traits: []string{e.Kind},
			B: image.Rect(whole(e.X), whole(e.Y), whole(e.X+e.W), whole(e.Y+e.H)).Add(at.Min)}
		if e.Kind == "StaticText" {
			v.Value = e.Label
		}
		if e.Focused {
			v.Field = t.page.field
		}
		list = append(list, v)
	}
	return list
}
