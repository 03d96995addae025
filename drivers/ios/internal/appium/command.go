package appium

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
)

// command is what the server performs in place of a request to WebDriverAgent.
type command struct {
	webdriver.Command

	reads bool // it changes nothing
}

// mobile is a command of the driver.
func mobile(name string, args map[string]any) command {
	if args == nil {
		args = map[string]any{}
	}
	return command{Command: webdriver.Command{Method: http.MethodPost, Path: "/execute/sync",
		Body: map[string]any{"script": "mobile: " + name, "args": []any{args}}}}
}

// reading is a command of the driver that changes nothing.
func reading(name string, args map[string]any) command {
	c := mobile(name, args)
	c.reads = true
	return c
}

// screenshot is the command that takes one.
func screenshot() command {
	return command{Command: webdriver.Command{Method: http.MethodGet, Path: "/screenshot"}, reads: true}
}

// active is the command that finds the element with the focus.
func active() command {
	return command{Command: webdriver.Command{Method: http.MethodGet, Path: "/element/active"}, reads: true}
}

// The codes of what is not there.
const (
	noAlert   = webdriver.NoSuchAlert
	noElement = webdriver.NoSuchElement
)

// renamed are the requests for which the driver has a command of its own that takes the same arguments.
func renamed() map[string]struct {
	name  string
	reads bool
} {
	type entry = struct {
		name  string
		reads bool
	}
	return map[string]entry{
		"GET /wda/locked":                   {name: "isLocked", reads: true},
		"GET /wda/screen":                   {name: "deviceScreenInfo", reads: true},
		"POST /wda/lock":                    {name: "lock"},
		"POST /wda/unlock":                  {name: "unlock"},
		"GET /wda/activeAppInfo":            {name: "activeAppInfo", reads: true},
		"POST /wda/apps/state":              {name: "queryAppState", reads: true},
		"POST /wda/apps/launch":             {name: "launchApp"},
		"POST /wda/apps/terminate":          {name: "terminateApp"},
		"POST /url":                         {name: "deepLink"},
		"POST /wda/tap":                     {name: "tap"},
		"POST /wda/doubleTap":               {name: "doubleTap"},
		"POST /wda/touchAndHold":            {name: "touchAndHold"},
		"POST /wda/dragfromtoforduration":   {name: "dragFromToForDuration"},
		"POST /wda/pressButton":             {name: "pressButton"},
		"POST /wda/element/0/keyboardInput": {name: "keys"},
		"POST /wda/keys":                    {name: "keys"}, // typed into the element with the focus
	}
}

// passed are the requests that the server takes as they are. The dismissal of a keyboard is not among them: the
// driver's own presses the key Done, too, which sends a form.
func passed(line string) bool {
	switch line {
	case "GET /screenshot", "GET /alert/text", "POST /actions", "GET /orientation", "POST /orientation", "GET /rotation",
		"GET /element/active", "POST /appium/settings":
		return true
	}
	return strings.Contains(line, " /element/")
}

// translate returns the command that performs a request with the fields of its body.
func translate(r wda.Request, body map[string]any) (command, error) {
	path, query, _ := strings.Cut(r.Path, "?")
	line := r.Method + " " + path
	if own, ok := renamed()[line]; ok {
		c := mobile(own.name, body)
		c.reads = own.reads
		return c, nil
	}
	plain := command{Command: webdriver.Command{Method: r.Method, Path: r.Path}, reads: r.Method == http.MethodGet}
	if r.Method == http.MethodPost {
		plain.Body = body
	}
	switch line {
	case "GET /source":
		return readSource(query)
	case "POST /alert/accept":
		args := map[string]any{"action": "accept"}
		if label, named := body["name"]; named {
			args["buttonLabel"] = label
		}
		return mobile("alert", args), nil
	case "GET /wda/alert/buttons":
		return reading("alert", map[string]any{"action": "getButtons"}), nil
	case "POST /wda/homescreen":
		return mobile("backgroundApp", map[string]any{"seconds": -1}), nil
	case "GET /window/size":
		plain.Path = "/window/rect"
		return plain, nil
	case "POST /alert/text":
		plain.Body = map[string]any{"text": body["value"]}
		return plain, nil
	case "POST /element", "POST /elements":
		plain.reads = true
		if body["using"] == "predicate string" {
			plain.Body = map[string]any{"using": "-ios predicate string", "value": body["value"]}
		}
		return plain, nil
	}
	if !passed(line) {
		return command{}, fmt.Errorf("%w: the Appium server has no command for %s", drivers.ErrUnsupported, line)
	}
	if text, ok := body["text"]; ok && strings.HasSuffix(path, "/value") {
		plain.Body = map[string]any{"text": text}
	}
	return plain, nil
}

// readSource is the command that reads the elements without some of their attributes.
func readSource(query string) (command, error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return command{}, err
	}
	args := map[string]any{"format": values.Get("format")}
	if left := values.Get("excluded_attributes"); left != "" {
		args["excludedAttributes"] = left
	}
	return reading("source", args), nil
}

// fieldsOf are those of a body.
func fieldsOf(body any) (map[string]any, error) {
	if fields, ok := body.(map[string]any); ok {
		return fields, nil
	}
	fields := map[string]any{}
	if body == nil {
		return fields, nil
	}
	data, err := json.Marshal(body)
	if err == nil {
		err = json.Unmarshal(data, &fields)
	}
	return fields, err
}
