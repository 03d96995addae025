package form

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/mailurl"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

func (c *Checker) link(v source.Value, text string) {
	if !schemeForm.MatchString(text) {
		c.Wrong(v, fmt.Sprintf("%q is not a link%s", phrase.LimitRunes(text, 60), source.Origin(v)),
			`a link starts with its scheme: "https://example.com" or "shop://item/5"`)
	}
}

// httpAddress checks where a request goes to.
func (c *Checker) httpAddress(v source.Value, address string) {
	if !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
		c.Wrong(v, fmt.Sprintf("the URL %q does not start with http:// or https://%s", phrase.LimitRunes(address, 60),
			source.Origin(v)), "write the whole address")
		return
	}
	c.page(v, address)
}

// mailServer checks the URL of a mail server. Its password stays out of the message.
func (c *Checker) mailServer(v source.Value, text string) {
	if _, err := mailurl.Parse(text); err != nil {
		c.Wrong(v, fmt.Sprintf("the URL of the mail server is wrong: %v%s", err, source.Origin(v)),
			"for example imaps://user:password@imap.example.com/INBOX, or http://localhost:8025 of Mailpit")
	}
}

// address checks a pattern for addresses: a regular expression between slashes has to be one.
func (c *Checker) address(v source.Value, text string) {
	if len(text) > 1 && strings.HasPrefix(text, "/") && strings.HasSuffix(text, "/") {
		c.Regex(v, text[1:len(text)-1])
	}
}

// pageForm is what browsers can open: see page.
const pageForm = `^(https?://[^/?#]|file:|data:|about:|[^:?#]*\.html?([?#]|$))`

// webLink wants an address that a reader of the report can follow.
func (c *Checker) webLink(v source.Value, text string) {
	if !strings.HasPrefix(text, "https://") && !strings.HasPrefix(text, "http://") {
		c.Wrong(
			v,
			fmt.Sprintf("%q is not a link", phrase.LimitRunes(text, 60)),
			"a link starts with https:// or http://",
		)
	}
}

// glob wants a pattern of files.
func (c *Checker) glob(v source.Value, text string) {
	switch {
	case !doublestar.ValidatePattern(text):
		c.Wrong(v, fmt.Sprintf("%q is not a pattern", phrase.LimitRunes(text, 60)),
			"* matches any characters, ** any folders, {a,b} one of several")
	case strings.ContainsRune(text, '\\'):
		c.Wrong(v, "a backslash in a pattern", "write / between folders; it works on every system")
	case strings.HasPrefix(text, "/"), strings.HasPrefix(text, ".."):
		c.Wrong(v, fmt.Sprintf("the pattern %q leads out of this file's folder", phrase.LimitRunes(text, 60)),
			"patterns are relative to this file")
	}
}

// stepsFile checks the path of a file that a run step names.
func (c *Checker) stepsFile(v source.Value, file string) {
	switch {
	case strings.ContainsRune(file, '\\'):
		c.Wrong(v, "a backslash in a path", "write / between folders; it works on every system")
	case strings.HasPrefix(file, "/"), strings.Contains(file, ":"):
		c.Wrong(v, fmt.Sprintf("the path %q is not relative to this file's folder", phrase.LimitRunes(file, 60)),
			"write it relative to this file: ../blocks/login.yaml")
	case !strings.HasSuffix(file, ".yaml") && !strings.HasSuffix(file, ".yml"):
		hint := "it ends in .yaml or .yml; a block of this file is run: {block: " + phrase.LimitRunes(file, 60) + "}"
		c.Wrong(v, fmt.Sprintf("%q is not the name of a YAML file", phrase.LimitRunes(file, 60)), hint)
	}
}

// browserAddress checks the address of a running browser.
func (c *Checker) browserAddress(v source.Value, address string) {
	u, err := url.Parse(address)
	if err != nil || !slices.Contains([]string{"http", "https", "ws", "wss"}, u.Scheme) || u.Host == "" {
		c.Wrong(
			v,
			fmt.Sprintf(
				"%q is not the address of a running browser%s",
				phrase.LimitRunes(address, 60),
				source.Origin(v),
			),
			`for example "http://127.0.0.1:9222"`,
		)
	}
}

// page checks what a browser is to open.
func (c *Checker) page(place source.Value, address string) {
	if address == "" || strings.HasPrefix(address, "data:") || vocabulary.LocalPage(address) {
		return // "": a variable
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		c.Wrong(
			place,
			fmt.Sprintf("%q is not the address of a page%s", phrase.LimitRunes(address, 60), source.Origin(place)),
			`for example "https://example.com"`,
		)
	case u.Scheme == "" || u.Host == "" && u.Opaque != "" && strings.Trim(u.Opaque[:1], "0123456789") == "":
		scheme := "https"
		if strings.HasPrefix(address, "localhost") || strings.HasPrefix(address, "127.") {
			scheme = "http"
		}
		c.Wrong(
			place,
			fmt.Sprintf("the URL %q does not start with http:// or https://%s", phrase.LimitRunes(address, 60),
				source.Origin(place)),
			"write "+source.Quote(scheme+"://"+strings.TrimLeft(address, "/")),
		)
	case !slices.Contains([]string{"http", "https", "file", "data", "about"}, u.Scheme):
		c.Wrong(place, fmt.Sprintf("a browser test cannot open %q addresses%s", u.Scheme+":", source.Origin(place)),
			"http, https, file, data and about work")
	case (u.Scheme == "http" || u.Scheme == "https") && u.Host == "":
		c.Wrong(
			place,
			fmt.Sprintf("the address %q names no host%s", phrase.LimitRunes(address, 60), source.Origin(place)),
			`for example "https://example.com"`,
		)
	}
}

// pageOrBase checks what a browser is to open: an address, or a path of the site that baseUrl names.
func (c *Checker) pageOrBase(v source.Value, address string) {
	if !vocabulary.OnBase(address) {
		c.page(v, address)
	}
}

// pageOrPath checks where a page is to go: an address, or a path of the same site.
func (c *Checker) pageOrPath(v source.Value, address string) {
	switch {
	case strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "//"):
	case slices.Contains([]string{"back", "forward", "reload"}, address):
		c.Wrong(
			v,
			fmt.Sprintf("%q is not an address", address),
			fmt.Sprintf(`write "- webNavigate: {to: %s}"`, address),
		)
	default:
		c.page(v, address)
	}
}
