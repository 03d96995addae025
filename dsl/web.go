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
	URL         string `json:"url" required:"true" scalar:"true" minLength:"1" format:"page" tool:"Address of the page (http, https, data, about), or the path of an HTML file below the server's folder." doc:"Address of the page (http, https, file, data, about), or the path of an HTML file, relative to the test's folder."`
	Headless    *bool  `json:"headless,omitempty" doc:"Without a window. Default: true."`
	Viewport    string `json:"viewport,omitempty" minLength:"1" format:"pageSize" doc:"Width and height of the page in pixels: \"1280x720\"."`
	Device      string `json:"device,omitempty" minLength:"1" tool:"-" doc:"A device to imitate, by Playwright's name for it: \"Pixel 7\"."`
	Locale      string `json:"locale,omitempty" minLength:"1" format:"locale" doc:"Language and country that the browser says it has, such as de-DE."`
	Timezone    string `json:"timezone,omitempty" minLength:"1" tool:"-" doc:"Time zone, such as Europe/Berlin."`
	ColorScheme string `json:"colorScheme,omitempty" enum:"light,dark,no-preference" doc:"Whether pages shall be light or dark."`
	Storage     string `json:"storage,omitempty" minLength:"1" tool:"-" doc:"A file that webStorage saved, relative to the test's folder: cookies and local storage of a signed-in user."`

	Browser     string            `json:"browser,omitempty" enum:"chromium,firefox,webkit" tool:"chromium (default), firefox or webkit." doc:"Which browser, whatever the run says. Default: that of the test or the run, else chromium. firefox is the system's; webkit Playwright's own, where it is installed."`
	Connect     string            `json:"connect,omitempty" minLength:"1" format:"browser" tool:"-" doc:"Address of a Chromium that runs already with --remote-debugging-port: \"http://127.0.0.1:9222\". The page becomes a tab of it, signed in as it is."`
	Geolocation string            `json:"geolocation,omitempty" minLength:"1" format:"place" tool:"-" doc:"Where the browser is, latitude and longitude: \"52.52,13.405\". The page may ask for it without a prompt."`
	Permissions []string          `json:"permissions,omitempty" tool:"-" doc:"What pages may do without asking, by the browser's name: notifications, clipboard-read, camera."`
	Offline     bool              `json:"offline,omitempty" tool:"-" doc:"Without a network, once the page is open."`
	UserAgent   string            `json:"userAgent,omitempty" minLength:"1" tool:"-" doc:"What the browser says it is."`
	Headers     map[string]string `json:"headers,omitempty" tool:"-" doc:"Headers that every request carries."`
	AnyCert     bool              `json:"ignoreHttpsErrors,omitempty" tool:"-" doc:"Takes certificates that are not valid, such as those of a test server."`

	Credentials *HTTPCredentials `json:"httpCredentials,omitempty" tool:"-" example:"httpCredentials: {username: ada, password: \"${vars.PASSWORD}\"}" doc:"User and password with which the site of the url is answered that asks for them by HTTP (basic authentication). Other sites do not get them."`
}

// Local tells whether the URL is the path of an HTML file, relative to the test's own folder.
func (o OpenBrowser) Local() bool { return localPage(o.URL) }

// Size gives the width and height of Viewport; zeros without one.
func (o OpenBrowser) Size() (width, height int) {
	width, height, _ = size(o.Viewport)
	return width, height
}

