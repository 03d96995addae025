package truth_test

import (
	"image"
	"strings"
	"time"
)

// person says what a person sees on the screen and would touch. It knows nothing of trees and selectors.
type person struct {
	m *model
	t time.Duration
}

// drawn is an item as it is on the screen, in the order of drawing.
type drawn struct {
	*item
	box    image.Rectangle
	thing  *item // what takes a touch of it
	window int
	inside []*item // outer ones first, the item included
}

func (p person) drawn() []drawn {
	var list []drawn
	var walk func(i *item, d drawn, by image.Point)
	walk = func(i *item, d drawn, by image.Point) {
		if !i.there(p.t) {
			return
		}
		d.item, d.box = i, i.at(p.t).Add(by)
		d.inside = append(d.inside[:len(d.inside):len(d.inside)], i)
		if i.takes {
			d.thing = i
		}
		list = append(list, d)
		for _, c := range i.in {
			walk(c, d, d.box.Min.Sub(i.box.Min))
		}
	}
	for _, i := range p.m.page {
		walk(i, drawn{}, image.Point{})
	}
	if p.m.status != "" {
		list = append(list, drawn{item: &item{name: "status", text: p.m.status}, box: p.m.statusBox()})
	}
	if p.m.dialog != nil {
		walk(p.m.dialog, drawn{window: 1}, image.Point{})
	}
	for _, i := range p.m.above {
		walk(i, drawn{window: 2}, image.Point{})
	}
	return list
}

func (d drawn) within(i *item) bool {
	for _, o := range d.inside {
		if o == i {
			return true
		}
	}
	return false
}

// shows are the words that the item shows or says.
func (d drawn) shows() []string {
	list := []string{d.text, d.desc}
	if d.editable {
		list = append(list, d.typed)
		if d.typed == "" {
			list = append(list, d.hint)
		}
	}
	return list
}

// ink is where the words are drawn: at the left of the box.
func (d drawn) ink() image.Rectangle {
	words := ""
	for _, w := range d.shows() {
		if words == "" {
			words = w
		}
	}
	b := d.box
	if d.text == "" && !d.editable {
		return b.Inset(6)
	}
	return image.Rect(b.Min.X+8, b.Min.Y+12, min(b.Max.X, b.Min.X+8+11*len([]rune(words))), b.Max.Y-12)
}

// answer is what a person says; unsure is for what two people would say differently about.
type answer int

const (
	no answer = iota
	yes
	unsure
)

func answerOf(free, all int) answer {
	switch {
	case free == 0:
		return no
	case free*10 >= all*3:
		return yes
	}
	return unsure
}

// sees reports whether any of the ink can be seen.
func (p person) sees(list []drawn, n int) answer {
	free, all := 0, 0
	ink := list[n].ink()
	screen := image.Rectangle{Max: p.m.size}
	for y := ink.Min.Y; y < ink.Max.Y; y += 4 {
		for x := ink.Min.X; x < ink.Max.X; x += 4 {
			all++
			at := image.Pt(x, y)
			covered := !at.In(screen)
			for _, c := range list[n+1:] {
				covered = covered || c.fill != nil && at.In(c.box)
			}
			if !covered {
				free++
			}
		}
	}
	return answerOf(free, all)
}

func same(a, b string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " "))
}

// find returns what shows the label and can be seen; unsure when people would differ. What is dimmed behind a dialog is
// unsure.
func (p person) find(label string) (seen []drawn, sure bool) {
	list := p.drawn()
	dialog := p.m.dialog != nil && p.m.dialog.there(p.t)
	best, sure := []drawn(nil), true
	for _, exact := range []bool{true, false} {
		for n, d := range list {
			if !d.says(label, exact) {
				continue
			}
			switch a := p.sees(list, n); {
			case a == unsure, a == yes && dialog && d.window == 0:
				sure = false
			case a == yes:
				best = append(best, d)
			}
		}
		if len(best) > 0 || !sure {
			return best, sure
		}
	}
	return nil, sure
}

