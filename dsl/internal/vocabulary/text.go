package vocabulary

import (
	"time"
)

// Input is the argument of input: a text, or random data.
type Input struct {
	Text    string    `json:"text,omitempty" scalar:"true"`
	Into    *Selector `json:"into,omitempty" tool:"-"`
	Replace bool      `json:"replace,omitempty"`
	PerKey  bool      `json:"perKey,omitempty"`
	Verify  *bool     `json:"verify,omitempty" tool:"-"`
	Random  string    `json:"random,omitempty" enum:"email,name,number,text,phone,word,city,country,color"`
	Seed    int       `json:"seed,omitempty" minimum:"1" maximum:"9007199254740991" tool:"-"`
	Length  int       `json:"length,omitempty" minimum:"1" maximum:"1000" tool:"-"`
}

func (Input) rules() []Rule {
	return []Rule{
		exactlyOne("text random"),
		belongs("seed", "random").says("", "remove it"),
		belongs("length", "random=number random=text").says("", "remove it"),
	}
}

// Erase is the argument of erase.
type Erase struct {
	Count int `json:"count,omitempty" scalar:"true" minimum:"1" maximum:"10000"`
}

// CopyText is the argument of copyText.
type CopyText struct {
	Selector
}

// Paste is the argument of paste.
type Paste struct{}

// SetClipboard is the argument of setClipboard.
type SetClipboard struct {
	Text string `json:"text" required:"true" scalar:"true"`
}

// WaitStable is the argument of waitStable. Its time limit is the step option timeout.
type WaitStable struct{}

// WaitFor is the argument of waitFor: exactly one of its fields. Its time limit is the step option timeout.
type WaitFor struct {
	Visible    *Selector `json:"visible,omitempty" scalar:"true"`
	NotVisible *Selector `json:"notVisible,omitempty" spelling:"gone"`
	Enabled    *Selector `json:"enabled,omitempty"`
	Text       string    `json:"text,omitempty" minLength:"1"`
	URL        string    `json:"url,omitempty" minLength:"1" format:"address" platforms:"web"`
}

func (WaitFor) rules() []Rule { return []Rule{exactlyOne("visible notVisible enabled text url")} }

// Sleep is the argument of sleep.
type Sleep struct {
	Ms Millis `json:"for" spelling:"ms" format:"duration" required:"true" scalar:"true" minimum:"0" maximum:"3600000"`
}

func (s Sleep) cost(func(Steps) Cost, time.Duration) Cost { return Cost{Time: s.Ms.Duration()} }

// textActions returns every action that concerns texts.
func textActions() []Def {
	return []Def{
		{
			Name: "input", Appium: "replaceElementValue", Tier: Core, Args: Input{},
			Doc: "Types text into a field, by default the one with the focus, and verifies that it has " +
				"arrived.",
			Example:   "input: ada@example.com",
			Platforms: everywhere, Interfaces: AllInterfaces,
			Saves:  "the text that was typed",
			Effect: Acts,
		},
		{
			Name: "erase", Appium: "replaceElementValue", Args: Erase{},
			Doc:       "Removes characters before the cursor, or all.",
			Example:   "erase: 5",
			Platforms: everywhere, Interfaces: YAML | REST, Effect: Acts,
		},
		{
			Name: "copyText", Args: CopyText{},
			Doc:       "Copies the text of an element to the clipboard.",
			Example:   "copyText: {id: order-number, as: order}",
			Platforms: everywhere, Interfaces: YAML | REST,
			Saves:  "the text",
			Effect: Sets | Aside,
		},
		{
			Name: "setClipboard", Args: SetClipboard{},
			Doc:       "Puts a text on the clipboard.",
			Example:   "setClipboard: SAVE10",
			Platforms: everywhere, Interfaces: YAML | REST, Effect: Sets,
		},
		{
			Name: "paste", Appium: "replaceElementValue", Args: Paste{},
			Doc: "Pastes the clipboard into the field with the focus. A page may refuse it, and may have " +
				"changed the clipboard itself.",
			Example:   "paste:",
			Platforms: everywhere, Interfaces: YAML | REST, Effect: Acts,
		},
	}
}

// waitActions returns every action that waits.
func waitActions() []Def {
	return []Def{
		{
			Name: "waitStable", Args: WaitStable{},
			Doc:       "Waits until nothing moves on the screen.",
			Example:   "waitStable: {timeout: 5s}",
			Platforms: everywhere, Interfaces: AllInterfaces, Effect: Looks, ReadsFirst: true,
		},
		{
			Name: "waitFor", Tier: Core, Args: WaitFor{},
			Doc:       "Waits until a condition is met; fails on timeout.",
			Example:   "waitFor: {notVisible: Loading…, timeout: 30s}",
			Platforms: everywhere, Interfaces: AllInterfaces, Effect: Looks, ReadsFirst: true,
		},
		{
			Name: "sleep", Args: Sleep{},
			Doc:       "Waits for a fixed time. That is slow, and one day too short: prefer waitFor.",
			Example:   "sleep: 1.5s",
			Platforms: everywhere, Interfaces: YAML | REST, Effect: Looks,
		},
	}
}
