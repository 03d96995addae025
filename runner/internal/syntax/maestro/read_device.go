package maestro

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/internal/source"
)

func openLink(r *reader, f source.RawField, c *Command) Do {
	link, _ := r.text(f, c, "link", "browser autoVerify")
	return OpenLink{link, r.flag(f.Value, "browser", false), r.flag(f.Value, "autoVerify", false)}
}

func waitForAnimation(r *reader, f source.RawField, c *Command) Do {
	var do Settle
	if r.isMap(f) {
		r.options(f, c, "timeout")
		do.Timeout = r.optionalText(f.Value, "timeout")
	}
	return do
}

func setLocation(r *reader, f source.RawField, c *Command) Do {
	var do Location
	if r.isMap(f) {
		r.options(f, c, "latitude longitude")
		do.Latitude, _ = r.required(f, "latitude")
		do.Longitude, _ = r.required(f, "longitude")
	}
	return do
}

// Orientations names the ways in which a screen is held.
func Orientations() []string {
	return []string{"portrait", "landscape_left", "upside_down", "landscape_right"}
}

// OrientationOf finds an orientation by any spelling of its name; "": there is none.
func OrientationOf(name string) string {
	bare := strings.ReplaceAll(strings.ToLower(name), "_", "")
	for _, o := range Orientations() {
		if bare == strings.ReplaceAll(o, "_", "") {
			return o
		}
	}
	return ""
}

func setOrientation(r *reader, f source.RawField, c *Command) Do {
	x := f
	if f.Value.Kind == source.Map {
		r.keys(f.Value, f.Key, words("orientation label optional"), false)
		r.label(f, c)
		c.Optional = r.flag(f.Value, "optional", false)
		var given bool
		if x, given = f.Value.Get("orientation"); !given {
			r.fail(f.Pos, len([]rune(f.Key)), `"setOrientation" needs "orientation"`, "")
			return Orientation{}
		}
	}
	text := r.written(x)
	if text == nil {
		return Orientation{}
	}
	if !strings.Contains(*text, "${") && OrientationOf(*text) == "" {
		r.fail(x.Value.Pos, x.Value.Width, fmt.Sprintf("unknown orientation %q", short(*text)),
			"there are PORTRAIT, LANDSCAPE_LEFT, LANDSCAPE_RIGHT and UPSIDE_DOWN")
	}
	return Orientation{*text}
}

// onOff reads enabled or disabled.
func (r *reader) onOff(f source.RawField, c *Command) Switch {
	x := f
	if f.Value.Kind == source.Map {
		r.loose(f, c, "value")
		var given bool
		if x, given = f.Value.Get("value"); !given {
			r.fail(f.Pos, len([]rune(f.Key)), fmt.Sprintf("%q needs a value", f.Key), "enabled or disabled")
			return On
		}
	}
	switch text := x.Value.Text; {
	case x.Value.Kind == source.String && text == "enabled":
		return On
	case x.Value.Kind == source.String && text == "disabled":
		return Off
	}
	r.fail(x.Value.Pos, x.Value.Width, fmt.Sprintf("%q takes enabled or disabled, not %q", f.Key, short(x.Value.Text)), "")
	return On
}

func addMedia(r *reader, f source.RawField, c *Command) Do {
	list := f.Value
	if f.Value.Kind == source.Map {
		r.options(f, c, "files")
		x, _ := f.Value.Get("files")
		list = x.Value
	}
	var do AddMedia
	if list.Kind != source.List {
		r.fail(f.Pos, len([]rune(f.Key)), `"addMedia" takes a list of files`, "")
		return do
	}
	for _, item := range list.Items {
		text := r.written(source.RawField{Key: f.Key, Pos: item.Pos, Value: item})
		if text == nil {
			r.fail(item.Pos, item.Width, "the name of a file is missing", "")
			continue
		}
		name := r.resolve(*text)
		if !r.has(name) {
			r.fail(item.Pos, item.Width, fmt.Sprintf("there is no file %q", short(*text)), "the path is relative to this file")
		}
		do.Files = append(do.Files, name)
	}
	return do
}

