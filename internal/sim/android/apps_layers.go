package androidsim

import (
	"fmt"
	"image"
	"slices"
	"strings"
	"time"
)

// splashPage is under an opaque image for a while: its elements are in the tree all along.
type splashPage struct{ listPage }

func (l *splashPage) view(m metrics) *view {
	w := m.width() - 32
	root := m.page(0xfefbff).add(m.title("Start"), m.label("Welcome back", m.rect(16, 90, w, 40)),
		m.button("Continue", ListPackage+":id/continue", m.rect(16, 160, w, 52), l.says("Continued")),
		l.footer(m, l.status))
	if m.since(l.act.started) >= l.screen.opts.Splash {
		return root
	}
	logo := &view{class: classImage, id: ListPackage + ":id/splash", b: m.area, fill: rgb(0x6750a4), ink: rgb(0xeaddff),
		image: true}
	return root.add(logo)
}

// layersPage has a text under an opaque layer, one under a clear layer, one that an opaque layer covers in part, and a
// second screen that is opaque as a whole, above the first.
type layersPage struct{ listPage }

func (l *layersPage) view(m metrics) *view {
	w := m.width() - 32
	opaque := &view{class: classFrame, id: ListPackage + ":id/panel", b: m.rect(0, 60, m.width(), 60), fill: rgb(0xd0bcff)}
	clear := &view{class: classFrame, id: ListPackage + ":id/glass", b: m.rect(0, 130, m.width(), 60)}
	half := &view{class: classFrame, id: ListPackage + ":id/half", b: m.rect(m.width()/2, 200, m.width()/2, 60),
		fill: rgb(0xd0bcff)}
	over := &view{class: classFrame, id: ListPackage + ":id/upper", b: m.rect(0, 280, m.width(), 120), fill: rgb(0xffffff)}
	return m.page(0xfefbff).add(m.title("Layers"),
		m.label("Hidden total", m.rect(16, 70, w, 40)), opaque,
		m.label("Clear total", m.rect(16, 140, w, 40)), clear,
		m.label("Half of a long text that goes on", m.rect(16, 210, w, 40)), half,
		m.button("Lower", ListPackage+":id/lower", m.rect(16, 300, w, 52), l.says("Lower tapped")),
		over.add(m.label("Upper", m.rect(16, 300, w, 40))),
		l.footer(m, l.status))
}

// nestedPage has rows with something clickable inside them, in the way of their middle.
type nestedPage struct {
	listPage
	liked bool
}

func (l *nestedPage) view(m metrics) *view {
	w := m.width() - 32
	post := &view{class: classFrame, id: ListPackage + ":id/post", b: m.rect(16, 70, w, 100), fill: rgb(0xf7f2fa),
		clickable: true, focusable: true, onTap: l.says("Post opened")}
	tag := m.label("#holiday", m.rect(16+w/2-60, 96, 120, 48))
	tag.clickable, tag.focusable, tag.onTap, tag.ink = true, true, l.says("Hashtag opened"), rgb(0x0b57d0)
	text := m.label("Seen at the sea", m.rect(20, 70, w-8, 30))
	row := &view{class: classFrame, id: ListPackage + ":id/song", b: m.rect(16, 190, w, 60), fill: rgb(0xf7f2fa),
		clickable: true, focusable: true, desc: "Song of the day", onTap: l.says("Song opened")}
	heart := &view{class: classImage, desc: "Favourite", b: m.rect(16+w/2-24, 196, 48, 48), clickable: true,
		focusable: true, image: true, fill: rgb(0xffd8e4), ink: rgb(0xb3261e),
		checkable: true, checked: l.liked, onTap: func() { l.liked, l.status = !l.liked, "Favourite tapped" }}
	full := &view{class: classFrame, id: ListPackage + ":id/wrapper", b: m.rect(16, 270, w, 60), clickable: true,
		focusable: true, desc: "Whole card", onTap: l.says("Card opened")}
	inner := m.button("Card button", ListPackage+":id/card_button", full.b, l.says("Card button tapped"))
	return m.page(0xfefbff).add(m.title("Nested"), post.add(text, tag), row.add(heart), full.add(inner),
		l.footer(m, l.status))
}

// twinsPage has an element under another one of the same text, and two of the same bounds that are one thing.
type twinsPage struct{ listPage }

func (l *twinsPage) view(m metrics) *view {
	w := m.width() - 32
	upper := &view{class: classFrame, id: ListPackage + ":id/sheet", b: m.rect(0, 80, m.width(), 120), fill: rgb(0xffffff),
		clickable: true}
	card := &view{class: classFrame, id: ListPackage + ":id/card", b: m.rect(16, 230, w, 52), desc: "Tickets",
		fill: rgb(0xf7f2fa), clickable: true, focusable: true, onTap: l.says("Tickets opened")}
	twin := m.label("Tickets", card.b)
	return m.page(0xfefbff).add(m.title("Twins"),
		m.button("Buy", ListPackage+":id/buy_below", m.rect(16, 110, w, 52), l.says("Lower bought")),
		upper.add(m.button("Buy", ListPackage+":id/buy_above", m.rect(16, 110, w, 52), l.says("Upper bought"))),
		card.add(twin), l.footer(m, l.status))
}

// switchesPage has settings rows: the row takes the tap, its switch has the state, and both may say the same.
type switchesPage struct {
	listPage
	on map[string]bool
}

