package dsl

import (
	"fmt"
	"reflect"
)

// Screenshot is the argument of screenshot.
type Screenshot struct {
	Name string `json:"name,omitempty" scalar:"true" minLength:"1" doc:"What the picture is called, and the step in reports."`
}

// Log is the argument of log.
type Log struct {
	Message string `json:"message" required:"true" scalar:"true" doc:"What the report shows."`
}

// Extract is the argument of extract: out of an element's text, or out of all text on the screen. The step option as: names the
// variable that takes the result.
type Extract struct {
	Selector
	Text   string `json:"text,omitempty" minLength:"1" doc:"A regular expression over all the text on the screen, instead of an element."`
	Prompt string `json:"prompt,omitempty" minLength:"1" doc:"What to take from the screen, in plain words, instead of an element; an AI model looks at the picture."`
	Regex  string `json:"regex,omitempty" minLength:"1" doc:"A regular expression over the element's text. Default: all of it."`
	Group  *int   `json:"group,omitempty" minimum:"0" maximum:"99" doc:"Which bracket of the regular expression is the result; 0 is all that it matched. Default: 1 when it has brackets, else 0."`
}

func (e Extract) check(d *decoding, v Value, o object) {
	if d.noPoint(v, o) {
		return
	}
	text, byText := v.Get("text")
	_, byPrompt := v.Get("prompt")
	regex, byRegex := v.Get("regex")
	group, byGroup := v.Get("group")
	switch {
	case byPrompt:
		for _, f := range v.Fields {
			if f.Key != "prompt" && shapeOf(reflect.TypeFor[Extract]()).has(f.Key) {
				d.fail(f.Pos, len(f.Key), fmt.Sprintf(`%q cannot stand beside "prompt"`, f.Key), "the model looks at the whole screen: say in the prompt which value is meant")
				return
			}
		}
	case byText && byRegex:
		d.fail(regex.Pos, len("regex"), `"regex" cannot stand beside "text"`, "text is a regular expression over the whole screen, regex one over an element")
		return
	case byText:
		for _, f := range v.Fields {
			if f.Key != "text" && shapeOf(selectorType).has(f.Key) {
				d.fail(f.Pos, len(f.Key), fmt.Sprintf(`%q cannot stand beside "text"`, f.Key), "to look into one element, write regex instead of text")
			}
		}
	default:
		e.Selector.check(d, v, o)
	}
	if byGroup && !byText && !byRegex {
		d.fail(group.Pos, len("group"), `"group" belongs to a regular expression`, "add regex, or remove group")
	}
	if _, saved := v.Get("as"); !saved && o.options != nil && v.Kind != Null {
		d.fail(o.at, len([]rune(o.name)), fmt.Sprintf("%q needs %q", o.name, "as"), "name the variable that takes the result: as: total")
	}
	for _, f := range []Field{text, regex} {
		if groups, ok := d.regex(f.Value, f.Value.Text); ok && e.Group != nil && *e.Group > groups {
			d.wrong(group.Value, fmt.Sprintf("the regular expression has no bracket %d, only %d", *e.Group, groups), "count its opening brackets")
		}
	}
}

// StartRecording is the argument of startRecording.
type StartRecording struct {
	Name string `json:"name,omitempty" scalar:"true" minLength:"1" default:"recording" doc:"What the film is called: artifacts/NAME.mp4."`
}

func (r StartRecording) check(d *decoding, v Value, _ object) { d.fileName(v, r.Name) }

// StopRecording is the argument of stopRecording.
type StopRecording struct{}
