package androidsim

import "image"

// gesturesPage says at its bottom which gesture it saw last.
type gesturesPage struct {
	listPage
	dropped bool
}

func (l *gesturesPage) view(m metrics) *view {
	w := m.width() - 32
	target := m.button("Target", ListPackage+":id/target", m.rect(16, 80, w, 100), l.says("Tapped"))
	target.longClickable = true
	target.onLong, target.onDouble = l.says("Long pressed"), l.says("Double tapped")
	target.onPinch = func(open bool) { l.status = map[bool]string{true: "Pinched open", false: "Pinched close"}[open] }
	root := m.page(0xfefbff).add(m.title("Gestures"), target, l.footer(m, l.status))
	basket := m.label("Basket", m.rect(16, 420, w, 80))
	basket.id, basket.fill = ListPackage+":id/basket", rgb(0xe7e0ec)
	root.add(basket)
	if l.dropped {
		return root
	}
	apple := m.button("Apple", ListPackage+":id/apple", m.rect(16, 220, w/2, 60), l.says("Apple tapped"))
	apple.longClickable, apple.onLong = true, l.says("Apple lifted")
	apple.onDrag = func(to image.Point) {
		l.status = "Apple dropped beside the basket"
		if to.In(basket.b) {
			l.dropped, l.status = true, "Apple in the basket"
		}
	}
	return root.add(apple)
}
