package wda

import (
	"cmp"
	"fmt"
	"image"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/internal/sim/ios/device"
	"github.com/taproot-dev/taproot/internal/sim/ios/ui"
)

// elementIn finds an element of the screen again; elements are remembered as views of earlier frames.
func (d *client) elementIn(id string) (*ui.View, error) {
	old := d.elements[id]
	if old == nil {
		return nil, &wdError{"no such element",
			fmt.Sprintf("The element identified by \"%s\" is either not present or it has expired from the internal cache.", id)}
	}
	_, windows, err := d.active()
	if err != nil {
		return nil, err
	}
	if frame := d.Window(); frame.Same(old) {
		return frame, nil
	}
	for _, w := range windows {
		for v := range w.All() {
			if v.Kind == old.Kind && v.ID == old.ID && v.Field == old.Field && (v.Field != nil || v.Label == old.Label &&
				v.B == old.B) {
				return v, nil
			}
		}
	}
	return nil, &wdError{"stale element reference",
		fmt.Sprintf("The previously found element \"%s\" is not present in the current view anymore.", old.Kind)}
}

// found remembers an element and describes it as FBDictionaryResponseWithElement does.
func (d *client) found(v *ui.View) any {
	id := fmt.Sprintf("%02X000000-0000-0000-0F12-000000000000", len(d.elements)+1)
	d.elements[id] = v
	out := map[string]any{"ELEMENT": id, "element-6066-11e4-a52e-4f735466cecf": id}
	if d.Opts.OldAgent || d.settings["shouldUseCompactResponses"] == true {
		return out
	}
	fields, _ := d.settings["elementResponseAttributes"].(string)
	for name := range strings.SplitSeq(fields, ",") {
		switch name {
		case "type", "name":
			out[name] = "XCUIElementType" + v.Kind
		case "rect":
			out[name] = d.RectOf(v)
		case "label":
			out[name] = v.Label
		case "attribute/name":
			out[name] = v.ID
		case "attribute/value":
			out[name] = (&sourceWriter{}).value(v)
		case "attribute/placeholderValue":
			out[name] = v.Placeholder
		}
	}
	return out
}

func (d *client) activeElement(request) (any, error) {
	_, windows, err := d.active()
	if err != nil {
		return nil, err
	}
	for _, w := range windows {
		for v := range w.All() {
			if v.Field != nil && v.Field == d.Focus {
				return d.found(v), nil
			}
		}
	}
	return nil, &wdError{"no such element", "unable to find an element using '(null)', value '(null)'"}
}

func (d *client) findElement(r request) (any, error) {
	var args struct{ Using, Value string }
	if err := r.args(&args); err != nil {
		return nil, err
	}
	_, windows, err := d.active()
	if err != nil {
		return nil, err
	}
	for _, w := range windows {
		for v := range w.All() {
			if args.Using == "class name" && "XCUIElementType"+v.Kind == args.Value {
				return d.found(v), nil
			}
		}
	}
	return nil, &wdError{"no such element", fmt.Sprintf("unable to find an element using '%s', value '%s'", args.Using,
		args.Value)}
}

// findElements is findElement for all that fit.
func (d *client) findElements(r request) (any, error) {
	var args struct{ Using, Value string }
	if err := r.args(&args); err != nil {
		return nil, err
	}
	_, windows, err := d.active()
	if err != nil {
		return nil, err
	}
	all := []any{}
	fits := func(v *ui.View) bool { return args.Using == "class name" && "XCUIElementType"+v.Kind == args.Value }
	if args.Using == "predicate string" {
		if fits, err = d.predicate(args.Value); err != nil {
			return nil, err
		}
	}
	for _, w := range windows {
		if framed := d.Window(); fits(framed) {
			all = append(all, d.found(framed))
		}
		for v := range w.All() {
			if fits(v) {
				all = append(all, d.found(v))
			}
		}
	}
	return all, nil
}

