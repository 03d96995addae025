package system

import (
	"cmp"
	"image"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/ui"
)

// popper is a page that opens windows of its own: menus and lists that drop down.
type popper interface {
	Popups(m ui.Metrics) []*Popup
}

// Popup is a window that belongs to a page.
type Popup struct {
	Root *ui.View
	// Focusable popups take all touches, and one next to them closes them; the others let the page work on, with its
	// keyboard.
	Focusable bool
	Close     func()
}

// abovePage is a page over which windows of the system are, below the keyboard.
type abovePage interface {
	Above(m ui.Metrics) []*ui.Window
}

// othersPage is a page over which windows of other apps show up.
type othersPage interface {
	Others(m ui.Metrics) []*ui.Window
}

// secret is a page of which, or of the dialog of which, screenshots must not show anything.
type secret interface {
	Secret(m ui.Metrics) (page, dialog bool)
}

// appWindows are those of the foreground activity, from the back to the front.
func (s *Screen) appWindows(m ui.Metrics, size image.Point) []*ui.Window {
	a := s.Top()
	root := &ui.View{Class: ui.ClassFrame, B: image.Rectangle{Max: size}, Fill: ui.RGB(0xfefbff)}
	root.Add(a.Page.View(m))
	app := &ui.Window{Title: a.Component(), Kind: "APPLICATION", Root: root, Focused: true, Layer: 1}
	secretDialog := false
	if p, ok := a.Page.(secret); ok {
		app.Secure, secretDialog = p.Secret(m)
	}
	list := []*ui.Window{app}
	if d := a.Page.Dialog(m); d != nil {
		app.Focused = false
		list = append(list, &ui.Window{Title: a.Component(), Kind: "APPLICATION", Root: d, Focused: true, Layer: 2, Dim: true,
			Modal: true, Secure: secretDialog})
	}
	if p, ok := a.Page.(popper); ok {
		for _, up := range p.Popups(m) {
			w := &ui.Window{Title: "", Kind: "APPLICATION", Root: up.Root, Layer: 2 + len(list), Parent: app}
			if up.Focusable {
				for _, below := range list {
					below.Focused = false
				}
				w.Focused, w.Modal, w.Outside = true, true, up.Close
			}
			list = append(list, w)
		}
	}
	for _, w := range list {
		w.Root.Walk(func(v *ui.View) { v.Pkg = cmp.Or(v.Pkg, a.Pkg) })
	}
	return list
}

// overlayWindows are over the app and are not its own: notifications, bubbles, calls, and the toasts that no touch can
// touch.
func (s *Screen) overlayWindows(m ui.Metrics) []*ui.Window {
	list := append([]*ui.Window(nil), s.overlays...)
	if p, ok := s.Top().Page.(othersPage); ok {
		list = append(list, p.Others(m)...)
	}
	for i, w := range list {
		w.Layer = 20 + i
	}
	if t := s.Toast; t.Text != "" && m.Now.Before(t.Until) {
		list = append(list, t.Window(m))
	}
	return list
}

// Say shows a toast.
func (s *Screen) Say(text string, long bool) {
	d := s.Opts.ShortToast
	if long {
		d = s.Opts.LongToast
	}
	s.Toast = ui.Toast{Text: text, Until: time.Now().Add(d), Raised: time.Now(), Nth: s.Toast.Nth + 1}
}

// overlay adds a window that stays until it says that it is gone.
func (s *Screen) overlay(build func(m ui.Metrics, gone func()) *ui.Window) {
	var w *ui.Window
	w = build(s.Metrics(time.Now()), func() {
		for i, o := range s.overlays {
			if o == w {
				s.overlays = append(s.overlays[:i:i], s.overlays[i+1:]...)
				return
			}
		}
	})
	w.Root.Scroll = func(dy int) {
		if dy > 0 && w.Title != "Incoming call" {
			s.overlays = nil
		}
	}
	s.overlays = append(s.overlays, w)
}

// askAboutApp is the system's dialog about an app that does not respond.
func (s *Screen) askAboutApp(m ui.Metrics) *ui.Window {
	pkg := s.anr
	w := m.Width() - 64
	root := &ui.View{
		Class: ui.ClassFrame,
		B:     m.Rect(32, 240, w, 200),
		Fill:  ui.RGB(0xece6f0),
		ID:    "android:id/parentPanel",
	}
	title := m.Label(s.Tag(pkg)+" isn't responding", m.Rect(52, 260, w-40, 56))
	title.ID = "android:id/alertTitle"
	answer := func(f func()) func() {
		return func() { s.anr, s.Complaint = "", ""; f() }
	}
	root.Add(title,
		m.Button("Close app", "android:id/aerr_close", m.Rect(52, 320, w-40, 48), answer(func() { s.Stop(pkg) })),
		m.Button("Wait", "android:id/aerr_wait", m.Rect(52, 380, w-40, 48), answer(func() {})))
	root.Walk(func(v *ui.View) { v.Pkg = "android" })
	return &ui.Window{Title: "Application Not Responding: " + pkg, Kind: "SYSTEM", Root: root, Focused: true, Layer: 10,
		Dim: true, Modal: true}
}

// navigationBar has the buttons of a phone without gestures. It is clear, as Android draws it over apps that reach to
// the edges.
func (s *Screen) navigationBar(m ui.Metrics, size image.Point) *ui.Window {
	const systemUI = "com.android.systemui"
	b := image.Rect(0, size.Y-m.Dp(ui.ButtonBarDP), size.X, size.Y)
	bar := &ui.View{Class: ui.ClassFrame, B: b, ID: systemUI + ":id/navigation_bar_frame"}
	key := func(nth int, desc, id string, code int) *ui.View {
		at := image.Rect(size.X*(3*nth+1)/11, b.Min.Y, size.X*(3*nth+3)/11, b.Max.Y)
		return &ui.View{
			Class:         ui.ClassImage,
			Desc:          desc,
			ID:            systemUI + ":id/" + id,
			B:             at,
			Clickable:     true,
			LongClickable: true,
			Focusable:     true,
			OnTap:         func() { s.barKeys = append(s.barKeys, desc); s.Key(code) },
			Painted: []*ui.View{{B: image.Rect(0, 0, m.Dp(14), m.Dp(14)).Add(at.Min.Add(at.Max).Div(2)).Sub(image.Pt(m.Dp(7),
				m.Dp(7))), Fill: ui.RGB(0x49454f)}},
		}
	}
	bar.Add(key(0, "Back", "back", 4), key(1, "Home", "home", 3), key(2, "Overview", "recent_apps", 187))
	bar.Walk(func(v *ui.View) { v.Pkg = systemUI })
	return &ui.Window{Title: "NavigationBar0", Kind: "SYSTEM", Root: bar, Layer: 9}
}
