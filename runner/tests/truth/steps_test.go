package truth_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// step is one line of YAML and what must come of it.
type step struct {
	yaml    string
	result  answer // yes: pass, no: fail, unsure: either
	touches []string
	passes  func(*model) // what it does to the app when it passes
	ends    bool         // what comes after it is unknown
}

// stepMaker makes up steps for a screen, and works out what must come of each.
type stepMaker struct {
	r       *rand.Rand
	m       *model // the copy that the expectations are worked out from
	settled bool   // nothing changes by itself any more
	last    time.Duration
}

const patience, short = "30000", "1200"

// all makes a few steps; one that fails, or may, is the last.
func (s *stepMaker) all() (steps []step) {
	changes, last := s.m.changes()
	s.last, s.settled = last, s.settled || len(changes) == 0
	for n := 2 + s.r.IntN(3); len(steps) < n; {
		st := s.step()
		steps = append(steps, st)
		if st.result != yes || st.ends {
			break
		}
		st.passes(s.m)
	}
	return steps
}

// labels are the words of the screen, and others that are near them.
func (s *stepMaker) label() string {
	var on []string
	for i := range s.m.all {
		for _, w := range []string{i.text, i.desc, i.hint, i.typed} {
			if w != "" && (!s.m.ticker || s.legible(w)) {
				on = append(on, w)
			}
		}
		if i.rows != nil {
			on = append(on, i.rows[0], i.rows[len(i.rows)-1])
		}
	}
	w := "Nothing"
	if len(on) > 0 {
		w = on[s.r.IntN(len(on))]
	}
	switch s.r.IntN(14) {
	case 0:
		return strings.ToLower(w)
	case 1:
		return strings.Fields(w)[0]
	case 2:
		f := strings.Fields(w)
		return f[len(f)-1]
	}
	return w
}

func quiet(*model) {}

func (s *stepMaker) step() step {
	switch s.r.IntN(14) {
	case 0, 1, 2:
		return s.assert()
	case 3, 4:
		return s.assertNot()
	case 5:
		return s.state()
	case 6:
		if st, ok := s.input(); ok {
			return st
		}
	case 7:
		if st, ok := s.scroll(); ok {
			return st
		}
	case 8:
		return s.condition()
	case 9:
		if st, ok := s.byRow(); ok {
			return st
		}
	case 10:
		if st, ok := s.indexed(); ok {
			return st
		}
	}
	return s.tap()
}

// times are those at which the screen may be looked at.
func (s *stepMaker) times() []time.Duration {
	end := s.last + time.Second
	if s.settled {
		return []time.Duration{end}
	}
	changes, _ := s.m.changes()
	list := []time.Duration{0, end}
	for _, t := range changes {
		list = append(list, t-1, t, t+time.Millisecond)
	}
	for i := range s.m.all {
		for at := i.moves.start; at < i.moves.end; at += 40 * time.Millisecond {
			list = append(list, at)
		}
	}
	slices.Sort(list)
	return list
}

// over returns the results at all times; the last one is final.
func (s *stepMaker) over(ask func(person) answer) (all []answer, final answer) {
	for _, t := range s.times() {
		all = append(all, ask(person{s.m, t}))
	}
	return all, all[len(all)-1]
}

func only(all []answer, want answer) bool {
	return !slices.ContainsFunc(all, func(a answer) bool { return a != want })
}

// hidden reports that a list may hold the label where it is not seen now.
func (s *stepMaker) inList(label string) bool {
	for i := range s.m.all {
		if slices.ContainsFunc(i.rows, func(r string) bool { return same(r, label) || strings.HasPrefix(r, label) }) {
			return true
		}
	}
	return false
}

func limit(v answer) string {
	if v == yes {
		return patience
	}
	return short
}

func (s *stepMaker) assert() step {
	label := s.label()
	all, final := s.over(func(p person) answer { return p.shown(label) })
	v := unsure
	switch {
	case s.inList(label):
	case final == yes:
		v = yes
	case only(all, no):
		v = no
	}
	word := []string{"assert", "waitFor"}[s.r.IntN(2)]
	line := fmt.Sprintf("%s: {label: %q, timeoutMs: %s}", word, label, limit(v))
	if word == "waitFor" {
		line = fmt.Sprintf("waitFor: {visible: %q, timeoutMs: %s}", label, limit(v))
	}
	return step{yaml: line, result: v, passes: quiet}
}