// onElement serves /element/ID/… and /wda/element/ID/….
func (d *client) onElement(r request) (any, error) {
	parts := strings.Split(strings.TrimPrefix(strings.TrimPrefix(r.path, "/wda"), "/element/"), "/")
	v, err := d.elementIn(parts[0])
	if err != nil {
		return nil, err
	}
	x := sourceWriter{}
	switch r.Method + " " + strings.Join(parts[1:], "/") {
	case "GET rect":
		return d.RectOf(v), nil
	case "GET attribute/type":
		return "XCUIElementType" + v.Kind, nil
	case "GET attribute/name":
		return v.ID, nil
	case "GET attribute/hittable":
		if d.Opts.OldAgent {
			return nil, &wdError{"invalid argument", "The attribute 'hittable' is unknown"}
		}
		return d.Hittable(v), nil
	case "GET attribute/value":
		return x.value(v), nil
	case "GET text": // all of it
		if v.Field != nil && v.Value == "" {
			return v.Placeholder, nil
		}
		return cmp.Or(v.Value, v.Label), nil
	case "GET attribute/placeholderValue":
		if d.Opts.OldAgent {
			return nil, &wdError{"invalid argument", "The attribute 'placeholderValue' is unknown"}
		}
		return v.Placeholder, nil
	case "POST value":
		return d.setValue(v, r)
	case "POST clear":
		if v.Field == nil {
			return nil, &wdError{"invalid element state", "The value of the element is not a string and thus cannot be edited"}
		}
		d.Focus = v.Field
		if v.Field.Keyed != nil { // of a page, which receives keys alone
			for range v.Value {
				v.Field.Keyed('\b')
			}
		}
		v.Field.Set("")
		return nil, nil
	case "POST tap":
		var args struct{ X, Y float64 }
		if err := r.args(&args); err != nil {
			return nil, err
		}
		d.Touched(v.B.Min.Add(image.Pt(int(args.X), int(args.Y))), device.Taps)
		return nil, nil
	}
	return nil, &wdError{"unknown command", "Unhandled endpoint: " + r.path}
}

// setValue is FBElementCommands.handleSetValue: a field gets the focus, and is typed into.
func (d *client) setValue(v *ui.View, r request) (any, error) {
	var args struct {
		Text  string
		Value []string
	}
	if err := r.args(&args); err != nil {
		return nil, err
	}
	text := cmp.Or(args.Text, strings.Join(args.Value, ""))
	if v.Field != nil {
		d.Focus = v.Field
		d.TypeText(text)
		return nil, nil
	}
	if v.Takes == nil {
		return nil, &wdError{"invalid element state", "the element is neither a picker wheel nor a slider"}
	}
	if err := v.Takes(text); err != nil {
		return nil, &wdError{"invalid argument", err.Error()}
	}
	d.Note("set to %s", text)
	return nil, nil
}

// predicate reads those predicates that compare types and places alone.
func (d *client) predicate(text string) (func(*ui.View) bool, error) {
	var tests []func(*ui.View) bool
	for part := range strings.SplitSeq(text, " AND ") {
		name, value, ok := strings.Cut(part, " == ")
		if !ok {
			return nil, &wdError{"invalid selector", "Unable to parse the format string \"" + text + "\""}
		}
		if name == "type" {
			tests = append(tests, func(v *ui.View) bool { return "'XCUIElementType"+v.Kind+"'" == value })
			continue
		}
		if d.Opts.NoPlaces {
			return nil, &wdError{"invalid selector", "Unable to parse the format string \"" + text + "\""}
		}
		want, err := strconv.Atoi(value)
		of := map[string]func(*ui.View) int{"rect.x": func(v *ui.View) int { return v.B.Min.X + d.Opts.Part.Min.X },
			"rect.y":      func(v *ui.View) int { return v.B.Min.Y + d.Opts.Part.Min.Y },
			"rect.width":  func(v *ui.View) int { return v.B.Dx() },
			"rect.height": func(v *ui.View) int { return v.B.Dy() }}[name]
		if err != nil || of == nil {
			return nil, &wdError{"invalid selector", "Unable to parse the format string \"" + text + "\""}
		}
		tests = append(tests, func(v *ui.View) bool { return of(v) == want })
	}
	return func(v *ui.View) bool {
		return !slices.ContainsFunc(tests, func(test func(*ui.View) bool) bool { return !test(v) })
	}, nil
}
