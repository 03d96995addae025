package apps

import (
	"fmt"
	"image"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/spec"
	"github.com/taproot-dev/taproot/internal/sim/android/ui"
)

// splashPage is under an opaque image for a while: its elements are in the tree all along.
type splashPage struct{ listPage }

func (l *splashPage) View(m ui.Metrics) *ui.View {
	w := m.Width() - 32
	root := m.Page(0xfefbff).Add(m.Title("Start"), m.Label("Welcome back", m.Rect(16, 90, w, 40)),
		m.Button("Continue", spec.ListPackage+":id/continue", m.Rect(16, 160, w, 52), l.says("Continued")),
		l.footer(m, l.status))
	if m.Since(l.act.Started) >= l.screen.Opts.Splash {
		return root
	}
	logo := &ui.View{
		Class: ui.ClassImage,
		ID:    spec.ListPackage + ":id/splash",
		B:     m.Area,
		Fill:  ui.RGB(0x6750a4),
		Ink:   ui.RGB(0xeaddff),
		Image: true,
	}
	return root.Add(logo)
}

// layersPage has a text under an opaque layer, one under a clear layer, one that an opaque layer covers in part, and a
// second screen that is opaque as a whole, above the first.
type layersPage struct{ listPage }

func (l *layersPage) View(m ui.Metrics) *ui.View {
	w := m.Width() - 32
	opaque := &ui.View{
		Class: ui.ClassFrame,
		ID:    spec.ListPackage + ":id/panel",
		B:     m.Rect(0, 60, m.Width(), 60),
		Fill:  ui.RGB(0xd0bcff),
	}
	clear := &ui.View{Class: ui.ClassFrame, ID: spec.ListPackage + ":id/glass", B: m.Rect(0, 130, m.Width(), 60)}
	half := &ui.View{Class: ui.ClassFrame, ID: spec.ListPackage + ":id/half", B: m.Rect(m.Width()/2, 200, m.Width()/2, 60),
		Fill: ui.RGB(0xd0bcff)}
	over := &ui.View{
		Class: ui.ClassFrame,
		ID:    spec.ListPackage + ":id/upper",
		B:     m.Rect(0, 280, m.Width(), 120),
		Fill:  ui.RGB(0xffffff),
	}
	return m.Page(0xfefbff).Add(m.Title("Layers"),
		m.Label("Hidden total", m.Rect(16, 70, w, 40)), opaque,
		m.Label("Clear total", m.Rect(16, 140, w, 40)), clear,
		m.Label("Half of a long text that goes on", m.Rect(16, 210, w, 40)), half,
		m.Button("Lower", spec.ListPackage+":id/lower", m.Rect(16, 300, w, 52), l.says("Lower tapped")),
		over.Add(m.Label("Upper", m.Rect(16, 300, w, 40))),
		l.footer(m, l.status))
}

// nestedPage has rows with something clickable inside them, in the way of their middle.
type nestedPage struct {
	listPage
	liked bool
}

func (l *nestedPage) View(m ui.Metrics) *ui.View {
	w := m.Width() - 32
	post := &ui.View{
		Class:     ui.ClassFrame,
		ID:        spec.ListPackage + ":id/post",
		B:         m.Rect(16, 70, w, 100),
		Fill:      ui.RGB(0xf7f2fa),
		Clickable: true,
		Focusable: true,
		OnTap:     l.says("Post opened"),
	}
	tag := m.Label("#holiday", m.Rect(16+w/2-60, 96, 120, 48))
	tag.Clickable, tag.Focusable, tag.OnTap, tag.Ink = true, true, l.says("Hashtag opened"), ui.RGB(0x0b57d0)
	text := m.Label("Seen at the sea", m.Rect(20, 70, w-8, 30))
	row := &ui.View{
		Class:     ui.ClassFrame,
		ID:        spec.ListPackage + ":id/song",
		B:         m.Rect(16, 190, w, 60),
		Fill:      ui.RGB(0xf7f2fa),
		Clickable: true,
		Focusable: true,
		Desc:      "Song of the day",
		OnTap:     l.says("Song opened"),
	}
	heart := &ui.View{Class: ui.ClassImage, Desc: "Favourite", B: m.Rect(16+w/2-24, 196, 48, 48), Clickable: true,
		Focusable: true, Image: true, Fill: ui.RGB(0xffd8e4), Ink: ui.RGB(0xb3261e),
		Checkable: true, Checked: l.liked, OnTap: func() { l.liked, l.status = !l.liked, "Favourite tapped" }}
	full := &ui.View{
		Class:     ui.ClassFrame,
		ID:        spec.ListPackage + ":id/wrapper",
		B:         m.Rect(16, 270, w, 60),
		Clickable: true,
		Focusable: true,
		Desc:      "Whole card",
		OnTap:     l.says("Card opened"),
	}
	inner := m.Button("Card button", spec.ListPackage+":id/card_button", full.B, l.says("Card button tapped"))
	return m.Page(0xfefbff).Add(m.Title("Nested"), post.Add(text, tag), row.Add(heart), full.Add(inner),
		l.footer(m, l.status))
}

