package ios

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

// Rotate turns the screen.
func (d *Device) Rotate(ctx context.Context, landscape bool) error {
	var now string
	if err := d.do(ctx, get("the orientation", "/orientation"), &now); err != nil {
		return err
	}
	if err := d.noteRestore(func(o *restoreState) { o.Orientation = first(o.Orientation, now) }); err != nil {
		return err
	}
	want := map[bool]string{true: "LANDSCAPE", false: "PORTRAIT"}[landscape]
	return d.turnTo(ctx, want)
}

func (d *Device) turnTo(ctx context.Context, orientation string) error {
	err := d.do(ctx, post("turning the screen", "/orientation", map[string]any{"orientation": orientation}), nil)
	var refused *wdaError
	if errors.As(err, &refused) && strings.Contains(refused.Message, "Unable To Rotate") {
		return d.awaitTurn(ctx, orientation)
	}
	return err
}

// turnTakes is how long the screen may take to turn: WebDriverAgent, which is set not to wait, may read too early and
// say that it does not.
const turnTakes = 1500 * time.Millisecond

// awaitTurn waits until the app has its new orientation. One that keeps its own orientation is not a mistake.
func (d *Device) awaitTurn(ctx context.Context, orientation string) error {
	for began := time.Now(); time.Since(began) < turnTakes; {
		var now string
		if err := d.do(ctx, get("the orientation", "/orientation"), &now); err != nil || now == orientation {
			return err
		}
		if err := drivers.Pause(ctx, turnPoll); err != nil {
			return err
		}
	}
	d.log.Info("the app keeps its orientation", "asked", orientation)
	return nil
}

const turnPoll = 50 * time.Millisecond

