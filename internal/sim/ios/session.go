package iossim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
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

// newSession is FBSessionCommands.handleCreateSession: it ends the earlier session first, whatever comes of the new
// one.
func (d *Device) newSession(r request) (any, error) {
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
		a := d.apps[want.BundleID]
		if a == nil {
			return nil, &wdError{"session not created", fmt.Sprintf("Failed to launch %s", want.BundleID)}
		}
		d.launch(a, want.ForceAppLaunch == nil || *want.ForceAppLaunch, want.Arguments)
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
	d.elements = map[string]*view{}
	if d.opts.OldAgent {
		return map[string]any{}, nil
	}
	return map[string]any{"sessionId": d.session, "capabilities": map[string]any{"device": "iphone",
		"sdkVersion": d.opts.Version}}, nil
}

// endSession is FBSession.kill.
func (d *Device) endSession() {
	if a := d.apps[d.bound.app]; a != nil && d.bound.terminate {
		d.terminate(a)
	}
	d.session, d.bound = "", binding{}
}

// StealSession is another client's session that is bound to an app, as Appium makes one.
func (d *Device) StealSession(bundle string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.session, d.bound = "ANOTHER-CLIENTS-SESSION", binding{bundle, true, true}
	d.settings = maps.Clone(d.settings)
	delete(d.settings, "defaultActiveApplication")
}

// active is FBSession.activeApplication: the one with the elements that are returned, found and counted from.
func (d *Device) active() (string, []*view, error) {
	inFront := func(bundle string) bool {
		if bundle == springboard {
			return d.front == "" || d.question != nil && !d.opts.SystemBehind
		}
		return bundle != "" && d.front == bundle
	}
	wanted, _ := d.settings["defaultActiveApplication"].(string)
	d.screen() // an app may die of what it shows
	owner := d.front
	switch b := d.bound; {
	case wanted != "" && wanted != "auto" && inFront(wanted):
		owner = wanted
	case b.app != "" && inFront(b.app):
		if d.settings["respectSystemAlerts"] == true && (d.question != nil || d.banner != "") {
			owner = springboard
		}
	case b.app != "" && b.expected && (d.apps[b.app] == nil || d.apps[b.app].pid == 0):
		return "", nil,
			&wdError{"invalid element state", fmt.Sprintf("The application under test with bundle id '%s' is not running, "+
				"possibly crashed", b.app)}
	case d.question != nil && !d.opts.AlertsApart:
		owner = springboard
	}
	if owner == "" {
		owner = springboard
	}
	return owner, d.ownWindows(owner), nil
}
