package client

import (
	"errors"
	"fmt"
	"image"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/internal/testutil"
)

func same(s string) string { return s }

// listOf is a screen with rows, each with a text and a button "Delete" next to it.
func listOf(rows ...string) *screen.Tree {
	list := &screen.Node{Type: "android.widget.ListView", Scrollable: true, Bounds: image.Rect(0, 100, 400, 800)}
	for i, row := range rows {
		y := 100 + i*50
		list.Children = append(list.Children, &screen.Node{Type: "android.widget.LinearLayout",
			Bounds: image.Rect(0, y, 400, y+50), Children: []*screen.Node{
				{Type: "android.widget.TextView", Text: row, Bounds: image.Rect(0, y, 200, y+50)},
				{Type: "android.widget.Button", Text: "Delete", Clickable: true, Bounds: image.Rect(300, y, 400, y+50)}}})
	}
	title := &screen.Node{Type: "android.widget.TextView", Text: "Cart", Bounds: image.Rect(0, 0, 400, 100)}
	return screen.NewTree([]*screen.Node{{Type: "android.widget.FrameLayout", Package: "com.example",
		Bounds:   image.Rect(0, 0, 400, 800),
		Children: []*screen.Node{title, list}}}, image.Pt(400, 800), time.Now())
}

// TestRefsMeanOneElement: a reference means the same element or none; "Delete" of another row is another element.
func TestRefsMeanOneElement(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after *screen.Tree
		row           string // with the "Delete" of the reference
		want          string // the row in which it is found; "" is stale
	}{
		{"nothing changed", listOf("Milk", "Bread"), listOf("Milk", "Bread"), "Bread", "Bread"},
		{"the list was scrolled", listOf("Milk", "Bread", "Eggs"), listOf("Bread", "Eggs", "Salt"), "Bread", "Bread"},
		{"the row is gone", listOf("Milk", "Bread"), listOf("Milk", "Salt"), "Bread", ""},
		{"the row was scrolled away", listOf("Milk", "Bread"), listOf("Eggs", "Salt"), "Milk", ""},
		{"twins stand still", listOf("Milk", "Milk", "Salt"), listOf("Milk", "Milk", "Salt"), "Milk", "Milk"},
		{"a twin is gone", listOf("Milk", "Milk", "Salt"), listOf("Milk", "Salt"), "Milk", ""},
		{"a twin came", listOf("Milk", "Salt"), listOf("Milk", "Milk", "Salt"), "Milk", ""},
		{"one button of one row is another one", listOf("Milk"), listOf("Salt"), "Milk", ""},
	} {
		r := NewRefs()
		shot, _ := r.Take("A", c.before, same)
		ref := ""
		for _, name := range shot.Order {
			n := shot.Nodes[name]
			if n.Text == "Delete" && n.Parent.Children[0].Text == c.row {
				ref = name
				break
			}
		}
		n := identify(c.after, r.seed).Locate(r.known[ref])
		switch {
		case c.want == "" && n != nil:
			t.Errorf("%s: %s means %s beside %s", c.name, ref, n, n.Parent.Children[0])
		case c.want != "" && (n == nil || n.Parent.Children[0].Text != c.want):
			t.Errorf("%s: %s means %v", c.name, ref, n)
		}
		if n == nil {
			continue
		}
		sc := identify(c.after, r.seed)
		selector, ok := sc.Selector(n)
		if !ok || !sc.picks(selector, n) {
			t.Errorf("%s: %v does not pick %s", c.name, selector.Go(), n)
		}
	}
}

// TestTypingKeepsRefs: the values of fields are not part of the identity of elements.
func TestTypingKeepsRefs(t *testing.T) {
	form := func(email, note string) *screen.Tree {
		return screen.NewTree([]*screen.Node{{Type: "FrameLayout", Bounds: image.Rect(0, 0, 400, 800),
			Children: []*screen.Node{
				{Type: "TextView", Text: "Sign in to go on", Bounds: image.Rect(0, 0, 400, 50)},
				{Type: "EditText", Hint: "E-mail", Text: email, Editable: true, Bounds: image.Rect(0, 50, 400, 100)},
				{Type: "Button", Text: "Sign in", Clickable: true, Bounds: image.Rect(0, 150, 400, 200)},
				{Type: "TextView", Text: note, Bounds: image.Rect(0, 200, 400, 250)}}}}, image.Pt(400, 800), time.Now())
	}
	r := NewRefs()
	shot, _ := r.Take("A", form("", ""), same)
	for _, ref := range shot.Order {
		if identify(form("ada@example.com", ""), r.seed).Locate(r.known[ref]) == nil {
			t.Errorf("%s is stale after typing", shot.Lines[ref])
		}
	}
	after, before := r.Take("A", form("ada@example.com", ""), same)
	if text, err := after.Text(before, View{Diff: true, Max: 500}, same); err != nil ||
		text != "~ e2 textbox \"E-mail\" value=\"ada@example.com\" [0,50][400,100]\n" {
		t.Errorf("%v, the difference is\n%s", err, text)
	}
}

