package dsl

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// Selector says which element is meant. All given criteria must hold together. In YAML a plain string is a label.
type Selector struct {
	Label    string    `json:"label,omitempty" scalar:"true" minLength:"1" doc:"Visible text, content description, hint or accessibility label."`
	ID       string    `json:"id,omitempty" minLength:"1" doc:"Resource id or accessibility identifier, with or without its package prefix; the id attribute on a page."`
	Type     string    `json:"type,omitempty" minLength:"1" doc:"Class or role, whole or its last part: android.widget.Button, Button, button."`
	TestID   string    `json:"testId,omitempty" minLength:"1" doc:"data-testid on a page; the resource id or accessibility identifier elsewhere."`
	CSS      string    `json:"css,omitempty" minLength:"1" doc:"CSS selector (web only)."`
	XPath    string    `json:"xpath,omitempty" minLength:"1" doc:"XPath over the page (web only)."`
	OCR      string    `json:"ocr,omitempty" minLength:"1" doc:"Text that is read in the pixels of the screen, for what is in no element tree."`
	Image    string    `json:"image,omitempty" minLength:"1" doc:"A picture to look for on the screen: a PNG file, relative to the test's folder."`
	Describe string    `json:"describe,omitempty" minLength:"1" doc:"What it looks like, in plain words, for an AI model to find: the last resort, for tap, doubleTap and longPress only."`
	Point    *Point    `json:"point,omitempty" doc:"A place instead of an element: pixels (120,340) or per cent (50%,80%) of the screen."`
	Match    MatchMode `json:"match,omitempty" enum:"exact,contains,regex" doc:"How the label is compared; without it, in tiers: exact, normalised, whole words."`
	Index    *int      `json:"index,omitempty" doc:"Which of several, from 0 in reading order; negative counts from the end."`
	Enabled  *bool     `json:"enabled,omitempty" doc:"Only elements that are (not) enabled."`
	Checked  *bool     `json:"checked,omitempty" doc:"Only elements that are (not) checked."`
	Selected *bool     `json:"selected,omitempty" doc:"Only elements that are (not) selected."`
	Focused  *bool     `json:"focused,omitempty" doc:"Only elements that have (not) the focus."`
	Below    *Selector `json:"below,omitempty" doc:"Only elements below that one."`
	Above    *Selector `json:"above,omitempty" doc:"Only elements above that one."`
	LeftOf   *Selector `json:"leftOf,omitempty" doc:"Only elements left of that one."`
	RightOf  *Selector `json:"rightOf,omitempty" doc:"Only elements right of that one."`
	Near     *Selector `json:"near,omitempty" doc:"The element nearest to that one."`
	Inside   *Selector `json:"inside,omitempty" doc:"Only elements inside that one."`
	Contains *Selector `json:"contains,omitempty" doc:"Only elements that contain that one."`
	Fallback string    `json:"fallback,omitempty" enum:"ocr" doc:"ocr: when no element has the label, it is looked for in the pixels of the screen; the report says so."`
}

// MatchMode is how a label is compared.
type MatchMode string

// The match modes; the empty one means the tiers.
const (
	MatchTiers    MatchMode = ""
	MatchExact    MatchMode = "exact"
	MatchContains MatchMode = "contains"
	MatchRegex    MatchMode = "regex"
)

// check refuses what no screen could answer: a selector that names nothing, or that contradicts itself.
func (s Selector) check(d *decoding, v Value, o object) {
	if v.Kind == Null {
		d.fail(o.at, len([]rune(o.name)), fmt.Sprintf("%q does not say which element", o.name), d.hint(v, o))
		return
	}
	if v.Kind != Map {
		return // a label; its text has been looked at
	}
	criteria := 0
	for _, f := range v.Fields {
		if !slices.Contains([]string{"index", "match", "fallback"}, f.Key) && shapeOf(selectorType).has(f.Key) {
			criteria++
		}
	}
	if criteria == 0 {
		d.fail(o.at, len([]rune(o.name)), fmt.Sprintf("%q does not say which element", o.name),
			`give at least one of label, id, type, testId, css, xpath, ocr, image or point`)
	}
	s.checkPoint(d, v, o)
	s.checkMatch(d, v)
	s.checkEyes(d, v, o)
	for _, key := range []string{"css", "xpath"} {
		if f, given := v.Get(key); given && d.platform != "" && d.platform != Web {
			d.fail(f.Pos, len(key), fmt.Sprintf("%q works on web only, and this test runs on %s", key, d.platform.words()),
				"use label, id, type or testId")
		}
	}
}

