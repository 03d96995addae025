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
	Save string `json:"save,omitempty" minLength:"1" doc:"File to write cookies and local storage to, relative to the test's folder."`
	Load string `json:"load,omitempty" minLength:"1" doc:"File to read them from."`
}

func (s WebStorage) check(d *decoding, v Value, o object) { d.exactlyOne(v, o, "save", "load") }

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
}

func (r WebRoute) check(d *decoding, v Value, o object) {
	d.body(v)
	answer := false
	for _, key := range []string{"status", "body", "json", "headers"} {
		f, given := v.Get(key)
		answer = answer || given
		if given && r.Block {
			d.fail(f.Pos, len(key), fmt.Sprintf(`%q cannot stand beside "block"`, key), "a request that is blocked gets no answer: remove one of the two")
		}
	}
	_, block := v.Get("block")
	if _, delay := v.Get("delayMs"); !answer && !block && !delay {
		d.fail(o.at, len([]rune(o.name)), `"webRoute" changes nothing`, "give status, body, json, headers, block or delayMs")
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
