package wda

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/taproot-dev/taproot/internal/sim/ios/device"
	"github.com/taproot-dev/taproot/internal/sim/ios/ui"
)

// binding is the app to which a session is bound.
type binding struct {
	app       string
	terminate bool // with the session
	expected  bool // it ran, and it was not ended by WebDriverAgent
}

// kept are the settings that outlive a session.
func kept() []string {
	return []string{"respectSystemAlerts", "includeHittableInPageSource", "activeAppDetectionPoint", "reduceMotion",
		"keyboardAutocorrection", "keyboardPrediction",
		"mjpegServerFramerate", "mjpegServerScreenshotQuality", "mjpegScalingFactor", "mjpegFixOrientation"}
}

// StealSession is another client's session that is bound to an app, as Appium makes one.
func (d *Agent) StealSession(bundle string) {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	d.session, d.bound = "ANOTHER-CLIENTS-SESSION", binding{bundle, true, true}
	d.settings = maps.Clone(d.settings)
	delete(d.settings, "defaultActiveApplication")
}

// client is what the client of a WebDriverAgent has made there: its session, with settings and elements.
type client struct {
	*device.Hands
	session  string
	sessions int
	bound    binding // of the session
	settings map[string]any
	elements map[string]*ui.View
}

func (d *client) statusOf(request) (any, error) {
	about := map[string]any{"ip": nil}
	if !d.Opts.Phone {
		about["simulatorVersion"] = d.Opts.Version
	}
	status := map[string]any{"ready": true, "message": "WebDriverAgent is ready to accept commands", "state": "success",
		"os":  map[string]any{"name": "iOS", "version": d.Opts.Version, "sdkVersion": "18.1", "testmanagerdVersion": 65535},
		"ios": about, "build": map[string]any{"time": "Nov  1 2026 10:00:00",
			"productBundleIdentifier": "com.facebook.WebDriverAgentRunner", "version": "16.7.0"},
		"device": "iphone"}
	if d.Opts.OldAgent {
		delete(status, "ready")
		delete(status, "message")
	}
	return status, nil
}

func (d *client) set(r request) (any, error) {
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

func (d *client) activeApp(request) (any, error) {
	owner, _, err := d.active()
	if err != nil {
		return nil, err
	}
	return map[string]any{"pid": d.PIDOf(owner), "bundleId": owner, "name": "", "processArguments": map[string]any{
		"env": map[string]any{}, "args": []string{}}}, nil
}

func (d *client) appLaunch(r request) (any, error) {
	var args struct {
		BundleID    string
		Arguments   []string
		Environment map[string]string
	}
	if err := r.args(&args); err != nil {
		return nil, err
	}
	a := d.Apps[args.BundleID]
	if a == nil {
		return nil, &wdError{"unknown error",
			fmt.Sprintf(
				`Error Domain=FBSOpenApplicationErrorDomain Code=4 "Application info provider (FBSApplicationLibrary) returned `+
					`nil for "%s"" `+
					`UserInfo={BSErrorCodeDescription=NotFound}`, args.BundleID)}
	}
	if a.PID == 0 { // a running app is only brought to the front
		for name, value := range args.Environment {
			d.Note("%s has %s=%s", args.BundleID, name, value)
		}
	}
	d.Launch(a, false, args.Arguments)
	d.bound.expected = d.bound.expected || args.BundleID == d.bound.app
	return nil, nil
}

func (d *client) appTerminate(r request) (any, error) {
	var args struct{ BundleID string }
	if err := r.args(&args); err != nil {
		return nil, err
	}
	a := d.Apps[args.BundleID]
	d.bound.expected = d.bound.expected && args.BundleID != d.bound.app
	return a != nil && d.Terminate(a), nil
}

// newSession is FBSessionCommands.handleCreateSession: it ends the earlier session first, whatever comes of the new
// one.
func (d *client) newSession(r request) (any, error) {
	var args struct {
		Capabilities json.RawMessage `json:"capabilities"`
	}
	if err := r.args(&args); err != nil || args.Capabilities == nil || bytes.Equal(args.Capabilities, []byte("null")) {
		return nil, &wdError{"session not created", "'capabilities' is mandatory to create a new session"}
	}
	var caps struct {
		AlwaysMatch struct {
			BundleID                           string `json:"bundleId"`
			ForceAppLaunch, ShouldTerminateApp *bool
			Arguments                          []string
		}
	}
	_ = json.Unmarshal(args.Capabilities, &caps)
	d.endSession()
	want := caps.AlwaysMatch
	if want.BundleID != "" {
		a := d.Apps[want.BundleID]
		if a == nil {
			return nil, &wdError{"session not created", fmt.Sprintf("Failed to launch %s", want.BundleID)}
		}
		d.Launch(a, want.ForceAppLaunch == nil || *want.ForceAppLaunch, want.Arguments)
		d.bound = binding{want.BundleID, want.ShouldTerminateApp == nil || *want.ShouldTerminateApp, true}
	}
	d.sessions++
	d.session = fmt.Sprintf("8E7A2C10-0000-4000-8000-%012X", d.sessions)
	old := d.settings
	d.settings = map[string]any{"shouldUseCompactResponses": true, "elementResponseAttributes": "type,label",
		"snapshotMaxDepth": 50.0}
	for _, name := range kept() {
		if value, ok := old[name]; ok {
			d.settings[name] = value
		}
	}
	d.elements = map[string]*ui.View{}
	if d.Opts.OldAgent {
		return map[string]any{}, nil
	}
	return map[string]any{"sessionId": d.session, "capabilities": map[string]any{"device": "iphone",
		"sdkVersion": d.Opts.Version}}, nil
}

// endSession is FBSession.kill.
func (d *client) endSession() {
	if a := d.Apps[d.bound.app]; a != nil && d.bound.terminate {
		d.Terminate(a)
	}
	d.session, d.bound = "", binding{}
}

// active is FBSession.activeApplication: the one with the elements that are returned, found and counted from.
func (d *client) active() (string, []*ui.View, error) {
	inFront := func(bundle string) bool {
		if bundle == device.Springboard {
			return d.Front == "" || d.Question != nil && !d.Opts.SystemBehind
		}
		return bundle != "" && d.Front == bundle
	}
	wanted, _ := d.settings["defaultActiveApplication"].(string)
	d.Screen() // an app may die of what it shows
	owner := d.Front
	switch b := d.bound; {
	case wanted != "" && wanted != "auto" && inFront(wanted):
		owner = wanted
	case b.app != "" && inFront(b.app):
		if d.settings["respectSystemAlerts"] == true && (d.Question != nil || d.Banner != "") {
			owner = device.Springboard
		}
	case b.app != "" && b.expected && (d.Apps[b.app] == nil || d.Apps[b.app].PID == 0):
		return "", nil,
			&wdError{"invalid element state", fmt.Sprintf("The application under test with bundle id '%s' is not running, "+
				"possibly crashed", b.app)}
	case d.Question != nil && !d.Opts.AlertsApart:
		owner = device.Springboard
	}
	if owner == "" {
		owner = device.Springboard
	}
	return owner, d.OwnWindows(owner), nil
}
