// Package fix replaces the refused words of test files: bytes go in, and bytes come out in which only the steps with
// such words differ, and what could not be replaced, with its place.
package fix

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/taproot-dev/taproot/dsl/internal/check"
	"github.com/taproot-dev/taproot/internal/source"
)

// Result is a file without its refused words.
type Result struct {
	Text    []byte
	Changed int             // steps
	Left    []*source.Error // steps that still have a refused word, with the reason
}

// File replaces the refused words of a file, or only those at some places. Steps for which the translation is not
// certain stay as they are. The error is that of a file that is not YAML, a source.Errors.
func File(name string, src []byte, at ...source.Pos) (Result, error) {
	r := Result{Text: src}
	skip := map[source.Pos]string{}
	for range source.MaxDepth { // steps are replaced from the inside out
		p, err := read(name, r.Text)
		if err != nil {
			return Result{Text: src}, err
		}
		if len(at) > 0 {
			p.refusals = slices.DeleteFunc(p.refusals, func(r check.Refusal) bool {
				word := wordAt(r)
				return !slices.ContainsFunc(at, func(a source.Pos) bool { return a.Line == word.Line && a.Col == word.Col })
			})
		}
		due := p.innermost(skip)
		if len(due) == 0 {
			r.Left = p.left(skip)
			return r, nil
		}
		text, done := p.apply(due, skip)
		if done > 0 {
			// Places change with the text: what is skipped is found again by what went wrong.
			skip = map[source.Pos]string{}
		}
		r.Text, r.Changed = text, r.Changed+done
	}
	p, err := read(name, r.Text)
	if err == nil {
		r.Left = p.left(skip)
	}
	return r, err
}

// page is one reading of the file.
type page struct {
	name     string
	src      []byte
	from     *source.Source
	docs     []source.Value
	lines    []int // the offset of each line
	refusals []check.Refusal
}

func read(name string, src []byte) (*page, error) {
	text, from, bad := source.Readable(name, src)
	if bad != nil {
		return nil, source.Errors{bad}
	}
	docs, err := source.Read(text, from)
	if err != nil {
		return nil, err
	}
	p := &page{name: name, src: src, from: from, docs: docs, lines: lineStarts(src)}
	seen := map[source.Pos]bool{}
	for _, r := range check.Refusals(from, docs) {
		if !seen[r.Step.Pos] { // an alias shows a step again
			seen[r.Step.Pos] = true
			p.refusals = append(p.refusals, r)
		}
	}
	slices.SortStableFunc(p.refusals, func(a, b check.Refusal) int {
		return cmp.Or(cmp.Compare(a.Step.Pos.Line, b.Step.Pos.Line), cmp.Compare(a.Step.Pos.Col, b.Step.Pos.Col))
	})
	return p, nil
}

// innermost returns the steps to replace that hold no other such step.
func (p *page) innermost(skip map[source.Pos]string) []check.Refusal {
	replaced := map[source.Pos]bool{}
	for _, r := range p.refusals {
		if _, left := skip[r.Step.Pos]; r.Fix.Certain() && !left {
			replaced[r.Step.Pos] = true
		}
	}
	var due []check.Refusal
	for _, r := range p.refusals {
		if replaced[r.Step.Pos] && !holds(r.Step, replaced, true) {
			due = append(due, r)
		}
	}
	return due
}

// holds reports whether one of the steps is inside of a value.
func holds(v source.Value, steps map[source.Pos]bool, top bool) bool {
	if !top && steps[v.Pos] {
		return true
	}
	for _, item := range v.Items {
		if holds(item, steps, false) {
			return true
		}
	}
	for _, f := range v.Fields {
		if f.Value.Pos == v.Pos { // a key without a value has its place
			continue
		}
		if holds(f.Value, steps, false) {
			return true
		}
	}
	return false
}

// apply replaces steps, all at once if that is what the file then says, else one by one. What cannot be replaced is
// added to skip.
func (p *page) apply(due []check.Refusal, skip map[source.Pos]string) (text []byte, done int) {
	var edits []edit
	var planned []check.Refusal
	for _, r := range due {
		own, why := p.plan(r)
		if why != "" {
			skip[r.Step.Pos] = why
			continue
		}
		edits, planned = append(edits, own...), append(planned, r)
	}
	if text, good := p.try(planned, edits); good {
		return text, len(planned)
	}
	planned = p.working(planned, skip)
	edits = nil
	for _, r := range planned {
		own, _ := p.plan(r)
		edits = append(edits, own...)
	}
	if text, good := p.try(planned, edits); good {
		return text, len(planned)
	}
	for _, r := range planned {
		skip[r.Step.Pos] = layout
	}
	return p.src, 0
}