func (s *stepMaker) assertNot() step {
	label := s.label()
	if s.r.IntN(2) == 0 {
		label = strings.Fields(label)[0]
	}
	all, final := s.over(func(p person) answer { return p.shown(label) })
	v := unsure
	switch {
	case s.inList(label):
	case only(all, yes):
		v = no
	case final == no:
		v = yes
	}
	return step{yaml: fmt.Sprintf("assertNot: {label: %q, timeoutMs: %s}", label, limit(v)), result: v, passes: quiet}
}

func (s *stepMaker) state() step {
	label, want := s.label(), s.r.IntN(2) == 0
	all, final := s.over(func(p person) answer {
		on, can, a := p.state(label)
		switch {
		case a == unsure:
			return unsure
		case a == yes && can && on == want:
			return yes
		}
		return no
	})
	v := unsure
	switch {
	case s.inList(label):
	case final == yes:
		v = yes
	case only(all, no):
		v = no
	}
	return step{yaml: fmt.Sprintf("assert: {label: %q, checked: %t, timeoutMs: %s}", label, want, limit(v)), result: v,
		passes: quiet}
}

func (s *stepMaker) tap() step {
	label := s.label()
	st := step{result: unsure, passes: quiet}
	var final *item
	names, certain := map[string]bool{}, true
	for _, t := range s.times() {
		i, a := person{s.m, t}.aim(label)
		certain = certain && a == yes
		if final = i; i != nil {
			names[i.name] = true
		}
		st.touches = append(st.touches, person{s.m, t}.layers(label)...)
	}
	switch {
	case s.inList(label):
		st.touches = s.rowsOf()
	case certain && final != nil && len(names) == 1:
		st.result = yes
		name := final.name
		st.passes = func(m *model) { m.pressed(name) }
		st.ends = final.crashes > 0 || final.editable
		if final.crashes > 0 {
			st.result = no
		}
	case certain && len(names) == 0:
		st.result = no
	}
	for name := range names {
		st.touches = append(st.touches, name)
	}
	if s.m.ticker {
		s.inPixels(label, &st)
	}
	st.yaml = fmt.Sprintf("tap: {label: %q, timeoutMs: %s}", label, limit(st.result))
	if final != nil && final.crashes > 0 {
		st.yaml = fmt.Sprintf("tap: {label: %q, timeoutMs: %s}", label, patience)
	}
	return st
}

// legible reports whether a label can be read in pixels alone:
// it is written, not spoken, and no icon is on its characters.
func (s *stepMaker) legible(label string) bool {
	for _, t := range s.times() {
		list := person{s.m, t}.drawn()
		for n, d := range list {
			if d.says(label, true) &&
				(d.text != label || slices.ContainsFunc(list[n+1:], func(o drawn) bool {
					return o.picture &&
						o.box.Overlaps(d.ink())
				})) {
				return false
			}
		}
	}
	return true
}

// inPixels makes of a tap what can be known of it where pixels alone can be read: where the words stand, and not who
// takes a touch there.
func (s *stepMaker) inPixels(label string, st *step) {
	for _, t := range s.times() {
		p := person{s.m, t}
		seen, _ := p.find(label)
		for _, d := range seen {
			if st.result == no {
				st.result = unsure
			}
			for _, o := range p.drawn() {
				if o.takes && d.ink().Overlaps(o.box) {
					st.touches = append(st.touches, o.name)
				}
			}
		}
	}
}

// byRow taps one of several equal icons, by the row that it is in.
func (s *stepMaker) byRow() (step, bool) {
	if !s.settled {
		return step{}, false
	}
	p := person{s.m, s.last + time.Second}
	list := p.drawn()
	var icons []int
	for n, d := range list {
		if d.desc == "More" && p.sees(list, n) == yes {
			icons = append(icons, n)
		}
	}
	if len(icons) == 0 || p.m.dialog != nil {
		return step{}, false
	}
	icon := list[icons[s.r.IntN(len(icons))]]
	row := strings.TrimPrefix(icon.name, "More of ")
	if seen, sure := p.find(row); len(seen) != 1 || !sure || p.reach(icon) != yes || s.inList(row) {
		return step{}, false
	}
	word := []string{"rightOf", "near"}[s.r.IntN(2)]
	return step{yaml: fmt.Sprintf("tap: {label: More, %s: %q, timeoutMs: %s}", word, row, patience), result: yes,
		touches: []string{icon.name},
		passes:  func(m *model) { m.pressed(icon.name) }}, true
}

