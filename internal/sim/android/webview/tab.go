package webview

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/draw"
	"image/png"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/internal/devtools"
	"github.com/taproot-dev/taproot/internal/sim/android/system"
	"github.com/taproot-dev/taproot/internal/sim/android/ui"
)

const (
	// webReadLimit is how long a read of the screen waits for the page; one that hangs is waited for once and shown as it
	// was.
	webReadLimit = 3 * time.Second
	// webTouch is how long a page may take for an event before the next one is sent.
	webTouch = 5 * time.Second
	// webEvents is how many events wait for a page that hangs; later ones are lost.
	webEvents = 256
)

// webTab is a page of Chromium that a WebView shows.
type webTab struct {
	app    *webApp
	screen *system.Screen
	ctx    context.Context // ends with the activity
	cancel context.CancelFunc
	ready  chan struct{} // closed when the page can be asked
	events chan func(context.Context)
	err    error // why it never became ready; written before ctx ends

	client  *devtools.Client // set before ready is closed, as all up to here
	session string
	targets []string // the page's, then the one that is listed next to it

	shots, reads renewal
	trailing     bool // a finger is on the page still; only events know

	mu         sync.Mutex
	bounds     image.Rectangle
	ratio      float64
	image      *image.RGBA
	version    int // counts images that differ
	nodes      []webNode
	title      string
	readsNodes bool // its accessibility is on
	attached   map[string]int
	dialog     *webDialog // that is open
}

// open makes the page of an activity. The phone's lock is held.
func (w *webProcess) open(s *system.Screen, bounds image.Rectangle, ratio float64) *webTab {
	t := &webTab{
		app: w.app, screen: s, ready: make(chan struct{}), events: make(chan func(context.Context), webEvents),
		bounds: bounds, ratio: ratio,
		attached: map[string]int{},
	}
	t.ctx, t.cancel = context.WithCancel(w.ctx)
	w.tab = t
	w.app.sys.Work.Run(t.run)
	return t
}

// run is the life of the page.
func (t *webTab) run() {
	defer t.cancel()
	if t.err = t.load(); t.err != nil {
		t.app.sys.Logf('E', "chromium", "%s: %v", t.app.pkg, t.err)
		return
	}
	close(t.ready)
	defer func() {
		t.app.tabs.Delete(t.session)
		ending, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), webTouch)
		defer cancel()
		if t.app.config().Browser {
			return // the tabs stay
		}
		for _, target := range t.targets {
			// it may have closed itself
			_ = t.client.Call(ending, "", "Target.closeTarget", map[string]any{"targetId": target}, nil)
		}
	}()
	for {
		select {
		case <-t.ctx.Done():
			return
		case do := <-t.events:
			limited, cancel := context.WithTimeout(t.ctx, webTouch)
			do(limited)
			cancel()
		}
	}
}

// load makes the target and lets it load the page.
func (t *webTab) load() error {
	client, home, err := t.app.connect()
	if err != nil {
		return err
	}
	t.client = client
	var made struct {
		ID string `json:"targetId"`
	}
	var attached struct {
		Session string `json:"sessionId"`
	}
	config := t.app.config()
	if config.Browser {
		made.ID, err = t.firstTab()
	} else {
		err = client.Call(t.ctx, "", "Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": home,
			"newWindow": true}, &made)
	}
	if err != nil {
		return err
	}
	t.targets = append(t.targets, made.ID)
	if err := client.Call(t.ctx, "", "Target.attachToTarget", map[string]any{"targetId": made.ID, "flatten": true},
		&attached); err != nil {
		return err
	}
	t.session = attached.Session
	t.app.tabs.Store(t.session, t)
	t.setSize(t.ctx)
	agent := map[string]any{"userAgent": t.app.userAgent(t.app.version(t.ctx).chrome()), "platform": "Linux armv8l"}
	for _, one := range []struct {
		method string
		params any
	}{
		{"Emulation.setTouchEmulationEnabled", map[string]any{"enabled": true, "maxTouchPoints": 5}},
		{"Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}},
		{"Emulation.setUserAgentOverride", agent},
		{"Page.enable", struct{}{}},
	} {
		if err := t.ask(t.ctx, one.method, one.params, nil); err != nil {
			return err
		}
	}
	if config.Others {
		if err := client.Call(t.ctx, "", "Target.createTarget", map[string]any{"url": config.URL, "browserContextId": home,
			"newWindow": true}, &made); err != nil {
			return err
		}
		t.targets = append(t.targets, made.ID)
	}
	// A server that does not answer must not keep the app from its events.
	t.app.sys.Work.Run(func() { _ = t.ask(t.ctx, "Page.navigate", map[string]any{"url": config.URL}, nil) })
	return nil
}

