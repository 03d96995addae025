// Package settings changes what apps notice of a device (orientation, appearance, location, status bar), and restores
// it.
package settings

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/ios/internal/host"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
)

// Settings changes what apps notice of a device, and restores it. Its methods are called one at a time, except Restore,
// which may come during another one.
type Settings struct {
	link *wda.Link
	host host.Host
	opts Options

	mu    sync.Mutex
	debts restoreState
}

// Options are what Settings need to know.
type Options struct {
	Mux     host.Locator // go-ios; nil where there is none
	Version string       // of iOS
	Notes   string       // folder of the notes on what to restore; "": the usual one
	Forgets bool         // no notes are made: another phone may have the same id later
}

// New returns the Settings of one device. Nothing is read or restored yet.
func New(l *wda.Link, h host.Host, o Options) *Settings {
	return &Settings{link: l, host: h, opts: o}
}

// Rotate turns the screen.
func (s *Settings) Rotate(ctx context.Context, landscape bool) error {
	var now string
	if err := s.link.Do(ctx, wda.Get("the orientation", "/orientation"), &now); err != nil {
		return err
	}
	if err := s.noteRestore(func(o *restoreState) { o.Orientation = first(o.Orientation, now) }); err != nil {
		return err
	}
	want := map[bool]string{true: "LANDSCAPE", false: "PORTRAIT"}[landscape]
	return s.turnTo(ctx, want)
}

func (s *Settings) turnTo(ctx context.Context, orientation string) error {
	err := s.link.Do(ctx, wda.Post("turning the screen", "/orientation", map[string]any{"orientation": orientation}), nil)
	var refused *wda.Error
	if errors.As(err, &refused) && strings.Contains(refused.Message, "Unable To Rotate") {
		return s.awaitTurn(ctx, orientation)
	}
	return err
}

// turnTakes is how long the screen may take to turn: WebDriverAgent, which is set not to wait, may read too early and
// say that it does not.
const turnTakes = 1500 * time.Millisecond

// awaitTurn waits until the app has its new orientation. One that keeps its own orientation is not a mistake.
func (s *Settings) awaitTurn(ctx context.Context, orientation string) error {
	for began := time.Now(); time.Since(began) < turnTakes; {
		var now string
		if err := s.link.Do(ctx, wda.Get("the orientation", "/orientation"), &now); err != nil || now == orientation {
			return err
		}
		if err := drivers.Pause(ctx, turnPoll); err != nil {
			return err
		}
	}
	s.link.Log.Info("the app keeps its orientation", "asked", orientation)
	return nil
}

const turnPoll = 50 * time.Millisecond

