package replay

import (
	"compress/gzip"
	"fmt"
	"image"
	"image/draw"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/internal/testutil"
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
	whole := func(n *screen.Node) *screen.Node { // with what is around it, of the same name: an option and its text
		for p := n.Parent; p.Parent != nil && p.Label() == n.Label() && p.Bounds.Dy() < 2*n.Bounds.Dy(); p = n.Parent {
			n = p
		}
		return n
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
		{"label extended by a word", false, func(n *screen.Node) *screen.Node { return called(n, n.Label()+" now") }},
		{"another label", false, func(n *screen.Node) *screen.Node { return called(n, "Proceed") }},
		{"moved, id renamed", false, func(n *screen.Node) *screen.Node {
			n.ID += "_v2"
			n.Bounds = n.Bounds.Add(image.Pt(30, 60))
			return n
		}},
		{"wrapped in another element, id renamed", false, func(n *screen.Node) *screen.Node {
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
		{"all texts of the screen translated", false, func(n *screen.Node) *screen.Node {
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
		{"duplicated, id renamed", false, func(n *screen.Node) *screen.Node { // the one in its place is right
			twin := *n
			twin.Bounds = n.Bounds.Add(image.Pt(0, n.Bounds.Dy()+8))
			n.ID += "_v2"
			twin.ID = n.ID
			n.Parent.Children = append(n.Parent.Children, &twin)
			return n
		}},
		{"removed", true, func(n *screen.Node) *screen.Node { unlink(whole(n)); return nil }},
		{"replaced by something else in its place", true, func(n *screen.Node) *screen.Node {
			n = whole(n)
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
		{"swapped with a neighbour, id renamed", false, func(n *screen.Node) *screen.Node {
			n.ID += "_v2"
			for _, c := range n.Parent.Children {
				if c != n && isThing(c) {
					n.Bounds, c.Bounds = c.Bounds, n.Bounds
					break
				}
			}
			return n
		}},
		{"removed, and a neighbour in its place", true, func(n *screen.Node) *screen.Node {
			n = whole(n)
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

// acted is an element that a recorded step acted on.
type acted struct {
	name, kind string // widgets, pages or phones
	*decide.Recorded
}

// corpus are elements that recorded steps acted on, with their screens: pages with widgets of libraries, other pages,
// and simulated phones. TAPROOT_COLLECT_FRAMES=folder go test ./runner/tests/widgets records those of widgets.
func corpus(t *testing.T) (all []acted, libraries int) {
	t.Helper()
	widgets, err := filepath.Glob("testdata/widgets/*.ndjson.gz")
	if err != nil {
		t.Fatal(err)
	}
	others, err := filepath.Glob("../decide/testdata/*.ndjson.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range slices.Concat(widgets, others) {
		name, kind := filepath.Base(file), "phones"
		switch {
		case slices.Contains(widgets, file):
			kind = "widgets"
		case strings.HasPrefix(name, "web-"):
			kind = "pages"
		}
		before := len(all)
		for i, r := range readGzip(t, file) {
			if r.Gone > 0 || r.Want.Purpose != decide.Act || r.Want.Policy != "" || len(r.Frames) == 0 {
				continue
			}
			if n, tree := touched(&r); n != nil && tree != nil && n.Parent != nil && n.Type != decide.SeenType {
				all = append(all, acted{fmt.Sprintf("%s %d", name, i), kind, &r})
			}
		}
		if kind == "widgets" && len(all) > before {
			libraries++
		}
	}
	return all, libraries
}

func readGzip(t *testing.T, file string) []decide.Recorded {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	list, err := decide.Read(z)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return list
}

// TestRepairs: mutated screens of pages and phones. Never is an element offered that is not the right one. The table of
// docs/benchmarks.md has the numbers; -update writes it.
func TestRepairs(t *testing.T) {
	t.Parallel()
	all, libraries := corpus(t)
	if len(all) < 300 || libraries < 15 {
		t.Fatalf("only %d elements, of %d libraries", len(all), libraries)
	}
	if testing.Short() { // each eighth
		for i := range len(all) / 8 {
			all[i] = all[8*i]
		}
		all = all[:len(all)/8]
	}
	kinds, of := []string{"widgets", "pages", "phones"}, map[string]int{}
	for _, a := range all {
		of[a.kind]++
	}
	table := fmt.Sprintf("| change of the element | right, of %d in widgets of %d libraries | of %d on other pages | "+
		"of %d on phones | wrong |\n|---|---|---|---|---|\n", of["widgets"], libraries, of["pages"], of["phones"])
	for _, m := range mutations() {
		right, wrong := map[string]int{}, 0
		for _, a := range all {
			switch mutated(t, a, m) {
			case offeredRight:
				right[a.kind]++
			case offeredWrong:
				wrong++
			}
		}
		table += fmt.Sprintf("| %s | %d | %d | %d | %d |\n", m.name, right[kinds[0]], right[kinds[1]], right[kinds[2]], wrong)
		if sum := right[kinds[0]] + right[kinds[1]] + right[kinds[2]]; m.name == "id renamed" && sum < len(all)*8/10 {
			t.Errorf("%s: only %d of %d are right", m.name, sum, len(all))
		}
	}
	t.Log("\n" + table)
	if !testing.Short() {
		published(t, table)
	}
}

const (
	offeredNothing = iota
	offeredRight
	offeredWrong
)

// mutated is what is offered for an element on a mutated screen.
func mutated(t *testing.T, a acted, m mutation) int {
	t.Helper()
	was, before := touched(a.Recorded)
	now, at := copied(t, before, was)
	expected := m.do(at)
	now = screen.NewTree(now.Windows, now.Size, now.Taken)
	now.HitTested = before.HitTested
	got := match(was, before, now)
	switch {
	case got == nil:
		return offeredNothing
	case expected != nil && (got.node == expected || got.node.Within(expected) || expected.Within(got.node)):
		return offeredRight
	}
	t.Errorf("%s, %s: %s became %s: %v", a.name, m.name, was, got.node, got.why)
	return offeredWrong
}

// published compares the table with that of the documentation, or writes it there.
func published(t *testing.T, table string) {
	t.Helper()
	const file = "../../../docs/benchmarks.md"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(data), "| change of the element |")
	_, after, ends := strings.Cut(rest, "\n\n")
	if !found || !ends {
		t.Fatalf("%s has no such table", file)
	}
	want := before + table + "\n" + after
	switch {
	case *testutil.Update:
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Error(err)
		}
	case want != string(data):
		t.Errorf("the table of %s is another one: go test ./runner/internal/replay -run TestRepairs$ -update", file)
	}
}

// drawn is a screenshot of a screen: each element of package icon N shows the icon of that number.
func drawn(tree *screen.Tree) *picture {
	img := image.NewRGBA(image.Rectangle{Max: tree.Size})
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	for n := range tree.All {
		var icon uint64
		if _, err := fmt.Sscanf(n.Package, "icon %d", &icon); err != nil {
			continue
		}
		random := rand.New(rand.NewPCG(icon, 1))
		for y := n.Bounds.Min.Y; y+8 <= n.Bounds.Max.Y; y += 8 {
			for x := n.Bounds.Min.X; x+8 <= n.Bounds.Max.X; x += 8 {
				if random.IntN(2) == 0 {
					draw.Draw(img, image.Rect(x, y, x+8, y+8), image.Black, image.Point{}, draw.Src)
				}
			}
		}
	}
	return &picture{img: img, scale: 1}
}

// icons is a screen with a bar of icon buttons, between texts.
func icons(of ...screen.Node) *screen.Tree {
	root := &screen.Node{Type: "body", Bounds: image.Rect(0, 0, 400, 300)}
	root.Children = append(root.Children, &screen.Node{Type: "h1", Text: "Inbox", Bounds: image.Rect(10, 10, 200, 40)},
		&screen.Node{Type: "p", Text: "3 mails", Bounds: image.Rect(10, 120, 200, 140)})
	for i := range of {
		n := of[i]
		n.Type, n.Clickable = "button", true
		if n.Bounds.Empty() {
			n.Bounds = image.Rect(10+60*i, 60, 58+60*i, 108)
		}
		root.Children = append(root.Children, &n)
	}
	return screen.NewTree([]*screen.Node{root}, image.Pt(400, 300), time.Time{})
}

// TestPixels: an icon button is recognized by its pixels when its id, or the name that nothing draws, has changed.
// Other icons are not, nor is one of two equal ones.
func TestPixels(t *testing.T) {
	t.Parallel()
	menu, search, more := screen.Node{ID: "menu", Package: "icon 1"}, screen.Node{ID: "search", Package: "icon 2"},
		screen.Node{ID: "more", Package: "icon 3"}
	with := func(n screen.Node, id, desc string) screen.Node {
		n.ID, n.Desc = id, desc
		return n
	}
	twice := func(a, b string) []screen.Node { return []screen.Node{with(menu, a, ""), with(menu, b, "")} }
	large := screen.Node{ID: "a", Package: "icon 1", Bounds: image.Rect(10, 60, 90, 108)}
	for name, c := range map[string]struct {
		before, now []screen.Node
		want        int // of now, from 1; 0: none
	}{
		"id renamed":     {[]screen.Node{menu, search, more}, []screen.Node{with(menu, "burger", ""), search, more}, 1},
		"all renamed":    {[]screen.Node{menu, search}, []screen.Node{with(menu, "a", ""), with(search, "b", "")}, 1},
		"places changed": {[]screen.Node{menu, search}, []screen.Node{with(search, "b", ""), with(menu, "a", "")}, 0},
		"translated":     {[]screen.Node{with(menu, "", "Menu")}, []screen.Node{with(menu, "", "Karte")}, 1},
		"all is other":   {[]screen.Node{with(menu, "menu", "Menu")}, []screen.Node{with(menu, "add", "Add")}, 0},
		"removed":        {[]screen.Node{menu, search, more}, []screen.Node{search, more}, 0},
		"replaced":       {[]screen.Node{menu, search}, []screen.Node{{ID: "burger", Package: "icon 4"}, search}, 0},
		"two before":     {twice("menu", "b"), twice("c", "d"), 0},
		"two now":        {[]screen.Node{menu}, twice("a", "b"), 0},
		"plain":          {[]screen.Node{{ID: "menu"}}, []screen.Node{{ID: "burger"}}, 0},
		"other size":     {[]screen.Node{menu}, []screen.Node{large}, 0},
	} {
		before, now := newSurvey(icons(c.before...)), newSurvey(icons(c.now...))
		was := before.tree.Windows[0].Children[2]
		if got := matchIn(was, before, now); got != nil {
			t.Errorf("%s, without screenshots: %s", name, got.node)
		}
		before, now = newSurvey(before.tree), newSurvey(now.tree)
		before.pic, now.pic = drawn(before.tree), drawn(now.tree)
		got := matchIn(was, before, now)
		switch {
		case got == nil && c.want > 0, got != nil && (c.want == 0 ||
			got.node != now.tree.Windows[0].Children[1+c.want]):
			t.Errorf("%s: %+v, want %d", name, got, c.want)
		}
	}
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
