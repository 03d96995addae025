package truth_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers/android"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/client"
)

// piece is a part of a saved screen, which can be changed as an app changes from one release to the next.
type piece struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Parts   []*piece   `xml:",any"`
}

func (p *piece) get(name string) string {
	at := slices.IndexFunc(p.Attrs, func(a xml.Attr) bool { return a.Name.Local == name })
	if at < 0 {
		return ""
	}
	return p.Attrs[at].Value
}

func (p *piece) set(name, value string) {
	for i := range p.Attrs {
		if p.Attrs[i].Name.Local == name {
			p.Attrs[i].Value = value
		}
	}
}

func (p *piece) each(do func(*piece)) {
	do(p)
	for _, c := range p.Parts {
		c.each(do)
	}
}

func (p *piece) bounds() (r image.Rectangle) {
	_, _ = fmt.Sscanf(p.get("bounds"), "[%d,%d][%d,%d]", &r.Min.X, &r.Min.Y, &r.Max.X, &r.Max.Y) // none is empty
	return r
}

// move moves a part with all in it, and notes where each of them went.
func (p *piece) move(down int, moved map[image.Rectangle]image.Rectangle) {
	p.each(func(c *piece) {
		r := c.bounds()
		moved[r] = r.Add(image.Pt(0, down))
		c.set("bounds", fmt.Sprintf("[%d,%d][%d,%d]", r.Min.X, r.Min.Y+down, r.Max.X, r.Max.Y+down))
	})
}

// upsideDown turns the order of what is one below the other around, in the innermost boxes where that can be; it
// reports whether there were any.
func (p *piece) upsideDown(moved map[image.Rectangle]image.Rectangle) (turned bool) {
	for _, c := range p.Parts {
		turned = c.upsideDown(moved) || turned
	}
	if turned || len(p.Parts) < 2 {
		return turned
	}
	for i := 1; i < len(p.Parts); i++ {
		if p.Parts[i].bounds().Min.Y < p.Parts[i-1].bounds().Max.Y {
			return false
		}
	}
	first, last := p.Parts[0].bounds(), p.Parts[len(p.Parts)-1].bounds()
	for _, c := range p.Parts {
		r := c.bounds()
		c.move(first.Min.Y+last.Max.Y-r.Max.Y-r.Min.Y, moved)
	}
	slices.Reverse(p.Parts)
	return true
}

// kindOf says what a selector goes by.
func kindOf(c client.Candidate) string {
	has := func(key string) bool { _, is := c.Selector.Get(key); return is }
	switch {
	case has("point"):
		return "place"
	case has("index"):
		return "count"
	case slices.ContainsFunc([]string{"below", "above", "leftOf", "rightOf", "near", "inside"}, has):
		return "text beside it"
	case has("label") && has("id"):
		return "text and id"
	case has("label"):
		return "text"
	case has("id"):
		return "id"
	}
	return "kind"
}

// mutations are how an app changes; each returns where elements went.
var mutations = []struct {
	name string
	do   func(root *piece, of image.Rectangle) map[image.Rectangle]image.Rectangle
}{
	{"another order", func(root *piece, _ image.Rectangle) map[image.Rectangle]image.Rectangle {
		moved := map[image.Rectangle]image.Rectangle{}
		root.upsideDown(moved)
		return moved
	}},
	{"another label", func(root *piece, of image.Rectangle) map[image.Rectangle]image.Rectangle {
		root.each(func(p *piece) {
			if r := p.bounds(); r.In(of) && !r.Empty() {
				for _, name := range []string{"text", "content-desc", "hint"} {
					if text := p.get(name); text != "" {
						p.set(name, "New "+text)
					}
				}
			}
		})
		return nil
	}},
	{"other numbers", func(root *piece, _ image.Rectangle) map[image.Rectangle]image.Rectangle {
		next := strings.NewReplacer("0", "7", "1", "8", "2", "9", "3", "4", "4", "5", "5", "6", "6", "3", "7", "2", "8", "1",
			"9", "0")
		root.each(func(p *piece) {
			p.set("text", next.Replace(p.get("text")))
			p.set("content-desc", next.Replace(p.get("content-desc")))
		})
		return nil
	}},
	{"other ids", func(root *piece, _ image.Rectangle) map[image.Rectangle]image.Rectangle {
		root.each(func(p *piece) {
			if id := p.get("resource-id"); id != "" && !strings.HasPrefix(id, "android:") {
				p.set("resource-id", id+"_2")
			}
		})
		return nil
	}},
}