// firstTab is the first of the tabs of the Chromium.
func (t *webTab) firstTab() (string, error) {
	var all struct {
		TargetInfos []struct {
			ID   string `json:"targetId"`
			Type string
		}
	}
	if err := t.client.Call(t.ctx, "", "Target.getTargets", struct{}{}, &all); err != nil {
		return "", err
	}
	for _, target := range all.TargetInfos {
		if target.Type == "page" {
			return target.ID, nil
		}
	}
	return "", errors.New("the Chromium has no tab")
}

func (t *webTab) ask(ctx context.Context, method string, params, into any) error {
	return t.client.Call(ctx, t.session, method, params, into)
}

func (t *webTab) eval(ctx context.Context, expression string, into any) error {
	return t.client.Evaluate(ctx, t.session, expression, into)
}

// later queues what is to be done to the page. It never blocks: the phone's lock may be held.
func (t *webTab) later(do func(context.Context)) {
	select {
	case t.events <- do:
	default:
	}
}

func (t *webTab) reload() {
	t.later(func(ctx context.Context) { _ = t.ask(ctx, "Page.reload", nil, nil) })
}

// fit sets the page to the size of the view.
func (t *webTab) fit(b image.Rectangle, ratio float64) {
	t.mu.Lock()
	same := t.bounds == b && t.ratio == ratio
	t.bounds, t.ratio = b, ratio
	t.mu.Unlock()
	if !same {
		t.later(t.setSize)
	}
}

// setSize rounds up as Android does: the page may be cut by a part of a pixel.
func (t *webTab) setSize(ctx context.Context) {
	b, ratio := t.place()
	whole := t.app.sys.Opts
	css := func(n int) int { return int(math.Ceil(float64(n) / ratio)) }
	_ = t.ask(ctx, "Emulation.setDeviceMetricsOverride", map[string]any{
		"width": css(b.Dx()), "height": css(b.Dy()), "deviceScaleFactor": ratio, "mobile": true,
		"screenWidth": css(whole.Width), "screenHeight": css(whole.Height), "positionX": css(b.Min.X),
		"positionY": css(b.Min.Y),
	}, nil)
}

func (t *webTab) place() (image.Rectangle, float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bounds, t.ratio
}

// view is the WebView as it was when the phone looked last.
func (t *webTab) view(b image.Rectangle, mute bool) *ui.View {
	t.mu.Lock()
	defer t.mu.Unlock()
	v := &ui.View{Class: ui.ClassWebView, B: b, Focusable: true, Scrollable: true, Fill: ui.RGB(0xffffff), Web: t,
		WebImage: t.image, Version: t.version}
	if mute || len(t.nodes) == 0 {
		return v
	}
	page := &ui.View{Class: ui.ClassWebView, Text: t.title, B: b, Focusable: true, Virtual: true}
	for i, n := range t.nodes {
		page.Add(n.view(t, i, b, t.ratio))
	}
	return v.Add(page)
}

// shoot renews the image of the page.
func (t *webTab) shoot(ctx context.Context) {
	var got struct {
		Data []byte `json:"data"`
	}
	if t.ask(ctx, "Page.captureScreenshot", map[string]any{"format": "png", "optimizeForSpeed": true}, &got) != nil {
		return
	}
	decoded, err := png.Decode(bytes.NewReader(got.Data))
	if err != nil {
		return
	}
	img := image.NewRGBA(decoded.Bounds())
	draw.Draw(img, img.Rect, decoded, decoded.Bounds().Min, draw.Src)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.image == nil || t.image.Rect != img.Rect || !slices.Equal(t.image.Pix, img.Pix) {
		t.image = img
		t.version++
	}
}

// renewal requests something again, one request at a time.
type renewal struct {
	mu   sync.Mutex
	open chan struct{} // closed when the question that is under way is answered
	late bool          // a caller has waited for it in vain: no other does
}

// renew sends the request, and waits for the response for at most limit. It reports whether the current value was
// requested after the call.
func (r *renewal) renew(limit time.Duration, run func(func()) bool, ask func()) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		r.mu.Lock()
		done, mine := r.open, r.open == nil
		if mine {
			done = make(chan struct{})
			r.open = done
		}
		late := r.late
		r.mu.Unlock()
		if late || mine && !run(func() { r.answer(ask, done) }) {
			return false
		}
		select {
		case <-done:
			if mine {
				return true
			}
		case <-timer.C:
			r.mu.Lock()
			r.late = r.open == done
			r.mu.Unlock()
			return false
		}
	}
}

func (r *renewal) answer(ask func(), done chan struct{}) {
	ask()
	r.mu.Lock()
	r.open, r.late = nil, false
	r.mu.Unlock()
	close(done)
}

// renewed requests something of the page again, if it is ready, before the phone is read.
func (t *webTab) renewed(which *renewal, ask func(context.Context)) {
	select {
	case <-t.ready:
	default:
		return
	}
	which.renew(webReadLimit, t.app.sys.Work.Run, func() { ask(t.ctx) })
}
