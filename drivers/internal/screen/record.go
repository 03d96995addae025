package screen

import (
	"encoding/json"
	"fmt"
	"image"
	"time"
)

// recordedTree is a Tree with everything that a search can ask of it, so that the search can be repeated. (The JSON of
// a Tree itself is for people and programs that read a screen.)
type recordedTree struct {
	Windows    []recordedNode    `json:"w"`
	Size       image.Point       `json:"s"`
	Taken      time.Time         `json:"at"`
	Active     int               `json:"active"`
	Bars       []recordedNode    `json:"bars,omitempty"`
	SwipeEdges []image.Rectangle `json:"edges,omitempty"`
	Parts      []TextPart        `json:"parts,omitempty"`
	HitTested  bool              `json:"hit,omitempty"`
	Loading    bool              `json:"loading,omitempty"`
	Rest       Activity          `json:"rest,omitempty"`
}

// recordedNode is a Node, with what its JSON leaves out.
type recordedNode struct {
	Node
	LongOnly   bool           `json:"longOnly,omitempty"`
	HoldsLinks bool           `json:"links,omitempty"`
	Leaving    bool           `json:"leaving,omitempty"`
	Earlier    bool           `json:"earlier,omitempty"`
	Blocks     bool           `json:"blocks,omitempty"`
	Key        bool           `json:"key,omitempty"`
	Undrawn    bool           `json:"undrawn,omitempty"`
	Parts      []PartPlace    `json:"places,omitempty"`
	Traced     *Tracing       `json:"traced,omitempty"`
	Names      int            `json:"names,omitempty"` // number of the control that it names, from 1; 0: none
	Children   []recordedNode `json:"children,omitempty"`
}

// Record returns a tree in a form from which ReadRecorded makes one with the same results. Texts are as the
// device returned them: the caller masks secrets.
func (t *Tree) Record() ([]byte, error) {
	numbers := map[*Node]int{}
	for n := range t.All {
		numbers[n] = len(numbers) + 1
	}
	r := recordedTree{Windows: recordAll(t.Windows, numbers), Size: t.Size, Taken: t.Taken, Active: t.Active,
		Bars: recordAll(t.Bars, numbers), SwipeEdges: t.SwipeEdges, Parts: t.Parts, HitTested: t.HitTested,
		Loading: t.Loading, Rest: t.Rest}
	data, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("record a tree: %w", err)
	}
	return data, nil
}

func recordAll(nodes []*Node, numbers map[*Node]int) []recordedNode {
	list := make([]recordedNode, 0, len(nodes))
	for _, n := range nodes {
		r := recordedNode{Node: *n, LongOnly: n.LongOnly, HoldsLinks: n.HoldsLinks, Leaving: n.Leaving, Earlier: n.Earlier,
			Blocks: n.Blocks, Key: n.Key, Undrawn: n.Undrawn, Parts: n.Parts, Traced: n.Traced,
			Children: recordAll(n.Children, numbers)}
		if n.Control != nil {
			r.Names = numbers[n.Control]
		}
		r.Node.Children = nil
		list = append(list, r)
	}
	return list
}

// ReadRecorded returns a tree that Record has recorded.
func ReadRecorded(data []byte) (*Tree, error) {
	var r recordedTree
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("read a recorded tree: %w", err)
	}
	names := map[*Node]int{}
	t := NewTree(readAll(r.Windows, names), r.Size, r.Taken)
	t.Active, t.SwipeEdges, t.Parts = r.Active, r.SwipeEdges, r.Parts
	t.HitTested, t.Loading, t.Rest = r.HitTested, r.Loading, r.Rest
	if len(r.Bars) > 0 {
		t.Bars = NewTree(readAll(r.Bars, names), r.Size, r.Taken).Windows
	}
	var nodes []*Node
	for n := range t.All {
		nodes = append(nodes, n)
	}
	for _, n := range nodes {
		n.Control = nil
		if at := names[n]; at > 0 && at <= len(nodes) {
			n.Control = nodes[at-1]
		}
	}
	return t, nil
}

func readAll(list []recordedNode, names map[*Node]int) []*Node {
	var nodes []*Node
	for _, r := range list {
		n := r.Node
		n.LongOnly, n.HoldsLinks, n.Leaving, n.Earlier = r.LongOnly, r.HoldsLinks, r.Leaving, r.Earlier
		n.Blocks, n.Key, n.Undrawn, n.Parts, n.Traced = r.Blocks, r.Key, r.Undrawn, r.Parts, r.Traced
		n.Children = readAll(r.Children, names)
		names[&n] = r.Names
		nodes = append(nodes, &n)
	}
	return nodes
}

// At is the same tree, read at another time.
func (t *Tree) At(taken time.Time) *Tree {
	same := *t
	same.Taken = taken
	return &same
}