// indexed taps one of several equal things, counted from above.
func (s *stepMaker) indexed() (step, bool) {
	if !s.settled {
		return step{}, false
	}
	p, label := person{s.m, s.last + time.Second}, s.label()
	seen, sure := p.find(label)
	if !sure || s.inList(label) || p.m.dialog != nil || len(seen) == 0 {
		return step{}, false
	}
	n := s.r.IntN(len(seen) + 1)
	st := step{yaml: fmt.Sprintf("tap: {label: %q, index: %d, timeoutMs: %s}", label, n, limit(no)), result: no,
		passes: quiet}
	if n == len(seen) {
		return st, true
	}
	slices.SortFunc(seen, func(a, b drawn) int { return cmp.Or(a.box.Min.Y-b.box.Min.Y, a.box.Min.X-b.box.Min.X) })
	for i, d := range seen {
		if d.thing == nil || d.editable || p.reach(d) != yes || d.thing.disabled || d.thing.crashes > 0 || i > 0 &&
			d.thing == seen[i-1].thing {
			return step{}, false
		}
	}
	name := seen[n].thing.name
	st.yaml = fmt.Sprintf("tap: {label: %q, index: %d, timeoutMs: %s}", label, n, patience)
	st.result, st.touches, st.passes = yes, []string{name}, func(m *model) { m.pressed(name) }
	return st, true
}

// rowsOf are the rows that a touch may meet in a list.
func (s *stepMaker) rowsOf() []string {
	for i := range s.m.all {
		if i.rows != nil {
			return i.rows
		}
	}
	return nil
}

func (m *model) pressed(name string) {
	for i := range m.all {
		if i.name == name && i.takes {
			m.press(i)
			return
		}
	}
}

func (s *stepMaker) input() (step, bool) {
	for i := range s.m.all {
		if !i.editable {
			continue
		}
		label := i.hint
		if i.typed != "" {
			label = i.typed
		}
		aimed, a := person{s.m, s.last + time.Second}.aim(label)
		if aimed != i || a != yes || !s.settled {
			return step{}, false
		}
		text := []string{"Bob", i.hint, "1", "a b", "x@example.com"}[s.r.IntN(5)]
		name, whole := i.name, i.typed+text
		line := fmt.Sprintf("tap: {label: %q, timeoutMs: %s}\n  - input: {text: %q, timeoutMs: %s}\n  - hideKeyboard:", label,
			patience, text, patience)
		return step{yaml: line, result: yes, touches: nil, passes: func(m *model) {
			for i := range m.all {
				if i.name == name {
					i.typed = whole
				}
			}
		}}, true
	}
	return step{}, false
}

func (s *stepMaker) scroll() (step, bool) {
	for i := range s.m.all {
		if i.rows == nil || !s.settled {
			continue
		}
		row := fmt.Sprintf("Row %d", 1+s.r.IntN(len(i.rows)+3))
		st := step{result: no, passes: quiet, ends: true}
		if slices.Contains(i.rows, row) {
			st.result = yes
		}
		probe := &item{name: "probe", text: "probe", box: i.box, takes: true}
		if !s.clear(probe) {
			return step{}, false
		}
		st.yaml = fmt.Sprintf("scrollTo: {label: %q, timeoutMs: %s}", row, patience)
		if st.result == yes && s.r.IntN(2) == 0 {
			st.yaml += fmt.Sprintf("\n  - tap: {label: %q, timeoutMs: %s}", row, patience)
			st.touches = []string{row}
		}
		return st, true
	}
	return step{}, false
}

// clear reports whether nothing covers the place.
func (s *stepMaker) clear(probe *item) bool {
	list := person{s.m, s.last + time.Second}.drawn()
	over := false
	for _, d := range list {
		if over && d.box.Overlaps(probe.box) && (d.takes || d.fill != nil) {
			return false
		}
		over = over || d.rows != nil
	}
	return true
}

// condition taps something when a label is on the screen.
func (s *stepMaker) condition() step {
	if !s.settled {
		return s.assert()
	}
	label := s.label()
	then := s.tap()
	_, there := s.over(func(p person) answer { return p.shown(label) })
	if s.inList(label) || there == unsure {
		return s.assert()
	}
	st := step{yaml: fmt.Sprintf("if: {cond: 'visible(%q)', then: [{%s}]}", label, then.yaml), result: yes, passes: quiet}
	if there == yes {
		st.result, st.passes, st.touches, st.ends = then.result, then.passes, then.touches, then.ends
	}
	return st
}
