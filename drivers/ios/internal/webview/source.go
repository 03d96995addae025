package webview

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/inspector"
	"github.com/taproot-dev/taproot/drivers/ios/internal/host"
	"github.com/taproot-dev/taproot/internal/phrase"
)

// Source is how the pages of a device are reached. No command is sent to the device meanwhile.
type Source interface {
	// Use calls do while pages can be reached.
	Use(ctx context.Context, do func(context.Context) error) error
	// Inspect connects to the Web Inspector of the device.
	Inspect(ctx context.Context) (Inspector, error)
	Traits() Traits
}

// Traits are how a source behaves.
type Traits struct {
	Read  time.Duration // how long the pages of one screen may take
	Probe time.Duration // how long a page may take to say whether it is shown
	Ask   time.Duration // how long a page may take to say what it is asked about a touch
	Touch time.Duration // how long a touch may take to the page
	// Far is a source at a server: an answer of it may be lost, and the next one may come.
	Far bool
	// Warn receives what the caller should know.
	Warn func(text string)
}

// Inspector is the Web Inspector of a device.
type Inspector interface {
	// Pages lists those that an app lets be inspected, the newest first.
	Pages(ctx context.Context, of inspector.App) ([]inspector.Page, error)
	Open(ctx context.Context, p inspector.Page) (Session, error)
	// Expect says that an app is started: its pages may be reported late.
	Expect()
	Err() error
	Close() error
}

// Session is an open page.
type Session interface {
	// Value runs an expression in a context, 0 for the page's own, and returns its value.
	Value(ctx context.Context, expression string, in int) (json.RawMessage, error)
	// Handle returns one of the object that an expression makes.
	Handle(ctx context.Context, expression string, in int) (string, error)
	// CallOn calls a function with an object as this, and returns its value.
	CallOn(ctx context.Context, handle, function string, args ...any) (json.RawMessage, error)
	// Call sends a command of Web Inspector.
	Call(ctx context.Context, method string, params, into any) error
	// Target is another one once the page has gone to another site.
	Target() string
	Contexts() []inspector.Context
	Err() error
	Close()
}

// framed is a Session that has a context for the frame at a place, as indices ("/0/2").
type framed interface {
	Frame(way string) (in int)
}

// local is a device that is connected here.
type local struct {
	host     host.Host
	warnings *phrase.Warnings
}

func (l local) Use(ctx context.Context, do func(context.Context) error) error { return do(ctx) }

func (l local) Traits() Traits {
	return Traits{Read: webViewLimit, Probe: probeLimit, Ask: aimLimit, Touch: touchPatience,
		Warn: func(text string) { l.warnings.AddOnce(text) }}
}

func (l local) Inspect(ctx context.Context) (Inspector, error) {
	h, ok := l.host.(host.Inspectable)
	if !ok {
		return nil, fmt.Errorf("%w: nothing here reaches the device's Web Inspector", drivers.ErrUnsupported)
	}
	client, err := h.Inspect(ctx)
	if err != nil {
		return nil, err
	}
	return localInspector{client}, nil
}

// localInspector opens its connections as Sessions.
type localInspector struct{ host.WebInspector }

func (i localInspector) Open(ctx context.Context, p inspector.Page) (Session, error) {
	c, err := i.WebInspector.Open(ctx, p)
	if err != nil {
		return nil, err // not a Session that is nil
	}
	return c, nil
}

// hiddenFor is how long an app may show a page that is not listed until that counts: a page that is just being opened
// is not listed yet.
const hiddenFor = time.Second

// notListed notes that a view of an app shows a page that nothing lists, for a reason. At first it counts as one that
// is being opened; then it is read by accessibility alone, which the caller should know.
func (w *Views) notListed(app, why string) {
	since, known := w.hidden[app]
	if !known {
		if w.hidden == nil {
			w.hidden = map[string]time.Time{}
		}
		since = time.Now()
		w.hidden[app] = since
	}
	if time.Since(since) <= hiddenFor {
		w.loading = true
		return
	}
	w.source.Traits().Warn(fmt.Sprintf("the page in a WebView of %s is read by accessibility alone: %s", app, why))
}

// fatal returns an error only where it is that of a device that is lost, or of one that cannot read pages in the way
// that was chosen.
func (w *Views) fatal(err error) error {
	if errors.Is(err, drivers.ErrDeviceLost) ||
		w.always && w.source.Traits().Far && errors.Is(err, drivers.ErrUnsupported) {
		return err
	}
	return nil
}
