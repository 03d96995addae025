package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// lanes is what a reader knows of the devices of the test that it reads.
type lanes struct {
	devices []vocabulary.Entry
	known   bool   // devices are those of the test; false: the steps are of a file that several tests may run
	device  string // the one that the steps of a branch of on are for; "": outside of on
	splits  bool   // the step that is being read is an on
}

// entries reads what the key devices of a test says.
func (d *reader) entries(h *vocabulary.Header, v source.Value) []vocabulary.Entry {
	f, given := v.Get("devices")
	if !given || f.Value.Kind != source.Map {
		return nil // which is reported
	}
	if len(f.Value.Fields) == 0 {
		d.Fail(f.Pos, len(f.Key), `"devices" is empty`, "for example: devices: {alice: {platform: android}}")
	}
	for _, e := range f.Value.Fields {
		width, name := len([]rune(e.Key)), phrase.LimitRunes(e.Key, 60)
		switch {
		case vocabulary.ReservedEntry(e.Key):
			d.Fail(e.Pos, width, fmt.Sprintf("a device cannot be called %q: every step has an option of this name", name),
				"choose another name")
		case !vocabulary.EntryForm.MatchString(e.Key):
			d.Fail(e.Pos, width, fmt.Sprintf("the name %q of a device holds what no name can", name),
				"use letters without accents, digits and hyphens, start with a letter, and write at most 32")
		}
		for _, other := range f.Value.Fields {
			if other.Key != e.Key && strings.EqualFold(other.Key, e.Key) && e.Key > other.Key {
				d.Fail(e.Pos, width, fmt.Sprintf("the devices %q and %q have the same name", other.Key, e.Key),
					"upper and lower case count as the same; choose another one")
			}
		}
	}
	return vocabulary.EntriesOf(f.Value.Fields, h.Devices)
}

// checkOn checks a step that names devices.
func (d *reader) checkOn(action source.Field) {
	width := len([]rune(action.Key))
	if d.device != "" {
		d.Fail(action.Pos, width, `"on" cannot be inside of "on"`,
			fmt.Sprintf("the steps here run on %s: end its list before this step", d.device))
		return
	}
	if action.Value.Kind != source.Map {
		if action.Value.Kind == source.Null {
			d.Fail(action.Pos, width, `"on" names no device`, "for example: on: {bob: [{tap: Sign in}]}")
		}
		return
	}
	if d.known && len(d.devices) == 0 {
		d.Fail(action.Pos, width, `"on" needs a test with "devices"`,
			"list them at the top of the test: devices: {alice: {platform: android}, bob: {platform: web}}")
		return
	}
	names := 0
	for _, f := range action.Value.Fields {
		if vocabulary.ReservedEntry(f.Key) {
			continue
		}
		names++
		if d.known && vocabulary.FindEntry(d.devices, f.Key) == nil {
			d.Fail(f.Pos, len([]rune(f.Key)), fmt.Sprintf("the test has no device %q", phrase.LimitRunes(f.Key, 60)),
				unknownDevice(f.Key, d.devices))
		}
	}
	if names == 0 {
		d.Fail(action.Pos, width, `"on" names no device`, "for example: on: {bob: [{tap: Sign in}]}")
	}
}

