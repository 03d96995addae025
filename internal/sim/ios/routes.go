package iossim

import (
	"fmt"
	"image"
	"math"
	"slices"
	"strings"
	"time"
)

// routes are those that the agent has.
func (d *Device) routes() map[string]func(request) (any, error) {
	routes := d.newRoutes()
	if d.opts.OldAgent {
		routes["POST /wda/tap/0"] = routes["POST /wda/tap"]
		for _, later := range []string{"POST /wda/tap", "POST /actions", "GET /wda/alert/buttons"} {
			delete(routes, later)
		}
	}
	return routes
}

// newRoutes are those of WebDriverAgentLib/Commands at version 16.7, as far as anything here can be asked for.
func (d *Device) newRoutes() map[string]func(request) (any, error) {
	return map[string]func(request) (any, error){
		"GET /status": d.statusOf, "POST /session": d.newSession,
		"DELETE /":              func(request) (any, error) { d.endSession(); return nil, nil },
		"POST /appium/settings": d.set,

		"GET /source": d.source, "GET /screenshot": d.screenshot, "GET /window/size": d.windowSize,
		"GET /wda/screen":  d.wdaScreen,
		"GET /orientation": d.orientation, "POST /orientation": d.orient, "GET /rotation": d.rotation,
		"GET /element/active": d.activeElement, "POST /element": d.findElement, "POST /elements": d.findElements,

		"POST /wda/tap": d.touch(taps), "POST /wda/doubleTap": d.touch(taps2), "POST /wda/touchAndHold": d.touch(holds),
		"POST /actions": d.actions, "POST /wda/dragfromtoforduration": d.dragFromTo, "POST /wda/keys": d.keys,
		"POST /wda/element/0/keyboardInput": d.keyboardInput,
		"POST /wda/keyboard/dismiss":        d.dismissKeyboard, "POST /wda/pressButton": d.pressButton,
		"POST /wda/homescreen": d.homescreen,
		"GET /wda/locked":      func(request) (any, error) { return d.locked, nil },
		"POST /wda/lock":       func(request) (any, error) { d.locked = true; return nil, nil },
		"POST /wda/unlock":     func(request) (any, error) { d.locked = d.opts.Passcode; return nil, nil },

		"GET /alert/text": d.alertText, "POST /alert/text": d.alertType, "POST /alert/accept": d.alertAnswer,
		"POST /alert/dismiss":    d.alertAnswer,
		"GET /wda/alert/buttons": d.alertButtons,

		"GET /wda/activeAppInfo": d.activeApp, "POST /wda/apps/launch": d.appLaunch,
		"POST /wda/apps/terminate": d.appTerminate,
		"POST /wda/apps/state":     d.appState, "POST /url": d.openURL,
		"GET /wda/device/info": d.deviceInfo, "POST /wda/device/appearance": d.setAppearance,
		"POST /wda/simulatedLocation": d.setLocation, "DELETE /wda/simulatedLocation": d.clearLocation,
	}
}

func (d *Device) set(r request) (any, error) {
	var args struct {
		Settings map[string]any `json:"settings"`
	}
	if err := r.args(&args); err != nil {
		return nil, err
	}
	for name, value := range args.Settings {
		d.settings[name] = value
	}
	return d.settings, nil
}

func (d *Device) windowSize(request) (any, error) {
	m := d.metrics()
	return map[string]any{"width": m.size.X, "height": m.size.Y}, nil
}

func (d *Device) wdaScreen(request) (any, error) {
	size, bar := d.whole(), d.statusBar().Size()
	return map[string]any{"screenSize": map[string]any{"width": size.X, "height": size.Y},
		"statusBarSize": map[string]any{"width": bar.X, "height": bar.Y}, "scale": d.opts.Scale}, nil
}

func (d *Device) orientation(request) (any, error) {
	if d.wide {
		return "LANDSCAPE", nil
	}
	return "PORTRAIT", nil
}

