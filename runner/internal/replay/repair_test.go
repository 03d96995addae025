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

// TestRewritten: only the selector of a line changes.
func TestRewritten(t *testing.T) {
	t.Parallel()
	label, id := dsl.Selector{Label: "Log in"}, dsl.Selector{ID: "login"}
	for _, c := range []struct {
		line     string
		old, now dsl.Selector
		want     string
	}{
		{"- tap: Sign in  # the blue one", dsl.Selector{Label: "Sign in"}, label, "- tap: Log in  # the blue one"},
		{`- tap: "Sign in"`, dsl.Selector{Label: "Sign in"}, label, "- tap: Log in"},
		{"- tap: Sign in", dsl.Selector{Label: "Sign in"}, id, "- tap: {id: login}"},
		{"- tap: {id: signin, timeout: 3s} # x", dsl.Selector{ID: "signin"}, id, "- tap: {id: login, timeout: 3s} # x"},
		{"- tap: {id: signin}", dsl.Selector{ID: "signin"}, label, "- tap: {label: Log in}"},
		{"- input: {into: E-mail, text: x}", dsl.Selector{Label: "E-mail"}, dsl.Selector{Label: "Your e-mail"},
			"- input: {into: Your e-mail, text: x}"},
		{"- tap: Pay", dsl.Selector{Label: "Pay"}, dsl.Selector{Label: "Pay: now"}, `- tap: "Pay: now"`},
		{"- tap: ${NAME}", dsl.Selector{Label: "Sign in"}, label, ""},
		{"- tap: Sign in now", dsl.Selector{Label: "Sign in"}, label, ""},
	} {
		got, ok := rewritten(c.line, c.old, c.now)
		if ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%s: %q %v, want %q", c.line, got, ok, c.want)
		}
	}
}