// twinsPage has an element under another one of the same text, and two of the same bounds that are one thing.
type twinsPage struct{ listPage }

func (l *twinsPage) View(m ui.Metrics) *ui.View {
	w := m.Width() - 32
	upper := &ui.View{
		Class:     ui.ClassFrame,
		ID:        spec.ListPackage + ":id/sheet",
		B:         m.Rect(0, 80, m.Width(), 120),
		Fill:      ui.RGB(0xffffff),
		Clickable: true,
	}
	card := &ui.View{Class: ui.ClassFrame, ID: spec.ListPackage + ":id/card", B: m.Rect(16, 230, w, 52), Desc: "Tickets",
		Fill: ui.RGB(0xf7f2fa), Clickable: true, Focusable: true, OnTap: l.says("Tickets opened")}
	twin := m.Label("Tickets", card.B)
	return m.Page(0xfefbff).Add(m.Title("Twins"),
		m.Button("Buy", spec.ListPackage+":id/buy_below", m.Rect(16, 110, w, 52), l.says("Lower bought")),
		upper.Add(m.Button("Buy", spec.ListPackage+":id/buy_above", m.Rect(16, 110, w, 52), l.says("Upper bought"))),
		card.Add(twin), l.footer(m, l.status))
}

// switchesPage has settings rows: the row takes the tap, its switch has the state, and both may say the same.
type switchesPage struct {
	listPage
	on map[string]bool
}

func (l *switchesPage) View(m ui.Metrics) *ui.View {
	root := m.Page(0xfefbff).Add(m.Title("Settings"))
	w := m.Width()
	for i, name := range []string{"Wi-Fi", "Bluetooth", "Hotspot"} {
		y := 70 + i*64
		toggle := func() { l.on[name] = !l.on[name] }
		row := &ui.View{Class: ui.ClassLinear, ID: spec.ListPackage + ":id/setting", B: m.Rect(0, y, w, 56), Clickable: true,
			Focusable: true, Fill: ui.RGB(0xf7f2fa), OnTap: toggle}
		text := m.Label(name, m.Rect(16, y+8, w-120, 40))
		text.ID = "android:id/title"
		knob := &ui.View{
			Class:     "android.widget.Switch",
			ID:        spec.ListPackage + ":id/switch_widget",
			B:         m.Rect(w-80, y+8, 64, 40),
			Checkable: true,
			Checked:   l.on[name],
			Fill:      ui.RGB(0x79747e),
		}
		if l.on[name] {
			knob.Fill = ui.RGB(0x6750a4)
		}
		switch i {
		case 1: // the switch repeats the row's title
			knob.Desc = name
		case 2: // the switch takes taps itself and says its state
			knob.Text, knob.Clickable, knob.OnTap = map[bool]string{true: "ON", false: "OFF"}[l.on[name]], true, toggle
		}
		root.Add(row.Add(text, knob))
	}
	about := row(m, "About", m.Rect(0, 270, w, 52), l.says("About opened"))
	return root.Add(about, l.footer(m, l.status))
}

// longRootPage has a root over the whole screen that takes long presses, and says something itself.
type longRootPage struct{ listPage }

func (l *longRootPage) View(m ui.Metrics) *ui.View {
	w := m.Width() - 32
	root := m.Page(0xfefbff)
	all := &ui.View{Class: ui.ClassFrame, ID: spec.ListPackage + ":id/canvas", Desc: "Map", B: m.Area, LongClickable: true,
		Clickable: false, Focusable: true, OnLong: l.says("Map held")}
	all.Add(m.Title("Map"), m.Button("Route", spec.ListPackage+":id/route", m.Rect(16, 90, w, 52), l.says("Route opened")),
		l.footer(m, l.status))
	return root.Add(all)
}

// clippedPage is a list of which the first row has scrolled away but for one pixel.
type clippedPage struct{ listPage }