// orient: the login keeps its own orientation.
func (d *Device) orient(r request) (any, error) {
	var args struct{ Orientation string }
	if err := r.args(&args); err != nil {
		return nil, err
	}
	wide := strings.HasPrefix(args.Orientation, "LANDSCAPE")
	if wide && d.front == LoginBundle {
		return nil, &wdError{"unknown error", "Unable To Rotate Device"}
	}
	if d.opts.TurnsLate > 0 && wide != d.wide {
		d.lab.work.Go(func() {
			if d.lab.rest(d.lab.ctx, d.opts.TurnsLate) {
				d.mu.Lock()
				defer d.mu.Unlock()
				d.wide = wide
			}
		})
		return nil, &wdError{"unknown error", "Unable To Rotate Device"}
	}
	d.wide = wide
	return nil, nil
}

// rotation: the phone is turned to its left.
func (d *Device) rotation(request) (any, error) {
	z := 0
	if d.wide {
		z = 270
	}
	return map[string]any{"x": 0, "y": 0, "z": z}, nil
}

// top returns the frontmost view that takes a touch.
func (d *Device) top(p image.Point, takes func(*view) bool) *view {
	_, windows := d.screen()
	for i := len(windows) - 1; i >= 0; i-- {
		if v := windows[i].at(p, takes); v != nil {
			return v
		}
		if windows[i].kind == "Alert" || windows[i].kind == "Sheet" || windows[i].kind == "Keyboard" && p.In(windows[i].b) {
			return nil // nothing goes through an alert
		}
	}
	return nil
}

// The gestures of one finger that stays where it is.
const (
	taps = iota
	taps2
	holds
)

func (d *Device) touch(gesture int) func(request) (any, error) {
	return func(r request) (any, error) {
		var args struct {
			X, Y     *float64
			Duration float64
		}
		if err := r.args(&args); err != nil {
			return nil, err
		}
		if args.X == nil || args.Y == nil {
			return nil, &wdError{"invalid argument", "Both x and y coordinates must be provided"}
		}
		p := image.Pt(int(math.Floor(*args.X)), int(math.Floor(*args.Y)))
		if gesture == holds && args.Duration < 0.5 {
			d.touched(p, taps)
			return nil, nil
		}
		d.touched(p, gesture)
		return nil, nil
	}
}

// touched does what the view under the finger does.
func (d *Device) touched(p image.Point, gesture int) {
	if d.locked {
		return
	}
	if p.Add(d.opts.Part.Min).In(d.statusBar()) {
		d.note("status bar touched at %v", p)
		return
	}
	v := d.top(p, func(v *view) bool {
		return v.blocks || v.onTap != nil || v.field != nil && v.field.keyed == nil || v.web != nil || v.key != "" ||
			v.onLong != nil || v.onDouble != nil
	})
	switch {
	case v == nil || v.disabled: // a disabled control takes the touch and does nothing
		return
	case v.web != nil:
		v.web.touched(p, map[bool]time.Duration{true: time.Second, false: 0}[gesture == holds])
	case v.field != nil && d.focus == v.field && !v.field.secret && len(v.field.text) > 0 && p.X > v.b.Max.X-30:
		// the clear button
		v.field.set("")
	case v.field != nil:
		d.focus = v.field
		v.field.caret = len(v.field.text)
		if x := p.X - v.b.Min.X - 4; x/9 < len(v.field.text) {
			v.field.caret = max(x/9, 0)
		}
	case v.key != "":
		d.pressed(v.key)
	case gesture == holds && v.onLong != nil:
		v.onLong()
	case gesture == taps2 && v.onDouble != nil:
		v.onDouble()
	case v.onTap != nil:
		v.onTap()
	}
}

// pointer is one finger of W3C actions.
type pointer struct {
	Actions []struct {
		Type     string
		Duration float64
		X, Y     float64
	}
}

// stroke is what a finger did between down and up.
type stroke struct {
	from, to image.Point
	held     time.Duration // before it moved
	moved    time.Duration
}

func (p pointer) stroke() stroke {
	var s stroke
	var at image.Point
	down, moving := false, false
	for _, a := range p.Actions {
		switch a.Type {
		case "pointerMove":
			at = image.Pt(int(a.X), int(a.Y))
			if down {
				moving = true
				s.moved += time.Duration(a.Duration) * time.Millisecond
			}
		case "pointerDown":
			down, s.from = true, at
		case "pause":
			if down && !moving {
				s.held += time.Duration(a.Duration) * time.Millisecond
			}
		case "pointerUp":
			s.to = at
		}
	}
	return s
}

