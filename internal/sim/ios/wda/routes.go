package wda

import (
	"fmt"
	"image"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/ios/device"
)

func (d *performer) alertText(request) (any, error) {
	q := d.Alert()
	if q == nil {
		return nil, &wdError{"no such alert", "An attempt was made to operate on a modal dialog when one was not open"}
	}
	return q.Title, nil
}

func (d *performer) alertButtons(request) (any, error) {
	q := d.Alert()
	if q == nil {
		return nil, &wdError{"no such alert", "An attempt was made to operate on a modal dialog when one was not open"}
	}
	return q.Buttons, nil
}

func (d *performer) alertType(r request) (any, error) {
	var args struct{ Value string }
	if err := r.args(&args); err != nil {
		return nil, err
	}
	q := d.Alert()
	if q == nil {
		return nil, &wdError{"no such alert", "No alert is open"}
	}
	if q.Field == nil {
		return nil, &wdError{"unsupported operation", "The alert contains no input fields"}
	}
	q.Field.Set(args.Value)
	return nil, nil
}

// alertAnswer presses the button that is named, by its very characters. Without a name FBAlert takes the last one of an
// alert to accept and the first to dismiss, and of a sheet the other way round, whatever they say.
func (d *performer) alertAnswer(r request) (any, error) {
	var args struct{ Name string }
	if len(r.body) > 0 {
		if err := r.args(&args); err != nil {
			return nil, err
		}
	}
	q := d.Alert()
	if q == nil {
		return nil, &wdError{"no such alert", "No alert is open"}
	}
	button := q.Buttons[0]
	if strings.HasSuffix(r.path, "accept") != q.Sheet {
		button = q.Buttons[len(q.Buttons)-1]
	}
	if args.Name != "" {
		if !slices.Contains(q.Buttons, args.Name) {
			return nil, &wdError{"invalid element state", fmt.Sprintf("Failed to find button with label '%s' for alert: %s",
				args.Name, q.Title)}
		}
		button = args.Name
	}
	d.Answer(q, button)
	return nil, nil
}

// keys types whatever has the focus: without one the events go nowhere, without an error.
func (d *performer) keys(r request) (any, error) {
	var args struct{ Value []string }
	if err := r.args(&args); err != nil {
		return nil, err
	}
	d.TypeText(strings.Join(args.Value, ""))
	return nil, nil
}

// keyboardInput is FBCustomCommands.handleKeyboardInput: names are known where they are alone, characters in
// dictionaries.
func (d *performer) keyboardInput(r request) (any, error) {
	if d.Opts.NoHardKeys {
		return nil, &wdError{"unsupported operation", "typeKey API is only supported since Xcode15 and iPadOS 17"}
	}
	var args struct{ Keys []any }
	if err := r.args(&args); err != nil {
		return nil, err
	}
	for _, key := range args.Keys {
		switch k := key.(type) {
		case string:
			d.HardKey(strings.TrimPrefix(k, "XCUIKeyboardKey"))
		case map[string]any:
			flags, _ := k["modifierFlags"].(float64)
			d.Chord(fmt.Sprint(k["key"]), int(flags))
		}
	}
	return nil, nil
}

// dismissKeyboard is FBKeyboard's: it presses what on the keyboard has one of the names; an iPhone's has no key for
// that.
func (d *performer) dismissKeyboard(r request) (any, error) {
	var args struct{ KeyNames []string }
	if len(r.body) > 0 {
		if err := r.args(&args); err != nil {
			return nil, err
		}
	}
	if d.Focus == nil {
		return nil, nil
	}
	for v := range d.Keyboard(d.Metrics()).All() {
		if v.Kind != "Keyboard" && slices.Contains(args.KeyNames, v.Label) {
			d.Pressed(v.Key)
			return nil, nil
		}
	}
	return nil, &wdError{"invalid element state",
		"Error Domain=com.facebook.WebDriverAgent Code=1 \"Did not know how to dismiss the keyboard. Try to dismiss it in " +
			"the way supported by your application under test.\""}
}

// routes are those that the agent has.
func (d *Agent) routes() map[string]func(request) (any, error) {
	routes := d.newRoutes()
	if d.Opts.OldAgent {
		routes["POST /wda/tap/0"] = routes["POST /wda/tap"]
		for _, later := range []string{"POST /wda/tap", "POST /actions", "GET /wda/alert/buttons"} {
			delete(routes, later)
		}
	}
	return routes
}