func (l *switchesPage) view(m metrics) *view {
	root := m.page(0xfefbff).add(m.title("Settings"))
	w := m.width()
	for i, name := range []string{"Wi-Fi", "Bluetooth", "Hotspot"} {
		y := 70 + i*64
		toggle := func() { l.on[name] = !l.on[name] }
		row := &view{class: classLinear, id: ListPackage + ":id/setting", b: m.rect(0, y, w, 56), clickable: true,
			focusable: true, fill: rgb(0xf7f2fa), onTap: toggle}
		text := m.label(name, m.rect(16, y+8, w-120, 40))
		text.id = "android:id/title"
		knob := &view{class: "android.widget.Switch", id: ListPackage + ":id/switch_widget", b: m.rect(w-80, y+8, 64, 40),
			checkable: true, checked: l.on[name], fill: rgb(0x79747e)}
		if l.on[name] {
			knob.fill = rgb(0x6750a4)
		}
		switch i {
		case 1: // the switch repeats the row's title
			knob.desc = name
		case 2: // the switch takes taps itself and says its state
			knob.text, knob.clickable, knob.onTap = map[bool]string{true: "ON", false: "OFF"}[l.on[name]], true, toggle
		}
		root.add(row.add(text, knob))
	}
	about := m.row("About", m.rect(0, 270, w, 52), l.says("About opened"))
	return root.add(about, l.footer(m, l.status))
}

// longRootPage has a root over the whole screen that takes long presses, and says something itself.
type longRootPage struct{ listPage }

func (l *longRootPage) view(m metrics) *view {
	w := m.width() - 32
	root := m.page(0xfefbff)
	all := &view{class: classFrame, id: ListPackage + ":id/canvas", desc: "Map", b: m.area, longClickable: true,
		clickable: false, focusable: true, onLong: l.says("Map held")}
	all.add(m.title("Map"), m.button("Route", ListPackage+":id/route", m.rect(16, 90, w, 52), l.says("Route opened")),
		l.footer(m, l.status))
	return root.add(all)
}

// clippedPage is a list of which the first row has scrolled away but for one pixel.
type clippedPage struct{ listPage }

func (l *clippedPage) view(m metrics) *view {
	list := &view{class: classList, id: ListPackage + ":id/list", b: m.rect(0, 56, m.width(), m.height()-56-48),
		scrollable: true, focusable: true}
	height := m.dp(60)
	for i, name := range []string{"first", "second", "third"} {
		b := image.Rect(list.b.Min.X, list.b.Min.Y+1-height+i*height, list.b.Max.X, list.b.Min.Y+1+i*height)
		row := m.row("Open", b, l.says("Opened the %s", name))
		row.walk(func(v *view) { v.b = v.b.Intersect(list.b) })
		row.children = slices.DeleteFunc(row.children, func(v *view) bool { return v.b.Empty() })
		list.add(row)
	}
	return m.page(0xfefbff).add(list, m.title("Clipped"), l.footer(m, l.status))
}

// orderPage draws siblings in another order than the tree has them.
type orderPage struct{ listPage }

func (l *orderPage) view(m metrics) *view {
	w := m.width() - 32
	above := m.button("Allow", ListPackage+":id/above", m.rect(16, 90, w, 100), l.says("Above tapped"))
	above.draw = 2
	below := m.button("Refuse", ListPackage+":id/below", m.rect(16, 90, w, 100), l.says("Below tapped"))
	below.draw = 1
	stack := &view{class: classFrame, b: m.rect(16, 90, w, 100)}
	return m.page(0xfefbff).add(m.title("Order"), stack.add(above, below), l.footer(m, l.status))
}

// jumpsPage has two buttons that change places now and then.
type jumpsPage struct{ listPage }

const jumpEvery = 1200 * time.Millisecond

func (l *jumpsPage) view(m metrics) *view {
	w := m.width() - 32
	y := [2]int{90, 190}
	if int(m.since(l.act.started)/jumpEvery)%2 == 1 {
		y[0], y[1] = y[1], y[0]
	}
	return m.page(0xfefbff).add(m.title("Jumps"),
		m.button("Keep", ListPackage+":id/keep", m.rect(16, y[0], w, 52), l.says("Kept")),
		m.button("Discard", ListPackage+":id/discard", m.rect(16, y[1], w, 52), l.says("Discarded")),
		l.footer(m, l.status))
}

// shiftPage moves everything down when an advertisement has arrived, once.
type shiftPage struct{ listPage }

func (l *shiftPage) view(m metrics) *view {
	w := m.width() - 32
	root, y := m.page(0xfefbff).add(m.title("News")), 80
	if m.since(l.act.started) >= l.screen.opts.LatePay {
		root.add(m.button("Advertisement", ListPackage+":id/ad", m.rect(16, y, w, 60), l.says("Advertisement tapped")))
		y += 68
	}
	for _, name := range []string{"Weather", "Sports", "Politics"} {
		root.add(m.row(name, m.rect(16, y, w, 60), l.says("%s opened", name)))
		y += 68
	}
	return root.add(l.footer(m, l.status))
}

// tickerPage never comes to rest, and has elements that only an id names.
type tickerPage struct{ listPage }

func (l *tickerPage) view(m metrics) *view {
	w := m.width() - 32
	price := m.label(fmt.Sprintf("Price %d", 100+m.since(l.act.started).Milliseconds()/15), m.rect(16, 90, w, 40))
	price.id = ListPackage + ":id/price"
	icon := &view{class: classImage, id: ListPackage + ":id/buy", b: m.rect(16, 150, 80, 60), clickable: true, image: true,
		fill: rgb(0xeaddff), ink: rgb(0x6750a4), onTap: l.says("Bought")}
	word := m.button("Sell", ListPackage+":id/sell", m.rect(120, 150, 160, 60), l.says("Sold"))
	root := m.page(0xfefbff).add(m.title("Ticker"), price, icon, word, l.footer(m, l.status))
	return root.add(m.label(strings.Repeat("·", int(m.since(l.act.started)/(40*time.Millisecond))%20),
		m.rect(16, 230, w, 40)))
}
