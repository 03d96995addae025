package appium

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"image"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/ios/internal/source"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
	"github.com/taproot-dev/taproot/internal/pixels"
)

// A call to a server far away takes some hundred milliseconds, and a read of the screen needs several responses of
// WebDriverAgent. Those that follow from others are not requested again:
//
// Whether an alert of the system is over an app. It is not in the app's source, but on the screen: one that shows,
// pixel by pixel, what it showed while no alert was open has none. So a screenshot takes the place of the question; it
// is also the one that the caller wants after the source, and on a screen that rests it is known.
//
// Which field has the focus. As long as the source is the same, and nothing was done that moves the focus, it is the
// one that it was. A tap moves none within the field that has it; where no field has it, a tap elsewhere leaves it so
// unless the source or the pixels change.
//
// What XCTest finds at a place, and how large the screen is: they are the same as long as the source is.

const (
	// shotKept is how long a screenshot that was taken with the source is kept for the caller, which wants it at once:
	// on a busy machine it takes its time to compare the pixels.
	shotKept = 500 * time.Millisecond
	// shotAgain is how soon it has to be asked for again.
	shotAgain = 250 * time.Millisecond
	// mostClean is how many screens are remembered on which no alert was: a caret blinks.
	mostClean = 4
	maxPixels = 80 << 20
)

// memory is what is known of the screen without asking.
type memory struct {
	mu      sync.Mutex
	doc     string                     // the newest source
	known   map[string]json.RawMessage // responses that stay as long as it is the same
	alerted bool                       // an alert was open when it was asked last
	clean   []image.Image              // screens on which no alert was, the newest last

	shot    json.RawMessage // taken by itself, for the next screenshot
	shotAt  time.Time       // it was taken, or returned
	shotFor time.Duration   // from then on it may be returned
	newest  image.Image     // what the newest screenshot shows
	images  drivers.ImageCache

	focus    *focus // nil: it has to be asked for
	editable []image.Rectangle
}

// focus is an answer to the question for the focus.
type focus struct {
	doc    string
	at     image.Rectangle // of the field, in points; empty: none has it
	answer json.RawMessage // nil: no field has it
	seen   image.Image     // nil: unknown
	tapped bool            // since then, elsewhere than on a field
}

// read notes a source.
func (m *memory) read(doc string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if doc != m.doc {
		m.doc, m.known = doc, nil
	}
}

// answer returns what is known as long as the source is the same.
func (m *memory) answer(key string) (json.RawMessage, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, ok := m.known[key]
	return value, ok
}

func (m *memory) learn(key string, value json.RawMessage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.doc == "" {
		return
	}
	if m.known == nil {
		m.known = map[string]json.RawMessage{}
	}
	m.known[key] = value
}

// stays returns the key of a request of which the answer stays as long as the source is the same; "": it does not.
func stays(r wda.Request, body map[string]any) string {
	switch line := r.Method + " " + r.Path; {
	case line == "GET /wda/screen", strings.HasSuffix(r.Path, "/attribute/hittable"):
		return line
	case line == "POST /elements" && body["using"] == "predicate string":
		value, _ := body["value"].(string)
		return line + " " + value
	}
	return ""
}

// acted notes a command that changes something.
func (m *memory) acted(r wda.Request, body map[string]any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shot = nil
	f := m.focus
	if f == nil || r.Path == "/appium/settings" {
		return
	}
	x, isX := body["x"].(float64)
	y, isY := body["y"].(float64)
	p := image.Pt(int(x), int(y))
	switch {
	case r.Path != "/wda/tap" || !isX || !isY:
		m.focus = nil
	case p.In(f.at):
	case f.answer == nil && !m.onField(p):
		f.tapped = true
	default:
		m.focus = nil
	}
}

// onField reports whether a point may be on a field. The lock is held.
func (m *memory) onField(p image.Point) bool {
	for _, box := range m.editable {
		if p.In(box) {
			return true
		}
	}
	return false
}

// taken returns the screenshot that was taken a moment ago: to the caller that wants it after the source, and once more
// to one that wants it again at once. Any later one is to see what has changed since.
func (m *memory) taken() (json.RawMessage, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	shot := m.shot
	if shot == nil || time.Since(m.shotAt) > m.shotFor {
		m.shot = nil
		return nil, false
	}
	if m.shotFor == shotAgain {
		m.shot = nil
	}
	m.shotAt, m.shotFor = time.Now(), shotAgain
	return shot, true
}