const layout = "it is laid out in a way that cannot be changed in place"

// working returns the steps that can be replaced, and adds the others to skip.
func (p *page) working(steps []check.Refusal, skip map[source.Pos]string) []check.Refusal {
	var edits []edit
	for _, r := range steps {
		own, _ := p.plan(r)
		edits = append(edits, own...)
	}
	_, good := p.try(steps, edits)
	switch {
	case good:
		return steps
	case len(steps) < 2:
		for _, r := range steps {
			skip[r.Step.Pos] = layout
		}
		return nil
	}
	half := len(steps) / 2
	return slices.Concat(p.working(steps[:half], skip), p.working(steps[half:], skip))
}

// try makes the edits, and compares what the file then says with what it must say.
func (p *page) try(steps []check.Refusal, edits []edit) (text []byte, good bool) {
	text = applied(p.src, edits)
	plain, from, bad := source.Readable(p.name, text)
	if bad != nil {
		return nil, false
	}
	docs, err := source.Read(plain, from)
	if err != nil || len(docs) != len(p.docs) {
		return nil, false
	}
	fixes := map[source.Pos]check.Refusal{}
	for _, s := range steps {
		fixes[s.Step.Pos] = s
	}
	for i := range docs {
		if !equal(expected(p.docs[i], fixes), docs[i]) {
			return nil, false
		}
	}
	return text, len(steps) > 0
}

// expected is a document with the steps replaced.
func expected(v source.Value, fixes map[source.Pos]check.Refusal) source.Value {
	if len(v.Items) > 0 {
		items := make([]source.Value, 0, len(v.Items))
		for _, item := range v.Items {
			r, refused := fixes[item.Pos]
			if !refused || item.Kind != r.Step.Kind {
				items = append(items, expected(item, fixes))
				continue
			}
			for i, f := range r.Fix.Steps {
				step := source.Value{Kind: source.Map, Fields: []source.Field{f}}
				if i == len(r.Fix.Steps)-1 && len(item.Fields) > 1 {
					step.Fields = append(step.Fields, item.Fields[1:]...)
				}
				items = append(items, step)
			}
		}
		v.Items = items
	}
	if len(v.Fields) > 0 {
		v.Fields = slices.Clone(v.Fields)
		for i, f := range v.Fields {
			v.Fields[i].Value = expected(f.Value, fixes)
		}
	}
	return v
}

// equal compares values without their places.
func equal(a, b source.Value) bool {
	if a.Kind != b.Kind || a.Kind != source.Null && a.Text != b.Text {
		return false
	}
	return slices.EqualFunc(a.Items, b.Items, equal) && slices.EqualFunc(a.Fields, b.Fields,
		func(x, y source.Field) bool { return x.Key == y.Key && equal(x.Value, y.Value) })
}

// left are the refused words of the file, with the reason why each is there.
func (p *page) left(skip map[source.Pos]string) []*source.Error {
	var all []*source.Error
	for _, r := range p.refusals {
		e := &source.Error{Pos: wordAt(r), Msg: r.Fix.Message(), Hint: r.Fix.Hint(),
			Width: len([]rune(r.Fix.Word)), Source: p.from}
		if why := skip[r.Step.Pos]; why != "" {
			e.Hint = why + "; write:\n" + r.Fix.Lines()
		}
		all = append(all, e)
	}
	return all
}

// wordAt is where the refused word is.
func wordAt(r check.Refusal) source.Pos {
	if r.Step.Kind == source.Map && len(r.Step.Fields) > 0 {
		return r.Step.Fields[0].Pos
	}
	return r.Step.Pos
}

// edit replaces bytes of the file.
type edit struct {
	from, to int
	text     string
}

func applied(src []byte, edits []edit) []byte {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		if e.from < at {
			return nil // they overlap
		}
		out.Write(src[at:e.from])
		out.WriteString(e.text)
		at = e.to
	}
	out.Write(src[at:])
	return out.Bytes()
}
