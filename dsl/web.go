package dsl

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// OpenBrowser is the argument of openBrowser.
type OpenBrowser struct {
	URL      string `json:"url" required:"true" scalar:"true" minLength:"1" doc:"Address of the page (http, https, file, data, about), or the path of an HTML file, relative to the test's folder."`
	Headless *bool  `json:"headless,omitempty" doc:"Without a window. Default: true."`
}

// WebType is the argument of webType.
type WebType struct {
	Selector string `json:"selector" required:"true" minLength:"1" doc:"CSS selector of the field; text=, xpath= and Playwright's other engines work too."`
	Text     string `json:"text" required:"true" doc:"The text that the field shall hold afterwards."`
}

// WebAssert is the argument of webAssert. With neither visible nor text, the element must be visible.
type WebAssert struct {
	Selector string  `json:"selector" required:"true" scalar:"true" minLength:"1" doc:"CSS selector of the element; text=, xpath= and Playwright's other engines work too."`
	Visible  *bool   `json:"visible,omitempty" doc:"true: at least one match is visible; false: none is."`
	Text     *string `json:"text,omitempty" minLength:"1" doc:"Text that a visible match must show, as whole words, white space and case aside."`
}

// Local tells whether the URL is the path of an HTML file, relative to the test's own folder.
func (o OpenBrowser) Local() bool {
	path, _, _ := strings.Cut(o.URL, "#")
	path, _, _ = strings.Cut(path, "?")
	return !strings.Contains(path, ":") && (strings.HasSuffix(path, ".html") || strings.HasSuffix(path, ".htm"))
}

func (o OpenBrowser) check(d *decoding, v Value, _ object) {
	if o.URL == "" || strings.HasPrefix(o.URL, "data:") || o.Local() {
		return // "": a variable
	}
	place := v
	if f, given := v.Get("url"); given {
		place = f.Value
	}
	u, err := url.Parse(o.URL)
	switch {
	case err != nil:
		d.wrong(place, fmt.Sprintf("%q is not the address of a page%s", shorten(o.URL), origin(place)),
			`for example "https://example.com"`)
	case u.Scheme == "" || u.Host == "" && u.Opaque != "" && strings.Trim(u.Opaque[:1], "0123456789") == "":
		scheme := "https"
		if strings.HasPrefix(o.URL, "localhost") || strings.HasPrefix(o.URL, "127.") {
			scheme = "http"
		}
		d.wrong(place, fmt.Sprintf("the address %q does not begin with http:// or https://%s", shorten(o.URL), origin(place)),
			"write "+quote(scheme+"://"+strings.TrimLeft(o.URL, "/")))
	case !slices.Contains([]string{"http", "https", "file", "data", "about"}, u.Scheme):
		d.wrong(place, fmt.Sprintf("a browser test cannot open %q addresses%s", u.Scheme+":", origin(place)),
			"http, https, file, data and about work")
	case (u.Scheme == "http" || u.Scheme == "https") && u.Host == "":
		d.wrong(place, fmt.Sprintf("the address %q names no host%s", shorten(o.URL), origin(place)), `for example "https://example.com"`)
	}
}

func (a WebAssert) check(d *decoding, v Value, _ object) {
	text, given := v.Get("text")
	if given && a.Visible != nil && !*a.Visible {
		d.fail(text.Pos, len("text"), `"text" cannot stand beside "visible: false"`,
			"what is hidden shows no text: remove one of the two")
	}
}