func unknownDevice(name string, all []vocabulary.Entry) string {
	names := vocabulary.EntryNames(all)
	if near := phrase.Nearest(name, names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "its devices are " + strings.Join(names, ", ")
}

// branchOn reads the steps for one device.
func (d *reader) branchOn(f source.Field) vocabulary.Steps {
	outer, platform := d.lanes, d.Platform
	defer func() { d.lanes, d.Platform = outer, platform }()
	d.splits, d.device, d.Platform = false, f.Key, ""
	if e := vocabulary.FindEntry(d.devices, f.Key); e != nil {
		d.Platform = e.Platform
	}
	return d.steps(f)
}

// Several finds what is wrong with the devices that the hooks of a suite and linked blocks name: they were read without
// the test that runs them. The error is an Errors.
func Several(t *vocabulary.Test) error {
	c := severalCheck{test: t}
	for _, list := range []vocabulary.Steps{t.Before, t.Steps, t.OnFailure, t.After} {
		for _, step := range list {
			if step.File != t.Source {
				c.read(vocabulary.Steps{step}, t.MainDevice(), false)
			}
		}
		c.steps(list, t.MainDevice(), false)
	}
	return c.errs.Err()
}

type severalCheck struct {
	test *vocabulary.Test
	errs source.Errors
}

// steps follows the blocks that steps run. in: they are inside of an on.
func (c *severalCheck) steps(steps vocabulary.Steps, device string, in bool) {
	for _, step := range steps {
		if step.Says != nil {
			continue
		}
		if b := step.Block; b != nil {
			c.read(b.Steps, device, in)
		}
		for key, inner := range step.Nested() {
			if step.Def.Splits() {
				c.steps(inner, key, true)
				continue
			}
			c.steps(inner, device, in)
		}
	}
}

// read reads steps of another file, or of a block, for the device that they run on.
func (c *severalCheck) read(steps vocabulary.Steps, device string, in bool) {
	platform := c.test.Platform
	if e := vocabulary.FindEntry(c.test.Devices, device); e != nil {
		platform = e.Platform
	}
	for _, s := range steps {
		if s.Says != nil {
			continue
		}
		d := NewReader(s.File, expr.Deferred, platform)
		d.devices, d.known = c.test.Devices, true
		if in {
			d.device = device
		}
		if len(c.test.Devices) == 0 { // the platform has been checked
			d.Platform = ""
		}
		d.step(source.Value{Kind: source.Map, Pos: s.Pos, Fields: []source.Field{
			{Key: s.Def.Name, Pos: s.Pos, Value: s.Args}}})
		for _, e := range d.Errs {
			if !slices.ContainsFunc(c.errs, func(o *source.Error) bool { return o.Error() == e.Error() }) {
				c.errs = append(c.errs, e)
			}
		}
	}
}

// holdsOn reports whether a test has devices, or a step that names some.
func holdsOn(t *vocabulary.Test) bool {
	if len(t.Devices) > 0 {
		return true
	}
	for _, list := range []vocabulary.Steps{t.Before, t.Steps, t.OnFailure, t.After} {
		for step := range list.All {
			if step.Def.Splits() {
				return true
			}
		}
	}
	return false
}

// branches checks the steps for several devices, which run at once: each sees what was saved before them, and what it
// saves itself.
func (c *varCheck) branches(step *vocabulary.Step) {
	saved := make([]map[string]*vocabulary.Step, len(step.Inner))
	for i, inner := range step.Inner {
		saved[i] = map[string]*vocabulary.Step{}
		for s := range inner.Steps.All {
			for _, name := range s.Saves() {
				if saved[i][name] == nil {
					saved[i][name] = s
				}
			}
		}
	}
	before := c.promised
	after := maps.Clone(before)
	for i, inner := range step.Inner {
		c.promised = maps.Clone(before)
		for k, other := range saved {
			if k == i {
				continue
			}
			c.ofOther(inner, saved[i], other, step.Inner[k].Key, k < i)
		}
		c.steps(inner.Steps)
		maps.Copy(after, c.promised)
	}
	c.promised = after
}

// ofOther reports what a branch saves or reads that is saved by another branch.
func (c *varCheck) ofOther(branch vocabulary.InnerSteps, own, other map[string]*vocabulary.Step, device string,
	later bool) {
	for _, name := range slices.Sorted(maps.Keys(other)) {
		if s := own[name]; s != nil {
			if later {
				c.errs = append(c.errs, &source.Error{Pos: s.Pos, Source: s.File, Width: len(s.Def.Name),
					Msg:  fmt.Sprintf("%s and %s both save %q, and they run at the same time", device, branch.Key, name),
					Hint: "save one of the two under another name, or run one after the other: write two steps with on"})
			}
			continue
		}
		if c.promised[name] || expr.Knows(c.scope, name) {
			continue
		}
		if s := readerOf(branch.Steps, name); s != nil {
			c.errs = append(c.errs, &source.Error{Pos: s.Pos, Source: s.File, Width: len(s.Def.Name),
				Msg:  fmt.Sprintf("%s reads %q, which only %s saves, and they run at the same time", branch.Key, name, device),
				Hint: `end this "on" before the step, and write another one that starts with it`})
			c.promised[name] = true // not a second time
		}
	}
}

// readerOf returns the first step that reads a variable, unless a block has one of its own with this name.
func readerOf(steps vocabulary.Steps, name string) *vocabulary.Step {
	for _, s := range steps {
		if s.Uses()[name] {
			return s
		}
		if b := s.Block; b != nil {
			with, _ := s.Args.Get("with")
			_, given := with.Value.Get(name)
			if given || slices.ContainsFunc(b.Vars, func(v expr.Var) bool { return v.Name == name }) {
				continue
			}
		}
		for _, inner := range s.Nested() {
			if found := readerOf(inner, name); found != nil {
				return found
			}
		}
	}
	return nil
}

// stepsOn returns the steps that run on one of the devices of a test.
func stepsOn(t *vocabulary.Test, device string) func(func(*vocabulary.Step) bool) {
	return func(yield func(*vocabulary.Step) bool) {
		for _, list := range []vocabulary.Steps{t.Before, t.Steps, t.OnFailure, t.After} {
			for step, on := range list.OnDevices(t.MainDevice()) {
				if on == device && !yield(step) {
					return
				}
			}
		}
	}
}

// BrowserOf is Browser for one of the devices of a test with several.
func BrowserOf(t *vocabulary.Test, e vocabulary.Entry, browser string) error {
	if e.Platform != vocabulary.Web {
		return nil
	}
	c := browserCheck{test: t, own: browser, in: browser, named: e.Browser != ""}
	for step := range stepsOn(t, e.Name) {
		c.step(step)
	}
	return c.errs.Err()
}