// newRoutes are those of WebDriverAgentLib/Commands at version 16.7, as far as anything here can be asked for.
func (d *Agent) newRoutes() map[string]func(request) (any, error) {
	return map[string]func(request) (any, error){
		"GET /status": d.statusOf, "POST /session": d.newSession,
		"DELETE /":              func(request) (any, error) { d.endSession(); return nil, nil },
		"POST /appium/settings": d.set,

		"GET /source": d.source, "GET /screenshot": d.screenshot, "GET /window/size": d.windowSize,
		"GET /window/rect": d.windowRect,
		"GET /wda/screen":  d.wdaScreen,
		"GET /orientation": d.orientation, "POST /orientation": d.orient, "GET /rotation": d.rotation,
		"GET /element/active": d.activeElement, "POST /element": d.findElement, "POST /elements": d.findElements,

		"POST /wda/tap": d.touch(
			device.Taps,
		), "POST /wda/doubleTap": d.touch(device.Taps2), "POST /wda/touchAndHold": d.touch(device.Holds),
		"POST /actions": d.actions, "POST /wda/dragfromtoforduration": d.dragFromTo, "POST /wda/keys": d.keys,
		"POST /wda/element/0/keyboardInput": d.keyboardInput,
		"POST /wda/keyboard/dismiss":        d.dismissKeyboard, "POST /wda/pressButton": d.pressButton,
		"POST /wda/homescreen": d.homescreen,
		"GET /wda/locked":      func(request) (any, error) { return d.Locked, nil },
		"POST /wda/lock":       func(request) (any, error) { d.Locked = true; return nil, nil },
		"POST /wda/unlock":     func(request) (any, error) { d.Locked = d.Opts.Passcode; return nil, nil },

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

func (d *performer) windowSize(request) (any, error) {
	m := d.Metrics()
	return map[string]any{"width": m.Size.X, "height": m.Size.Y}, nil
}

func (d *performer) windowRect(request) (any, error) {
	m := d.Metrics()
	return map[string]any{"x": d.Opts.Part.Min.X, "y": d.Opts.Part.Min.Y, "width": m.Size.X, "height": m.Size.Y}, nil
}

func (d *performer) wdaScreen(request) (any, error) {
	size, bar := d.Whole(), d.StatusBar().Size()
	return map[string]any{"screenSize": map[string]any{"width": size.X, "height": size.Y},
		"statusBarSize": map[string]any{"width": bar.X, "height": bar.Y}, "scale": d.Opts.Scale}, nil
}

func (d *performer) orientation(request) (any, error) {
	if d.Wide {
		return "LANDSCAPE", nil
	}
	return "PORTRAIT", nil
}

// orient: the login keeps its own orientation.
func (d *performer) orient(r request) (any, error) {
	var args struct{ Orientation string }
	if err := r.args(&args); err != nil {
		return nil, err
	}
	wide := strings.HasPrefix(args.Orientation, "LANDSCAPE")
	if wide && d.Front == device.LoginBundle {
		return nil, &wdError{"unknown error", "Unable To Rotate Device"}
	}
	if d.Opts.TurnsLate > 0 && wide != d.Wide {
		d.Host.Work.Go(func() {
			if d.Host.Rest(d.Host.Ctx, d.Opts.TurnsLate) {
				d.Mu.Lock()
				defer d.Mu.Unlock()
				d.Wide = wide
			}
		})
		return nil, &wdError{"unknown error", "Unable To Rotate Device"}
	}
	d.Wide = wide
	return nil, nil
}

// rotation: the phone is turned to its left.
func (d *performer) rotation(request) (any, error) {
	z := 0
	if d.Wide {
		z = 270
	}
	return map[string]any{"x": 0, "y": 0, "z": z}, nil
}

func (d *performer) touch(gesture int) func(request) (any, error) {
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
		if gesture == device.Holds && args.Duration < 0.5 {
			d.Touched(p, device.Taps)
			return nil, nil
		}
		d.Touched(p, gesture)
		return nil, nil
	}
}

func (d *performer) actions(r request) (any, error) {
	var args struct{ Actions []device.Pointer }
	if err := r.args(&args); err != nil {
		return nil, err
	}
	switch len(args.Actions) {
	case 1:
		d.Drag(args.Actions[0].Stroke())
	case 2:
		a, b := args.Actions[0].Stroke(), args.Actions[1].Stroke()
		d.Pinched(a.From.Sub(b.From).X, a.To.Sub(b.To).X)
	}
	return nil, nil
}

// dragFromTo is FBElementCommands.handleDragCoordinate: the duration is that of the press before the way.
func (d *performer) dragFromTo(r request) (any, error) {
	var args struct{ FromX, FromY, ToX, ToY, Duration float64 }
	if err := r.args(&args); err != nil {
		return nil, err
	}
	d.Drag(device.Stroke{From: image.Pt(int(args.FromX), int(args.FromY)), To: image.Pt(int(args.ToX), int(args.ToY)),
		Held: time.Duration(args.Duration * float64(time.Second))})
	return nil, nil
}

func (d *performer) pressButton(r request) (any, error) {
	var args struct{ Name string }
	if err := r.args(&args); err != nil {
		return nil, err
	}
	known := []string{"home"}
	if d.Opts.Phone {
		known = append(known, "volumedown", "volumeup")
	}
	if !slices.Contains(known, strings.ToLower(args.Name)) {
		return nil, &wdError{"unknown error",
			fmt.Sprintf("The button '%s' is not supported. The device under test only supports the following buttons: "+
				"%v", args.Name, known)}
	}
	d.Note("button %s", args.Name)
	return nil, nil
}

func (d *performer) homescreen(request) (any, error) {
	d.Front, d.Focus = "", nil
	return nil, nil
}

// appState returns XCUIApplicationState: 1 not running, 3 in the background, 4 in the foreground.
func (d *performer) appState(r request) (any, error) {
	var args struct{ BundleID string }
	if err := r.args(&args); err != nil {
		return nil, err
	}
	switch a := d.Apps[args.BundleID]; {
	case a == nil || a.PID == 0:
		return 1, nil
	case d.Front == args.BundleID:
		return 4, nil
	}
	return 3, nil
}

func (d *performer) openURL(r request) (any, error) {
	var args struct{ URL, BundleID string }
	if err := r.args(&args); err != nil {
		return nil, err
	}
	if !d.Opens(args.URL, args.BundleID) {
		return nil, &wdError{"unknown error",
			fmt.Sprintf("Error Domain=NSOSStatusErrorDomain Code=-10814 \"Failed to open URL %s: "+
				"LSApplicationWorkspace\"", args.URL)}
	}
	return nil, nil
}

func (d *performer) deviceInfo(request) (any, error) {
	return map[string]any{"currentLocale": "en_US", "timeZone": "GMT", "name": d.Opts.Name, "model": "iPhone",
		"uuid":               "6F0C7E1A-0000-4000-8000-000000000001",
		"userInterfaceIdiom": 0, "userInterfaceStyle": d.Appearance(), "isSimulator": !d.Opts.Phone, "thermalState": 0}, nil
}

func (d *performer) setAppearance(r request) (any, error) {
	var args struct{ Name string }
	if err := r.args(&args); err != nil {
		return nil, err
	}
	if args.Name != "dark" && args.Name != "light" {
		return nil, &wdError{"invalid argument", "The appearance name must be either 'light' or 'dark'"}
	}
	d.Dark, d.Opts.Automatic = args.Name == "dark", false
	return nil, nil
}

func (d *performer) setLocation(r request) (any, error) {
	var args struct{ Latitude, Longitude *float64 }
	if err := r.args(&args); err != nil {
		return nil, err
	}
	if major, _, _ := strings.Cut(d.Opts.Version, "."); len(major) == 2 && major < "16" {
		return nil, &wdError{"unknown error", "LocationSimulation API is only supported since Xcode 14.3 and iOS 16.4"}
	}
	if args.Latitude == nil || args.Longitude == nil {
		return nil, &wdError{"invalid argument", "Both latitude and longitude must be provided"}
	}
	d.Where = fmt.Sprintf("%g,%g", *args.Latitude, *args.Longitude)
	return nil, nil
}

func (d *performer) clearLocation(request) (any, error) {
	d.Where = ""
	return nil, nil
}