// DarkMode turns the dark appearance on or off.
func (s *Settings) DarkMode(ctx context.Context, on bool) error {
	p := s.painter()
	var now string
	err := s.link.With(ctx, func(ctx context.Context) (err error) {
		now, err = p.Appearance(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if now == "automatic" {
		s.link.Log.Warn(
			"the appearance of the iPhone goes by the time of day, which nothing can set again: it stays light or "+
				"dark after the test",
			"dark",
			on,
		)
	}
	if now == "light" || now == "dark" {
		if err := s.noteRestore(func(o *restoreState) { o.Appearance = first(o.Appearance, now) }); err != nil {
			return err
		}
	}
	return s.link.With(ctx, func(ctx context.Context) error {
		return p.SetAppearance(ctx, map[bool]string{true: "dark", false: "light"}[on])
	})
}

// IsDark reports whether the dark appearance is on.
func (s *Settings) IsDark(ctx context.Context) (bool, error) {
	var now string
	err := s.link.With(ctx, func(ctx context.Context) (err error) {
		now, err = s.painter().Appearance(ctx)
		return err
	})
	if err == nil && now != "light" && now != "dark" {
		err = fmt.Errorf("device %s does not report its appearance: %w", s.link.ID, drivers.ErrUnsupported)
	}
	return now == "dark", err
}

// IsAirplane is not known of iOS.
func (s *Settings) IsAirplane(context.Context) (bool, error) {
	return false, fmt.Errorf("device %s does not report whether it is in airplane mode: %w", s.link.ID,
		drivers.ErrUnsupported)
}

func (s *Settings) painter() host.Painter {
	if p, ok := s.host.(host.Painter); ok {
		return p
	}
	return wdaPainter{s.link.Agent}
}

// wdaPainter changes the appearance of an iPhone.
type wdaPainter struct{ wda wda.Agent }

func (p wdaPainter) Appearance(ctx context.Context) (string, error) {
	var info struct {
		Style string `json:"userInterfaceStyle"`
	}
	err := p.wda.Call(ctx, wda.Get("the appearance", "/wda/device/info"), &info)
	return info.Style, err
}

func (p wdaPainter) SetAppearance(ctx context.Context, name string) error {
	return p.wda.Call(ctx, wda.Post("the appearance", "/wda/device/appearance", map[string]any{"name": name}), nil)
}

// SetLocation sets the location of the device: a simulator by simctl, an iPhone by WebDriverAgent, or by go-ios before
// iOS 16.4.
func (s *Settings) SetLocation(ctx context.Context, at drivers.Coordinates) error {
	if err := s.noteRestore(func(o *restoreState) { o.Location = true }); err != nil {
		return err
	}
	return s.link.With(ctx, func(ctx context.Context) error { return s.locator().Locate(ctx, &at) })
}

func (s *Settings) locator() host.Locator {
	if l, ok := s.host.(host.Locator); ok {
		return l
	}
	if s.opts.Mux != nil && before(s.opts.Version, 16, 4) {
		return s.opts.Mux
	}
	return wdaLocator{s.link.Agent}
}

// before reports whether a version is an older one.
func before(version string, major, minor int) bool {
	var have [2]int
	for i, part := range strings.SplitN(version, ".", 3)[:min(2, strings.Count(version, ".")+1)] {
		n, err := strconv.Atoi(part)
		if err != nil {
			return false
		}
		have[i] = n
	}
	return have[0] < major || have[0] == major && have[1] < minor
}

// wdaLocator sets the location of an iPhone.
type wdaLocator struct{ wda wda.Agent }

func (l wdaLocator) Locate(ctx context.Context, at *drivers.Coordinates) error {
	const path = "/wda/simulatedLocation"
	if at == nil {
		return l.wda.Call(ctx, wda.Request{What: "the location", Method: "DELETE", Path: path}, nil)
	}
	return l.wda.Call(
		ctx,
		wda.Post("the location", path, map[string]any{"latitude": at.Latitude, "longitude": at.Longitude}),
		nil,
	)
}

// Shake shakes a simulator.
func (s *Settings) Shake(ctx context.Context) error {
	h, ok := s.host.(host.Shaker)
	if !ok {
		return s.link.Unsupported("only a hand can shake an iPhone")
	}
	return s.link.With(ctx, h.Shake)
}

// Enroll says whether a simulator knows a finger or face. It stays so.
func (s *Settings) Enroll(ctx context.Context, known bool) error {
	return s.prove(ctx, func(ctx context.Context, p host.Prover) error { return p.Enroll(ctx, known) })
}

// Present simulates a finger or face on a simulator that requires it.
func (s *Settings) Present(ctx context.Context, known bool) error {
	return s.prove(ctx, func(ctx context.Context, p host.Prover) error { return p.Present(ctx, known) })
}

// Push sends an app on a simulator a notification.
func (s *Settings) Push(ctx context.Context, app string, payload []byte) error {
	if err := s.link.CheckBundle(app); err != nil {
		return err
	}
	p, ok := s.host.(host.Pusher)
	if !ok {
		return s.link.Unsupported(
			"an iPhone takes notifications from Apple's service alone: send one from the app's server, or use a simulator")
	}
	return s.link.With(ctx, func(ctx context.Context) error { return p.Push(ctx, app, payload) })
}

// SetStatusBar has a simulator's status bar show something else than what is so, until Close; nil ends that.
func (s *Settings) SetStatusBar(ctx context.Context, show *drivers.StatusBar) error {
	b, ok := s.host.(host.BarSetter)
	if !ok {
		return s.link.Unsupported("the status bar of an iPhone shows what is so: only a simulator's can be set")
	}
	if err := s.noteRestore(func(o *restoreState) { o.StatusBar = true }); err != nil {
		return err
	}
	return s.link.With(ctx, func(ctx context.Context) error { return b.SetStatusBar(ctx, show) })
}

func (s *Settings) prove(ctx context.Context, do func(context.Context, host.Prover) error) error {
	p, ok := s.host.(host.Prover)
	if !ok {
		return s.link.Unsupported("an iPhone wants a real finger or face: only simulators can simulate one")
	}
	return s.link.With(ctx, func(ctx context.Context) error { return do(ctx, p) })
}

// AddMedia copies an image or video into a simulator's photos, where it stays: simctl cannot take it away.
func (s *Settings) AddMedia(ctx context.Context, path string) error {
	g, ok := s.host.(host.Gallery)
	if !ok {
		return s.link.Unsupported("no program copies images into the photos of an iPhone")
	}
	return s.link.With(ctx, func(ctx context.Context) error { return g.AddMedia(ctx, path) })
}

// Airplane cannot be switched: no program reaches that switch.
func (s *Settings) Airplane(context.Context, bool) error {
	return s.link.Unsupported("no program switches the airplane mode of an iPhone, and a simulator has none")
}

// Notifications cannot be opened: what pulls the list down differs from phone to phone.
func (s *Settings) Notifications(context.Context) error {
	return s.link.Unsupported("there is no way to open the notifications that works on every iPhone: swipe from the top")
}

// Shell does not exist on iOS.
func (s *Settings) Shell(context.Context, string) (string, int, error) {
	return "", 0, s.link.Unsupported("iOS has no shell")
}

func first(old, now string) string {
	if old != "" {
		return old
	}
	return now
}
