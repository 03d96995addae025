package dsl

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/shorten"
)

// Rotate is the argument of rotate.
type Rotate struct {
	Orientation string `json:"orientation" required:"true" scalar:"true" enum:"portrait,landscape,upsideDown,landscapeRight" doc:"How the screen is held afterwards. landscape: its top points left; landscapeRight: right. The last two work on Android."`
}

// DarkMode is the argument of darkMode.
type DarkMode struct {
	On     bool `json:"on,omitempty" scalar:"true" doc:"Whether the device uses its dark appearance."`
	Toggle bool `json:"toggle,omitempty" only:"true" doc:"true: the other one than now."`
}

func (DarkMode) rules() []rule { return []rule{exactlyOne("on toggle")} }

// AssertDarkMode is the argument of assertDarkMode.
type AssertDarkMode struct {
	On bool `json:"on,omitempty" scalar:"true" default:"true" doc:"Whether the device must use its dark appearance; false: its light one."`
}

// Airplane is the argument of airplane.
type Airplane struct {
	On     bool `json:"on,omitempty" scalar:"true" doc:"Whether the device is cut off from all networks."`
	Toggle bool `json:"toggle,omitempty" only:"true" doc:"true: what it is not now."`
}

func (Airplane) rules() []rule { return []rule{exactlyOne("on toggle")} }

// Notifications is the argument of notifications.
type Notifications struct{}

// Locale is the argument of locale.
type Locale struct {
	Locale string `json:"locale" required:"true" scalar:"true" minLength:"1" format:"locale" doc:"Language and country, such as de-DE."`
}

var (
	localeForm = lazyregexp.New(`^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$`)
	schemeForm = lazyregexp.New(`^[A-Za-z][A-Za-z0-9+.-]*:[^\s]`)
)

func (d *decoding) locale(v source.Value, text string) {
	if !localeForm.MatchString(text) {
		d.wrong(v, fmt.Sprintf("%q is not a locale%s", shorten.Runes(text, 60), origin(v)),
			"write the language, and the country where it matters: en, de-DE, zh-Hans-CN")
	}
}

// Location is the argument of location: one place, or a way that the device travels.
type Location struct {
	At       string   `json:"at,omitempty" scalar:"true" minLength:"1" format:"place" doc:"Latitude and longitude in degrees: \"52.52,13.405\"."`
	Route    []string `json:"route,omitempty" minLength:"1" minItems:"2" format:"place" example:"route: [\"52.52,13.405\", \"52.5,13.4\"]" doc:"Places to travel through, one after the other, in a straight line between two; the step ends at the last one."`
	SpeedKmh float64  `json:"speedKmh,omitempty" minimum:"1" maximum:"40000" default:"50" doc:"With route: how fast, in kilometres per hour."`
	Accuracy float64  `json:"accuracy,omitempty" minimum:"0" maximum:"100000" doc:"Radius in metres within which the position is true. Default: as exact as the device can."`
}

func (Location) rules() []rule {
	return []rule{exactlyOne("at route"), belongs("speedKmh", "route").says("",
		"remove it, or give the places to travel through")}
}

// Degrees reads one place; it has been checked.
func Degrees(text string) (latitude, longitude float64) {
	latitude, longitude, _ = degrees(text)
	return latitude, longitude
}

func degrees(text string) (latitude, longitude float64, ok bool) {
	north, east, two := strings.Cut(text, ",")
	latitude, err := strconv.ParseFloat(strings.TrimSpace(north), 64)
	longitude, err2 := strconv.ParseFloat(strings.TrimSpace(east), 64)
	return latitude, longitude, two && err == nil && err2 == nil && math.Abs(latitude) <= 90 && math.Abs(longitude) <= 180
}

func (d *decoding) degrees(v source.Value, text string) {
	if _, _, ok := degrees(text); !ok {
		d.wrong(v, fmt.Sprintf("%q is not a place%s", shorten.Runes(text, 60), origin(v)),
			`write latitude and longitude in degrees, with a point and in quotes: "52.52,13.405"`)
	}
}

