package dsl

import (
	"fmt"
	"time"

	"github.com/taproot-dev/taproot/dsl/source"
)

// Assert is the argument of assert.
type Assert struct {
	Selector
}

// AssertNot is the argument of assertNot.
type AssertNot struct {
	Selector
}

// AssertElement is the argument of assertElement: an element, and what must be true of it.
type AssertElement struct {
	Selector
	Text    *string `json:"text,omitempty"`
	Value   *string `json:"value,omitempty"`
	Count   *int    `json:"count,omitempty" minimum:"0"`
	Visible *bool   `json:"visible,omitempty"`
	Is      *State  `json:"is,omitempty"`
}

// State is what an element must be; fields that are left out do not matter.
type State struct {
	Enabled  *bool `json:"enabled,omitempty"`
	Checked  *bool `json:"checked,omitempty"`
	Selected *bool `json:"selected,omitempty"`
	Focused  *bool `json:"focused,omitempty"`
}

func (State) rules() []rule {
	return []rule{atLeastOne("").says(`"%s" does not say which state`, "for example: is: {enabled: true}")}
}

const expectedTextHint = "text is what the element must show; say which one by label, desc, hint, id, type, testId, " +
	"css, " +
	"xpath, ocr or image"

// check refuses an assertion that names no element; text says what it must show, not which one it is.
func (a AssertElement) check(d *decoding, v source.Value, o object) {
	rest := v.Without("text")
	if text, given := v.Get("text"); given && !namesElement(rest) {
		d.fail(o.at, len([]rune(o.name)), fmt.Sprintf("%q does not say which element", o.name),
			expectedTextHint+"; to look for the text alone, write assert: "+source.Flow(text.Value))
		return
	}
	a.Selector.check(d, rest, o)
}

func (AssertElement) rules() []rule {
	return []rule{
		atLeastOne("text value count visible is").says(`"%s" does not say what must be true of the element`,
			`give at least one of text, value, count, visible or is; to look for the element alone, use "assert"`),
		exclude("visible=false", "text value count is").says("",
			"what is not there has no properties: remove one of the two"),
	}
}

// AssertTrue is the argument of assertTrue.
type AssertTrue struct {
	Expr Expr `json:"expr" required:"true" scalar:"true"`
}

// AssertApp is the argument of assertApp.
type AssertApp struct {
	Package string `json:"package" required:"true" scalar:"true" minLength:"1"`
}

// AssertVisual is the argument of assertVisual.
type AssertVisual struct {
	Prompt string `json:"prompt" required:"true" scalar:"true" minLength:"1"`
	Votes  int    `json:"votes,omitempty" minimum:"1" maximum:"9" default:"1"`
}

// AssertLog is the argument of assertLog: what the log of the device, or the console of the page, holds since the test
// started.
type AssertLog struct {
	Text   string `json:"text,omitempty" scalar:"true" minLength:"1"`
	Regex  string `json:"regex,omitempty" minLength:"1" format:"regex"`
	Absent bool   `json:"absent,omitempty"`
	ForMs  int    `json:"forMs,omitempty" minimum:"0" maximum:"600000" default:"1000"`
}

func (AssertLog) rules() []rule {
	return []rule{
		exactlyOne("text regex"),
		belongs("forMs", "absent=true").says("", "how long to wait for a line is timeoutMs"),
		exclude("as", "absent=true").says("", "there is no line to save: remove one of the two"),
	}
}

// AssertScreenshot is the argument of assertScreenshot.
type AssertScreenshot struct {
	Name      string     `json:"name" required:"true" scalar:"true" minLength:"1" format:"fileName"`
	Threshold float64    `json:"threshold,omitempty" minimum:"0" maximum:"100"`
	Element   *Selector  `json:"element,omitempty"`
	Mask      []Selector `json:"mask,omitempty"`
	File      string     `json:"file,omitempty" minLength:"1" format:"file"`
}

func (AssertScreenshot) rules() []rule { return []rule{exclude("mask", "file")} }

func (AssertTrue) cost(costing, *Step, time.Duration) Cost { return Cost{} }

func (a AssertLog) cost(_ costing, _ *Step, limit time.Duration) Cost {
	if a.Absent {
		return Cost{Time: time.Duration(max(a.ForMs, 0)) * time.Millisecond}
	}
	return Cost{Time: limit}
}
