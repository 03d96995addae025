package dsl

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/shorten"
)

// Selector says which element is meant. All given criteria must hold together. In YAML a plain string is a label.
type Selector struct {
	Label     string     `json:"label,omitempty" scalar:"true" minLength:"1"`
	Text      string     `json:"text,omitempty" minLength:"1"`
	Desc      string     `json:"desc,omitempty" minLength:"1"`
	Hint      string     `json:"hint,omitempty" minLength:"1"`
	ID        string     `json:"id,omitempty" minLength:"1"`
	Type      string     `json:"type,omitempty" minLength:"1"`
	TestID    string     `json:"testId,omitempty" minLength:"1"`
	CSS       string     `json:"css,omitempty" minLength:"1" format:"css"`
	XPath     string     `json:"xpath,omitempty" minLength:"1" format:"xpath"`
	OCR       string     `json:"ocr,omitempty" minLength:"1"`
	Image     string     `json:"image,omitempty" minLength:"1" format:"file"`
	Describe  string     `json:"describe,omitempty" minLength:"1"`
	Point     *Point     `json:"point,omitempty"`
	Match     MatchMode  `json:"match,omitempty" enum:"exact,words,prefix,contains,regex,maestro"`
	Index     *int       `json:"index,omitempty"`
	First     bool       `json:"first,omitempty"`
	Enabled   *bool      `json:"enabled,omitempty"`
	Checked   *bool      `json:"checked,omitempty"`
	Selected  *bool      `json:"selected,omitempty"`
	Focused   *bool      `json:"focused,omitempty"`
	Clickable *bool      `json:"clickable,omitempty"`
	Traits    []string   `json:"traits,omitempty" minLength:"1"`
	Size      *Size      `json:"size,omitempty"`
	Not       *Selector  `json:"not,omitempty"`
	Below     *Selector  `json:"below,omitempty"`
	Above     *Selector  `json:"above,omitempty"`
	LeftOf    *Selector  `json:"leftOf,omitempty"`
	RightOf   *Selector  `json:"rightOf,omitempty"`
	Near      *Selector  `json:"near,omitempty"`
	Inside    *Selector  `json:"inside,omitempty"`
	Contains  []Selector `json:"contains,omitempty"`
	Child     *Selector  `json:"child,omitempty"`
	Fallback  string     `json:"fallback,omitempty" enum:"ocr"`
}

// Size is how large an element is on the screen.
type Size struct {
	Width     *int `json:"width,omitempty" minimum:"0"`
	Height    *int `json:"height,omitempty" minimum:"0"`
	Tolerance int  `json:"tolerance,omitempty" minimum:"0"`
}

func (Size) rules() []rule {
	return []rule{atLeastOne("width height").says(`"%s" says neither a width nor a height`,
		"for example: size: {width: 96, height: 48, tolerance: 4}")}
}

// MatchMode is how a text is compared.
type MatchMode string

// The match modes; the empty one compares whole texts as a reader would.
const (
	MatchWhole    MatchMode = ""
	MatchExact    MatchMode = "exact"
	MatchWords    MatchMode = "words"
	MatchPrefix   MatchMode = "prefix"
	MatchContains MatchMode = "contains"
	MatchRegex    MatchMode = "regex"
	// MatchMaestro finds elements by the rules of Maestro: a pattern or the text itself, the first of several, relations
	// by corners.
	MatchMaestro MatchMode = "maestro"
)

// Names reports whether the selector says what its element is called, shows or is, and not only where it is or in what
// state.
func (s Selector) Names() bool {
	return s.Label != "" || s.Text != "" || s.Desc != "" || s.Hint != "" || s.ID != "" || s.TestID != "" || s.CSS != "" ||
		s.XPath != ""
}

// Relations returns the selectors that this one relates its element to.
func (s Selector) Relations() []*Selector {
	var list []*Selector
	for _, r := range []*Selector{s.Below, s.Above, s.LeftOf, s.RightOf, s.Near, s.Inside} {
		if r != nil {
			list = append(list, r)
		}
	}
	for i := range s.Contains {
		list = append(list, &s.Contains[i])
	}
	return list
}

// check refuses what no screen could answer: a selector that names nothing, or that contradicts itself.
func (s Selector) check(d *decoding, v source.Value, o object) {
	if v.Kind == source.Null {
		d.fail(o.at, len([]rune(o.name)), fmt.Sprintf("%q does not say which element", o.name), d.hint(v, o))
		return
	}
	if v.Kind != source.Map {
		return // a label; its text has been looked at
	}
	if !namesElement(v) {
		hint := "give at least one of label, text, desc, hint, id, type, testId, css, xpath, ocr, image or point"
		if o.name == "assertElement" { // its text is what the element must show
			hint = expectedTextHint
		}
		d.fail(o.at, len([]rune(o.name)), fmt.Sprintf("%q does not say which element", o.name), hint)
	}
	s.checkPoint(d, v, o)
	s.checkMatch(d, v)
	s.checkEyes(d, v, o)
	if f, given := v.Get("css"); given && d.platform != "" && d.platform != Web {
		d.fail(f.Pos, len("css"), fmt.Sprintf("%q works on web only, and this test runs on %s", "css", d.platform.words()),
			"use label, id, type, testId or xpath")
	}
}