func (d *Device) actions(r request) (any, error) {
	var args struct{ Actions []pointer }
	if err := r.args(&args); err != nil {
		return nil, err
	}
	switch len(args.Actions) {
	case 1:
		d.drag(args.Actions[0].stroke())
	case 2:
		a, b := args.Actions[0].stroke(), args.Actions[1].stroke()
		d.pinched(a.from.Sub(b.from).X, a.to.Sub(b.to).X)
	}
	return nil, nil
}

// dragFromTo is FBElementCommands.handleDragCoordinate: the duration is that of the press before the way.
func (d *Device) dragFromTo(r request) (any, error) {
	var args struct{ FromX, FromY, ToX, ToY, Duration float64 }
	if err := r.args(&args); err != nil {
		return nil, err
	}
	d.drag(stroke{from: image.Pt(int(args.FromX), int(args.FromY)), to: image.Pt(int(args.ToX), int(args.ToY)),
		held: time.Duration(args.Duration * float64(time.Second))})
	return nil, nil
}

func (d *Device) drag(s stroke) {
	way := s.to.Sub(s.from)
	if max(way.X, -way.X, way.Y, -way.Y) < 10 {
		d.touched(s.from, map[bool]int{true: holds, false: taps}[s.held >= 500*time.Millisecond])
		return
	}
	if d.takesSwipe(s.from.Add(d.opts.Part.Min), way) {
		return
	}
	if s.held >= 500*time.Millisecond {
		if v := d.top(s.from, func(v *view) bool { return v.onDrag != nil }); v != nil {
			v.onDrag(s.to)
			return
		}
	}
	if v := d.top(s.from, func(v *view) bool { return v.scroll != nil }); v != nil {
		v.scroll(way)
	}
	d.note("swiped %v to %v in %v", s.from, s.to, s.moved)
}

func (d *Device) pinched(from, to int) {
	if a := d.apps[d.front]; a != nil {
		if c, ok := a.page.(*catalogue); ok {
			c.zoom = map[bool]string{true: "in", false: "out"}[max(to, -to) > max(from, -from)]
		}
	}
}

func (d *Device) pressButton(r request) (any, error) {
	var args struct{ Name string }
	if err := r.args(&args); err != nil {
		return nil, err
	}
	known := []string{"home"}
	if d.opts.Phone {
		known = append(known, "volumedown", "volumeup")
	}
	if !slices.Contains(known, strings.ToLower(args.Name)) {
		return nil, &wdError{"unknown error",
			fmt.Sprintf("The button '%s' is not supported. The device under test only supports the following buttons: "+
				"%v", args.Name, known)}
	}
	d.note("button %s", args.Name)
	return nil, nil
}

func (d *Device) homescreen(request) (any, error) {
	d.front, d.focus = "", nil
	return nil, nil
}

func (d *Device) activeApp(request) (any, error) {
	owner, _, err := d.active()
	if err != nil {
		return nil, err
	}
	return map[string]any{"pid": d.pidOf(owner), "bundleId": owner, "name": "", "processArguments": map[string]any{
		"env": map[string]any{}, "args": []string{}}}, nil
}

func (d *Device) appLaunch(r request) (any, error) {
	var args struct {
		BundleID    string
		Arguments   []string
		Environment map[string]string
	}
	if err := r.args(&args); err != nil {
		return nil, err
	}
	a := d.apps[args.BundleID]
	if a == nil {
		return nil, &wdError{"unknown error",
			fmt.Sprintf(
				`Error Domain=FBSOpenApplicationErrorDomain Code=4 "Application info provider (FBSApplicationLibrary) returned `+
					`nil for "%s"" `+
					`UserInfo={BSErrorCodeDescription=NotFound}`, args.BundleID)}
	}
	if a.pid == 0 { // a running app is only brought to the front
		for name, value := range args.Environment {
			d.note("%s has %s=%s", args.BundleID, name, value)
		}
	}
	d.launch(a, false, args.Arguments)
	d.bound.expected = d.bound.expected || args.BundleID == d.bound.app
	return nil, nil
}