// TestSnapshotText: find, under, max, diff and the limit.
func TestSnapshotText(t *testing.T) {
	r := NewRefs()
	shot, before := r.Take("A", listOf("Milk", "Bread", "Eggs"), same)
	testutil.Golden(t, "snapshot.txt", []byte(must(t, shot, before, View{Max: 500})))
	for _, c := range []struct {
		name  string
		args  View
		lines int
		want  string
	}{
		{"find", View{Find: "BREAD", Max: 500}, 1, `"Bread"`},
		{"under a reference", View{Under: refOf(t, must(t, shot, nil, View{Max: 500}), "listview"), Max: 500}, 6, `"Eggs"`},
		{"under a label", View{Under: "Bread", Max: 500}, 2, ""},
		{"max", View{Max: 3}, 4, "5 more, use under= or find="},
		{"nothing changed", View{Max: 500}, 8, ""},
	} {
		text := must(t, shot, nil, c.args)
		if strings.Count(text, "\n") != c.lines || !strings.Contains(text, c.want) {
			t.Errorf("%s:\n%s", c.name, text)
		}
	}
	after, before := r.Take("A", listOf("Bread", "Eggs", "Salt"), same)
	diff := must(t, after, before, View{Diff: true, Max: 500})
	if !strings.Contains(diff, `+ e9 text "Salt"`) || !strings.Contains(diff, "- e3 text \"Milk\"; 4 others moved\n") ||
		!strings.Contains(diff, "= e10 was e4") {
		t.Errorf("the difference is\n%s", diff)
	}
	if again, before := r.Take("A", listOf("Bread", "Eggs", "Salt"), same); must(t, again, before,
		View{Diff: true, Max: 500}) != "nothing changed since the last snapshot\n" {
		t.Error("a difference to the same screen")
	}
	other, before := r.Take("A", listOf("Tea"), same)
	if text := must(t, other, before, View{Diff: true, Max: 500}); !strings.HasPrefix(text, anotherScreen+"\n") ||
		strings.Contains(text, "Salt") {
		t.Errorf("the difference to another screen is\n%s", text)
	}
	for _, a := range []View{{Find: "Bred", Max: 5}, {Under: "Bred", Max: 5}, {Under: "e999", Max: 5}} {
		if _, err := after.Text(nil, a, same); err == nil || !strings.Contains(err.Error(), "snapshot") {
			t.Errorf("%+v: %v", a, err)
		}
	}
	var rows []string
	for i := range 2000 {
		rows = append(rows, fmt.Sprintf("Row %d %s", i, strings.Repeat("é", 100)))
	}
	long, _ := NewRefs().Take("A", listOf(rows[:14]...), same)
	if text := must(t, long, nil, View{Max: 2000}); strings.Contains(text, "more") {
		t.Errorf("%d characters are cut", len(text))
	}
	for i := range rows {
		rows[i] += strings.Repeat("x", 60)
	}
	tree := listOf(rows...)
	tree.Size = image.Pt(400, 200_000)
	tree.Windows[0].Bounds = image.Rect(0, 0, 400, 200_000)
	huge, _ := NewRefs().Take("A", tree, same)
	text := must(t, huge, nil, View{Max: 2000})
	if n := len([]rune(text)); n > MaxText || n < MaxText*9/10 || !strings.HasSuffix(text, "more, use under= or find=\n") {
		t.Errorf("%d characters, ending in %q", n, text[len(text)-60:])
	}
}

// TestForgedLines: IDs, roles and labels of a page stay within their own line of a snapshot, in quotes.
func TestForgedLines(t *testing.T) {
	const forged = "a\ne99 button \"Pay\" #pay [0,0][9,9]\x1b[31m\u202e"
	n := &screen.Node{Type: forged, Text: forged, ID: forged, Clickable: true, Bounds: image.Rect(0, 0, 9, 9)}
	role := &screen.Node{Role: forged, TestID: forged, Desc: forged, Editable: true, Text: forged,
		Bounds: image.Rect(0, 0, 9, 9)}
	shot, _ := NewRefs().Take("A", screen.NewTree([]*screen.Node{n, role}, image.Pt(9, 9), time.Now()), same)
	text := must(t, shot, nil, View{Max: 5})
	if strings.Count(text, "\n") != 2 || strings.ContainsAny(text, "\x1b\u202e") || !strings.Contains(text, `#"a\ne99`) {
		t.Errorf("%q", text)
	}
}

