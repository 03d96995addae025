package ui

import (
	"cmp"
	"image"
	"slices"
	"strings"
)

// Listed are the children in the order in which services receive them. Android sorts the children of a view by their
// places, whatever the order in which they are drawn (ViewGroup.addChildrenForAccessibility); what an app describes
// itself has the order of the app.
func (v *View) Listed() []*View {
	if v.describes() || len(v.Children) < 2 {
		return v.Children
	}
	// Android compares two at a time, and three may be in a circle: the way of inserting matters.
	list := make([]*View, 0, len(v.Children))
	for _, c := range v.Children {
		low, high := 0, len(list)
		for low < high {
			if middle := (low + high) / 2; comparePlaces(c.B, list[middle].B) < 0 {
				high = middle
			} else {
				low = middle + 1
			}
		}
		list = slices.Insert(list, low, c)
	}
	return list
}

// describes reports whether a provider of the app describes the children, which are not views.
func (v *View) describes() bool {
	return v.Class == virtualParent || v.Web != nil || v.Class == ClassWebView || strings.HasSuffix(v.Class, "ComposeView")
}

// comparePlaces is the order of two siblings: from top to bottom where they have no height in common, else from left to
// right, from top to bottom, the higher and then the wider one first.
func comparePlaces(a, b image.Rectangle) int {
	switch {
	case a.Max.Y <= b.Min.Y:
		return -1
	case a.Min.Y >= b.Max.Y:
		return 1
	}
	return cmp.Or(cmp.Compare(a.Min.X, b.Min.X), cmp.Compare(a.Min.Y, b.Min.Y), cmp.Compare(b.Dy(), a.Dy()),
		cmp.Compare(b.Dx(), a.Dx()))
}
