package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/testrun"
)

// vendor is what is particular about a cloud.
type vendor struct {
	title   string
	domain  string // of its hosts
	options string // the capability with its own options
	name    string // the option for the name of a session
	build   string // the option for the build that it belongs to
	// result is the script that sends a result.
	result func(passed bool, reason string) string
	// page is where the session is shown. The hub is the host of its URL.
	page func(hub string, native bool, id string) string
	// details is a script that returns the page of the session as JSON; "": page says it.
	details string
	upload  upload
}

const (
	// resultLimit is how long a cloud may take to note a result.
	resultLimit = 20 * time.Second
	// maxReason is how much of a reason clouds take.
	maxReason = 250
	maxName   = 250
)

// vendors are the clouds that are known, by the names that taproot.yaml has for them.
func vendors() map[string]*vendor {
	return map[string]*vendor{
		"browserstack": {title: "BrowserStack", domain: "browserstack.com", options: "bstack:options",
			name: "sessionName", build: "buildName", result: browserStackResult,
			details: `browserstack_executor: {"action": "getSessionDetails"}`,
			page:    func(string, bool, string) string { return "" },
			upload: upload{host: func(string) string { return "api-cloud.browserstack.com" },
				path: "/app-automate/upload", field: "file", ref: appURL("bs://")}},
		"saucelabs": {title: "Sauce Labs", domain: "saucelabs.com", options: "sauce:options", name: "name", build: "build",
			result: func(passed bool, _ string) string { return "sauce:job-result=" + passedOr(passed, "failed") },
			page: func(hub string, _ bool, id string) string {
				return "https://app." + sauceRegion(hub, "") + "saucelabs.com/tests/" + url.PathEscape(id)
			},
			upload: upload{host: func(hub string) string { return "api." + sauceRegion(hub, "us-west-1.") + "saucelabs.com" },
				path: "/v1/storage/upload", field: "payload", named: true, ref: sauceRef}},
		"lambdatest": {title: "LambdaTest", domain: "lambdatest.com", options: "LT:Options", name: "name", build: "build",
			result: func(passed bool, _ string) string { return "lambda-status=" + passedOr(passed, "failed") },
			page: func(_ string, native bool, id string) string {
				if native {
					return "https://appautomation.lambdatest.com/logs/?sessionID=" + url.QueryEscape(id)
				}
				return "https://automation.lambdatest.com/logs/?sessionID=" + url.QueryEscape(id)
			},
			upload: upload{host: func(string) string { return "manual-api.lambdatest.com" },
				path: "/app/upload/realDevice", field: "appFile", named: true, ref: appURL("lt://")}},
		"testingbot": {title: "TestingBot", domain: "testingbot.com", options: "tb:options", name: "name", build: "build",
			result: func(passed bool, _ string) string { return "tb:test-result=" + passedOr(passed, "failed") },
			page: func(_ string, _ bool, id string) string {
				return "https://testingbot.com/members/tests/" + url.PathEscape(id)
			},
			upload: upload{host: func(string) string { return "api.testingbot.com" }, path: "/v1/storage", field: "file",
				ref: appURL("tb://")}},
	}
}

func passedOr(passed bool, otherwise string) string {
	if passed {
		return "passed"
	}
	return otherwise
}

func browserStackResult(passed bool, reason string) string {
	text, _ := json.Marshal(map[string]any{"action": "setSessionStatus", // it always can be encoded
		"arguments": map[string]any{"status": passedOr(passed, "failed"), "reason": reason}})
	return "browserstack_executor: " + string(text)
}

// sauceRegion is the region in the host of a hub with a dot, as the hosts for people and programs have it.
func sauceRegion(hub, first string) string {
	region, _, _ := strings.Cut(strings.TrimPrefix(hub, "ondemand."), "saucelabs.com")
	if region == "" || region == "us-west-1." || !strings.HasSuffix(region, ".") {
		return first
	}
	return region
}

// vendorOf is the cloud of a server: the one that it names, or that its host belongs to; nil: none that is known.
func vendorOf(s Server) *vendor {
	if v := vendors()[s.Vendor]; v != nil {
		return v
	}
	host := s.hub()
	for _, v := range vendors() {
		if host == v.domain || strings.HasSuffix(host, "."+v.domain) {
			return v
		}
	}
	return nil
}

// hub is the name of the server's host.
func (s Server) hub() string {
	u, err := url.Parse(s.URL)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// named adds the names of a test and its build to capabilities. The user's own build stays, and so does the user's own
// name, with the id of the test after it.
func (v *vendor) named(capabilities map[string]any, t testrun.Test) map[string]any {
	if v == nil || t.ID == "" {
		return capabilities
	}
	wanted := map[string]any{}
	maps.Copy(wanted, capabilities)
	key, options := v.options, map[string]any{}
	for other, value := range capabilities {
		own, is := value.(map[string]any)
		if is && strings.EqualFold(other, v.options) {
			key = other
			maps.Copy(options, own)
		}
	}
	name := t.ID
	if own, _ := options[v.name].(string); own != "" && !strings.Contains(own, t.ID) {
		name = own + ": " + t.ID
	} else if own != "" {
		name = own
	}
	options[v.name] = phrase.LimitRunes(name, maxName)
	if own, _ := options[v.build].(string); own == "" && t.Build != "" {
		options[v.build] = phrase.LimitRunes(t.Build, maxName)
	}
	wanted[key] = options
	return wanted
}

// pageOf is where a session is shown to people. What the server says is used only where it is a page of the cloud.
func (v *vendor) pageOf(ctx context.Context, s Server, session *webdriver.Session) string {
	if v == nil {
		return ""
	}
	if v.details == "" {
		return v.page(s.hub(), s.Native, session.ID)
	}
	var text string
	var said struct {
		URL string `json:"browser_url"`
	}
	if session.Execute(ctx, v.details, nil, &text, resultLimit) != nil || json.Unmarshal([]byte(text), &said) != nil {
		return ""
	}
	u, err := url.Parse(said.URL)
	if err != nil || u.Scheme != "https" || u.User != nil || !strings.HasSuffix("."+u.Host, "."+v.domain) {
		return ""
	}
	return u.String()
}

// Exclusive reports whether a session must not serve several tests: the server takes one result for each.
func (l *Sessions) Exclusive() bool { return l.vendor != nil }

// Page is where the session is shown to people; "" when that is not known.
func (e *Lease) Page() string { return e.page }

// Report sends the result of a test to the cloud of the session. Without one it does nothing.
func (e *Lease) Report(ctx context.Context, passed bool, reason string) error {
	v := e.sessions.vendor
	if v == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resultLimit)
	defer cancel()
	script := v.result(passed, phrase.LimitRunes(phrase.OneLine(reason), maxReason))
	if err := e.Execute(ctx, script, nil, nil, resultLimit); err != nil {
		return fmt.Errorf("%s did not take the result of the test: %w", v.title, e.sessions.server.explain(err))
	}
	return nil
}
