package replay

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"image"
	"io"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/internal/result/event"
)

// maxDocument is how many bytes of a page's snapshot are read, unzipped.
const maxDocument = 4 << 20

// document is the snapshot of a page (artifacts/dom-NN.json.gz), of which CSS can be asked.
type document struct {
	Nodes []domNode `json:"nodes"`
	More  int       `json:"more"`

	children [][]int // of each node, elements alone
	whole    bool    // nothing of the page was left out
}

// domNode is an element or a text.
type domNode struct {
	Parent int      `json:"p"`
	Tag    string   `json:"t"`
	Text   string   `json:"x"`
	Attrs  []string `json:"a"` // names and values, alternating
	Box    []int    `json:"b"` // left, top, width, height
	Flags  int      `json:"f"` // 1: not drawn, 2: far outside
}

func (n *domNode) attr(name string) (string, bool) {
	for i := 0; i+1 < len(n.Attrs); i += 2 {
		if strings.EqualFold(n.Attrs[i], name) {
			return n.Attrs[i+1], true
		}
	}
	return "", false
}

func (n *domNode) bounds() image.Rectangle {
	if len(n.Box) != 4 {
		return image.Rectangle{}
	}
	return image.Rect(n.Box[0], n.Box[1], n.Box[0]+n.Box[2], n.Box[1]+n.Box[3])
}

// document returns a snapshot of a page of the report, or nil.
func (r *Report) document(file string) *document {
	if d, known := r.pages[file]; known {
		return d
	}
	d, err := r.readDocument(file)
	if err != nil {
		d = nil
	}
	r.pages[file] = d
	return d
}

func (r *Report) readDocument(file string) (*document, error) {
	f, err := r.root.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(z, maxDocument+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxDocument {
		return nil, errors.New("it is too large")
	}
	d := &document{}
	if err := json.Unmarshal(text, d); err != nil {
		return nil, err
	}
	d.link()
	return d, nil
}

func (d *document) link() {
	d.children, d.whole = make([][]int, len(d.Nodes)), d.More == 0
	for i := range d.Nodes {
		n := &d.Nodes[i]
		n.Parent = min(max(n.Parent, -1), i-1)
		if n.Flags&2 != 0 {
			d.whole = false
		}
		if n.Tag != "" && n.Parent >= 0 {
			d.children[n.Parent] = append(d.children[n.Parent], i)
		}
	}
}

// near is how many pixels the box of an element may differ in a tree and in a snapshot.
const near = 2

// counterpart reports whether a node of a tree is an element of the snapshot.
func (n *domNode) counterpart(of *screen.Node) bool {
	if of.Type != n.Tag {
		return false
	}
	id, _ := n.attr("id")
	if id != "" || of.ID != "" {
		if id != of.ID {
			return false
		}
	}
	a, b := n.bounds(), of.Bounds
	return abs(a.Min.X-b.Min.X) <= near && abs(a.Min.Y-b.Min.Y) <= near && abs(a.Max.X-b.Max.X) <= near &&
		abs(a.Max.Y-b.Max.Y) <= near
}

func abs(n int) int { return max(n, -n) }

// leastAlike is the share of the elements of a tree that a snapshot of the same screen must have.
const leastAlike = 0.9

// shows reports whether the snapshot is of the screen that a tree shows.
func (d *document) shows(t *screen.Tree) bool {
	all, alike := 0, 0
	byTag := map[string][]*domNode{}
	for i := range d.Nodes {
		byTag[d.Nodes[i].Tag] = append(byTag[d.Nodes[i].Tag], &d.Nodes[i])
	}
	for n := range t.All {
		if n.Hidden || n.Offscreen || n.Bounds.Empty() || strings.HasPrefix(n.Type, ":") || strings.Contains(n.Type, "-") {
			continue
		}
		all++
		if slices.ContainsFunc(byTag[n.Type], func(m *domNode) bool { return m.counterpart(n) }) {
			alike++
		}
	}
	return all > 0 && float64(alike) >= leastAlike*float64(all)
}

// picked returns the numbers, in document order, of the elements of a tree that a CSS selector picks. ok is false where
// the snapshot cannot answer it.
func (d *document) picked(css string, t *screen.Tree) (numbers []int, ok bool) {
	s, err := parseCSS(css)
	if err != nil {
		return nil, false
	}
	var list []*screen.Node
	for n := range t.All {
		list = append(list, n)
	}
	found := map[int]bool{}
	for _, i := range d.all(s) {
		n, at := &d.Nodes[i], len(found)
		if n.Flags&1 != 0 || n.bounds().Empty() {
			continue // it is not drawn
		}
		for k, of := range list {
			if n.counterpart(of) {
				found[k] = true
			}
		}
		if len(found) == at && n.bounds().Overlaps(image.Rectangle{Max: t.Size}) && !d.alone(i) {
			return nil, false // it may be in the tree in another form
		}
	}
	if len(found) == 0 && !d.whole {
		return nil, false
	}
	for k := range found {
		numbers = append(numbers, k)
	}
	slices.Sort(numbers)
	return numbers, true
}

// alone reports whether an element shows nothing, so that no tree needs to have it.
func (d *document) alone(at int) bool {
	for i := at; i < len(d.Nodes); i++ {
		n := &d.Nodes[i]
		if n.Text != "" && d.within(i, at) {
			return false
		}
	}
	return true
}

func (d *document) within(i, at int) bool {
	for ; i >= 0; i = d.Nodes[i].Parent {
		if i == at {
			return true
		}
	}
	return false
}

// all returns the elements that a selector picks.
func (d *document) all(s selectorList) []int {
	var found []int
	for i := range d.Nodes {
		if d.Nodes[i].Tag != "" && s.matches(d, i) {
			found = append(found, i)
		}
	}
	return found
}

// before is the snapshot of the page before a step acted, and after of the page at its end; nil where there is none.
func (r *Report) before(step int) *document {
	if r.Result == nil { // of a test that still runs
		return nil
	}
	device := ""
	if s := r.Result.Step(step); s != nil {
		device = s.Device
	}
	for i := len(r.Result.Steps) - 1; i >= 0; i-- {
		if s := &r.Result.Steps[i]; s.N < step && s.N > 0 && s.Device == device {
			if d := r.after(s.N); d != nil {
				return d
			}
		}
	}
	return nil
}

func (r *Report) after(step int) *document {
	if r.Result == nil {
		return nil
	}
	s := r.Result.Step(step)
	if s == nil {
		return nil
	}
	for _, a := range s.Attachments {
		if a.Kind == event.KindDOM {
			return r.document(a.Path)
		}
	}
	return nil
}
