package dsl

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// OpenBrowser is the argument of openBrowser.
type OpenBrowser struct {
	URL         string `json:"url" required:"true" scalar:"true" minLength:"1" doc:"Address of the page (http, https, file, data, about), or the path of an HTML file, relative to the test's folder."`
	Headless    *bool  `json:"headless,omitempty" doc:"Without a window. Default: true."`
	Viewport    string `json:"viewport,omitempty" minLength:"1" doc:"Width and height of the page in pixels: \"1280x720\"."`
	Device      string `json:"device,omitempty" minLength:"1" doc:"A device to imitate, by Playwright's name for it: \"Pixel 7\"."`
	Locale      string `json:"locale,omitempty" minLength:"1" doc:"Language and country that the browser says it has, such as de-DE."`
	Timezone    string `json:"timezone,omitempty" minLength:"1" doc:"Time zone, such as Europe/Berlin."`
	ColorScheme string `json:"colorScheme,omitempty" enum:"light,dark,no-preference" doc:"Whether pages shall be light or dark."`
	Storage     string `json:"storage,omitempty" minLength:"1" doc:"A file that webStorage saved, relative to the test's folder: cookies and local storage of a signed-in user."`

	Browser     string            `json:"browser,omitempty" enum:"chromium,firefox,webkit" doc:"Which browser. Default: chromium; firefox and webkit where Playwright's own are installed."`
	Connect     string            `json:"connect,omitempty" minLength:"1" doc:"Address of a Chromium that runs already with --remote-debugging-port: \"http://127.0.0.1:9222\". The page becomes a tab of it, signed in as it is."`
	Geolocation string            `json:"geolocation,omitempty" minLength:"1" doc:"Where the browser is, latitude and longitude: \"52.52,13.405\". The page may ask for it without a prompt."`
	Permissions []string          `json:"permissions,omitempty" doc:"What pages may do without asking, by the browser's name: notifications, clipboard-read, camera."`
	Offline     bool              `json:"offline,omitempty" doc:"Without a network, once the page is open."`
	UserAgent   string            `json:"userAgent,omitempty" minLength:"1" doc:"What the browser says it is."`
	Headers     map[string]string `json:"headers,omitempty" doc:"Headers that every request carries."`
	AnyCert     bool              `json:"ignoreHttpsErrors,omitempty" doc:"Takes certificates that are not valid, such as those of a test server."`
}

// Local tells whether the URL is the path of an HTML file, relative to the test's own folder.
func (o OpenBrowser) Local() bool { return localPage(o.URL) }

// Size gives the width and height of Viewport; zeros without one.
func (o OpenBrowser) Size() (width, height int) {
	width, height, _ = size(o.Viewport)
	return width, height
}

func (o OpenBrowser) check(d *decoding, v Value, _ object) {
	place := v
	if f, given := v.Get("url"); given {
		place = f.Value
	}
	d.page(place, o.URL)
	if f, given := v.Get("viewport"); given && o.Viewport != "" {
		if _, _, ok := size(o.Viewport); !ok {
			d.wrong(f.Value, fmt.Sprintf("%q is not the size of a page%s", shorten(o.Viewport), origin(f.Value)), `write width and height: "1280x720"`)
		}
	}
	if f, given := v.Get("locale"); given {
		d.locale(f.Value, o.Locale)
	}
	if f, given := v.Get("geolocation"); given && o.Geolocation != "" {
		d.degrees(f.Value, o.Geolocation)
	}
	if f, given := v.Get("connect"); given && o.Connect != "" {
		d.connect(f.Value, v, o.Connect)
	}
}

// connect checks the address of a running browser, and that nothing is asked of it which only a fresh context can be.
func (d *decoding) connect(place, v Value, address string) {
	u, err := url.Parse(address)
	if err != nil || !slices.Contains([]string{"http", "https", "ws", "wss"}, u.Scheme) || u.Host == "" {
		d.wrong(place, fmt.Sprintf("%q is not the address of a running browser%s", shorten(address), origin(place)),
			`for example "http://127.0.0.1:9222"`)
	}
	for _, key := range ofFreshContexts() {
		if f, given := v.Get(key); given {
			d.fail(f.Pos, len(key), fmt.Sprintf(`%q cannot stand beside "connect"`, key), "a browser that runs already is as it is: remove one of the two")
		}
	}
}

// ofFreshContexts are the keys of openBrowser that a browser which runs already cannot follow.
func ofFreshContexts() []string {
	return []string{"headless", "browser", "device", "locale", "timezone", "storage", "userAgent", "ignoreHttpsErrors"}
}

var sizeForm = regexp.MustCompile(`^([1-9][0-9]{1,4})x([1-9][0-9]{1,4})$`)

// size reads "1280x720".
func size(text string) (width, height int, ok bool) {
	m := sizeForm.FindStringSubmatch(text)
	if m == nil {
		return 0, 0, false
	}
	width, _ = number(m[1])
	height, _ = number(m[2])
	return width, height, true
}

func localPage(address string) bool {
	path, _, _ := strings.Cut(address, "#")
	path, _, _ = strings.Cut(path, "?")
	return !strings.Contains(path, ":") && (strings.HasSuffix(path, ".html") || strings.HasSuffix(path, ".htm"))
}

