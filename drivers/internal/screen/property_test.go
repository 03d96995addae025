package screen_test

import (
	"errors"
	"fmt"
	"image"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// randomTree makes a tree with few labels, so that many are equal or nearly so.
type randomTree struct {
	r *rand.Rand
	n int
}

var treeSize = image.Pt(1080, 2400)

func (t *randomTree) chance(n int) bool { return t.r.IntN(n) == 0 }

func (t *randomTree) word() string {
	words := []string{"Pay", "pay", "Pay later", "Not paid", "Paid", "Wi\u2011Fi", "Wi-Fi", " Save ", "Save", "OK",
		"Delete", "Delete all", "5", "15", "Row 1", "Row 12", "Don’t allow", "Don't allow"}
	return words[t.r.IntN(len(words))]
}

func (t *randomTree) node(in image.Rectangle, depth int) *screen.Node {
	t.n++
	n := &screen.Node{Ref: fmt.Sprint("r", t.n), Type: []string{"android.widget.TextView", "android.widget.Button",
		"android.view.View", "android.widget.Switch"}[t.r.IntN(4)]}
	w, h := 1+t.r.IntN(max(1, in.Dx())), 1+t.r.IntN(max(1, in.Dy()))
	if t.chance(3) {
		w, h = in.Dx(), in.Dy()
	}
	x, y := in.Min.X+t.r.IntN(max(1, in.Dx()-w+1)), in.Min.Y+t.r.IntN(max(1, in.Dy()-h+1))
	n.Bounds = image.Rect(x, y, x+w, y+h)
	if t.chance(2) {
		n.Text = t.word()
	}
	if t.chance(5) {
		n.Desc = t.word()
	}
	if t.chance(8) {
		n.ID = "com.example:id/" + strings.ToLower(strings.Fields(t.word())[0])
	}
	if t.chance(12) {
		n.Editable, n.Hint = true, t.word()
	}
	n.Clickable, n.Disabled, n.Hidden, n.Scrollable = t.chance(3), t.chance(12), t.chance(20), t.chance(15)
	if t.chance(8) {
		n.Checkable, n.Checked = true, t.chance(2)
	}
	if t.chance(10) {
		n.DrawOrder = 1 + t.r.IntN(4)
	}
	if depth > 0 {
		for range t.r.IntN(5) {
			n.Children = append(n.Children, t.node(n.Bounds, depth-1))
		}
	}
	return n
}

func (t *randomTree) tree() *screen.Tree {
	var roots []*screen.Node
	for i := range 1 + t.r.IntN(2) {
		in := image.Rectangle{Max: treeSize}
		if i > 0 {
			in = image.Rect(100, 600, 980, 1800)
		}
		root := t.node(in, 4)
		root.Bounds, root.Hidden = in, false
		roots = append(roots, root)
	}
	return screen.NewTree(roots, treeSize, time.Now())
}

func (t *randomTree) selector(depth int) dsl.Selector {
	s := dsl.Selector{Label: t.word()}
	switch t.r.IntN(8) {
	case 0:
		s.Match = dsl.MatchExact
	case 1:
		s.Match = dsl.MatchContains
	case 2:
		s = dsl.Selector{Type: "Button"}
	}
	flag := func() *bool { b := t.chance(2); return &b }
	switch t.r.IntN(10) {
	case 0:
		s.Enabled = flag()
	case 1:
		s.Checked = flag()
	case 2:
		i := t.r.IntN(4) - 1
		s.Index = &i
	}
	if depth > 0 && t.chance(4) {
		anchor := t.selector(0)
		to := []**dsl.Selector{&s.Below, &s.Above, &s.LeftOf, &s.RightOf, &s.Near, &s.Inside, nil}[t.r.IntN(7)]
		if to == nil {
			s.Contains = []dsl.Selector{anchor}
		} else {
			*to = &anchor
		}
	}
	return s
}

// hintOfFilled is the one exception: an action finds a filled field by its hint, which is not visible.
func hintOfFilled(n *screen.Node) bool { return n.Hint != "" && n.Text != "" }

// TestWhatAnActionPicksAnAssertionSees: in random trees, whatever an action would touch, an assertion finds by the same
// selector.
func TestWhatAnActionPicksAnAssertionSees(t *testing.T) {
	first, trees := uint64(1), 3000
	if s, err := strconv.ParseUint(os.Getenv("TRUTH_SEED"), 10, 64); err == nil {
		first, trees = s, 1
	}
	picked, wrong := 0, 0
	for seed := first; seed < first+uint64(trees) && wrong < 10; seed++ {
		gen := &randomTree{r: rand.New(rand.NewPCG(seed, 1))}
		tree := gen.tree()
		for range 8 {
			s := gen.selector(1)
			touched, err := tree.Find(screen.Query{Selector: s, Action: true})
			if err != nil || len(touched) == 0 || touched[0].Obstacle() != "" || hintOfFilled(touched[0].Node) {
				continue
			}
			picked++
			seen, err := tree.Find(screen.Query{Selector: s})
			if lost := new(screen.UnplacedError); errors.As(err, &lost) {
				continue // of a text with another spelling, which an action leaves out
			}
			if err != nil || !holds(seen, touched[0]) {
				wrong++
				t.Errorf("TRUTH_SEED=%d: an action touches %s by %s, an assertion sees %d others: %v", seed, touched[0].Node,
					screen.Describe(s), len(seen), err)
			}
		}
	}
	if wrong == 0 && trees > 1 && picked < trees/10 {
		t.Errorf("only %d were picked in %d trees", picked, trees)
	}
	t.Logf("%d trees, %d elements picked", trees, picked)
}

// holds reports whether one of the matches is the thing that was touched: the same element, or another part of what
// reacts.
func holds(seen []screen.Match, touched screen.Match) bool {
	for _, m := range seen {
		if m.Node == touched.Node || m.Target == touched.Target || m.Node.Within(touched.Target) ||
			touched.Node.Within(m.Node) {
			return true
		}
	}
	return false
}
