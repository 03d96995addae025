package vocabulary

import (
	"iter"
	"reflect"
	"slices"
	"time"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/source"
)

// Entry is one device of a test with several.
type Entry struct {
	Name     string
	Pos      source.Pos // of the name
	Platform Platform
	Browser  string // of pages; empty: what the run says
	Need     Need
}

// DeviceEntry is what a test says of one of its devices.
type DeviceEntry struct {
	Platform string   `json:"platform" required:"true" enum:"android,ios,web"`
	Browser  string   `json:"browser,omitempty" enum:"chromium,firefox,webkit"`
	OS       string   `json:"os,omitempty" minLength:"1" format:"version"`
	Model    string   `json:"model,omitempty" minLength:"1" format:"modelGlob"`
	Size     string   `json:"size,omitempty" minLength:"1" format:"screenSize"`
	Pool     string   `json:"pool,omitempty" minLength:"1" format:"pool"`
	Labels   []string `json:"labels,omitempty" format:"deviceLabel"`
}

func (DeviceEntry) rules() []Rule {
	return []Rule{belongs("browser", "platform=web").says("only a page has a browser",
		"remove it, or write platform: web")}
}

// entry returns the entry under its name.
func (e DeviceEntry) entry(f source.Field) Entry {
	return Entry{Name: f.Key, Pos: f.Pos, Platform: Platform(e.Platform), Browser: e.Browser,
		Need: Need{OS: e.OS, Model: e.Model, Size: e.Size, Pool: e.Pool, Labels: e.Labels}}
}

// EntriesOf returns the entries of a test in the order of its file; names without an entry are left out.
func EntriesOf(names []source.Field, all map[string]DeviceEntry) []Entry {
	var list []Entry
	for _, f := range names {
		if e, given := all[f.Key]; given {
			list = append(list, e.entry(f))
		}
	}
	return list
}

// EntryForm is the form of an entry's name: it becomes a part of file names.
var EntryForm = lazyregexp.New(`^[A-Za-z][A-Za-z0-9-]{0,31}$`)

// FindEntry returns the entry of a name; nil: there is none.
func FindEntry(list []Entry, name string) *Entry {
	i := slices.IndexFunc(list, func(e Entry) bool { return e.Name == name })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// EntryNames are the names of entries in their order.
func EntryNames(list []Entry) []string {
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.Name
	}
	return names
}

// Branches are what on runs, in the order of the file.
type Branches []Branch

// Branch is what on runs on one device.
type Branch struct {
	Device string
	Steps  Steps
}

// BranchesType is the type of Branches.
var BranchesType = reflect.TypeFor[Branches]()

// On is the argument of on: the keys that are not options of every step are names of devices.
type On struct {
	Branches Branches `json:"-" keys:"other"`
}

func (a On) cost(inside func(Steps) Cost, _ time.Duration) Cost {
	var longest Cost // they run at the same time
	for _, b := range a.Branches {
		c := inside(b.Steps)
		longest = Cost{Time: max(longest.Time, c.Time), AtMin: longest.AtMin || c.AtMin}
	}
	return longest
}

// Splits reports whether the action names devices for the steps in it.
func (d *Def) Splits() bool { return reflect.TypeOf(d.Args) == reflect.TypeFor[On]() }

// holdsBranches reports whether the keys of a struct that are not its own are lists of steps.
func holdsBranches(t reflect.Type) bool {
	s := ShapeOf(t)
	return s.Other != nil && t.FieldByIndex(s.Other).Type == BranchesType
}

// isStepOption reports whether every step has an option of this name.
func isStepOption(key string) bool {
	_, option := ShapeOf(reflect.TypeFor[StepOptions]()).Find(key)
	return option
}

// ReservedEntry reports whether a device cannot have the name, because a step has an option that is called like this.
func ReservedEntry(name string) bool { return isStepOption(name) }

// OnDevices returns every step, control steps before what they hold, with the device on which it runs; device is that
// of the steps outside of on.
func (s Steps) OnDevices(device string) iter.Seq2[*Step, string] {
	return func(yield func(*Step, string) bool) { s.walkDevices(device, yield) }
}

func (s Steps) walkDevices(device string, yield func(*Step, string) bool) bool {
	for _, step := range s {
		if !yield(step, device) {
			return false
		}
		for key, inner := range step.Nested() {
			on := device
			if step.Def.Splits() {
				on = key
			}
			if !inner.walkDevices(on, yield) {
				return false
			}
		}
	}
	return true
}

// MainDevice is the name of the device for the steps outside of on; "" for a test that names no devices.
func (t *Test) MainDevice() string {
	if len(t.Devices) == 0 {
		return ""
	}
	return t.Devices[0].Name
}
