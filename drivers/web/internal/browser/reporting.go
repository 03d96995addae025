package browser

import (
	"context"
	"fmt"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/web/internal/bidi"
	"github.com/taproot-dev/taproot/drivers/web/internal/classic"
	"github.com/taproot-dev/taproot/dsl"
)

// reportingInstance is a remoteInstance of a session with WebDriver BiDi.
type reportingInstance struct {
	*remoteInstance
	*bidi.Events
}

// Attach has the scripts of the context run before those of pages, and the console of the window reported.
func (i *reportingInstance) Attach(ctx context.Context, w classic.Attachment) (classic.Window, error) {
	handle, err := i.lease.Window(ctx)
	if err != nil {
		return nil, err
	}
	made, err := i.events.Attach(ctx, w, handle)
	if err != nil {
		return nil, err
	}
	if !made.Knows() && !made.Chromium {
		return hidingWindow{made, blindWindow{w.Page}}, nil
	}
	return made, nil
}

// hidingWindow is a window of a browser that does not keep the HTML of documents.
type hidingWindow struct {
	*bidi.Window
	blind blindWindow
}

// DeclaresClosedRoots reports whether the page seems to have closed shadow roots.
func (w hidingWindow) DeclaresClosedRoots(ctx context.Context, loading bool, declares func(html string) bool) bool {
	return w.blind.DeclaresClosedRoots(ctx, loading, declares)
}

// commands are the words of tests for which a session needs a command of WebDriver BiDi that drivers had late.
func commands() map[string][]string {
	return map[string][]string{
		"webRoute":                {"network.addIntercept"},
		"webDownload":             {bidi.SaveCommand},
		"openBrowser.headers":     {"network.setExtraHeaders"},
		"openBrowser.locale":      {"emulation.setLocaleOverride"},
		"openBrowser.timezone":    {"emulation.setTimezoneOverride"},
		"openBrowser.userAgent":   {"emulation.setUserAgentOverride"},
		"openBrowser.offline":     {"emulation.setNetworkConditions"},
		"setAirplaneMode":         {"emulation.setNetworkConditions"},
		"openBrowser.permissions": {"permissions.setPermission"},
		"openBrowser.geolocation": {"emulation.setGeolocationOverride", "permissions.setPermission"},
		"setLocation":             {"emulation.setGeolocationOverride", "permissions.setPermission"},
		"openBrowser.storage":     {"storage.setCookie", "network.addIntercept"},
		"webStorage":              {"storage.getCookies", "network.addIntercept"},
	}
}

// Lacks returns an ErrUnsupported that names what the newest session lacks for a word of tests. It touches nothing.
func (r *Remote) Lacks(ctx context.Context, word string) error {
	r.mu.Lock()
	without := r.without
	var events *bidi.Events
	if n := len(r.ready); n > 0 && r.ready[n-1].BiDi != nil {
		events = bidi.New(r.ready[n-1].BiDi, r.Name)
	}
	r.mu.Unlock()
	if without != "" && dsl.Refusal(classicRemote, word) != "" && dsl.Refusal(dsl.Remote, word) == "" {
		return fmt.Errorf("%w: the session at the remote %s has no WebDriver BiDi: %s", drivers.ErrUnsupported, r.Name,
			without)
	}
	if events == nil {
		return nil
	}
	if word == "webDownload" {
		if err := r.savesFiles(); err != nil || passesFiles(r.Capabilities) {
			return err
		}
	}
	for _, command := range commands()[word] {
		if err := events.Has(ctx, command); err != nil {
			return err
		}
	}
	return nil
}
