package maestro

import (
	"fmt"

	"github.com/taproot-dev/taproot/dsl/source"
)

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
