package browser

import (
	"context"
	"fmt"
	"image"
	"os"
	"strconv"
	"strings"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/toolchain"
)

// firefoxProgram finds the system's Firefox.
func firefoxProgram(l *Launcher, _ browserKind) (string, error) {
	found, err := toolchain.Find(context.Background(), l.host, toolchain.Firefox)
	switch {
	case err != nil:
		return "", fmt.Errorf("look for Firefox: %w", err)
	case !l.Setup.BiDi:
		return "", &drivers.Unavailable{
			What: "Firefox cannot be driven here: the user has no cache folder, or it cannot be " +
				"written", Fix: "set HOME or XDG_CACHE_HOME"}
	case found.OK():
		return found.Path, nil
	case found.Path != "":
		return "", &drivers.Unavailable{What: fmt.Sprintf("Firefox (%s) cannot be driven: %s", found.Path, found.Problem),
			Brief: "Firefox cannot be driven: " + found.Problem, Fix: found.Advice}
	}
	return "", &drivers.Unavailable{What: "Firefox was not found", Fix: found.Advice}
}

// The screen of a Firefox without a window, all of which it draws, and that of another one for pages which exceed it.
var (
	FirefoxScreen      = image.Pt(1920, 1400)
	FirefoxLargeScreen = image.Pt(3840, 2400)
)

// firefoxOptions has Firefox driven by WebDriver BiDi, as pages of Chromium are: nothing is kept of a page that was
// left, and no scheme is taken from the desktop.
func firefoxOptions(_ *Launcher, k browserKind, o *playwright.BrowserTypeLaunchOptions) {
	o.Channel = playwright.String("moz-firefox")
	// a window of its own choice is smaller than most pages, and what is outside of it receives no mouse events
	if !k.headed {
		o.Args = append(o.Args, "--kiosk")
		size := FirefoxScreen
		if k.large {
			size = FirefoxLargeScreen
		}
		o.Env = environment("MOZ_HEADLESS_WIDTH="+strconv.Itoa(size.X), "MOZ_HEADLESS_HEIGHT="+strconv.Itoa(size.Y))
	}
	scheme := 1
	if k.scheme == "dark" {
		scheme = 0
	}
	o.FirefoxUserPrefs = map[string]any{
		"browser.sessionhistory.max_total_viewers":         0, // no event reports a page that comes back whole
		"layout.css.prefers-color-scheme.content-override": scheme,
		"remote.events.async.mouse.enabled":                true, // else frames of other sites receive no mouse events
		"remote.events.async.wheel.enabled":                true,
		"fission.webContentIsolationStrategy":              0, // else frames of other sites receive no keys
		"browser.translations.enable":                      false,
		"security.sandbox.warn_unprivileged_namespaces":    false,
	}
}

// environment is that of this process with more in it.
func environment(more ...string) map[string]string {
	all := map[string]string{}
	for _, pair := range append(os.Environ(), more...) {
		if name, value, ok := strings.Cut(pair, "="); ok && name != "" {
			all[name] = value
		}
	}
	return all
}

func confineFirefox(o *playwright.BrowserTypeLaunchOptions) {
	o.Proxy.Bypass = nil
	for name, value := range map[string]any{"media.peerconnection.ice.proxy_only": true,
		"network.dns.disablePrefetch":             true,
		"network.proxy.allow_hijacking_localhost": true, "network.proxy.no_proxies_on": "",
		"network.http.speculative-parallel-limit": 0} {
		o.FirefoxUserPrefs[name] = value
	}
}

// NoEntry is what Firefox says to a step in the history that leads nowhere.
const NoEntry = "no such history entry"

// netCodes puts Firefox's reasons into Chromium's words for them.
func netCodes(text string) string {
	codes := []struct{ said, code string }{
		{"NS_ERROR_CONNECTION_REFUSED", "ERR_CONNECTION_REFUSED"}, {"NS_ERROR_NET_RESET", "ERR_CONNECTION_RESET"},
		{"NS_ERROR_NET_INTERRUPT", "ERR_CONNECTION_CLOSED"}, {"NS_ERROR_NET_EMPTY_RESPONSE", "ERR_EMPTY_RESPONSE"},
		{"NS_ERROR_NET_TIMEOUT", "ERR_CONNECTION_TIMED_OUT"}, {"NS_ERROR_UNKNOWN_HOST", "ERR_NAME_NOT_RESOLVED"},
		{"NS_ERROR_OFFLINE", "ERR_INTERNET_DISCONNECTED"}, {"NS_ERROR_PROXY_CONNECTION_REFUSED",
			"ERR_PROXY_CONNECTION_FAILED"},
		{"NS_ERROR_UNKNOWN_PROXY_HOST", "ERR_PROXY_CONNECTION_FAILED"}, {"NS_ERROR_PROXY_", "ERR_TUNNEL_CONNECTION_FAILED"},
		{"NS_ERROR_FILE_NOT_FOUND", "ERR_FILE_NOT_FOUND"}, {"NS_ERROR_FILE_ACCESS_DENIED", "ERR_ACCESS_DENIED"},
		{"NS_ERROR_REDIRECT_LOOP", "ERR_TOO_MANY_REDIRECTS"}, {"NS_ERROR_PORT_ACCESS_NOT_ALLOWED", "ERR_UNSAFE_PORT"},
		{"deniedPortAccess", "ERR_UNSAFE_PORT"}, {"NS_ERROR_MALFORMED_URI", "ERR_INVALID_URL"},
		{"NS_BINDING_ABORTED", "ERR_ABORTED"},
		{"NS_ERROR_ABORT", "ERR_ABORTED"}, {"SEC_ERROR_UNKNOWN_ISSUER", "ERR_CERT_AUTHORITY_INVALID"},
		{"MOZILLA_PKIX_ERROR_SELF_SIGNED_CERT", "ERR_CERT_AUTHORITY_INVALID"},
		{"SEC_ERROR_EXPIRED_CERTIFICATE", "ERR_CERT_DATE_INVALID"},
		{"SSL_ERROR_BAD_CERT_DOMAIN", "ERR_CERT_COMMON_NAME_INVALID"}, {"SSL_ERROR_", "ERR_SSL_PROTOCOL_ERROR"},
		{"NS_ERROR_CORRUPTED_CONTENT", "ERR_INVALID_RESPONSE"},
	}
	for _, c := range codes {
		if strings.Contains(text, c.said) {
			return c.code
		}
	}
	return ""
}
