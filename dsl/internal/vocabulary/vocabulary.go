// Package vocabulary defines what tests can hold: the table of actions with their argument structs, and the tests,
// steps and blocks that are made of them.
package vocabulary

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/event"
)

func Platforms(def *Def) string {
	return PlatformNames(def.Platforms)
}

// PlatformNames joins platforms.
func PlatformNames(all []Platform) string {
	words := make([]string, len(all))
	for i, p := range all {
		words[i] = string(p)
	}
	return strings.ReplaceAll(phrase.Or(words), " or ", " and ")
}

// Platform is what a test runs on.
type Platform = event.Platform

// The platforms. Both is for a test's header only: one case on Android and one on iOS.
const (
	Android = event.Android
	IOS     = event.IOS
	Web     = event.Web
	Both    = event.Both
)

// PlatformWords are the words for platforms in a test's header. both and mobile are android and ios.
func PlatformWords() []string { return []string{"android", "ios", "web", "mobile", "both"} }

// Interface is a way in which an operation can be asked for.
type Interface uint8

// The interfaces. A Def's Interfaces is their union.
const (
	YAML Interface = 1 << iota
	REST
	MCP
	AllInterfaces = YAML | REST | MCP
)

// Def is one word of the vocabulary. Everything else that is known of an operation (its YAML, REST and MCP spelling,
// its schema, its reference page) is derived from its Def by reflection over Args.
type Def struct {
	Name       string // camelCase, as in YAML
	Was        string // its name before, which is refused; empty: it had no other one
	Tier       Tier
	Args       any        // the zero value of its argument struct, not a pointer
	Doc        string     // one or two sentences for the reference
	Example    string     // a step in YAML, without the leading "- "
	Current    string     // Example as the action of which it is a spelling; empty: it is an action of its own
	Platforms  []Platform // where it works
	Interfaces Interface
	Saves      string // what the step option as: saves; empty: nothing
	Effect     Effect
	Own        *OwnAction // of an action that the project defines itself; nil: it is one of Taproot's
	MustSave   bool       // a step of a test has to say as:
	Appium     string     // the command ("mobile: …") of Appium's driver for Android without which it does not work
	XCUITest   string     // the same of its driver for iOS
	ReadsFirst bool       // it reads the screen before it changes anything, or does nothing on the device
}

// Tier is the part of the reference that an operation is in.
type Tier string

// The tiers, in the order of the reference. Core are the actions that most tests need and nothing else.
const (
	Core     Tier = "Core"
	Pages    Tier = "Pages"
	OnDevice Tier = "Device"
	Flow     Tier = "Control flow"
)

// Tiers are all tiers, in the order of the reference.
func Tiers() []Tier { return []Tier{Core, Pages, OnDevice, Flow} }

// in puts actions into a tier, except those with a tier in their row.
func in(tier Tier, actions ...[]Def) []Def {
	all := slices.Concat(actions...)
	for i := range all {
		all[i].Tier = cmp.Or(all[i].Tier, tier)
	}
	return all
}

// Effect is what an operation does to the world, for clients that ask for confirmation before they act.
type Effect uint8

// The effects, and what most operations do.
const (
	ReadOnly    Effect = 1 << iota
	Destructive        // it may do what cannot be taken back
	Idempotent         // a second time changes nothing more
	OpenWorld          // it reaches what is outside of the device
	Apart              // what the screen shows has no part in it
	Aside              // the app cannot notice it

	Looks   = ReadOnly | Idempotent | Aside
	Acts    = Destructive | OpenWorld
	Sets    = Idempotent
	Removes = Destructive | Idempotent
)

// On reports whether the operation works on the platform; of several, on each.
func (d *Def) On(p Platform) bool {
	return p != "" && !slices.ContainsFunc(p.Each(), func(one Platform) bool { return !slices.Contains(d.Platforms, one) })
}

// Acts reports whether the operation does something on the device that the app may notice.
func (d *Def) Acts() bool { return d.Effect&Aside == 0 }

// ChangesScreen reports whether a client wants to see the screen afterwards: the operation acts, and it does not take
// away what the screen shows, as stop and uninstall do.
func (d *Def) ChangesScreen() bool {
	return d.Effect&(ReadOnly|Aside) == 0 && d.Effect&Removes != Removes
}

// Lookup finds an operation by its YAML name. The Def is shared: do not change it.
func Lookup(name string) (*Def, bool) {
	d, known := indexed().byName[name]
	return d, known
}

// Vocabulary returns every operation that Taproot can do, in the order of the reference.
func Vocabulary() []Def {
	return slices.Clone(indexed().defs)
}

type index struct {
	defs   []Def
	byName map[string]*Def
	byType map[reflect.Type]*Def
	names  []string // of those that YAML knows
}

var indexed = sync.OnceValue(func() index {
	x := index{defs: definitions(), byName: map[string]*Def{}, byType: map[reflect.Type]*Def{}}
	for i := range x.defs {
		d := &x.defs[i]
		x.byName[d.Name], x.byType[reflect.TypeOf(d.Args)] = d, d
		if d.Interfaces&YAML != 0 {
			x.names = append(x.names, d.Name)
		}
	}
	return x
})

// Selects reports whether the operation has the keys of a selector among its own.
func (d Def) Selects() bool { return ShapeOf(reflect.TypeOf(d.Args)).Selects }

// SelectorKey reports whether selectors have a key of this name.
func SelectorKey(name string) bool { return ShapeOf(SelectorType).Has(name) }

// Renamed returns the present names of actions by the names that they had before. The old names are refused.
func Renamed() map[string]string {
	now := map[string]string{}
	for _, d := range indexed().defs {
		if d.Was != "" {
			now[d.Was] = d.Name
		}
	}
	return now
}

// ActionNames are the names of the operations that YAML knows. Do not change the list.
func ActionNames() []string { return indexed().names }

// DefOf finds the operation of an argument struct; nil: it is of none. The Def is shared: do not change it.
func DefOf(args any) *Def { return indexed().byType[reflect.TypeOf(args)] }

// definitions returns all actions in the order of the reference. A new action needs its argument struct with an
// entry in the list of its file, the struct's name in package dsl, and its function in runner/action.
func definitions() []Def {
	return slices.Concat(
		in(OnDevice, touchActions(), keyActions(), textActions(), waitActions(), assertionActions(), appActions(),
			deviceActions(), evidenceActions()),
		in(Pages, pageActions()), in(Flow, controlActions()))
}

var (
	phones     = []Platform{Android, IOS}
	android    = []Platform{Android}
	browsers   = []Platform{Web}
	everywhere = []Platform{Android, IOS, Web}
)