func (l *clippedPage) View(m ui.Metrics) *ui.View {
	list := &ui.View{Class: ui.ClassList, ID: spec.ListPackage + ":id/list", B: m.Rect(0, 56, m.Width(), m.Height()-56-48),
		Scrollable: true, Focusable: true}
	height := m.Dp(60)
	for i, name := range []string{"first", "second", "third"} {
		b := image.Rect(list.B.Min.X, list.B.Min.Y+1-height+i*height, list.B.Max.X, list.B.Min.Y+1+i*height)
		line := row(m, "Open", b, l.says("Opened the %s", name))
		line.Walk(func(v *ui.View) { v.B = v.B.Intersect(list.B) })
		line.Children = slices.DeleteFunc(line.Children, func(v *ui.View) bool { return v.B.Empty() })
		list.Add(line)
	}
	return m.Page(0xfefbff).Add(list, m.Title("Clipped"), l.footer(m, l.status))
}

// orderPage draws siblings in another order than the tree has them.
type orderPage struct{ listPage }

func (l *orderPage) View(m ui.Metrics) *ui.View {
	w := m.Width() - 32
	above := m.Button("Allow", spec.ListPackage+":id/above", m.Rect(16, 90, w, 100), l.says("Above tapped"))
	above.Draw = 2
	below := m.Button("Refuse", spec.ListPackage+":id/below", m.Rect(16, 90, w, 100), l.says("Below tapped"))
	below.Draw = 1
	stack := &ui.View{Class: ui.ClassFrame, B: m.Rect(16, 90, w, 100)}
	return m.Page(0xfefbff).Add(m.Title("Order"), stack.Add(above, below), l.footer(m, l.status))
}

// jumpsPage has two buttons that change places now and then.
type jumpsPage struct{ listPage }

const jumpEvery = 1200 * time.Millisecond

func (l *jumpsPage) View(m ui.Metrics) *ui.View {
	w := m.Width() - 32
	y := [2]int{90, 190}
	if int(m.Since(l.act.Started)/jumpEvery)%2 == 1 {
		y[0], y[1] = y[1], y[0]
	}
	return m.Page(0xfefbff).Add(m.Title("Jumps"),
		m.Button("Keep", spec.ListPackage+":id/keep", m.Rect(16, y[0], w, 52), l.says("Kept")),
		m.Button("Discard", spec.ListPackage+":id/discard", m.Rect(16, y[1], w, 52), l.says("Discarded")),
		l.footer(m, l.status))
}

// shiftPage moves everything down when an advertisement has arrived, once.
type shiftPage struct{ listPage }

func (l *shiftPage) View(m ui.Metrics) *ui.View {
	w := m.Width() - 32
	root, y := m.Page(0xfefbff).Add(m.Title("News")), 80
	if m.Since(l.act.Started) >= l.screen.Opts.LatePay {
		root.Add(m.Button("Advertisement", spec.ListPackage+":id/ad", m.Rect(16, y, w, 60), l.says("Advertisement tapped")))
		y += 68
	}
	for _, name := range []string{"Weather", "Sports", "Politics"} {
		root.Add(row(m, name, m.Rect(16, y, w, 60), l.says("%s opened", name)))
		y += 68
	}
	return root.Add(l.footer(m, l.status))
}

// tickerPage never comes to rest, and has elements that only an id names.
type tickerPage struct{ listPage }

func (l *tickerPage) View(m ui.Metrics) *ui.View {
	w := m.Width() - 32
	price := m.Label(fmt.Sprintf("Price %d", 100+m.Since(l.act.Started).Milliseconds()/15), m.Rect(16, 90, w, 40))
	price.ID = spec.ListPackage + ":id/price"
	icon := &ui.View{
		Class:     ui.ClassImage,
		ID:        spec.ListPackage + ":id/buy",
		B:         m.Rect(16, 150, 80, 60),
		Clickable: true,
		Image:     true,
		Fill:      ui.RGB(0xeaddff),
		Ink:       ui.RGB(0x6750a4),
		OnTap:     l.says("Bought"),
	}
	word := m.Button("Sell", spec.ListPackage+":id/sell", m.Rect(120, 150, 160, 60), l.says("Sold"))
	root := m.Page(0xfefbff).Add(m.Title("Ticker"), price, icon, word, l.footer(m, l.status))
	return root.Add(m.Label(strings.Repeat("·", int(m.Since(l.act.Started)/(40*time.Millisecond))%20),
		m.Rect(16, 230, w, 40)))
}
