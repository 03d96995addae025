package drivers

import "image"

// Topmost gives the element that lies on top at a point, of those that are drawn; nil when there is none.
func (t *Tree) Topmost(p image.Point) *Node {
	var top *Node
	for n := range t.All {
		if p.In(n.Bounds) && !n.Hidden && !n.Offscreen && (top == nil || n.order >= top.order) {
			top = n
		}
	}
	return top
}