// checkPoint: a point is a place, not an element. It has no other properties and nothing can be related to it.
func (s Selector) checkPoint(d *decoding, v Value, o object) {
	point, given := v.Get("point")
	if !given {
		return
	}
	if !slices.Contains(o.takes, "point") {
		d.fail(point.Pos, len("point"), fmt.Sprintf("%q needs an element, not a point", o.name), "give its label or id")
		return
	}
	for _, f := range v.Fields {
		if f.Key != "point" && shapeOf(selectorType).has(f.Key) {
			d.fail(f.Pos, len([]rune(f.Key)), fmt.Sprintf(`%q cannot stand beside "point"`, f.Key),
				"a point is a place on the screen, not an element: remove one of the two")
		}
	}
}

// seen are the keys of what eyes look for in the pixels; elements have nothing to do with it.
func seen() []string { return []string{"ocr", "image", "describe"} }

// checkEyes: what is looked for in pixels is no element, so it has no properties of one, and nothing is related to it.
func (s Selector) checkEyes(d *decoding, v Value, o object) {
	anchor := o.nested && slices.Contains(relations(), o.name)
	if f, given := v.Get("describe"); given && !slices.Contains(o.takes, "describe") {
		d.fail(f.Pos, len("describe"), fmt.Sprintf(`%q cannot find its element by "describe"`, o.name), "it is for tap, doubleTap and longPress; to look at the screen in plain words, use assertVisual")
		return
	}
	fallback, falls := v.Get("fallback")
	if _, labelled := v.Get("label"); falls && !labelled {
		d.fail(fallback.Pos, len("fallback"), `"fallback" says where else to look for the label, and there is no "label"`, "add label, or remove fallback")
	}
	for _, key := range append(seen(), "fallback") {
		f, given := v.Get(key)
		if !given {
			continue
		}
		if anchor {
			d.fail(f.Pos, len(key), fmt.Sprintf("%q needs an element of the tree, not %q", o.name, key), "give its label or id")
			return
		}
		for _, x := range v.Fields {
			beside := shapeOf(selectorType).has(x.Key) && !slices.Contains(append(relations(), "index", key), x.Key)
			if beside && key != "fallback" {
				d.fail(x.Pos, len([]rune(x.Key)), fmt.Sprintf("%q cannot stand beside %q", x.Key, key), "what is seen in pixels has no such property: remove one of the two")
			}
		}
	}
}

// relations are the keys that relate an element to another one.
func relations() []string {
	return []string{"below", "above", "leftOf", "rightOf", "near", "inside", "contains"}
}

func (s Selector) checkMatch(d *decoding, v Value) {
	match, given := v.Get("match")
	if !given {
		return
	}
	label, given := v.Get("label")
	if !given {
		d.fail(match.Pos, len("match"), `"match" says how to compare the label, and there is no "label"`, "add label, or remove match")
		return
	}
	if s.Match == MatchRegex && s.Label != "" {
		d.regex(label.Value, s.Label)
	}
}

// regex checks a regular expression and counts its brackets; ok: there is one, and it is right.
func (d *decoding) regex(v Value, text string) (groups int, ok bool) {
	if text == "" || d.unknownYet(v) {
		return 0, false
	}
	re, err := regexp.Compile(text)
	if err == nil {
		return re.NumSubexp(), true
	}
	e := &Error{Pos: v.Pos, Source: d.source, Msg: "this is not a regular expression: " + err.Error()}
	var bad *syntax.Error
	if errors.As(err, &bad) {
		e.Pos, e.Width = locate(d.source, v.Pos, bad.Expr), len([]rune(bad.Expr))
		e.Msg = fmt.Sprintf("this is not a regular expression: %s in %q", bad.Code, shorten(bad.Expr))
		e.Hint = `escape special characters with a backslash, for example \( for a bracket`
		if bad.Code == syntax.ErrInvalidPerlOp {
			e.Hint = "it cannot look ahead or behind (RE2): https://github.com/google/re2/wiki/Syntax has what it can"
		}
	}
	d.errs = append(d.errs, e)
	return 0, false
}

// address checks a pattern for addresses: a regular expression between slashes has to be one.
func (d *decoding) address(v Value, text string) {
	if len(text) > 1 && strings.HasPrefix(text, "/") && strings.HasSuffix(text, "/") {
		d.regex(v, text[1:len(text)-1])
	}
}