// TestMutatedSelectors changes saved screens as apps change, and prints which of the selectors that Studio offers still
// pick their element: of the first ones nearly all must, but where their text changed.
func TestMutatedSelectors(t *testing.T) {
	files, err := filepath.Glob("testdata/trees/*.xml")
	if err != nil {
		t.Fatal(err)
	}
	type count struct{ held, all int }
	table := map[string]map[string]*count{}
	add := func(row, column string, held bool) {
		if table[row] == nil {
			table[row] = map[string]*count{}
		}
		if table[row][column] == nil {
			table[row][column] = &count{}
		}
		table[row][column].all++
		if held {
			table[row][column].held++
		}
	}
	for _, file := range files {
		if strings.HasPrefix(filepath.Base(file), "ios-") {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := android.ParseTree(data, image.Point{})
		if err != nil {
			t.Fatal(err)
		}
		scene := client.NewRefs().Identify(tree)
		for _, n := range scene.All() {
			at := n.Bounds.Min.Add(n.Bounds.Size().Div(2))
			if scene.At(at.X, at.Y) != n || !(n.Clickable || n.Editable || n.Checkable) {
				continue
			}
			ranked := slices.DeleteFunc(scene.Ranked(n, false), func(c client.Candidate) bool { return !c.Picks })
			for _, m := range mutations {
				root, decoder := &piece{}, xml.NewDecoder(bytes.NewReader(data))
				decoder.Strict = false // phones write what XML does not allow
				if err := decoder.Decode(root); err != nil {
					t.Fatalf("%s: %v", file, err)
				}
				moved := m.do(root, n.Bounds)
				text, err := xml.Marshal(root)
				if err != nil {
					t.Fatal(err)
				}
				now, err := android.ParseTree(text, image.Point{})
				if err != nil {
					t.Fatalf("%s, %s: %v", file, m.name, err)
				}
				where, is := moved[n.Bounds]
				if !is {
					where = n.Bounds
				}
				for i, c := range ranked {
					held := stillPicks(now, c, where)
					add(kindOf(c), m.name, held)
					add(map[bool]string{true: "robust", false: "brittle"}[c.Robust], m.name, held)
					if i == 0 {
						add("the best one", m.name, held)
					}
				}
			}
		}
	}
	rows := make([]string, 0, len(table))
	for row := range table {
		rows = append(rows, row)
	}
	sort.Strings(rows)
	for _, row := range rows {
		line := fmt.Sprintf("%-15s", row)
		for _, m := range mutations {
			if c := table[row][m.name]; c != nil {
				line += fmt.Sprintf(" | %s %4d of %4d (%3d %%)", m.name, c.held, c.all, 100*c.held/c.all)
			}
		}
		t.Log(line)
	}
	share := func(row, column string) float64 { c := table[row][column]; return float64(c.held) / float64(c.all) }
	for column, least := range map[string]float64{"another order": 0.95, "other numbers": 0.85, "other ids": 0.95} {
		if held := share("the best one", column); held < least {
			t.Errorf("%s: of the best ones %.2f hold, not %.2f", column, held, least)
		}
	}
	if share("place", "another order") >= share("the best one", "another order") {
		t.Error("in another order places hold no less than what is offered before them")
	}
}

// stillPicks reports whether a tap with a selector touches the element that is at a place.
func stillPicks(tree *screen.Tree, c client.Candidate, where image.Rectangle) bool {
	def, _ := dsl.Lookup("tap")
	_, rest, _ := strings.Cut(client.StepLine(def, c.Selector), ":")
	sel, err := selectorOf("tap", "tap:"+rest)
	if err != nil {
		return false
	}
	if p := sel.Point; p != nil {
		at := image.Pt(int(p.X*float64(tree.Size.X)/100), int(p.Y*float64(tree.Size.Y)/100))
		return at.In(where)
	}
	found, err := tree.Find(screen.Query{Selector: sel, Action: true, Reveal: tree.HitTested})
	return err == nil && len(found) == 1 && (found[0].Node.Bounds == where || found[0].Target != nil &&
		found[0].Target.Bounds == where)
}
