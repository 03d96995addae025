// Package webkit starts WebKitGTK: MiniBrowser on a display of its own, WebKitWebDriver, and the Web Inspector of its
// windows, which adds what WebDriver does not have.
package webkit

import (
	"context"
	"errors"
	"time"

	"github.com/taproot-dev/taproot/drivers/web/internal/classic"
)

// startLimit is for all programs of a browser to start, on a busy machine.
const startLimit = 90 * time.Second

// callLimit is for a call of Web Inspector.
const callLimit = 15 * time.Second

// Programs are the paths of what a browser consists of.
type Programs struct {
	Driver  string // WebKitWebDriver
	Browser string // MiniBrowser
	Display string // Xvfb
	FFmpeg  string // "": pages cannot be recorded
	Version string
}

// Product is WebKitGTK. It starts with each session. Between them it keeps displays, and a browser that is started
// ahead, in which nothing was opened.
type Product struct {
	programs Programs
	displays displays
	spares   spares
	life     context.Context
	end      context.CancelFunc
}

// New returns the product that these programs are. Nothing is started yet.
func New(p Programs) *Product {
	made := &Product{programs: p, displays: displays{server: p.Display}}
	made.life, made.end = context.WithCancel(context.Background())
	return made
}

// toolbar is how much higher than its page the window of a MiniBrowser is.
const toolbar = 38

// Traits are those of WebKitGTK. After another button than the left one, its driver reports no pointer events on that
// page any more.
func (p *Product) Traits() classic.Traits {
	return classic.Traits{Name: "WebKit", Version: p.programs.Version, Start: startLimit, LeftButton: true, Wired: true,
		Toolbar: toolbar, Live: true, MovesFocus: true}
}

// Open starts a browser, or takes the one that was started ahead.
func (p *Product) Open(ctx context.Context, o classic.Opening) (classic.Instance, error) {
	k := kindOf(o)
	in := p.spares.take(ctx, k)
	if in == nil {
		var err error
		if in, err = open(ctx, p, k); err != nil {
			return nil, err
		}
	}
	if o.Options.RecordVideo != nil {
		var err error
		if in.recording, err = in.startRecording(ctx, o.Options.RecordVideo); err != nil {
			_ = in.Close()
			return nil, err
		}
	}
	in.setCrashed(o.Crashed)
	p.spares.ahead(p, k)
	return in, nil
}

// Close ends what is kept between sessions. Sessions have been closed before.
func (p *Product) Close() error {
	p.end()
	return errors.Join(p.spares.close(), p.displays.close())
}