// supplements are the keys of a selector that say nothing without another one.
func supplements() []string { return []string{"index", "first", "match", "fallback", "not"} }

// namesElement reports whether a selector has a key that says which element it picks.
func namesElement(v source.Value) bool {
	return slices.ContainsFunc(v.Fields, func(f source.Field) bool {
		return !slices.Contains(supplements(), f.Key) && shapeOf(selectorType).has(f.Key)
	})
}

// checkPoint: a point is a place, not an element. It has no other properties and nothing can be related to it.
func (s Selector) checkPoint(d *decoding, v source.Value, o object) {
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
			d.fail(f.Pos, len([]rune(f.Key)), fmt.Sprintf(`%q cannot be combined with "point"`, f.Key),
				"a point is a place on the screen, not an element: remove one of the two")
		}
	}
}

// seen are the keys of what is looked for in the pixels; elements have nothing to do with it.
func seen() []string { return []string{"ocr", "image", "describe"} }

// checkEyes refuses properties and relations of an element next to ocr, image and describe, which find pixels and no
// element.
func (s Selector) checkEyes(d *decoding, v source.Value, o object) {
	anchor := o.nested && slices.Contains(append(relations(), "not"), o.name)
	if f, given := v.Get("describe"); given && !slices.Contains(o.takes, "describe") {
		d.fail(f.Pos, len("describe"), fmt.Sprintf(`%q cannot find its element by "describe"`, o.name),
			"it is for tap, doubleTap and longPress; to look at the screen in plain words, use assertVisual")
		return
	}
	fallback, falls := v.Get("fallback")
	if _, labelled := v.Get("label"); falls && !labelled {
		d.fail(fallback.Pos, len("fallback"), `"fallback" says where else to look for the label, and there is no "label"`,
			"add label, or remove fallback")
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
			beside := shapeOf(selectorType).has(x.Key) && !slices.Contains(append(relations(), "index", "first", key), x.Key)
			if beside && key != "fallback" {
				d.fail(x.Pos, len([]rune(x.Key)), fmt.Sprintf("%q cannot be combined with %q", x.Key, key),
					"what is seen in pixels has no such property: remove one of the two")
			}
		}
	}
}

// relations are the keys that relate an element to another one.
func relations() []string {
	return []string{"below", "above", "leftOf", "rightOf", "near", "inside", "contains"}
}

// textKeys are the keys of a selector that are compared with the texts of an element.
func textKeys() []string { return []string{"label", "text", "desc", "hint"} }

func (s Selector) checkMatch(d *decoding, v source.Value) {
	if index, given := v.Get("index"); given && s.First {
		d.fail(index.Pos, len("index"), `"index" cannot be combined with "first"`,
			"first means index: 0: remove one of the two")
	}
	match, given := v.Get("match")
	if !given {
		return
	}
	compared := false
	for _, key := range append(textKeys(), "id") {
		f, given := v.Get(key)
		if !given || key == "id" && compared {
			continue
		}
		compared = true
		if text, ok := s.textOf(key); ok && s.Match == MatchRegex {
			d.regex(f.Value, text)
		}
	}
	if !compared && s.Match != MatchMaestro {
		d.fail(match.Pos, len("match"), `"match" says how to compare a text, and there is none`,
			"add label, text, desc, hint or id, or remove match")
	}
}

// textOf returns what a key says that is compared with texts.
func (s Selector) textOf(key string) (string, bool) {
	text := map[string]string{"label": s.Label, "text": s.Text, "desc": s.Desc, "hint": s.Hint, "id": s.ID}[key]
	return text, text != ""
}

// regex checks a regular expression and counts its brackets; ok: there is one, and it is right.
func (d *decoding) regex(v source.Value, text string) (groups int, ok bool) {
	if text == "" || d.unknownYet(v) {
		return 0, false
	}
	re, err := regexp.Compile(text)
	if err == nil {
		return re.NumSubexp(), true
	}
	e := &source.Error{Pos: v.Pos, Source: d.source, Msg: "this is not a regular expression: " + err.Error()}
	var bad *syntax.Error
	if errors.As(err, &bad) {
		e.Pos, e.Width = source.Locate(d.source, v.Pos, bad.Expr), len([]rune(bad.Expr))
		e.Msg = fmt.Sprintf("this is not a regular expression: %s in %q", bad.Code, shorten.Runes(bad.Expr, 60))
		e.Hint = `escape special characters with a backslash, for example \( for a bracket`
		if bad.Code == syntax.ErrInvalidPerlOp {
			e.Hint = "it cannot look ahead or behind (RE2): https://github.com/google/re2/wiki/Syntax has what it can"
		}
	}
	d.errs = append(d.errs, e)
	return 0, false
}

// address checks a pattern for addresses: a regular expression between slashes has to be one.
func (d *decoding) address(v source.Value, text string) {
	if len(text) > 1 && strings.HasPrefix(text, "/") && strings.HasSuffix(text, "/") {
		d.regex(v, text[1:len(text)-1])
	}
}