// DarkMode turns the dark appearance on or off.
func (d *Device) DarkMode(ctx context.Context, on bool) error {
	p := d.painter()
	var now string
	err := d.with(ctx, func(ctx context.Context) (err error) {
		now, err = p.appearance(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if now == "automatic" {
		d.log.Warn("the appearance of the iPhone goes by the time of day, which nothing can set again: it stays light or "+
			"dark after the test", "dark", on)
	}
	if now == "light" || now == "dark" {
		if err := d.noteRestore(func(o *restoreState) { o.Appearance = first(o.Appearance, now) }); err != nil {
			return err
		}
	}
	return d.with(ctx, func(ctx context.Context) error {
		return p.setAppearance(ctx, map[bool]string{true: "dark", false: "light"}[on])
	})
}

// IsDark reports whether the dark appearance is on.
func (d *Device) IsDark(ctx context.Context) (bool, error) {
	var now string
	err := d.with(ctx, func(ctx context.Context) (err error) {
		now, err = d.painter().appearance(ctx)
		return err
	})
	if err == nil && now != "light" && now != "dark" {
		err = fmt.Errorf("device %s does not report its appearance: %w", d.info.ID, drivers.ErrUnsupported)
	}
	return now == "dark", err
}

// IsAirplane is not known of iOS.
func (d *Device) IsAirplane(context.Context) (bool, error) {
	return false, fmt.Errorf("device %s does not report whether it is in airplane mode: %w", d.info.ID,
		drivers.ErrUnsupported)
}

func (d *Device) painter() painter {
	if p, ok := d.host.(painter); ok {
		return p
	}
	return wdaPainter{d.wda}
}

// wdaPainter changes the appearance of an iPhone.
type wdaPainter struct{ wda *wda }

func (p wdaPainter) appearance(ctx context.Context) (string, error) {
	var info struct {
		Style string `json:"userInterfaceStyle"`
	}
	err := p.wda.call(ctx, get("the appearance", "/wda/device/info"), &info)
	return info.Style, err
}

func (p wdaPainter) setAppearance(ctx context.Context, name string) error {
	return p.wda.call(ctx, post("the appearance", "/wda/device/appearance", map[string]any{"name": name}), nil)
}

// SetLocation sets the location of the device: a simulator by simctl, an iPhone by WebDriverAgent, or by go-ios before
// iOS 16.4.
func (d *Device) SetLocation(ctx context.Context, at drivers.Coordinates) error {
	if err := d.noteRestore(func(o *restoreState) { o.Location = true }); err != nil {
		return err
	}
	return d.with(ctx, func(ctx context.Context) error { return d.locator().locate(ctx, &at) })
}

func (d *Device) locator() locator {
	if l, ok := d.host.(locator); ok {
		return l
	}
	if t := d.tools; t.goios != "" && before(d.info.OSVersion, 16, 4) {
		return muxLocator{t, d.info.ID}
	}
	return wdaLocator{d.wda}
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

// muxLocator sets the location of an iPhone with go-ios.
type muxLocator struct {
	tools
	udid string
}

func (l muxLocator) locate(ctx context.Context, at *drivers.Coordinates) error {
	c := l.ios("resetlocation", "--udid="+l.udid)
	if at != nil {
		c = l.ios("setlocation", "--lat="+strconv.FormatFloat(at.Latitude, 'f', 7, 64),
			"--lon="+strconv.FormatFloat(at.Longitude, 'f', 7, 64), "--udid="+l.udid)
	}
	c.logged = true
	_, err := l.run(ctx, c)
	return err
}

// wdaLocator sets the location of an iPhone.
type wdaLocator struct{ wda *wda }

func (l wdaLocator) locate(ctx context.Context, at *drivers.Coordinates) error {
	const path = "/wda/simulatedLocation"
	if at == nil {
		return l.wda.call(ctx, request{what: "the location", method: "DELETE", path: path}, nil)
	}
	return l.wda.call(ctx, post("the location", path, map[string]any{"latitude": at.Latitude, "longitude": at.Longitude}),
		nil)
}

// Shake shakes a simulator.
func (d *Device) Shake(ctx context.Context) error {
	s, ok := d.host.(shaker)
	if !ok {
		return d.unsupported("only a hand can shake an iPhone")
	}
	return d.with(ctx, s.shake)
}

// Enroll says whether a simulator knows a finger or face. It stays so.
func (d *Device) Enroll(ctx context.Context, known bool) error {
	return d.prove(ctx, func(ctx context.Context, p prover) error { return p.enroll(ctx, known) })
}

// Present simulates a finger or face on a simulator that requires it.
func (d *Device) Present(ctx context.Context, known bool) error {
	return d.prove(ctx, func(ctx context.Context, p prover) error { return p.present(ctx, known) })
}

// Push sends an app on a simulator a notification.
func (d *Device) Push(ctx context.Context, app string, payload []byte) error {
	if err := d.named(app); err != nil {
		return err
	}
	p, ok := d.host.(pusher)
	if !ok {
		return d.unsupported(
			"an iPhone takes notifications from Apple's service alone: send one from the app's server, or use a simulator")
	}
	return d.with(ctx, func(ctx context.Context) error { return p.push(ctx, app, payload) })
}

// SetStatusBar has a simulator's status bar show something else than what is so, until Close; nil ends that.
func (d *Device) SetStatusBar(ctx context.Context, show *drivers.StatusBar) error {
	b, ok := d.host.(barSetter)
	if !ok {
		return d.unsupported("the status bar of an iPhone shows what is so: only a simulator's can be set")
	}
	if err := d.noteRestore(func(o *restoreState) { o.StatusBar = true }); err != nil {
		return err
	}
	return d.with(ctx, func(ctx context.Context) error { return b.setStatusBar(ctx, show) })
}

func (d *Device) prove(ctx context.Context, do func(context.Context, prover) error) error {
	p, ok := d.host.(prover)
	if !ok {
		return d.unsupported("an iPhone wants a real finger or face: only simulators can simulate one")
	}
	return d.with(ctx, func(ctx context.Context) error { return do(ctx, p) })
}

// AddMedia copies an image or video into a simulator's photos, where it stays: simctl cannot take it away.
func (d *Device) AddMedia(ctx context.Context, path string) error {
	g, ok := d.host.(gallery)
	if !ok {
		return d.unsupported("no program copies images into the photos of an iPhone")
	}
	return d.with(ctx, func(ctx context.Context) error { return g.addMedia(ctx, path) })
}

// Locale sets the language of one app by the arguments that Xcode uses for that, and starts it again, as it must be for
// them.
func (d *Device) Locale(ctx context.Context, app, locale string) error {
	if app == "" || strings.HasPrefix(app, "com.apple.springboard") {
		return d.unsupported("the language is changed for one app: launch it first")
	}
	if err := d.named(app); err != nil {
		return err
	}
	d.mu.Lock()
	d.locales[app] = locale
	d.mu.Unlock()
	var args []string
	if locale != "" {
		args = localeArguments(locale)
	}
	return d.launch(ctx, start{app: app, fresh: true, args: args})
}

// localeArguments: fr-FR becomes the language and the region that Foundation reads from the arguments.
func localeArguments(locale string) []string {
	return []string{"-AppleLanguages", "(" + locale + ")", "-AppleLocale", strings.ReplaceAll(locale, "-", "_")}
}

// Airplane cannot be switched: no program reaches that switch.
func (d *Device) Airplane(context.Context, bool) error {
	return d.unsupported("no program switches the airplane mode of an iPhone, and a simulator has none")
}

// Notifications cannot be opened: what pulls the list down differs from phone to phone.
func (d *Device) Notifications(context.Context) error {
	return d.unsupported("there is no way to open the notifications that works on every iPhone: swipe from the top")
}

// Shell does not exist on iOS.
func (d *Device) Shell(context.Context, string) (string, int, error) {
	return "", 0, d.unsupported("iOS has no shell")
}

func first(old, now string) string {
	if old != "" {
		return old
	}
	return now
}
