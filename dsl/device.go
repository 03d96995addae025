package dsl

import (
	"fmt"
	"regexp"
)

// Rotate is the argument of rotate.
type Rotate struct {
	Orientation string `json:"orientation" required:"true" scalar:"true" enum:"portrait,landscape" doc:"How the screen is held afterwards."`
}

// DarkMode is the argument of darkMode.
type DarkMode struct {
	On bool `json:"on" required:"true" scalar:"true" doc:"Whether the device uses its dark appearance."`
}

// Airplane is the argument of airplane.
type Airplane struct {
	On bool `json:"on" required:"true" scalar:"true" doc:"Whether the device is cut off from all networks."`
}

// Notifications is the argument of notifications.
type Notifications struct{}

// Locale is the argument of locale.
type Locale struct {
	Locale string `json:"locale" required:"true" scalar:"true" minLength:"1" doc:"Language and country, such as de-DE."`
}

var (
	localeForm = regexp.MustCompile(`^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$`)
	schemeForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:[^\s]`)
)

func (l Locale) check(d *decoding, v Value, _ object) {
	if f, given := v.Get("locale"); given {
		v = f.Value
	}
	d.locale(v, l.Locale)
}

func (d *decoding) locale(v Value, text string) {
	if text != "" && !localeForm.MatchString(text) {
		d.wrong(v, fmt.Sprintf("%q is not a locale%s", shorten(text), origin(v)), "write the language, and the country where it matters: en, de-DE, zh-Hans-CN")
	}
}

// Shell is the argument of shell.
type Shell struct {
	Command string `json:"command" required:"true" scalar:"true" minLength:"1" doc:"What the device's shell runs. A run has to allow it: --allow-shell. as: saves what it prints."`
}
