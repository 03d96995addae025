package dsl

import (
	"github.com/taproot-dev/taproot/dsl/source"
	"time"
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
	Text    *string `json:"text,omitempty" doc:"The text that the element must show, white space and case aside."`
	Value   *string `json:"value,omitempty" doc:"What a field must hold, exactly."`
	Count   *int    `json:"count,omitempty" minimum:"0" doc:"How many elements there must be."`
	Visible *bool   `json:"visible,omitempty" doc:"Whether the element must be on the screen."`
	Is      *State  `json:"is,omitempty" example:"is: {enabled: true}" doc:"The state that the element must be in."`
}

// State is what an element must be; fields that are left out do not matter.
type State struct {
	Enabled  *bool `json:"enabled,omitempty" doc:"Whether it must be enabled."`
	Checked  *bool `json:"checked,omitempty" doc:"Whether it must be checked."`
	Selected *bool `json:"selected,omitempty" doc:"Whether it must be selected."`
	Focused  *bool `json:"focused,omitempty" doc:"Whether it must have the focus."`
}

func (State) rules() []rule {
	return []rule{atLeastOne("").says(`"%s" does not say which state`, "for example: is: {enabled: true}")}
}

// check looks at the element; text says what it must show, not which one it is.
func (a AssertElement) check(d *decoding, v source.Value, o object) {
	a.Selector.check(d, v.Without("text"), o)
}

func (AssertElement) rules() []rule {
	return []rule{
		atLeastOne("text value count visible is").says(`"%s" does not say what must be true of the element`,
			`give at least one of text, value, count, visible or is; to look for the element alone, use "assert"`),
		cannotStand("visible=false", "text value count is").says("",
			"what is not there has no properties: remove one of the two"),
	}
}

// AssertTrue is the argument of assertTrue.
type AssertTrue struct {
	Expr Expr `json:"expr" required:"true" scalar:"true" doc:"An expression over variables that must be true: total > 5 and name startsWith \"A\"."`
}

// AssertApp is the argument of assertApp.
type AssertApp struct {
	Package string `json:"package" required:"true" scalar:"true" minLength:"1" doc:"The app that must be in front."`
}

// AssertVisual is the argument of assertVisual.
type AssertVisual struct {
	Prompt string `json:"prompt" required:"true" scalar:"true" minLength:"1" doc:"What the screen must show, in plain words; an AI model looks at the picture."`
	Votes  int    `json:"votes,omitempty" minimum:"1" maximum:"9" default:"1" doc:"How many answers are asked for; more than half of them must say that it is so."`
}

// AssertLog is the argument of assertLog: what the log of the device, or the console of the page, holds since the test
// began.
type AssertLog struct {
	Text   string `json:"text,omitempty" scalar:"true" minLength:"1" doc:"A text that a line of the log holds: logcat on Android, the system log on iOS, the console of a page."`
	Regex  string `json:"regex,omitempty" minLength:"1" format:"regex" doc:"A regular expression that a line fits, instead of a text. as: saves what its first bracket matched, or all of it."`
	Absent bool   `json:"absent,omitempty" doc:"No line may hold it: neither one since the test began, nor one that comes within forMs."`
	ForMs  int    `json:"forMs,omitempty" minimum:"0" maximum:"600000" default:"1000" doc:"With absent: how long the log is watched for a line that comes late, in milliseconds."`
}

func (AssertLog) rules() []rule {
	return []rule{
		exactlyOne("text regex"),
		belongs("forMs", "absent=true").says("", "how long to wait for a line is timeoutMs"),
		cannotStand("as", "absent=true").says("", "there is no line to save: remove one of the two"),
	}
}

// AssertScreenshot is the argument of assertScreenshot.
type AssertScreenshot struct {
	Name      string     `json:"name" required:"true" scalar:"true" minLength:"1" format:"fileName" doc:"What the baseline picture is called; also what reports call the step."`
	Threshold float64    `json:"threshold,omitempty" minimum:"0" maximum:"100" doc:"How much of the picture may differ, in per cent; what anti-aliasing does to edges and letters never counts. Default: nothing."`
	Element   *Selector  `json:"element,omitempty" doc:"Only this element instead of the whole screen."`
	Mask      []Selector `json:"mask,omitempty" doc:"Elements that may look as they like, such as clocks; a phone's status bar always may."`
	File      string     `json:"file,omitempty" minLength:"1" format:"file" doc:"A picture to compare with instead of a baseline, relative to the test's folder. It is compared once, as it is: colours less than a tenth apart are equal, the status bar counts, and --update-baselines leaves it alone."`
}

func (AssertScreenshot) rules() []rule { return []rule{cannotStand("mask", "file")} }

func (AssertTrue) cost(costing, *Step, time.Duration) Cost { return Cost{} }

func (a AssertLog) cost(_ costing, _ *Step, limit time.Duration) Cost {
	if a.Absent {
		return Cost{Time: time.Duration(max(a.ForMs, 0)) * time.Millisecond}
	}
	return Cost{Time: limit}
}
