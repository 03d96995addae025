package iossim

import (
	"image"
	"slices"
	"strconv"
	"strings"
)

// predicate reads those predicates that compare types and places alone.
func (d *Device) predicate(text string) (func(*view) bool, error) {
	var tests []func(*view) bool
	for part := range strings.SplitSeq(text, " AND ") {
		name, value, ok := strings.Cut(part, " == ")
		if !ok {
			return nil, &wdError{"invalid selector", "Unable to parse the format string \"" + text + "\""}
		}
		if name == "type" {
			tests = append(tests, func(v *view) bool { return "'XCUIElementType"+v.kind+"'" == value })
			continue
		}
		if d.opts.NoPlaces {
			return nil, &wdError{"invalid selector", "Unable to parse the format string \"" + text + "\""}
		}
		want, err := strconv.Atoi(value)
		of := map[string]func(*view) int{"rect.x": func(v *view) int { return v.b.Min.X + d.opts.Part.Min.X },
			"rect.y":     func(v *view) int { return v.b.Min.Y + d.opts.Part.Min.Y },
			"rect.width": func(v *view) int { return v.b.Dx() }, "rect.height": func(v *view) int { return v.b.Dy() }}[name]
		if err != nil || of == nil {
			return nil, &wdError{"invalid selector", "Unable to parse the format string \"" + text + "\""}
		}
		tests = append(tests, func(v *view) bool { return of(v) == want })
	}
	return func(v *view) bool {
		return !slices.ContainsFunc(tests, func(test func(*view) bool) bool { return !test(v) })
	}, nil
}

// hittable is what XCTest finds at the middle of an element: whatever takes the touch there is it, or in it, or around
// it.
func (d *Device) hittable(v *view) bool {
	window := image.Rectangle{Max: d.metrics().size}
	part := v.b.Intersect(window)
	if v.mute || v.unseen || part.Empty() {
		return false
	}
	at := part.Min.Add(part.Size().Div(2))
	top := d.top(at, func(c *view) bool {
		return c.blocks || c.web != nil || c.onTap != nil || c.field != nil || c.key != "" || c.onLong != nil ||
			c.onDouble != nil
	})
	switch {
	case top == nil: // nothing takes it: the text or image at that place is found
		return v.label != "" || v.kind == "Image"
	case top.blocks && top.mute: // nothing is found that has a name
		return false
	}
	return top.holds(v) && (v.label != "" || v.kind == "Image" || top.same(v)) || v.holds(top)
}

// same reports whether two views are one element, each in its own frame.
func (v *view) same(other *view) bool {
	return v == other || v.kind == other.kind && v.id == other.id && v.label == other.label && v.b == other.b
}

// holds reports whether another view is in this one, or is it.
func (v *view) holds(other *view) bool {
	for c := range v.all2() {
		if c.same(other) {
			return true
		}
	}
	return false
}
