package vocabulary

import (
	"slices"
	"strings"
	"time"
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

func (Extract) rules() []Rule {
	// text is its own
	keys := slices.DeleteFunc(newShape(SelectorType).Keys(), func(key string) bool { return key == "text" })
	selector := strings.Join(keys, " ")
	return []Rule{
		exclude(selector+" text regex group", "prompt").says("",
			"the model looks at the whole screen: say in the prompt which value is meant"),
		exclude("regex", "text").says("",
			"text is a regular expression over the whole screen, regex one over an element"),
		exclude(selector, "text").says("", "to look into one element, write regex instead of text"),
		belongs("group", "text regex").says(`"group" belongs to a regular expression`, "add regex, or remove group"),
	}
}

// StartRecording is the argument of startRecording.
type StartRecording struct {
	Name string `json:"name,omitempty" scalar:"true" minLength:"1" format:"fileName" default:"recording"`
}

// StopRecording is the argument of stopRecording.
type StopRecording struct{}

func (Screenshot) cost(func(Steps) Cost, time.Duration) Cost { return Cost{} }

func (Log) cost(func(Steps) Cost, time.Duration) Cost { return Cost{} }

func (StartRecording) cost(func(Steps) Cost, time.Duration) Cost { return Cost{} }

func (StopRecording) cost(func(Steps) Cost, time.Duration) Cost { return Cost{} }

// evidenceActions returns every action that collects evidence.
func evidenceActions() []Def {
	return []Def{
		{
			Name: "screenshot", Tier: Core, Args: Screenshot{},
			Doc:       "Saves a screenshot in the report.",
			Example:   "screenshot: cart",
			Platforms: everywhere, Interfaces: YAML | REST, Effect: Looks,
		},
		{
			Name: "startRecording", Args: StartRecording{},
			Doc:       "Starts a recording of its own within that of the test: artifacts/NAME.mp4.",
			Example:   "startRecording: checkout",
			Platforms: everywhere, Interfaces: YAML, Effect: Sets | Aside,
		},
		{
			Name: "stopRecording", Args: StopRecording{},
			Doc:       "Ends the recording that startRecording started.",
			Example:   "stopRecording:",
			Platforms: everywhere, Interfaces: YAML, Effect: Sets | Aside,
		},
		{
			Name: "log", Tier: Flow, Args: Log{},
			Doc:       "Writes a line into the report.",
			Example:   "log: the cart is filled",
			Platforms: everywhere, Interfaces: YAML, Effect: Looks, ReadsFirst: true,
		},
		{
			Name: "extract", Tier: Flow, Args: Extract{},
			Doc:       "Saves a value from an element's text, or from all the text on the screen.",
			Example:   "extract: {id: total, regex: \"([0-9.]+) €\", as: total}",
			Platforms: everywhere, Interfaces: YAML | REST,
			Saves:  "the text, or the group that the regular expression captured",
			Effect: Looks, MustSave: true,
		},
	}
}
