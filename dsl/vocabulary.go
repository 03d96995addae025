package dsl

import (
	"slices"
	"sync"
)

// Platform is what a test runs on.
type Platform string

// The platforms. Both stands in a test's header only: one case on Android and one on iOS.
const (
	Android Platform = "android"
	IOS     Platform = "ios"
	Web     Platform = "web"
	Both    Platform = "both"
)

// Mouth is a way in which an operation can be asked for.
type Mouth uint8

// The mouths. A Def's Mouths is their union.
const (
	YAML Mouth = 1 << iota
	REST
	MCP
	AllMouths = YAML | REST | MCP
)

// Def is one word of the vocabulary. Everything else that is known of an operation (its YAML, REST and MCP spelling,
// its schema, its reference page) is derived from its Def by reflection over Args.
type Def struct {
	Name      string     // camelCase, as in YAML
	Args      any        // the zero value of its argument struct, not a pointer
	Doc       string     // one or two sentences for the reference
	Example   string     // a step in YAML, without the leading "- "
	Platforms []Platform // where it works
	Mouths    Mouth
}

// On tells whether the operation works on the platform; for Both, on Android and iOS.
func (d *Def) On(p Platform) bool {
	if p == Both {
		return d.On(Android) && d.On(IOS)
	}
	return slices.Contains(d.Platforms, p)
}

// Lookup finds an operation by its YAML name. The Def is shared: do not change it.
func Lookup(name string) (*Def, bool) {
	d, known := vocabulary().byName[name]
	return d, known
}

// Vocabulary gives every operation that Taproot can do, in the order of the reference.
func Vocabulary() []Def {
	return slices.Clone(vocabulary().defs)
}

type index struct {
	defs   []Def
	byName map[string]*Def
	names  []string // of those that YAML knows
}

var vocabulary = sync.OnceValue(func() index {
	x := index{defs: definitions(), byName: map[string]*Def{}}
	for i := range x.defs {
		d := &x.defs[i]
		x.byName[d.Name] = d
		if d.Mouths&YAML != 0 {
			x.names = append(x.names, d.Name)
		}
	}
	return x
})

// definitions is the list itself: a new operation is a struct, a line here and a performer.
func definitions() []Def {
	phones := []Platform{Android, IOS}
	browsers := []Platform{Web}
	everywhere := []Platform{Android, IOS, Web}
	return []Def{
		{"launch", Launch{}, "Starts an app and waits until it is in front.",
			"launch: {package: com.example.app, force: true}", phones, AllMouths},
		{"waitStable", WaitStable{}, "Waits until nothing moves on the screen any more.",
			"waitStable: {timeoutMs: 5000}", everywhere, AllMouths},
		{"tap", Tap{}, "Waits for an element, waits until it stands still, and taps it once.",
			"tap: Sign in", everywhere, AllMouths},
		{"input", Input{}, "Types text into the field that has the focus.",
			"input: ada@example.com", everywhere, AllMouths},
		{"assert", Assert{}, "Waits until an element is on the screen; fails when it does not come.",
			"assert: Welcome", everywhere, AllMouths},
		{"openBrowser", OpenBrowser{}, "Opens a page in a fresh browser context.",
			"openBrowser: {url: \"https://example.com\", headless: true}", browsers, AllMouths},
		{"webType", WebType{}, "Replaces the text of a field of the page.",
			"webType: {selector: \"#email\", text: ada@example.com}", browsers, AllMouths},
		{"webAssert", WebAssert{}, "Waits until an element of the page is in the state that is asked for.",
			"webAssert: {selector: h1, text: Welcome}", browsers, AllMouths},
	}
}
