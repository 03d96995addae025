package wda

import (
	"fmt"
	"image"
	"strings"

	"github.com/taproot-dev/taproot/internal/sim/ios/ui"
)

// source writes XML as WebDriverAgentLib/Utilities/FBXPath.m does: what the attributes are, in which order, and which
// elements have them.
func (d *client) source(r request) (any, error) {
	owner, windows, err := d.active()
	if err != nil {
		return nil, err
	}
	m := d.Metrics()
	x := sourceWriter{old: d.Opts.OldAgent, pid: d.PIDOf(owner), m: m, at: d.Opts.Part.Min, skip: map[string]bool{}}
	for name := range strings.SplitSeq(r.URL.Query().Get("excluded_attributes"), ",") {
		x.skip[name] = !d.Opts.OldAgent
	}
	x.depth, _ = d.settings["snapshotMaxDepth"].(float64)
	if x.depth == 0 {
		x.depth = 50
	}
	x.depth = min(x.depth, 62) // Apple's own limit
	root := &ui.View{Kind: "Application", ID: d.NameOf(owner), Label: d.NameOf(owner), B: image.Rectangle{Max: m.Size}}
	for _, w := range windows {
		root.Add(d.Window().Add(w))
	}
	x.b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	x.element(root, 0, 0, owner)
	return x.b.String(), nil
}

// sourceWriter writes elements.
type sourceWriter struct {
	b     strings.Builder
	old   bool
	pid   int
	m     ui.Metrics
	at    image.Point // where the app is on the screen
	depth float64
	skip  map[string]bool
}

func (x *sourceWriter) element(v *ui.View, index, level int, bundle string) {
	pad := strings.Repeat("  ", level)
	name := v.ID
	if name == "" {
		name = v.Label
	}
	visible := !v.Unseen && v.B.Overlaps(image.Rectangle{Max: x.m.Size})
	attributes := [][2]string{{"type", "XCUIElementType" + v.Kind}, {"value", x.value(v)}, {"name", name},
		{"label", v.Label}, {"enabled", fmt.Sprint(!v.Disabled)},
		{"visible", fmt.Sprint(visible)}, {"accessible", fmt.Sprint(v.Label != "" && len(v.Children) == 0)},
		{"x", fmt.Sprint(v.B.Min.X + x.at.X)}, {"y", fmt.Sprint(v.B.Min.Y + x.at.Y)},
		{"width", fmt.Sprint(v.B.Dx())}, {"height", fmt.Sprint(v.B.Dy())}, {"index", fmt.Sprint(index)}}
	if !x.old {
		if v.Field != nil {
			attributes = append(attributes, [2]string{"placeholderValue", v.Placeholder})
		}
		attributes = append(attributes, [2]string{"traits", strings.Join(v.Traits, ", ")})
	}
	if v.Kind == "Application" {
		attributes = append(attributes, [2]string{"processId", fmt.Sprint(x.pid)}, [2]string{"bundleId", bundle})
	}
	fmt.Fprintf(&x.b, "%s<XCUIElementType%s", pad, v.Kind)
	for _, a := range attributes {
		required := a[0] == "type" || a[0] == "label" && v.Field != nil || a[0] == "traits" || a[0] == "placeholderValue"
		if a[1] != "" && !x.skip[a[0]] || required {
			fmt.Fprintf(&x.b, ` %s="%s"`, a[0], escaped(a[1]))
		}
	}
	if len(v.Children) == 0 || float64(level+1) >= x.depth {
		x.b.WriteString("/>\n")
		return
	}
	x.b.WriteString(">\n")
	for i, c := range v.Listed() {
		x.element(c, i, level+1, bundle)
	}
	fmt.Fprintf(&x.b, "%s</XCUIElementType%s>\n", pad, v.Kind)
}

// value is FBXCElementSnapshotWrapper.wdValue: an empty field has its placeholder.
func (x *sourceWriter) value(v *ui.View) string {
	if v.Field != nil && v.Value == "" {
		return v.Placeholder
	}
	return cutValue(v.Value)
}

// cutValue: a source has 512 bytes of a value.
func cutValue(value string) string {
	if len(value) <= 512 {
		return value
	}
	return strings.ToValidUTF8(value[:512], "")
}

// escapes is made once: to make it takes longer than to use it.
var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\n", "&#10;")

func escaped(s string) string { return escapes.Replace(s) }
