package dsl

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/dsl/source"
)

// Screenshot is the argument of screenshot.
type Screenshot struct {
	Name    string    `json:"name,omitempty" scalar:"true" minLength:"1"`
	Element *Selector `json:"element,omitempty"`
}

// Log is the argument of log.
type Log struct {
	Message string `json:"message" required:"true" scalar:"true"`
}

// Extract is the argument of extract: out of an element's text, or out of all text on the screen. The step option as:
// names the variable that takes the result.
type Extract struct {
	Selector `unless:"text,prompt"`
	Text     string `json:"text,omitempty" minLength:"1" format:"regex"`
	Prompt   string `json:"prompt,omitempty" minLength:"1"`
	Regex    string `json:"regex,omitempty" minLength:"1" format:"regex"`
	Group    *int   `json:"group,omitempty" minimum:"0" maximum:"99"`
}

func (Extract) rules() []rule {
	// text is its own
	keys := slices.DeleteFunc(newShape(selectorType).keys(), func(key string) bool { return key == "text" })
	selector := strings.Join(keys, " ")
	return []rule{
		exclude(selector+" text regex group", "prompt").says("",
			"the model looks at the whole screen: say in the prompt which value is meant"),
		exclude("regex", "text").says("",
			"text is a regular expression over the whole screen, regex one over an element"),
		exclude(selector, "text").says("", "to look into one element, write regex instead of text"),
		belongs("group", "text regex").says(`"group" belongs to a regular expression`, "add regex, or remove group"),
	}
}

// check wants an element unless the whole screen is looked at, and a bracket that the regular expression has.
func (e Extract) check(d *decoding, v source.Value, o object) {
	text, byText := v.Get("text")
	if _, byPrompt := v.Get("prompt"); !byText && !byPrompt {
		e.Selector.check(d, v, o)
	}
	regex, _ := v.Get("regex")
	group, _ := v.Get("group")
	for _, f := range []source.Field{text, regex} {
		if re, err := regexp.Compile(f.Value.Text); err == nil && f.Key != "" && !d.unknownYet(f.Value) && e.Group != nil &&
			*e.Group > re.NumSubexp() {
			d.wrong(group.Value, fmt.Sprintf("the regular expression has no bracket %d, only %d", *e.Group, re.NumSubexp()),
				"count its opening brackets")
		}
	}
}

// StartRecording is the argument of startRecording.
type StartRecording struct {
	Name string `json:"name,omitempty" scalar:"true" minLength:"1" format:"fileName" default:"recording"`
}

// StopRecording is the argument of stopRecording.
type StopRecording struct{}

func (Screenshot) cost(costing, *Step, time.Duration) Cost     { return Cost{} }
func (Log) cost(costing, *Step, time.Duration) Cost            { return Cost{} }
func (StartRecording) cost(costing, *Step, time.Duration) Cost { return Cost{} }
func (StopRecording) cost(costing, *Step, time.Duration) Cost  { return Cost{} }
