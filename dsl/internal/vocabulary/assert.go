package vocabulary

import (
	"time"

	"github.com/taproot-dev/taproot/dsl/internal/expr"
)

// Assert is the argument of assert: an element, and what must be true of it, by default that it is on the screen.
type Assert struct {
	Selector
	Value *string `json:"value,omitempty"`
	Count *int    `json:"count,omitempty" minimum:"0"`
}

func (Assert) rules() []Rule { return claimRules() }

// AssertNot is the argument of assertNot: what assert would find must not be there.
type AssertNot struct {
	Selector
	Value *string `json:"value,omitempty"`
	Count *int    `json:"count,omitempty" minimum:"0"`
}

func (AssertNot) rules() []Rule { return claimRules() }

// claimRules are those of what is asserted of elements.
func claimRules() []Rule {
	return []Rule{
		exclude("count", "index first").says("", "count is of all that match: remove one of the two"),
		exclude("value count", "match=maestro").says("", "remove one of the two"),
	}
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

func (State) rules() []Rule {
	return []Rule{atLeastOne("").says(`"%s" does not say which state`, "for example: is: {enabled: true}")}
}

func (AssertElement) rules() []Rule {
	return []Rule{
		atLeastOne("text value count visible is").says(`"%s" does not say what must be true of the element`,
			`give at least one of text, value, count, visible or is; to look for the element alone, use "assert"`),
		exclude("visible=false", "text value count is").says("",
			"what is not there has no properties: remove one of the two"),
	}
}

// AssertTrue is the argument of assertTrue.
type AssertTrue struct {
	Expr expr.Expr `json:"expr" required:"true" scalar:"true"`
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
	ForMs  int    `json:"for,omitempty" spelling:"forMs" format:"duration" minimum:"0" maximum:"600000" default:"1000"`
}

func (AssertLog) rules() []Rule {
	return []Rule{
		exactlyOne("text regex"),
		belongs("for", "absent=true").says("", "how long to wait for a line is timeout"),
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

func (AssertScreenshot) rules() []Rule { return []Rule{exclude("mask", "file")} }

func (AssertTrue) cost(func(Steps) Cost, time.Duration) Cost { return Cost{} }

func (a AssertLog) cost(_ func(Steps) Cost, limit time.Duration) Cost {
	if a.Absent {
		return Cost{Time: time.Duration(max(a.ForMs, 0)) * time.Millisecond}
	}
	return Cost{Time: limit}
}

// assertionActions returns every action that makes an assertion.
func assertionActions() []Def {
	return []Def{
		{
			Name: "assert", Tier: Core, Args: Assert{},
			Doc:       "Waits until an element is on the screen, as it is described; fails on timeout.",
			Example:   "assert: Welcome",
			Platforms: everywhere, Interfaces: AllInterfaces, Effect: Looks, ReadsFirst: true,
		},
		{
			Name: "assertNot", Tier: Core, Args: AssertNot{},
			Doc:       "Waits until no element on the screen is as it is described; fails on timeout.",
			Example:   "assertNot: Loading…",
			Platforms: everywhere, Interfaces: YAML | REST, Effect: Looks, ReadsFirst: true,
		},
		{
			Name: "assertElement", Args: AssertElement{},
			Doc:       "Waits until an element has the given text, value, number or state; fails on timeout.",
			Example:   "assertElement: {id: submit, is: {enabled: false}}",
			Current:   "assert: {id: submit, enabled: false}",
			Platforms: everywhere, Interfaces: YAML | REST, Effect: Looks, ReadsFirst: true,
		},
		{
			Name: "assertTrue", Tier: Flow, Args: AssertTrue{},
			Doc:       "Fails when an expression over variables is not true.",
			Example:   "assertTrue: device.id != \"\"",
			Platforms: everywhere, Interfaces: YAML, Effect: Looks, ReadsFirst: true,
		},
		{
			Name: "assertApp", Args: AssertApp{},
			Doc:       "Waits until an app is in the foreground.",
			Example:   "assertApp: com.example.app",
			Platforms: phones, Interfaces: YAML | REST, Effect: Looks,
		},
		{
			Name: "assertDarkMode", Args: AssertDarkMode{},
			Doc:       "Fails when the device does not use its dark appearance, or its light one.",
			Example:   "assertDarkMode: true",
			Platforms: everywhere, Interfaces: YAML, Effect: ReadOnly | Idempotent,
		},
		{
			Name: "assertScreenshot", Args: AssertScreenshot{},
			Doc:       "Compares the screen with a baseline image.",
			Example:   "assertScreenshot: {name: home, threshold: 0.5, mask: [{id: clock}]}",
			Platforms: everywhere, Interfaces: YAML, Effect: Looks,
		},
		{
			Name: "assertVisual", Args: AssertVisual{},
			Doc: "Lets an AI model decide whether the screen shows what the prompt describes. Without a model " +
				"it is an error, never a pass.",
			Example:   "assertVisual: The cart is empty and an illustration says so",
			Platforms: everywhere, Interfaces: AllInterfaces,
			Saves:  "the model's reason",
			Effect: Looks | OpenWorld,
		},
		{
			Name: "assertLog", Args: AssertLog{},
			Doc: "Waits until the log of the device, or the console of the page, contains a line. All lines " +
				"since the start of the test count.",
			Example:   "assertLog: order saved",
			Platforms: everywhere, Interfaces: YAML,
			Saves:  "the line, or the group that the regular expression captured",
			Effect: Looks,
		},
	}
}