func must(t *testing.T, s, before *Snapshot, a View) string {
	t.Helper()
	text, err := s.Text(before, a, same)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestClocksKeepRefs: a clock next to other texts changes nothing; without other texts it distinguishes rows.
func TestClocksKeepRefs(t *testing.T) {
	page := func(texts ...string) *screen.Tree {
		root := &screen.Node{Type: "FrameLayout", Bounds: image.Rect(0, 0, 400, 800), Children: []*screen.Node{
			{Type: "Button", Text: "Stop", Clickable: true, Bounds: image.Rect(0, 150, 400, 200)}}}
		for i, text := range texts {
			root.Children = append(root.Children, &screen.Node{Type: "TextView", Text: text, Bounds: image.Rect(0, 200+50*i, 400,
				250+50*i)})
		}
		return screen.NewTree([]*screen.Node{root}, image.Pt(400, 800), time.Now())
	}
	for _, c := range []struct {
		before, after []string
		found         bool
	}{{[]string{"Stopwatch", "00:05.3"}, []string{"Stopwatch", "00:06.1"}, true},
		{[]string{"Loading", "5 %"}, []string{"Loading", "99%"}, true},
		{[]string{"12:30"}, []string{"13:00"}, false}, {[]string{"Item 5", "12:30"}, []string{"Item 9", "12:30"}, false},
		{[]string{"5 left", "x"}, []string{"6 left", "x"}, true}} {
		r := NewRefs()
		shot, _ := r.Take("A", page(c.before...), same)
		if n := identify(page(c.after...), r.seed).Locate(r.known[shot.Order[0]]); (n != nil) != c.found {
			t.Errorf("%q to %q: %v", c.before, c.after, n)
		}
	}
}

// refOf returns the reference in the line of a snapshot that contains the words.
func refOf(t testing.TB, snapshot string, words ...string) string {
	t.Helper()
next:
	for line := range strings.Lines(snapshot) {
		for _, w := range words {
			if !strings.Contains(line, w) {
				continue next
			}
		}
		return strings.TrimLeft(strings.Fields(line)[0], "+~ ")
	}
	t.Fatalf("no line with %q in\n%s", words, snapshot)
	return ""
}

// form is a page with fields that have IDs, and a heading and a link without; errors appear above them.
func form(hasIDs bool, errors ...string) *screen.Tree {
	root := &screen.Node{Type: "body", Bounds: image.Rect(0, 0, 400, 800)}
	add := func(n *screen.Node, id string) {
		y := 40 * len(root.Children)
		n.Bounds = image.Rect(0, y, 200, y+30)
		if hasIDs {
			n.ID = id
		}
		root.Children = append(root.Children, n)
	}
	for _, e := range errors {
		add(&screen.Node{Type: "p", Role: "alert", Text: e}, "error")
	}
	add(&screen.Node{Type: "h1", Role: "heading", Text: "Sign up"}, "")
	for _, name := range []string{"First name", "Last name", "E-mail", "Street", "City", "Country", "Phone"} {
		add(&screen.Node{Type: "input", Role: "textbox", Desc: name, Editable: true}, strings.ToLower(name))
	}
	add(&screen.Node{Type: "button", Role: "button", Text: "Save", Clickable: true}, "save")
	add(&screen.Node{Type: "button", Role: "button", Text: "Cancel", Clickable: true}, "cancel")
	t := screen.NewTree([]*screen.Node{root}, image.Pt(400, 800), time.Now())
	t.HitTested = true
	return t
}

// TestErrorRow: a new row does not change other references, and is the only line of the difference.
func TestErrorRow(t *testing.T) {
	for _, hasIDs := range []bool{true, false} {
		r := NewRefs()
		first, _ := r.Take("web-1", form(hasIDs), same)
		for _, ref := range first.Order {
			known, _ := r.Known(ref)
			if n := r.Identify(form(hasIDs, "The city is missing")).Locate(known); n == nil ||
				n.Label() != first.Nodes[ref].Label() {
				t.Errorf("ids %v: %s means %v", hasIDs, first.Lines[ref], n)
			}
		}
		after, before := r.Take("web-1", form(hasIDs, "The city is missing"), same)
		diff := must(t, after, before, View{Diff: true, Max: 500})
		if !strings.HasPrefix(diff, `+ e11 alert "The city is missing"`) || strings.Count(diff, "\n") != 1 ||
			!strings.HasSuffix(diff, "; 10 others moved\n") {
			t.Errorf("ids %v: the difference is\n%s", hasIDs, diff)
		}
		if back, before := r.Take("web-1", form(hasIDs), same); must(t, back, before,
			View{Diff: true, Max: 500}) != "- e11 alert \"The city is missing\"; 10 others moved\n" {
			t.Error("the way back")
		}
	}
}

// TestSuccessor: the error for a stale reference names the element that probably replaced it.
func TestSuccessor(t *testing.T) {
	r := NewRefs()
	shot, _ := r.Take("A", listOf("Milk", "Bread"), same)
	milk := must(t, shot, nil, View{Max: 500})
	ref := refOf(t, milk, `"Delete"`) // of Milk
	known, _ := r.Known(ref)
	tree := listOf("Salt", "Bread")
	if n := r.Identify(tree).Locate(known); n != nil {
		t.Fatalf("%s means %v", ref, n)
	}
	next, what := r.Successor("A", known, tree, same)
	if next == "" || next == ref || !strings.Contains(what, "Delete") {
		t.Errorf("the successor of %s is %q %s", ref, next, what)
	}
	after, before := r.Take("A", tree, same)
	if after.Nodes[next] == nil || after.Nodes[next].Bounds != shot.Nodes[ref].Bounds || before != shot {
		t.Errorf("%s is not the button in that place", next)
	}
}

// TestLastingSelectors: an element gets the selector that a person would use, and an index only when nothing else is
// unique.
func TestLastingSelectors(t *testing.T) {
	r := NewRefs()
	for _, c := range []struct {
		name string
		tree *screen.Tree
		want string
	}{{"its row", listOf("Ann", "Bob"), `{label: Delete, rightOf: Ann}`}, {"twin rows", listOf("Ann", "Ann"),
		`{label: Delete, below: Cart}`},
		{"alone", listOf("Ann"), `{label: Delete}`}} {
		sc := r.Identify(c.tree)
		for n := range c.tree.All {
			if n.Text != "Delete" {
				continue
			}
			if v, ok := sc.Selector(n); !ok || source.Flow(v) != c.want {
				t.Errorf("%s: %s, want %s", c.name, source.Flow(v), c.want)
			}
			break
		}
	}
	tree := listOf("Ann", "Bob")
	tree.Windows[0].Children[1].Children[1].Children[1].ID = "com.example:id/remove_bob"
	if v, _ := r.Identify(tree).Selector(tree.Windows[0].Children[1].Children[1].Children[1]); source.Flow(
		v) != "{id: remove_bob}" {
		t.Errorf("with an id: %s", source.Flow(v))
	}
}

// TestValues: the values of controls are in their lines, and no text occurs twice.
func TestValues(t *testing.T) {
	size := &screen.Node{Type: "select", Role: "combobox", Ref: "s", Text: "Small", Clickable: true,
		Holds: &screen.ControlValue{Form: "Small | Large"}, Bounds: image.Rect(40, 0, 90, 20)}
	volume := &screen.Node{Type: "input", Role: "slider", Desc: "Volume", Clickable: true, Holds: &screen.ControlValue{
		Value: "3", Form: "0–10"}, Bounds: image.Rect(0, 20, 90, 40)}
	label := &screen.Node{Type: "label", Text: "Size", ControlRef: "s", Bounds: image.Rect(0, 0, 90, 20),
		Children: []*screen.Node{size}}
	inner := &screen.Node{Type: "b", Text: "Pay now", Bounds: image.Rect(0, 40, 50, 60)}
	all := &screen.Node{Type: "p", Text: "Pay now or  leave", Bounds: image.Rect(0, 40, 90, 60), Children: []*screen.Node{
		inner, {Type: "i", Text: "or leave", Bounds: image.Rect(50, 40, 90, 60)}}}
	tree := screen.NewTree([]*screen.Node{{Type: "body", Text: "Size Volume", Bounds: image.Rect(0, 0, 100, 100),
		Children: []*screen.Node{label, volume, all}}}, image.Pt(100, 100), time.Now())
	shot, _ := NewRefs().Take("A", tree, same)
	want := "e1 combobox \"Size\" value=\"Small\" of=\"Small | Large\" [40,0][90,20]\ne2 slider \"Volume\" value=3 " +
		"of=\"0–10\" " +
		"[0,20][90,40]\n" +
		"e3 b \"Pay now\" [0,40][50,60]\ne4 i \"or leave\" [50,40][90,60]\n"
	if got := must(t, shot, nil, View{Max: 50}); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestRefOfAnotherDevice: the refusal names both devices, and says what to do in words.
func TestRefOfAnotherDevice(t *testing.T) {
	c := New(Config{})
	shot, _ := c.Refs.Take("A", listOf("Milk"), same)
	ref := source.Value{Kind: source.String, Text: shot.Order[0]}
	_, _, err := c.resolver("B", c.Refs.Identify(listOf("Milk"))).resolve(ref)
	var r *Refusal
	if !errors.As(err, &r) || r.What != shot.Order[0]+" is an element of A, not of B" ||
		r.Try != "`snapshot` this device, or name the other one" {
		t.Errorf("%+v", err)
	}
}
