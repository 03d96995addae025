package dsl

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/shorten"
)

// OpenBrowser is the argument of openBrowser.
type OpenBrowser struct {
	URL         string `json:"url" required:"true" scalar:"true" minLength:"1" format:"page"`
	Headless    *bool  `json:"headless,omitempty"`
	Viewport    string `json:"viewport,omitempty" minLength:"1" format:"pageSize"`
	Device      string `json:"device,omitempty" minLength:"1" tool:"-"`
	Locale      string `json:"locale,omitempty" minLength:"1" format:"locale"`
	Timezone    string `json:"timezone,omitempty" minLength:"1" tool:"-"`
	ColorScheme string `json:"colorScheme,omitempty" enum:"light,dark,no-preference"`
	Storage     string `json:"storage,omitempty" minLength:"1" tool:"-"`

	Browser     string            `json:"browser,omitempty" enum:"chromium,firefox,webkit"`
	Connect     string            `json:"connect,omitempty" minLength:"1" format:"browser" tool:"-"`
	Geolocation string            `json:"geolocation,omitempty" minLength:"1" format:"place" tool:"-"`
	Permissions []string          `json:"permissions,omitempty" tool:"-"`
	Offline     bool              `json:"offline,omitempty" tool:"-"`
	UserAgent   string            `json:"userAgent,omitempty" minLength:"1" tool:"-"`
	Headers     map[string]string `json:"headers,omitempty" tool:"-"`
	AnyCert     bool              `json:"ignoreHttpsErrors,omitempty" tool:"-"`

	Credentials *HTTPCredentials `json:"httpCredentials,omitempty" tool:"-"`
}

// Local reports whether the URL is the path of an HTML file, relative to the test's own folder.
func (o OpenBrowser) Local() bool { return localPage(o.URL) }

// Size returns the width and height of Viewport; zeros without one.
func (o OpenBrowser) Size() (width, height int) {
	width, height, _ = size(o.Viewport)
	return width, height
}

func (OpenBrowser) rules() []rule {
	return []rule{
		exclude("headless browser device locale timezone storage userAgent ignoreHttpsErrors httpCredentials", "connect").
			says("", "a browser that runs already is as it is: remove one of the two")}
}

// browserAddress checks the address of a running browser.
func (d *decoding) browserAddress(v source.Value, address string) {
	u, err := url.Parse(address)
	if err != nil || !slices.Contains([]string{"http", "https", "ws", "wss"}, u.Scheme) || u.Host == "" {
		d.wrong(v, fmt.Sprintf("%q is not the address of a running browser%s", shorten.Runes(address, 60), origin(v)),
			`for example "http://127.0.0.1:9222"`)
	}
}

var sizeForm = lazyregexp.New(`^([1-9][0-9]{1,4})x([1-9][0-9]{1,4})$`)

// size reads "1280x720".
func size(text string) (width, height int, ok bool) {
	m := sizeForm.FindStringSubmatch(text)
	if m == nil {
		return 0, 0, false
	}
	width, _ = source.Number(m[1])
	height, _ = source.Number(m[2])
	return width, height, true
}

func localPage(address string) bool {
	path, _, _ := strings.Cut(address, "#")
	path, _, _ = strings.Cut(path, "?")
	return !strings.Contains(path, ":") && (strings.HasSuffix(path, ".html") || strings.HasSuffix(path, ".htm"))
}

// HTTPCredentials are what the browser sends when the site of openBrowser requests a user and a password (basic
// authentication).
type HTTPCredentials struct {
	Username string `json:"username" required:"true" minLength:"1"`
	Password string `json:"password" required:"true"`
}

