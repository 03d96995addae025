package html

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/internal/result/event"
)

const (
	treeBudget = 300 << 10 // bytes of a tree as the device returned it
	maxNodes   = 1500
)

// elementsData is the tree of elements that a step saw last.
type elementsData struct {
	Step  int        `json:"step"`
	Nodes []nodeData `json:"nodes"`
	More  int        `json:"more,omitempty"`
	Why   string     `json:"why,omitempty"`
}

// nodeData is an element; depths describe the tree.
type nodeData struct {
	Depth  int      `json:"d"`
	Type   string   `json:"y,omitempty"`
	Text   string   `json:"t,omitempty"`
	Desc   string   `json:"c,omitempty"`
	ID     string   `json:"i,omitempty"`
	Hint   string   `json:"h,omitempty"`
	Bounds [4]int   `json:"b"`
	Flags  []string `json:"f,omitempty"`
	Near   int      `json:"n,omitempty"`   // which of the candidates it is, from 1
	Match  bool     `json:"m,omitempty"`   // what the step matched
	Why    string   `json:"why,omitempty"` // why it was not picked
}

// treeNode is the part of a tree of elements that is read.
type treeNode struct {
	Type, Role, ID, Text, Desc, Hint                                   string
	TestID                                                             string `json:"test_id"`
	Bounds                                                             struct{ Min, Max struct{ X, Y int } }
	Hidden, Disabled, Checked, Selected, Focused, Clickable, Offscreen bool
	Children                                                           []*treeNode
}

// elements adds the trees that the steps saw last: first that of the step with the problem, otherwise of the last step
// with a tree, then the others until the limit is reached.
func (b *builder) elements() {
	if b.root == nil {
		return
	}
	var at *event.StepResult
	files := map[int]string{}
	for i := range b.res.Steps {
		s := &b.res.Steps[i]
		for _, a := range s.Attachments {
			if strings.HasPrefix(a.Path, "artifacts/tree-") {
				files[s.N] = a.Path
				if at == nil || at.N != b.res.ProblemStep {
					at = s
				}
			}
		}
	}
	if at == nil {
		return
	}
	b.out.Elements = b.elementsOf(at, files[at.N])
	bytes := 0
	for _, s := range b.nearestFirst() {
		if files[s.N] == "" || s.N == at.N {
			continue
		}
		text, err := json.Marshal(b.elementsOf(b.res.Step(s.N), files[s.N]))
		if err != nil {
			continue // cannot happen: every field can be encoded
		}
		packed, err := packed(text, maxTreeBytes-bytes)
		if err != nil {
			s.Tree = -1
			continue
		}
		bytes += len(packed)
		b.out.Trees = append(b.out.Trees, packed)
		s.Tree = len(b.out.Trees)
	}
}

// maxTreeBytes limits the trees of a page, compressed, as base64.
const maxTreeBytes = 1 << 20

// elementsOf reads a tree that a step kept.
func (b *builder) elementsOf(at *event.StepResult, file string) *elementsData {
	out := &elementsData{Step: at.N, Nodes: []nodeData{}}
	data, err := readFile(b.root, file, treeBudget)
	var tree struct{ Windows []*treeNode }
	if err == nil {
		err = json.Unmarshal(data, &tree)
	}
	if err != nil {
		out.Why = shown(fmt.Sprintf("%s: %v", file, err), maxLabel)
		return out
	}
	p := newPicked(at)
	var walk func(n *treeNode, depth int)
	walk = func(n *treeNode, depth int) {
		if n == nil || depth > 100 {
			return
		}
		if len(out.Nodes) >= maxNodes {
			out.More++
		} else {
			out.Nodes = append(out.Nodes, p.node(n, depth))
		}
		for _, c := range n.Children {
			walk(c, depth+1)
		}
	}
	for _, w := range tree.Windows {
		walk(w, 0)
	}
	return out
}

// picked says which elements a step matched, or nearly matched.
type picked struct {
	match *[4]int
	near  map[[4]int]int
	why   []string
}

func newPicked(s *event.StepResult) picked {
	p := picked{near: map[[4]int]int{}}
	if s.Detail != nil {
		p.match = s.Detail.Bounds
	}
	if s.Problem == nil {
		return p
	}
	for i, c := range s.Problem.Candidates {
		if box := boxOf(c); len(box) == 4 && p.near[[4]int(box)] == 0 {
			p.near[[4]int(box)] = i + 1
		}
	}
	if len(s.Problem.Rejected) == len(s.Problem.Candidates) {
		p.why = s.Problem.Rejected
	}
	return p
}

func (p picked) node(n *treeNode, depth int) nodeData {
	kind := n.Role
	if kind == "" {
		kind = n.Type[strings.LastIndexAny(n.Type, ".$")+1:]
	}
	d := nodeData{Depth: depth, Type: shown(kind, 60), Text: shown(n.Text, maxRowText), Desc: shown(n.Desc, maxRowText),
		Hint: shown(n.Hint, maxRowText),
		ID:   shown(n.ID, maxRowText), Bounds: [4]int{n.Bounds.Min.X, n.Bounds.Min.Y, n.Bounds.Max.X, n.Bounds.Max.Y}}
	if d.ID == "" {
		d.ID = shown(n.TestID, maxRowText)
	}
	for _, f := range []struct {
		on   bool
		word string
	}{{n.Hidden, "hidden"}, {n.Offscreen, "offscreen"}, {n.Disabled, "disabled"}, {n.Checked, "checked"},
		{n.Selected, "selected"}, {n.Focused, "focused"}, {n.Clickable, "clickable"}} {
		if f.on {
			d.Flags = append(d.Flags, f.word)
		}
	}
	says := n.Text != "" || n.Desc != "" || n.ID != "" || n.Hint != ""
	d.Match = p.match != nil && *p.match == d.Bounds && says
	if k := p.near[d.Bounds]; k > 0 && says {
		d.Near = k
		if p.why != nil {
			d.Why = shown(p.why[k-1], maxLabel)
		}
	}
	return d
}