// page checks what a browser is to open.
func (d *decoding) page(place Value, address string) {
	if address == "" || strings.HasPrefix(address, "data:") || localPage(address) {
		return // "": a variable
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		d.wrong(place, fmt.Sprintf("%q is not the address of a page%s", shorten(address), origin(place)),
			`for example "https://example.com"`)
	case u.Scheme == "" || u.Host == "" && u.Opaque != "" && strings.Trim(u.Opaque[:1], "0123456789") == "":
		scheme := "https"
		if strings.HasPrefix(address, "localhost") || strings.HasPrefix(address, "127.") {
			scheme = "http"
		}
		d.wrong(place, fmt.Sprintf("the address %q does not begin with http:// or https://%s", shorten(address), origin(place)),
			"write "+quote(scheme+"://"+strings.TrimLeft(address, "/")))
	case !slices.Contains([]string{"http", "https", "file", "data", "about"}, u.Scheme):
		d.wrong(place, fmt.Sprintf("a browser test cannot open %q addresses%s", u.Scheme+":", origin(place)),
			"http, https, file, data and about work")
	case (u.Scheme == "http" || u.Scheme == "https") && u.Host == "":
		d.wrong(place, fmt.Sprintf("the address %q names no host%s", shorten(address), origin(place)), `for example "https://example.com"`)
	}
}

// WebNavigate is the argument of webNavigate: an address, or a step in the history.
type WebNavigate struct {
	URL string `json:"url,omitempty" scalar:"true" minLength:"1" doc:"The address to go to, as in openBrowser; one that begins with / is of the same site."`
	To  string `json:"to,omitempty" enum:"back,forward,reload" doc:"A step in the history instead of an address."`
}

func (n WebNavigate) check(d *decoding, v Value, o object) {
	if !d.exactlyOne(v, o, "url", "to") || strings.HasPrefix(n.URL, "/") && !strings.HasPrefix(n.URL, "//") {
		return
	}
	if f, given := v.Get("url"); given {
		v = f.Value
	}
	if slices.Contains([]string{"back", "forward", "reload"}, n.URL) {
		d.wrong(v, fmt.Sprintf("%q is not an address", n.URL), fmt.Sprintf(`write "- webNavigate: {to: %s}"`, n.URL))
		return
	}
	d.page(v, n.URL)
}

// WebStorage is the argument of webStorage.
type WebStorage struct {
	Save  string `json:"save,omitempty" minLength:"1" doc:"File to write cookies and local storage to, relative to the test's folder."`
	Load  string `json:"load,omitempty" minLength:"1" doc:"File to read them from."`
	Clear bool   `json:"clear,omitempty" doc:"Removes the cookies and the page's own storage, as for a visitor who comes for the first time."`
}

func (s WebStorage) check(d *decoding, v Value, o object) {
	if d.exactlyOne(v, o, "save", "load", "clear") {
		d.onlyTrue(v, "clear")
	}
}

// onlyTrue refuses false for a key that asks for something by being there.
func (d *decoding) onlyTrue(v Value, key string) {
	if f, given := v.Get(key); given && f.Value.Kind == Bool && f.Value.Text == "false" {
		d.wrong(f.Value, fmt.Sprintf(`"%s: false" asks for nothing`, key), "write true, or remove the step")
	}
}

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
	Modify  *WebModify        `json:"modify,omitempty" doc:"What becomes different in the network's own answer."`
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

func (m WebModify) check(d *decoding, v Value, o object) {
	if len(v.Fields) == 0 {
		d.fail(o.at, len([]rune(o.name)), `"modify" changes nothing`, "for example: "+o.example)
	}
}

func (r WebRoute) check(d *decoding, v Value, o object) {
	d.body(v)
	_, modify := v.Get("modify")
	_, request := v.Get("request")
	changes := modify || request
	for _, key := range []string{"status", "body", "json", "headers", "modify", "request"} {
		f, given := v.Get(key)
		changes = changes || given
		switch {
		case !given:
		case r.Block:
			d.fail(f.Pos, len(key), fmt.Sprintf(`%q cannot stand beside "block"`, key), "a request that is blocked gets no answer: remove one of the two")
		case modify && key != "modify" && key != "request":
			d.fail(f.Pos, len(key), fmt.Sprintf(`%q cannot stand beside "modify"`, key), "the answer is either made here or the network's own: put it into modify, or remove modify")
		case request && key != "modify" && key != "request":
			d.fail(f.Pos, len(key), fmt.Sprintf(`%q cannot stand beside "request"`, key), "a request that is answered here does not go out: remove one of the two")
		}
	}
	_, block := v.Get("block")
	if _, delay := v.Get("delayMs"); !changes && !block && !delay {
		d.fail(o.at, len([]rune(o.name)), `"webRoute" changes nothing`, "give status, body, json, headers, block, delayMs, modify or request")
	}
}

// body refuses two bodies.
func (d *decoding) body(v Value) {
	_, text := v.Get("body")
	if f, given := v.Get("json"); given && text {
		d.fail(f.Pos, len("json"), `"json" cannot stand beside "body"`, "one of them is the body: remove the other")
	}
}

// CloseBrowser is the argument of closeBrowser.
type CloseBrowser struct{}
