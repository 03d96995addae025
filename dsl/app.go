package dsl

import (
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/shorten"
)

// Launch is the argument of launch.
type Launch struct {
	Package     string            `json:"package" required:"true" scalar:"true" minLength:"1"`
	Force       bool              `json:"force,omitempty"`
	Clear       bool              `json:"clear,omitempty"`
	Permissions map[string]string `json:"permissions,omitempty" enum:"allow,deny,unset"`
	WebView     string            `json:"webView,omitempty" enum:"auto,devtools,accessibility" tool:"-"`
	Arguments   map[string]any    `json:"arguments,omitempty" tool:"-"`
	Env         map[string]string `json:"env,omitempty" platforms:"ios" tool:"-"`
}

func (l Launch) check(d *decoding, v source.Value, _ object) {
	env, _ := v.Get("env")
	for _, f := range env.Value.Fields {
		if f.Key == "" || strings.ContainsAny(f.Key, "=\x00") {
			d.wrong(f.Value, fmt.Sprintf("%q cannot be the name of an environment variable", shorten.Runes(f.Key, 60)), "")
		}
	}
	arguments, _ := v.Get("arguments")
	for _, f := range arguments.Value.Fields {
		if f.Value.Kind == source.List || f.Value.Kind == source.Map || f.Value.Kind == source.Null {
			d.wrong(f.Value, fmt.Sprintf("the argument %q must be a text, a number, true or false, not %s",
				shorten.Runes(f.Key, 60), describe(f.Value)), "")
		}
	}
}

// Stop is the argument of stop.
type Stop struct {
	Package string `json:"package" required:"true" scalar:"true" minLength:"1"`
}

// ClearApp is the argument of clearApp.
type ClearApp struct {
	Package  string `json:"package" required:"true" scalar:"true" minLength:"1"`
	Keychain bool   `json:"keychain,omitempty" platforms:"ios"`
}

// Kill is the argument of kill.
type Kill struct {
	Package string `json:"package" required:"true" scalar:"true" minLength:"1"`
}

// Install is the argument of install.
type Install struct {
	Path string `json:"path" required:"true" scalar:"true" minLength:"1" format:"file"`
}

// Uninstall is the argument of uninstall.
type Uninstall struct {
	Package string `json:"package" required:"true" scalar:"true" minLength:"1"`
}

// SetPermissions is the argument of setPermissions.
type SetPermissions struct {
	Package string   `json:"package" required:"true" minLength:"1"`
	Allow   []string `json:"allow,omitempty" minLength:"1"`
	Deny    []string `json:"deny,omitempty" minLength:"1"`
}

func (SetPermissions) rules() []rule {
	return []rule{atLeastOne("allow deny").says(`"setPermissions" changes nothing`, "")}
}

func (s SetPermissions) check(d *decoding, v source.Value, _ object) {
	deny, _ := v.Get("deny")
	for _, p := range s.Deny {
		for _, q := range s.Allow {
			if p == q {
				d.fail(deny.Pos, len("deny"), fmt.Sprintf("%q is both allowed and denied", shorten.Runes(p, 60)),
					"remove one of the two")
			}
		}
	}
}

// OpenLink is the argument of openLink.
type OpenLink struct {
	URL     string `json:"url" required:"true" scalar:"true" minLength:"1" format:"link"`
	Package string `json:"package,omitempty" minLength:"1" platforms:"android"`
}

func (d *decoding) link(v source.Value, text string) {
	if !schemeForm.MatchString(text) {
		d.wrong(v, fmt.Sprintf("%q is not a link%s", shorten.Runes(text, 60), origin(v)),
			`a link starts with its scheme: "https://example.com" or "shop://item/5"`)
	}
}