func (OpenBrowser) rules() []rule {
	return []rule{
		cannotStand("headless browser device locale timezone storage userAgent ignoreHttpsErrors httpCredentials", "connect").
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

// HTTPCredentials are what the browser answers with when the site of openBrowser asks for a user and a password (basic
// authentication).
type HTTPCredentials struct {
	Username string `json:"username" required:"true" minLength:"1" doc:"The user."`
	Password string `json:"password" required:"true" doc:"The password. It is masked in reports."`
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
		d.wrong(place, fmt.Sprintf("the address %q does not begin with http:// or https://%s", shorten.Runes(address, 60),
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
	URL string `json:"url,omitempty" scalar:"true" minLength:"1" format:"pageOrPath" tool:"The address to go to; one that begins with / is of the same site." doc:"The address to go to, as in openBrowser; one that begins with / is of the same site."`
	To  string `json:"to,omitempty" enum:"back,forward,reload" doc:"A step in the history instead of an address."`
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
	Save  string `json:"save,omitempty" minLength:"1" doc:"File to write cookies and local storage to, relative to the test's folder."`
	Load  string `json:"load,omitempty" minLength:"1" doc:"File to read them from."`
	Clear bool   `json:"clear,omitempty" only:"true" doc:"Removes the cookies and the page's own storage, as for a visitor who comes for the first time."`
}

func (WebStorage) rules() []rule { return []rule{exactlyOne("save load clear")} }

// WebEval is the argument of webEval.
type WebEval struct {
	Script string `json:"script" required:"true" scalar:"true" minLength:"1" doc:"JavaScript that the page runs: an expression, or a function. as: saves what it gives."`
}

// WebRoute is the argument of webRoute: what the page gets instead of the network's own answer.
type WebRoute struct {
	URL     string            `json:"url" required:"true" minLength:"1" doc:"Which requests: an address with * and ** for any part."`
	Status  int               `json:"status,omitempty" minimum:"100" maximum:"599" doc:"Status of the answer. Default: 200."`
	Body    string            `json:"body,omitempty" doc:"Body of the answer."`
	JSON    any               `json:"json,omitempty" doc:"Body of the answer, written as JSON."`
	Headers map[string]string `json:"headers,omitempty" doc:"Headers of the answer."`
	Block   bool              `json:"block,omitempty" doc:"The request fails, as without a network."`
	DelayMs int               `json:"delayMs,omitempty" minimum:"0" maximum:"600000" doc:"How long the answer takes, in milliseconds."`
	Modify  *WebModify        `json:"modify,omitempty" example:"modify: {merge: {stock: 0}}" doc:"What becomes different in the network's own answer."`
	Request map[string]string `json:"request,omitempty" doc:"Headers with which the request goes out; an empty value removes one."`
	Method  string            `json:"method,omitempty" enum:"GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS" doc:"Requests of this method only. Default: all."`
	Times   int               `json:"times,omitempty" minimum:"1" maximum:"10000" doc:"How many requests it is for; later ones go their way. Default: all."`
}

// WebModify is how the network's own answer is changed before the page gets it.
type WebModify struct {
	Status  int               `json:"status,omitempty" minimum:"100" maximum:"599" doc:"Another status."`
	Headers map[string]string `json:"headers,omitempty" doc:"Headers in place of, or beside, the answer's own; an empty value removes one."`
	Merge   any               `json:"merge,omitempty" doc:"A JSON merge patch (RFC 7386) for the body: keys replace those of the answer, null removes one."`
	Replace map[string]string `json:"replace,omitempty" doc:"Texts in the body and what stands in their place."`
}

func (WebModify) rules() []rule {
	return []rule{atLeastOne("").says(`"modify" changes nothing`, "for example: modify: {merge: {stock: 0}}")}
}

func (WebRoute) rules() []rule {
	return []rule{
		atLeastOne("status body json headers block delayMs modify request").says(`"webRoute" changes nothing`,
			"give status, body, json, headers, block, delayMs, modify or request"),
		oneBody(),
		cannotStand("status body json headers modify request", "block=true").says("",
			"a request that is blocked gets no answer: remove one of the two"),
		cannotStand("status body json headers", "modify").
			says("", "the answer is either made here or the network's own: put it into modify, or remove modify"),
		cannotStand("status body json headers", "request").says("",
			"a request that is answered here does not go out: remove one of the two"),
	}
}

// oneBody refuses two bodies.
func oneBody() rule {
	return cannotStand("json", "body").says("", "one of them is the body: remove the other")
}

// CloseBrowser is the argument of closeBrowser.
type CloseBrowser struct{}