// Shake is the argument of shake.
type Shake struct{}

// Biometrics is the argument of biometrics.
type Biometrics struct {
	Answer   string `json:"answer,omitempty" scalar:"true" enum:"match,fail" doc:"match: the finger or face that the device knows; fail: another one."`
	Enrolled *bool  `json:"enrolled,omitempty" example:"biometrics: {enrolled: true}" doc:"Whether the device knows a finger or face, from now on: before the app asks (simulators of iOS only; an emulator learns a finger in its settings)."`
}

func (Biometrics) rules() []rule { return []rule{atLeastOne("answer enrolled")} }

// Push is the argument of push.
type Push struct {
	Package string         `json:"package" required:"true" minLength:"1" doc:"The app that is told."`
	Title   string         `json:"title,omitempty" doc:"The first line of the notification."`
	Body    string         `json:"body,omitempty" doc:"What it says."`
	Badge   *int           `json:"badge,omitempty" minimum:"0" doc:"The number on the app's icon; 0 takes it away."`
	Data    map[string]any `json:"data,omitempty" example:"push: {package: com.example.app, body: Your order has shipped, data: {order: 7}}" doc:"What the app gets beside that."`
}

func (Push) rules() []rule { return []rule{atLeastOne("title body badge data")} }

// StatusBar is the argument of statusBar.
type StatusBar struct {
	Time     string `json:"time,omitempty" doc:"What its clock shows: \"9:41\"."`
	Battery  *int   `json:"battery,omitempty" minimum:"0" maximum:"100" doc:"How full the battery looks, in per cent."`
	Wifi     *int   `json:"wifi,omitempty" minimum:"0" maximum:"3" doc:"Bars of Wi-Fi."`
	Cellular *int   `json:"cellular,omitempty" minimum:"0" maximum:"4" doc:"Bars of the mobile network."`
	Reset    bool   `json:"reset,omitempty" fixed:"true" example:"statusBar: {reset: true}" doc:"It shows again what is so."`
}

func (StatusBar) rules() []rule {
	return []rule{atLeastOne("time battery wifi cellular reset")}
}

// Background is the argument of background.
type Background struct {
	Ms Millis `json:"ms" required:"true" scalar:"true" doc:"How long: milliseconds, or a text such as \"5s\"."`
}

func (b Background) cost(_ costing, _ *Step, limit time.Duration) Cost {
	return Cost{Time: b.Ms.Duration() + limit}
}

// AddMedia is the argument of addMedia.
type AddMedia struct {
	Files []string `json:"files" required:"true" scalar:"true" minLength:"1" format:"file" doc:"Pictures and films that the gallery holds afterwards, relative to the test's folder."`
}

// Alert is the argument of alert.
type Alert struct {
	Answer string `json:"answer,omitempty" scalar:"true" enum:"accept,dismiss" doc:"accept: OK, allow, yes; dismiss: cancel, deny, no. What the buttons say decides; where they do not tell, the step fails and lists them."`
	Button string `json:"button,omitempty" minLength:"1" doc:"The button to press, by what it says: Allow Once. Apostrophes and case do not matter."`
	Text   string `json:"text,omitempty" doc:"What goes into the alert's field first (a page's prompt)."`
	Shows  string `json:"shows,omitempty" minLength:"1" doc:"A text that the alert must show; another one is a failure, and it is not answered."`
}

func (Alert) rules() []rule { return []rule{exactlyOne("answer button")} }

// Shell is the argument of shell.
type Shell struct {
	Command string `json:"command" required:"true" scalar:"true" minLength:"1" doc:"What the device's shell runs. A run has to allow it: --allow-shell. as: saves what it prints."`
}

// cost: how long the way is nobody has measured yet.
func (l Location) cost(_ costing, _ *Step, limit time.Duration) Cost {
	return Cost{Time: limit, AtMin: len(l.Route) > 0}
}