func (d *Device) appTerminate(r request) (any, error) {
	var args struct{ BundleID string }
	if err := r.args(&args); err != nil {
		return nil, err
	}
	a := d.apps[args.BundleID]
	d.bound.expected = d.bound.expected && args.BundleID != d.bound.app
	return a != nil && d.terminate(a), nil
}

// appState returns XCUIApplicationState: 1 not running, 3 in the background, 4 in the foreground.
func (d *Device) appState(r request) (any, error) {
	var args struct{ BundleID string }
	if err := r.args(&args); err != nil {
		return nil, err
	}
	switch a := d.apps[args.BundleID]; {
	case a == nil || a.pid == 0:
		return 1, nil
	case d.front == args.BundleID:
		return 4, nil
	}
	return 3, nil
}

func (d *Device) openURL(r request) (any, error) {
	var args struct{ URL, BundleID string }
	if err := r.args(&args); err != nil {
		return nil, err
	}
	if !d.opens(args.URL, args.BundleID) {
		return nil, &wdError{"unknown error",
			fmt.Sprintf("Error Domain=NSOSStatusErrorDomain Code=-10814 \"Failed to open URL %s: "+
				"LSApplicationWorkspace\"", args.URL)}
	}
	return nil, nil
}

// opens opens a link with the app of its scheme, or the one that is named.
func (d *Device) opens(link, bundle string) bool {
	if bundle == "" {
		scheme, _, _ := strings.Cut(link, ":")
		bundle = appOf(scheme)
	}
	a := d.apps[bundle]
	if a == nil {
		return false
	}
	open := func() {
		d.launch(a, false, nil)
		d.note("%s opened %s", bundle, link)
	}
	scheme, _, _ := strings.Cut(link, ":")
	if strings.HasPrefix(scheme, "http") || d.approved[scheme] {
		open()
		return true
	}
	d.question = &question{title: fmt.Sprintf("Open in \u201c%s\u201d?", a.name), buttons: []string{"Cancel", "Open"},
		answer: func(b string) {
			if b == "Open" {
				d.approved[scheme] = true
				open()
			}
		}}
	return true
}

// appOf is the app of its scheme.
func appOf(scheme string) string {
	return map[string]string{"login": LoginBundle, "catalogue": ListBundle}[scheme]
}

func (d *Device) deviceInfo(request) (any, error) {
	return map[string]any{"currentLocale": "en_US", "timeZone": "GMT", "name": d.opts.Name, "model": "iPhone",
		"uuid":               "6F0C7E1A-0000-4000-8000-000000000001",
		"userInterfaceIdiom": 0, "userInterfaceStyle": d.appearance(), "isSimulator": !d.opts.Phone, "thermalState": 0}, nil
}

func (d *Device) appearance() string {
	if d.opts.Automatic {
		return "automatic"
	}
	return map[bool]string{true: "dark", false: "light"}[d.dark]
}

func (d *Device) setAppearance(r request) (any, error) {
	var args struct{ Name string }
	if err := r.args(&args); err != nil {
		return nil, err
	}
	if args.Name != "dark" && args.Name != "light" {
		return nil, &wdError{"invalid argument", "The appearance name must be either 'light' or 'dark'"}
	}
	d.dark, d.opts.Automatic = args.Name == "dark", false
	return nil, nil
}

func (d *Device) setLocation(r request) (any, error) {
	var args struct{ Latitude, Longitude *float64 }
	if err := r.args(&args); err != nil {
		return nil, err
	}
	if major, _, _ := strings.Cut(d.opts.Version, "."); len(major) == 2 && major < "16" {
		return nil, &wdError{"unknown error", "LocationSimulation API is only supported since Xcode 14.3 and iOS 16.4"}
	}
	if args.Latitude == nil || args.Longitude == nil {
		return nil, &wdError{"invalid argument", "Both latitude and longitude must be provided"}
	}
	d.where = fmt.Sprintf("%g,%g", *args.Latitude, *args.Longitude)
	return nil, nil
}

func (d *Device) clearLocation(request) (any, error) {
	d.where = ""
	return nil, nil
}
