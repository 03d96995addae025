package dsl

import (
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/shorten"
)

// Launch is the argument of launch.
type Launch struct {
	Package     string            `json:"package" required:"true" scalar:"true" minLength:"1" tool:"App: Android package[/.Activity] or iOS bundle id." doc:"App identifier: an Android package or an iOS bundle id. An Android app may be followed by one of its activities, com.example.app/.Settings; without, its main activity is started."`
	Force       bool              `json:"force,omitempty" doc:"Stop the app first when it is running, so that it starts afresh."`
	Clear       bool              `json:"clear,omitempty" doc:"Remove the app's data first, as if it had just been installed."`
	Permissions map[string]string `json:"permissions,omitempty" enum:"allow,deny,unset" tool:"Permissions to set before the start, for example {camera: allow, android.permission.READ_CONTACTS: deny}." doc:"Permissions to set before the start, for example {camera: allow, android.permission.READ_CONTACTS: deny}. all means every one that the app asks for, as far as it can be changed; unset takes it away, so that the app asks again."`
	WebView     string            `json:"webView,omitempty" enum:"auto,devtools,accessibility" tool:"-" doc:"What tells of the web pages that the app shows in WebViews, until the end of the test. devtools: Chrome DevTools, on iOS Safari's Web Inspector, for apps that let their WebViews be debugged; accessibility: the system's own elements. Default auto: DevTools where accessibility tells nothing."`
	Arguments   map[string]any    `json:"arguments,omitempty" tool:"-" doc:"What the app is started with: intent extras on Android, launch arguments on iOS."`
	Env         map[string]string `json:"env,omitempty" platforms:"ios" tool:"-" doc:"Environment variables that the app is started with, for example {API_URL: 'http://127.0.0.1:8080'}. One that runs is started afresh for them."`
}

func (l Launch) check(d *decoding, v source.Value, _ object) {
	env, _ := v.Get("env")
	for _, f := range env.Value.Fields {
		if f.Key == "" || strings.ContainsAny(f.Key, "=\x00") {
			d.wrong(f.Value, fmt.Sprintf("%q can be no environment variable's name", shorten.Runes(f.Key, 60)), "")
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
	Package string `json:"package" required:"true" scalar:"true" minLength:"1" doc:"The app to stop."`
}

// ClearApp is the argument of clearApp.
type ClearApp struct {
	Package  string `json:"package" required:"true" scalar:"true" minLength:"1" doc:"The app whose data are removed; it is stopped."`
	Keychain bool   `json:"keychain,omitempty" platforms:"ios" doc:"Empty all apps' keychain (iOS simulators)."`
}

// Kill is the argument of kill.
type Kill struct {
	Package string `json:"package" required:"true" scalar:"true" minLength:"1" doc:"The app whose process ends; it must be in the background."`
}

// Install is the argument of install.
type Install struct {
	Path string `json:"path" required:"true" scalar:"true" minLength:"1" format:"file" tool:"The file to install (.apk, .apks, .ipa, .app), below the server's folder." doc:"The file to install (.apk, .ipa, .app; a folder or an .apks with the parts of an Android app), relative to the test's folder."`
}

// Uninstall is the argument of uninstall.
type Uninstall struct {
	Package string `json:"package" required:"true" scalar:"true" minLength:"1" doc:"The app to remove; it is no mistake when it is not installed."`
}

// SetPermissions is the argument of setPermissions.
type SetPermissions struct {
	Package string   `json:"package" required:"true" minLength:"1" doc:"The app."`
	Allow   []string `json:"allow,omitempty" minLength:"1" doc:"Permissions to grant: camera, location, … or the platform's own full names."`
	Deny    []string `json:"deny,omitempty" minLength:"1" doc:"Permissions to take away."`
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
	URL     string `json:"url" required:"true" scalar:"true" minLength:"1" format:"link" doc:"A web address, or a link into an app such as shop://item/5."`
	Package string `json:"package,omitempty" minLength:"1" platforms:"android" doc:"The app that shall open it (Android only). Default: the one that the system chooses."`
}

func (d *decoding) link(v source.Value, text string) {
	if !schemeForm.MatchString(text) {
		d.wrong(v, fmt.Sprintf("%q is not a link%s", shorten.Runes(text, 60), origin(v)),
			`a link begins with its scheme: "https://example.com" or "shop://item/5"`)
	}
}