func (d drawn) says(label string, exact bool) bool {
	for _, w := range d.shows() {
		if w != "" && (w == label || !exact && same(w, label)) {
			return true
		}
	}
	return false
}

// shown reports whether the label is on the screen.
func (p person) shown(label string) answer {
	seen, sure := p.find(label)
	switch {
	case len(seen) > 0:
		return yes
	case sure:
		return no
	}
	return unsure
}

// aim is what a person would touch when asked for the label: nil and yes when there is nothing to touch.
func (p person) aim(label string) (*item, answer) {
	seen, sure := p.find(label)
	for i := range p.m.all { // an action may find a filled field by its invisible hint; devices differ
		sure = sure && (!i.editable || i.typed == "" || !same(i.hint, label))
	}
	if !sure {
		return nil, unsure
	}
	if p.m.dialog != nil && p.m.dialog.there(p.t) { // the page is out of reach
		seen = atop(seen)
	}
	var things []drawn
	for _, d := range seen {
		known := false
		for _, o := range things {
			known = known || o.thing == d.thing && d.thing != nil
		}
		if !known {
			things = append(things, d)
		}
	}
	if len(things) != 1 {
		return nil, yes // none, or several that are ambiguous
	}
	d := things[0]
	switch {
	case d.thing == nil:
		return nil, unsure // a text that is not touched
	case d.thing.disabled || d.disabled:
		return nil, yes
	}
	switch p.reach(d) {
	case yes:
		return d.thing, yes
	case no:
		return nil, yes
	}
	return nil, unsure
}

// layers are the clear layers that a finger on the label touches when what shows it does not react itself: there is
// nothing else to be seen that it could be meant for.
func (p person) layers(label string) (names []string) {
	seen, _ := p.find(label)
	for _, d := range seen {
		if d.thing != nil {
			continue
		}
		for _, o := range p.drawn() {
			if o.item == d.item {
				break
			}
			if o.takes && o.fill == nil && len(o.in) == 0 && strings.Join(o.shows(), "") == "" && d.ink().In(o.box) {
				names = append(names, o.name)
			}
		}
	}
	return names
}

func atop(list []drawn) []drawn {
	var kept []drawn
	for _, d := range list {
		if d.window > 0 {
			kept = append(kept, d)
		}
	}
	return kept
}

// reach reports whether a finger can touch the thing and nothing else.
func (p person) reach(target drawn) answer {
	list := p.drawn()
	free, box := 0, image.Rectangle{}
	for _, d := range list {
		if d.item == target.thing {
			box = d.box
		}
	}
	screen := image.Rectangle{Max: p.m.size}
	for y := box.Min.Y + 2; y < box.Max.Y; y += 4 {
		for x := box.Min.X + 2; x < box.Max.X; x += 4 {
			at, taken := image.Pt(x, y), !image.Pt(x, y).In(screen)
			behind := true
			for _, d := range list {
				if d.item == target.thing {
					behind = false
					continue
				}
				if behind || !at.In(d.box) {
					continue
				}
				if d.within(target.thing) {
					taken = taken || d.takes
				} else {
					taken = taken || d.takes || d.fill != nil
				}
			}
			if !taken {
				free++
			}
		}
	}
	switch {
	case free == 0:
		return no
	case free >= 40:
		return yes
	}
	return unsure
}

// state is the checked state of what the label names.
func (p person) state(label string) (on bool, can bool, a answer) {
	seen, sure := p.find(label)
	if !sure {
		return false, false, unsure
	}
	if len(seen) != 1 {
		return false, false, map[bool]answer{true: no, false: unsure}[len(seen) == 0]
	}
	d := seen[0]
	for _, i := range append([]*item{d.item}, childrenOf(d.thing)...) {
		if i.checks {
			return i.checked, true, yes
		}
	}
	for _, o := range d.inside { // a row that is not a button itself
		for _, i := range o.in {
			if i.checks {
				return i.checked, true, yes
			}
		}
	}
	return false, false, yes
}

func childrenOf(i *item) []*item {
	if i == nil {
		return nil
	}
	return append([]*item{i}, i.in...)
}
