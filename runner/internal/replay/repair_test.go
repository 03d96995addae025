package replay

import (
	"compress/gzip"
	"fmt"
	"image"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/decide"
)

// mutation changes the screen that a step acts on; it returns the element that is right then, nil where there is none.
type mutation struct {
	name string
	gone bool // nothing is right
	do   func(n *screen.Node) *screen.Node
}

func mutations() []mutation {
	unlink := func(n *screen.Node) {
		p := n.Parent
		p.Children = slices.DeleteFunc(p.Children, func(c *screen.Node) bool { return c == n })
	}
	called := func(n *screen.Node, text string) *screen.Node {
		for _, at := range []*string{&n.Text, &n.Desc, &n.Hint} {
			if *at != "" {
				*at = text
			}
		}
		return n
	}
	return []mutation{
		{"id renamed", false, func(n *screen.Node) *screen.Node { n.ID, n.TestID = n.ID+"_v2", ""; return n }},
		{"label extended", false, func(n *screen.Node) *screen.Node { return called(n, n.Label()+" now") }},
		{"label changed", false, func(n *screen.Node) *screen.Node { return called(n, "Proceed") }},
		{"moved", false, func(n *screen.Node) *screen.Node {
			n.ID += "_v2"
			n.Bounds = n.Bounds.Add(image.Pt(30, 60))
			return n
		}},
		{"wrapped", false, func(n *screen.Node) *screen.Node {
			p := n.Parent
			box := &screen.Node{Type: p.Type, Bounds: n.Bounds, Children: []*screen.Node{n}}
			for i, c := range p.Children {
				if c == n {
					p.Children[i] = box
				}
			}
			n.ID += "_v2"
			return n
		}},
		{"translated", false, func(n *screen.Node) *screen.Node {
			root := n
			for root.Parent != nil {
				root = root.Parent
			}
			var all func(o *screen.Node)
			all = func(o *screen.Node) {
				if o.Text != "" {
					o.Text = strings.Map(func(r rune) rune { return 'а' + r%32 }, o.Text)
				}
				for _, c := range o.Children {
					all(c)
				}
			}
			all(root)
			return n
		}},
		{"duplicated", false, func(n *screen.Node) *screen.Node { // the one in its place is right
			twin := *n
			twin.Bounds = n.Bounds.Add(image.Pt(0, n.Bounds.Dy()+8))
			n.ID += "_v2"
			twin.ID = n.ID
			n.Parent.Children = append(n.Parent.Children, &twin)
			return n
		}},
		{"removed", true, func(n *screen.Node) *screen.Node { unlink(n); return nil }},
		{"replaced", true, func(n *screen.Node) *screen.Node {
			other := *n
			other.ID, other.TestID, other.Children = "something_else", "", nil
			called(&other, "Learn more")
			for i, c := range n.Parent.Children {
				if c == n {
					n.Parent.Children[i] = &other
				}
			}
			return nil
		}},
		{"swapped with a neighbour", true, func(n *screen.Node) *screen.Node {
			for _, c := range n.Parent.Children {
				if c != n && isThing(c) {
					n.Bounds, c.Bounds = c.Bounds, n.Bounds
					break
				}
			}
			unlink(n) // only the neighbour is left, in the place of the element
			return nil
		}},
	}
}

// corpus are elements that recorded steps acted on, with their screens: pages and phones.
func corpus(t *testing.T) map[string]*decide.Recorded {
	t.Helper()
	files, err := filepath.Glob("../decide/testdata/*.ndjson.gz")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*decide.Recorded{}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		list, err := decide.Read(z)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		for i := range list {
			r := &list[i]
			if r.Gone > 0 || r.Want.Purpose != decide.Act || r.Want.Policy != "" || len(r.Frames) == 0 {
				continue
			}
			if n, tree := touched(r); n != nil && tree != nil && n.Parent != nil && n.Type != decide.SeenType {
				all[fmt.Sprintf("%s %d", filepath.Base(file), i)] = r
			}
		}
	}
	return all
}

// TestRepairs: mutated screens of pages and phones. Never is an element offered that is not the right one.
func TestRepairs(t *testing.T) {
	t.Parallel()
	searches := corpus(t)
	if len(searches) < 300 {
		t.Fatalf("only %d searches", len(searches))
	}
	names := slices.Sorted(maps.Keys(searches))
	if testing.Short() { // each eighth
		for i := range len(names) / 8 {
			names[i] = names[8*i]
		}
		names = names[:len(names)/8]
	}
	table := ""
	for _, m := range mutations() {
		right, none, wrong := 0, 0, 0
		for _, name := range names {
			was, before := touched(searches[name])
			now, at := copied(t, before, was)
			expected := m.do(at)
			now = screen.NewTree(now.Windows, now.Size, now.Taken)
			now.HitTested = before.HitTested
			got := match(was, before, now)
			switch {
			case got == nil:
				none++
			case expected != nil && (got.node == expected || got.node.Within(expected) || expected.Within(got.node)):
				right++
			default:
				wrong++
				t.Errorf("%s, %s: %s became %s: %v", name, m.name, was, got.node, got.why)
			}
		}
		table += fmt.Sprintf("| %s | %d | %d | %d |\n", m.name, right, none, wrong)
		if !m.gone && m.name == "id renamed" && right < len(names)*9/10 {
			t.Errorf("%s: only %d of %d are right", m.name, right, len(names))
		}
	}
	t.Logf("%d elements; right, nothing offered, wrong\n%s", len(names), table)
}

