package appium

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// passedOn is a command that WebDriverAgent performs.
type passedOn struct {
	method, path string
	fields       map[string]string // names that differ, by those of the command
	alone        bool              // WebDriverAgent has it outside of sessions only
}

// commands are those of the driver; what has no path is for simulators, or of the driver's own.
func commands() map[string]passedOn {
	get := func(path string) passedOn { return passedOn{method: http.MethodGet, path: path} }
	post := func(path string) passedOn { return passedOn{method: http.MethodPost, path: path} }
	return map[string]passedOn{
		"tap": post("/wda/tap"), "doubleTap": post("/wda/doubleTap"), "touchAndHold": post("/wda/touchAndHold"),
		"dragFromToForDuration": post("/wda/dragfromtoforduration"), "pressButton": post("/wda/pressButton"),
		"keys": post("/wda/element/0/keyboardInput"), "launchApp": post("/wda/apps/launch"),
		"terminateApp": post("/wda/apps/terminate"), "queryAppState": post("/wda/apps/state"),
		"activeAppInfo": get("/wda/activeAppInfo"), "deviceScreenInfo": get("/wda/screen"), "deepLink": post("/url"),
		"isLocked": get("/wda/locked"), "lock": post("/wda/lock"), "unlock": post("/wda/unlock"),
		"backgroundApp": {method: http.MethodPost, path: "/wda/homescreen", alone: true},
		"setAppearance": {method: http.MethodPost, path: "/wda/device/appearance", fields: map[string]string{
			"style": "name"}, alone: true},
		"setSimulatedLocation":   post("/wda/simulatedLocation"),
		"resetSimulatedLocation": {method: http.MethodDelete, path: "/wda/simulatedLocation"},
		"getContexts":            {}, "alert": {}, "source": {}, "getAppearance": {}, "isAppInstalled": {}, "listApps": {},
		"installApp": {}, "removeApp": {}, "clearApp": {}, "clearKeychains": {}, "setPermission": {}, "shake": {},
		"enrollBiometric": {}, "sendBiometricMatch": {}, "isBiometricEnrolled": {}, "pushNotification": {}, "pushFile": {},
	}
}

// ofSimulators are the commands that the driver has for simulators alone.
func ofSimulators() []string {
	return []string{"clearApp", "clearKeychains", "setPermission", "shake", "enrollBiometric", "sendBiometricMatch",
		"isBiometricEnrolled", "pushNotification"}
}

// mobile performs a command of the driver.
func (s *Server) mobile(agent string, q request) (any, error) {
	name := strings.TrimPrefix(q.name, "mobile: ")
	args := map[string]any{}
	if list, ok := q.body["args"].([]any); ok && len(list) > 0 {
		args, _ = list[0].(map[string]any)
	}
	c, known := commands()[name]
	if !known || s.Lacks == q.name {
		return nil, &failure{http.StatusNotFound, "unknown command", "Unknown mobile command \"" + name + "\""}
	}
	if name == "deviceScreenInfo" { // the driver remembers its first answer
		var err error
		if s.screen == nil {
			s.screen, err = s.in(agent, c.method, c.path, nil)
		}
		return s.screen, err
	}
	if c.path != "" {
		for from, to := range c.fields {
			args[to] = args[from]
			delete(args, from)
		}
		if c.alone {
			return s.ask(c.method, c.path, args)
		}
		return s.in(agent, c.method, c.path, args)
	}
	if slices.Contains(ofSimulators(), name) && !s.Simulator {
		return nil, &failure{http.StatusInternalServerError, "unknown error",
			fmt.Sprintf("%s can only be performed on Simulator", name)}
	}
	switch name {
	case "alert":
		return s.alert(agent, args)
	case "source":
		values := url.Values{"format": {fmt.Sprint(args["format"])}, "scope": {"AppiumAUT"}}
		if left, ok := args["excludedAttributes"].(string); ok {
			values.Set("excluded_attributes", left)
		}
		doc, err := s.in(agent, http.MethodGet, "/source?"+values.Encode(), nil)
		if text, ok := doc.(string); ok {
			head, tree, _ := strings.Cut(text, "\n")
			doc = head + "\n<AppiumAUT>" + tree + "</AppiumAUT>"
		}
		return doc, err
	case "getAppearance":
		info, err := s.ask(http.MethodGet, "/wda/device/info", nil)
		fields, _ := info.(map[string]any)
		return map[string]any{"style": fields["userInterfaceStyle"]}, err
	}
	return s.ofMac(name)
}

func (s *Server) alert(agent string, args map[string]any) (any, error) {
	if args["action"] == "getButtons" {
		return s.in(agent, http.MethodGet, "/wda/alert/buttons", nil)
	}
	body := map[string]any{}
	if label, ok := args["buttonLabel"].(string); ok && label != "" {
		body["name"] = label
	}
	return s.in(agent, http.MethodPost, fmt.Sprintf("/alert/%s", args["action"]), body)
}

// ofMac is what takes a Mac, or a program that reaches the phone: without them the driver fails.
func (s *Server) ofMac(name string) (any, error) {
	if s.Simulator {
		switch name {
		case "isBiometricEnrolled", "isAppInstalled", "removeApp", "clearApp":
			return true, nil
		case "listApps":
			return nil, &failure{http.StatusInternalServerError, "unknown error",
				"Listing apps can only be performed on a real device"}
		}
		return nil, nil
	}
	return nil, &failure{http.StatusInternalServerError, "unknown error",
		"The usbmuxd socket at '/var/run/usbmuxd' does not exist or is not accessible"}
}
