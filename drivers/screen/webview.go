package screen

import "slices"

// WebViews collects the views below n that show a web page and can be seen: all of them, or those of which
// accessibility has nothing. is reports which elements are such views; views within views are not looked for.
func WebViews(n *Node, is func(*Node) bool, all bool, list []*Node) []*Node {
	if is(n) && !n.Hidden && n.Bounds.Dx() > 1 && n.Bounds.Dy() > 1 {
		if all || !TellsOfPage(n, is) {
			list = append(list, n)
		}
		return list
	}
	for _, c := range n.Children {
		list = WebViews(c, is, all, list)
	}
	return list
}

// TellsOfPage reports whether anything in a web view is reported; the views within it repeat the page's title.
func TellsOfPage(view *Node, is func(*Node) bool) bool {
	return slices.ContainsFunc(view.Children, func(c *Node) bool {
		return !is(c) && (c.Text != "" || c.Desc != "" || c.Hint != "" || c.ID != "" || c.Editable) || TellsOfPage(c, is)
	})
}