// page checks what a browser is to open.
func (d *decoding) page(place source.Value, address string) {
	if address == "" || strings.HasPrefix(address, "data:") || localPage(address) {
		return // "": a variable
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		d.wrong(place, fmt.Sprintf("%q is not the address of a page%s", shorten.Runes(address, 60), origin(place)),
			`for example "https://example.com"`)
	case u.Scheme == "" || u.Host == "" && u.Opaque != "" && strings.Trim(u.Opaque[:1], "0123456789") == "":
		scheme := "https"
		if strings.HasPrefix(address, "localhost") || strings.HasPrefix(address, "127.") {
			scheme = "http"
		}
		d.wrong(place, fmt.Sprintf("the URL %q does not start with http:// or https://%s", shorten.Runes(address, 60),
			origin(place)),
			"write "+source.Quote(scheme+"://"+strings.TrimLeft(address, "/")))
	case !slices.Contains([]string{"http", "https", "file", "data", "about"}, u.Scheme):
		d.wrong(place, fmt.Sprintf("a browser test cannot open %q addresses%s", u.Scheme+":", origin(place)),
			"http, https, file, data and about work")
	case (u.Scheme == "http" || u.Scheme == "https") && u.Host == "":
		d.wrong(place, fmt.Sprintf("the address %q names no host%s", shorten.Runes(address, 60), origin(place)),
			`for example "https://example.com"`)
	}
}

// WebNavigate is the argument of webNavigate: an address, or a step in the history.
type WebNavigate struct {
	URL string `json:"url,omitempty" scalar:"true" minLength:"1" format:"pageOrPath"`
	To  string `json:"to,omitempty" enum:"back,forward,reload"`
}

func (WebNavigate) rules() []rule { return []rule{exactlyOne("url to")} }

// pageOrPath checks where a page is to go: an address, or a path of the same site.
func (d *decoding) pageOrPath(v source.Value, address string) {
	switch {
	case strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "//"):
	case slices.Contains([]string{"back", "forward", "reload"}, address):
		d.wrong(v, fmt.Sprintf("%q is not an address", address), fmt.Sprintf(`write "- webNavigate: {to: %s}"`, address))
	default:
		d.page(v, address)
	}
}

// WebStorage is the argument of webStorage.
type WebStorage struct {
	Save  string `json:"save,omitempty" minLength:"1"`
	Load  string `json:"load,omitempty" minLength:"1"`
	Clear bool   `json:"clear,omitempty" only:"true"`
}

func (WebStorage) rules() []rule { return []rule{exactlyOne("save load clear")} }

// WebEval is the argument of webEval.
type WebEval struct {
	Script string `json:"script" required:"true" scalar:"true" minLength:"1"`
}

// WebRoute is the argument of webRoute: what the page gets instead of the network's own answer.
type WebRoute struct {
	URL     string            `json:"url" required:"true" minLength:"1"`
	Status  int               `json:"status,omitempty" minimum:"100" maximum:"599"`
	Body    string            `json:"body,omitempty"`
	JSON    any               `json:"json,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Block   bool              `json:"block,omitempty"`
	DelayMs int               `json:"delayMs,omitempty" minimum:"0" maximum:"600000"`
	Modify  *WebModify        `json:"modify,omitempty"`
	Request map[string]string `json:"request,omitempty"`
	Method  string            `json:"method,omitempty" enum:"GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS"`
	Times   int               `json:"times,omitempty" minimum:"1" maximum:"10000"`
}

// WebModify is how the network's own answer is changed before the page gets it.
type WebModify struct {
	Status  int               `json:"status,omitempty" minimum:"100" maximum:"599"`
	Headers map[string]string `json:"headers,omitempty"`
	Merge   any               `json:"merge,omitempty"`
	Replace map[string]string `json:"replace,omitempty"`
}

func (WebModify) rules() []rule {
	return []rule{atLeastOne("").says(`"modify" changes nothing`, "for example: modify: {merge: {stock: 0}}")}
}

func (WebRoute) rules() []rule {
	return []rule{
		atLeastOne("status body json headers block delayMs modify request").says(`"webRoute" changes nothing`,
			"give status, body, json, headers, block, delayMs, modify or request"),
		oneBody(),
		exclude("status body json headers modify request", "block=true").says("",
			"a request that is blocked gets no answer: remove one of the two"),
		exclude("status body json headers", "modify").
			says("", "the answer is either made here or the network's own: put it into modify, or remove modify"),
		exclude("status body json headers", "request").says("",
			"a request that is answered here does not go out: remove one of the two"),
	}
}

// oneBody refuses two bodies.
func oneBody() rule {
	return exclude("json", "body").says("", "one of them is the body: remove the other")
}

// CloseBrowser is the argument of closeBrowser.
type CloseBrowser struct{}
