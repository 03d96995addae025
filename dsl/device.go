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
	Orientation string `json:"orientation" required:"true" scalar:"true" enum:"portrait,landscape,upsideDown,landscapeRight"`
}

// DarkMode is the argument of darkMode.
type DarkMode struct {
	On     bool `json:"on,omitempty" scalar:"true"`
	Toggle bool `json:"toggle,omitempty" only:"true"`
}

func (DarkMode) rules() []rule { return []rule{exactlyOne("on toggle")} }

// AssertDarkMode is the argument of assertDarkMode.
type AssertDarkMode struct {
	On bool `json:"on,omitempty" scalar:"true" default:"true"`
}

// Airplane is the argument of airplane.
type Airplane struct {
	On     bool `json:"on,omitempty" scalar:"true"`
	Toggle bool `json:"toggle,omitempty" only:"true"`
}

func (Airplane) rules() []rule { return []rule{exactlyOne("on toggle")} }

// Notifications is the argument of notifications.
type Notifications struct{}

// Locale is the argument of locale.
type Locale struct {
	Locale string `json:"locale" required:"true" scalar:"true" minLength:"1" format:"locale"`
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
	At       string   `json:"at,omitempty" scalar:"true" minLength:"1" format:"place"`
	Route    []string `json:"route,omitempty" minLength:"1" minItems:"2" format:"place"`
	SpeedKmh float64  `json:"speedKmh,omitempty" minimum:"1" maximum:"40000" default:"50"`
	Accuracy float64  `json:"accuracy,omitempty" minimum:"0" maximum:"100000"`
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
	Answer   string `json:"answer,omitempty" scalar:"true" enum:"match,fail"`
	Enrolled *bool  `json:"enrolled,omitempty"`
}

func (Biometrics) rules() []rule { return []rule{atLeastOne("answer enrolled")} }

// Push is the argument of push.
type Push struct {
	Package string         `json:"package" required:"true" minLength:"1"`
	Title   string         `json:"title,omitempty"`
	Body    string         `json:"body,omitempty"`
	Badge   *int           `json:"badge,omitempty" minimum:"0"`
	Data    map[string]any `json:"data,omitempty"`
}

func (Push) rules() []rule { return []rule{atLeastOne("title body badge data")} }

// StatusBar is the argument of statusBar.
type StatusBar struct {
	Time     string `json:"time,omitempty"`
	Battery  *int   `json:"battery,omitempty" minimum:"0" maximum:"100"`
	Wifi     *int   `json:"wifi,omitempty" minimum:"0" maximum:"3"`
	Cellular *int   `json:"cellular,omitempty" minimum:"0" maximum:"4"`
	Reset    bool   `json:"reset,omitempty" fixed:"true"`
}

func (StatusBar) rules() []rule {
	return []rule{atLeastOne("time battery wifi cellular reset")}
}

// Background is the argument of background.
type Background struct {
	Ms Millis `json:"ms" required:"true" scalar:"true"`
}

func (b Background) cost(_ costing, _ *Step, limit time.Duration) Cost {
	return Cost{Time: b.Ms.Duration() + limit}
}

// AddMedia is the argument of addMedia.
type AddMedia struct {
	Files []string `json:"files" required:"true" scalar:"true" minLength:"1" format:"file"`
}

// Alert is the argument of alert.
type Alert struct {
	Answer string `json:"answer,omitempty" scalar:"true" enum:"accept,dismiss"`
	Button string `json:"button,omitempty" minLength:"1"`
	Text   string `json:"text,omitempty"`
	Shows  string `json:"shows,omitempty" minLength:"1"`
}

func (Alert) rules() []rule { return []rule{exactlyOne("answer button")} }

// Shell is the argument of shell.
type Shell struct {
	Command string `json:"command" required:"true" scalar:"true" minLength:"1"`
}

// cost: the length of the way is not known yet.
func (l Location) cost(_ costing, _ *Step, limit time.Duration) Cost {
	return Cost{Time: limit, AtMin: len(l.Route) > 0}
}