// copied is a copy of a tree, and the element in it.
func copied(t *testing.T, tree *screen.Tree, n *screen.Node) (*screen.Tree, *screen.Node) {
	t.Helper()
	data, err := tree.Record()
	if err != nil {
		t.Fatal(err)
	}
	same, err := screen.ReadRecorded(data)
	if err != nil {
		t.Fatal(err)
	}
	number, at := -1, 0
	for o := range tree.All {
		if o == n {
			number = at
		}
		at++
	}
	at = 0
	for o := range same.All {
		if at == number {
			return same, o
		}
		at++
	}
	t.Fatalf("%s is not in its tree", n)
	return nil, nil
}

// TestRewritten: only the selector of a step changes, wherever its file has it.
func TestRewritten(t *testing.T) {
	t.Parallel()
	label, id := dsl.Selector{Label: "Log in"}, dsl.Selector{ID: "login"}
	signIn, name := dsl.Selector{Label: "Sign in"}, dsl.Selector{ID: "signin"}
	total := dsl.Selector{Label: "Total"}
	below := func(sel dsl.Selector) dsl.Selector {
		sel.Below = &total
		return sel
	}
	for _, c := range []struct {
		text     string // of the file, from the step on
		old, now dsl.Selector
		want     string // the changed line; empty: none
		more     int    // lines below the step's own
	}{
		{"- tap: Sign in  # the blue one", signIn, label, "- tap: Log in  # the blue one", 0},
		{`- tap: "Sign in"`, signIn, label, "- tap: Log in", 0},
		{`- tap: 'Sign in'`, signIn, label, "- tap: Log in", 0},
		{"- tap: Sign in", signIn, id, "- tap: {id: login}", 0},
		{"- tap: {id: signin, timeout: 3s} # x", name, id, "- tap: {id: login, timeout: 3s} # x", 0},
		{"- tap: {id: signin}", name, label, "- tap: {label: Log in}", 0},
		{"- input: {into: E-mail, text: x}", dsl.Selector{Label: "E-mail"}, dsl.Selector{Label: "Your e-mail"},
			"- input: {into: Your e-mail, text: x}", 0},
		{"- input: {into: Sign in, text: Sign in}", signIn, label, "- input: {into: Log in, text: Sign in}", 0},
		{"- tap: Pay", dsl.Selector{Label: "Pay"}, dsl.Selector{Label: "Pay: now"}, `- tap: "Pay: now"`, 0},
		{"- tap: Zahlen für Übung", dsl.Selector{Label: "Zahlen für Übung"}, id, "- tap: {id: login}", 0},
		{"- tap: {label: Sign in, below: Total}", below(signIn), below(label), "- tap: {label: Log in, below: Total}", 0},
		{"- tap: {below: Total, label: Total}", below(total), below(label), "- tap: {below: Total, label: Log in}", 0},
		{"- tap:\n      label: Sign in # why\n      below: Total", below(signIn), below(id), "id: login # why", 1},
		{"- tap:\n      below: {label: Total}\n      label: Total", below(total), below(label), "label: Log in", 2},
		{"- tap:\n      below:\n        label: Total\n      label: Total", below(total), below(label), "label: Log in", 3},
		{"- input:\n      text: Sign in\n      into:\n        label: Sign in", signIn, label, "label: Log in", 3},
		{"- tap:\n      Sign in", signIn, label, "Log in", 1},
		{"- if: {visible: Sign in, then: [{tap: Sign in}]}", signIn, label,
			"- if: {visible: Sign in, then: [{tap: Log in}]}", 0},
		{"- tap: ${NAME}", signIn, label, "", 0},
		{"- tap: Sign in now", signIn, label, "", 0},
		{"- tap: \"Sign\\x20in\"", signIn, label, "", 0},
		{"- tap: >-\n      Sign\n      in", signIn, label, "", 0},
		{"- drag: {from: Sign in, to: Sign in}", signIn, label, "", 0},
		{"- webClick: '#signin'", dsl.Selector{CSS: "#signin"}, label, "", 0},
	} {
		lines := strings.Split("id: x\nsteps:\n  "+c.text+"\n  - assert: Paid", "\n")
		text := stepText{file: "x.yaml", lines: lines, line: 3, col: 5}
		text.word, _, _ = strings.Cut(strings.TrimPrefix(c.text, "- "), ":")
		if at := strings.Index(lines[2], "{tap:"); at > 0 {
			text.word, text.col = "tap", at+2
		}
		got, ok := text.rewritten(c.old, c.now)
		if ok != (c.want != "") || ok && (got.now != c.want || got.line != 3+c.more) {
			t.Errorf("%s: %+v %v, want %q", c.text, got, ok, c.want)
		}
	}
}

// TestTextOfAStep: a file that has changed since the run, or is not there, is not read; then the line of the report is
// all that is known.
func TestTextOfAStep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const file = "steps:\n  - tap:\n      label: Sign in\n"
	if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, source string
		want         edit
	}{
		{"a.yaml", "  - tap:", edit{3, "label: Sign in", "label: Log in"}},
		{"a.yaml", "  - tap: Sign in", edit{2, "- tap: Sign in", "- tap: Log in"}},
		{"b.yaml", "  - tap: Sign in", edit{2, "- tap: Sign in", "- tap: Log in"}},
		{"b.yaml", "  - tap:", edit{}},
		{"../" + filepath.Base(dir) + "/a.yaml", "  - tap:", edit{3, "label: Sign in", "label: Log in"}},
		{"../../a.yaml", "  - tap:", edit{}},
	} {
		s := &event.StepResult{Step: event.Step{Action: "tap", Source: c.source,
			Place: source.Pos{File: c.name, Line: 2, Col: 5}}}
		got, ok := textOf(dir, s).rewritten(dsl.Selector{Label: "Sign in"}, dsl.Selector{Label: "Log in"})
		if got != c.want || ok != (c.want != edit{}) {
			t.Errorf("%s, %s: %+v %v, want %+v", c.name, c.source, got, ok, c.want)
		}
	}
}