// see notes a screenshot, which is nil when it cannot be decoded.
func (m *memory) see(value json.RawMessage) image.Image {
	m.mu.Lock()
	defer m.mu.Unlock()
	var text string
	m.newest = nil
	if json.Unmarshal(value, &text) != nil {
		return nil
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil || !bytes.HasPrefix(data, []byte("\x89PNG")) {
		return nil
	}
	if img, err := m.images.Of(data, maxPixels); err == nil {
		m.newest = img
	}
	return m.newest
}

// same reports whether two screenshots show the same, below the clock.
func same(a, b image.Image) bool {
	if a == nil || b == nil || a.Bounds() != b.Bounds() {
		return false
	}
	if a == b {
		return true
	}
	region := a.Bounds()
	region.Min.Y = pixels.StatusBar(region.Size()).Max.Y
	return pixels.Changed(a, b, region).Empty()
}

// isClean reports whether no alert was on a screen that showed the same.
func (m *memory) isClean(img image.Image) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := len(m.clean) - 1; i >= 0; i-- {
		if same(m.clean[i], img) {
			return true
		}
	}
	return false
}

// alert notes whether an alert is open, of a screenshot that was taken just before.
func (m *memory) alert(open bool, img image.Image) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !open && !m.alerted && img != nil { // one that has just gone may be on the screenshot
		m.clean = append(m.clean, img)
		m.clean = m.clean[max(0, len(m.clean)-mostClean):]
	}
	m.alerted = open
}

// alertOver is the text of the alert that is over an app of which the source was just read.
func (a *Agent) alertOver(ctx context.Context, r wda.Request, c command, to any) error {
	value, err := a.send(ctx, wda.Get("a screenshot", "/screenshot"), screenshot())
	var img image.Image
	if err == nil {
		if img = a.memory.see(value); img != nil {
			a.memory.keep(value)
		}
	}
	if errors.Is(err, drivers.ErrDeviceLost) || ctx.Err() != nil {
		return err
	}
	if img != nil && a.memory.isClean(img) {
		return r.Refused(a.Device, noAlert, "")
	}
	err = a.perform(ctx, r, c, to)
	if err == nil || errors.Is(err, screen.ErrNotFound) {
		a.memory.alert(err == nil, img)
	}
	return err
}

// keep keeps a screenshot for the next request of one.
func (m *memory) keep(value json.RawMessage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shot, m.shotAt, m.shotFor = value, time.Now(), shotKept
}

// hasFocus returns what is known of the focus; ok is false where it has to be asked for.
func (m *memory) hasFocus() (answer json.RawMessage, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.focus
	if f == nil || f.doc != m.doc || f.tapped && !same(f.seen, m.newest) {
		return nil, false
	}
	return f.answer, true
}

// focusIs notes the answer to the question for the focus; nil: no field has it.
func (m *memory) focusIs(answer json.RawMessage) {
	var of field
	if answer != nil && (json.Unmarshal(answer, &of) != nil || of.Type == "") {
		return // where it is is not known
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.focus = &focus{doc: m.doc, answer: answer, seen: m.newest}
	if answer != nil {
		m.focus.at = of.place()
	}
	m.editable = nil
	if seen, err := source.Read([]byte(m.doc)); err == nil {
		for _, w := range seen.Windows {
			m.fields(w)
		}
	}
}

// fields collects where fields are. The lock is held.
func (m *memory) fields(n *screen.Node) {
	if n.Editable {
		m.editable = append(m.editable, n.Bounds)
	}
	for _, c := range n.Children {
		m.fields(c)
	}
}

// focusOf responds to the question of a reader for the focus.
func (a *Agent) focusOf(ctx context.Context, r wda.Request, c command, to any) error {
	if answer, ok := a.memory.hasFocus(); ok {
		if answer == nil {
			return r.Refused(a.Device, noElement, "")
		}
		return json.Unmarshal(answer, to)
	}
	var value json.RawMessage
	err := a.perform(ctx, r, c, &value)
	if err == nil {
		a.memory.focusIs(value)
		return json.Unmarshal(value, to)
	}
	if errors.Is(err, screen.ErrNotFound) {
		a.memory.focusIs(nil)
	}
	return err
}