func travel(r *reader, f source.RawField, c *Command) Do {
	do := Travel{Speed: 4}
	if !r.isMap(f) {
		return do
	}
	r.options(f, c, "points speed")
	x, given := f.Value.Get("points")
	if !given || x.Value.Kind != source.List {
		r.fail(f.Pos, len([]rune(f.Key)), `"travel" needs a list of points`, `points: ["52.52,13.40", "52.53,13.41"]`)
		return do
	}
	for _, item := range x.Value.Items {
		text := item.Text
		north, east, two := strings.Cut(text, ",")
		_, err := strconv.ParseFloat(strings.TrimSpace(north), 64)
		_, err2 := strconv.ParseFloat(strings.TrimSpace(east), 64)
		if item.Kind != source.String || !two || err != nil || err2 != nil {
			r.fail(item.Pos, item.Width, fmt.Sprintf("%q is not a place", short(text)),
				"write latitude and longitude in degrees: 52.52,13.40")
			continue
		}
		do.Points = append(do.Points, text)
	}
	if s, given := f.Value.Get("speed"); given {
		if text := r.written(s); text != nil {
			speed, err := strconv.ParseFloat(*text, 64)
			if err != nil {
				r.fail(s.Value.Pos, s.Value.Width, fmt.Sprintf("%q must be a number, not %q", s.Key, short(*text)),
					"metres per second")
			}
			do.Speed = speed
		}
	}
	return do
}

// app reads the app that a command names, or takes that of the flow.
func (r *reader) app(f source.RawField, c *Command) string {
	if f.Value.Kind == source.String {
		return f.Value.Text
	}
	if r.isMap(f) {
		r.options(f, c, "appId")
		if text := r.optionalText(f.Value, "appId"); text != nil {
			return *text
		}
	}
	return r.flow.App
}

func launchApp(r *reader, f source.RawField, c *Command) Do {
	do := Launch{App: r.flow.App, GrantAll: true}
	if f.Value.Kind == source.String {
		do.App = f.Value.Text
		return do
	}
	if !r.isMap(f) {
		return do
	}
	r.options(f, c, "appId url clearState clearKeychain stopApp permissions arguments")
	for _, key := range []string{"url", "appId"} {
		if text := r.optionalText(f.Value, key); text != nil {
			do.App = *text
		}
	}
	do.ClearState, do.ClearKeychain = r.flag(f.Value, "clearState", false), r.flag(f.Value, "clearKeychain", false)
	do.KeepRunning = !r.flag(f.Value, "stopApp", true)
	if x, given := f.Value.Get("permissions"); given && x.Value.Kind != source.Null {
		do.GrantAll, do.Permissions = false, r.pairs(x)
	}
	if x, given := f.Value.Get("arguments"); given && x.Value.Kind != source.Null && r.isMap(x) {
		for _, a := range x.Value.Fields {
			value := scalar(a.Value)
			if a.Value.Kind == source.Map || a.Value.Kind == source.List || value == nil {
				r.fail(a.Pos, len([]rune(a.Key)), fmt.Sprintf("the argument %q must be a text, a number, true or false",
					short(a.Key)), "")
				continue
			}
			do.Arguments = append(do.Arguments, Argument{a.Key, value})
		}
	}
	return do
}

func setPermissions(r *reader, f source.RawField, c *Command) Do {
	do := SetPermissions{App: r.flow.App}
	if !r.isMap(f) {
		return do
	}
	r.options(f, c, "appId url permissions")
	for _, key := range []string{"url", "appId"} {
		if text := r.optionalText(f.Value, key); text != nil {
			do.App = *text
		}
	}
	x, given := f.Value.Get("permissions")
	if !given || x.Value.Kind == source.Null {
		r.fail(f.Pos, len([]rune(f.Key)), `"setPermissions" needs "permissions"`, "permissions: {camera: allow}")
		return do
	}
	do.Permissions = r.pairs(x)
	return do
}
