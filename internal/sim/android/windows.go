package androidsim

import (
	"cmp"
	"image"
	"time"
)

// popper is a page that opens windows of its own: menus and lists that drop down.
type popper interface {
	popups(m metrics) []*popup
}

// popup is a window that belongs to a page.
type popup struct {
	root *view
	// focusable popups take all touches, and one next to them closes them; the others let the page work on, with its
	// keyboard.
	focusable bool
	close     func()
}

// abovePage is a page over which windows of the system are, below the keyboard.
type abovePage interface {
	above(m metrics) []*window
}

// othersPage is a page over which windows of other apps show up.
type othersPage interface {
	others(m metrics) []*window
}

// secret is a page of which, or of the dialog of which, screenshots must not show anything.
type secret interface {
	secret(m metrics) (page, dialog bool)
}

// appWindows are those of the foreground activity, from the back to the front.
func (s *screen) appWindows(m metrics, size image.Point) []*window {
	a := s.top()
	root := &view{class: classFrame, b: image.Rectangle{Max: size}, fill: rgb(0xfefbff)}
	root.add(a.page.view(m))
	app := &window{title: a.component(), kind: "APPLICATION", root: root, focused: true, layer: 1}
	secretDialog := false
	if p, ok := a.page.(secret); ok {
		app.secure, secretDialog = p.secret(m)
	}
	list := []*window{app}
	if d := a.page.dialog(m); d != nil {
		app.focused = false
		list = append(list, &window{title: a.component(), kind: "APPLICATION", root: d, focused: true, layer: 2, dim: true,
			modal: true, secure: secretDialog})
	}
	if p, ok := a.page.(popper); ok {
		for _, up := range p.popups(m) {
			w := &window{title: "", kind: "APPLICATION", root: up.root, layer: 2 + len(list), parent: app}
			if up.focusable {
				for _, below := range list {
					below.focused = false
				}
				w.focused, w.modal, w.outside = true, true, up.close
			}
			list = append(list, w)
		}
	}
	for _, w := range list {
		w.root.walk(func(v *view) { v.pkg = cmp.Or(v.pkg, a.pkg) })
	}
	return list
}

// overlayWindows are over the app and are not its own: notifications, bubbles, calls, and the toasts that no touch can
// touch.
func (s *screen) overlayWindows(m metrics) []*window {
	list := append([]*window(nil), s.overlays...)
	if p, ok := s.top().page.(othersPage); ok {
		list = append(list, p.others(m)...)
	}
	for i, w := range list {
		w.layer = 20 + i
	}
	if t := s.toast; t.text != "" && m.now.Before(t.until) {
		list = append(list, t.window(m))
	}
	return list
}

// toast is a text that goes away by itself.
type toast struct {
	text   string
	until  time.Time
	raised time.Time
	nth    int
}

// say shows a toast.
func (s *screen) say(text string, long bool) {
	d := s.opts.ShortToast
	if long {
		d = s.opts.LongToast
	}
	s.toast = toast{text, time.Now().Add(d), time.Now(), s.toast.nth + 1}
}

func (t toast) window(m metrics) *window {
	b := m.rect(40, m.height()-160, m.width()-80, 48)
	text := m.label(t.text, b)
	text.fill, text.ink, text.center = rgb(0x322f35), rgb(0xffffff), true
	return &window{title: "Toast", kind: "APPLICATION", root: text, layer: 30, glass: true}
}

// headsUp is a notification that drops down over the app.
func headsUp(m metrics, title, text string, tap func()) *window {
	const systemUI = "com.android.systemui"
	b := m.rect(8, 4, m.width()-16, 96)
	root := &view{class: classFrame, id: systemUI + ":id/expandableNotificationRow", b: b, fill: rgb(0xffffff),
		clickable: true, longClickable: true, onTap: tap}
	first, second := m.label(title, m.rect(24, 8, m.width()-48, 40)), m.label(text, m.rect(24, 52, m.width()-48, 40))
	first.id, second.id = "android:id/title", "android:id/text"
	root.add(first, second)
	root.walk(func(v *view) { v.pkg = systemUI })
	return &window{title: "NotificationShade", kind: "SYSTEM", root: root}
}

func bubble(at image.Rectangle, tap func()) *window {
	root := &view{
		class: classImage, desc: "Bob: are you there?", pkg: "com.example.chat", b: at, clickable: true, focusable: true,
		image: true,
		fill:  rgb(0x0b57d0), ink: rgb(0xffffff), onTap: tap,
	}
	return &window{title: "BubbleStackView", kind: "SYSTEM", root: root}
}

func callBanner(m metrics, name string, answer func(how string)) *window {
	const dialer = "com.google.android.dialer"
	b := m.rect(8, 4, m.width()-16, 120)
	root := &view{class: classFrame, id: dialer + ":id/banner", b: b, fill: rgb(0x1f3d2b), clickable: true}
	title := m.label(name+" is calling", m.rect(24, 8, m.width()-48, 40))
	title.ink = rgb(0xffffff)
	half := (m.width() - 64) / 2
	root.add(title,
		m.button("Decline", dialer+":id/decline", m.rect(24, 60, half, 52), func() { answer("Declined") }),
		m.button("Answer", dialer+":id/answer", m.rect(40+half, 60, half, 52), func() { answer("Answered") }))
	root.walk(func(v *view) { v.pkg = dialer })
	return &window{title: "Incoming call", kind: "SYSTEM", root: root}
}

// overlay adds a window that stays until it says that it is gone.
func (s *screen) overlay(build func(m metrics, gone func()) *window) {
	var w *window
	w = build(s.metrics(time.Now()), func() {
		for i, o := range s.overlays {
			if o == w {
				s.overlays = append(s.overlays[:i:i], s.overlays[i+1:]...)
				return
			}
		}
	})
	w.root.scroll = func(dy int) {
		if dy > 0 && w.title != "Incoming call" {
			s.overlays = nil
		}
	}
	s.overlays = append(s.overlays, w)
}

// askAboutApp is the system's dialog about an app that does not respond.
func (s *screen) askAboutApp(m metrics) *window {
	pkg := s.anr
	w := m.width() - 64
	root := &view{class: classFrame, b: m.rect(32, 240, w, 200), fill: rgb(0xece6f0), id: "android:id/parentPanel"}
	title := m.label(s.tag(pkg)+" isn't responding", m.rect(52, 260, w-40, 56))
	title.id = "android:id/alertTitle"
	answer := func(f func()) func() {
		return func() { s.anr, s.complaint = "", ""; f() }
	}
	root.add(title,
		m.button("Close app", "android:id/aerr_close", m.rect(52, 320, w-40, 48), answer(func() { s.stop(pkg) })),
		m.button("Wait", "android:id/aerr_wait", m.rect(52, 380, w-40, 48), answer(func() {})))
	root.walk(func(v *view) { v.pkg = "android" })
	return &window{title: "Application Not Responding: " + pkg, kind: "SYSTEM", root: root, focused: true, layer: 10,
		dim: true, modal: true}
}

// statusBar shows the time to the second, so that no two screenshots are quite the same.
func statusBar(m metrics, size image.Point) *window {
	b := image.Rect(0, 0, size.X, m.dp(statusBarDP))
	bar := &view{class: classFrame, b: b, pkg: "com.android.systemui", fill: rgb(0xf3edf7),
		id: "com.android.systemui:id/status_bar"}
	clock := &view{
		class: classText, text: m.now.Format("15:04:05"), b: image.Rect(m.dp(12), 0, m.dp(150), b.Max.Y), size: m.dp(13),
		id: "com.android.systemui:id/clock", pkg: "com.android.systemui",
	}
	return &window{title: "StatusBar", kind: "SYSTEM", root: bar.add(clock), layer: 9}
}

// navigationBar has the buttons of a phone without gestures. It is clear, as Android draws it over apps that reach to
// the edges.
func (s *screen) navigationBar(m metrics, size image.Point) *window {
	const systemUI = "com.android.systemui"
	b := image.Rect(0, size.Y-m.dp(buttonBarDP), size.X, size.Y)
	bar := &view{class: classFrame, b: b, id: systemUI + ":id/navigation_bar_frame"}
	key := func(nth int, desc, id string, code int) *view {
		at := image.Rect(size.X*(3*nth+1)/11, b.Min.Y, size.X*(3*nth+3)/11, b.Max.Y)
		return &view{class: classImage, desc: desc, id: systemUI + ":id/" + id, b: at, clickable: true, longClickable: true,
			focusable: true,
			onTap:     func() { s.barKeys = append(s.barKeys, desc); s.key(code) },
			painted: []*view{{b: image.Rect(0, 0, m.dp(14), m.dp(14)).Add(at.Min.Add(at.Max).Div(2)).Sub(image.Pt(m.dp(7),
				m.dp(7))), fill: rgb(0x49454f)}}}
	}
	bar.add(key(0, "Back", "back", 4), key(1, "Home", "home", 3), key(2, "Overview", "recent_apps", 187))
	bar.walk(func(v *view) { v.pkg = systemUI })
	return &window{title: "NavigationBar0", kind: "SYSTEM", root: bar, layer: 9}
}

// notificationShade covers everything while it is pulled down.
func notificationShade(m metrics, size image.Point) *window {
	root := &view{class: classFrame, b: image.Rectangle{Max: size}, fill: rgb(0x1c1b1f),
		id: "com.android.systemui:id/notification_panel"}
	title := m.label("Notifications", m.rect(16, 40, m.width()-32, 40))
	none := m.label("No notifications", m.rect(16, 120, m.width()-32, 40))
	title.ink, none.ink = rgb(0xffffff), rgb(0xffffff)
	root.add(title, none)
	root.walk(func(v *view) { v.pkg = "com.android.systemui" })
	return &window{title: "NotificationShade", kind: "SYSTEM", root: root, focused: true, layer: 8}
}

// keyboardWindow covers the lower part; its keys are pixels only, as those of most keyboards are.
func keyboardWindow(m metrics, size image.Point) *window {
	top := size.Y - size.Y*36/100
	root := &view{class: classFrame, b: image.Rect(0, top, size.X, size.Y), pkg: imePackage, fill: rgb(0xdcd7e2)}
	rows := []string{"qwertyuiop", "asdfghjkl", "zxcvbnm"}
	rowHeight := (size.Y - top) / 5
	for i, row := range rows {
		width := size.X / 10
		left := (size.X - width*len(row)) / 2
		for j, key := range row {
			b := image.Rect(left+j*width, top+(i+1)*rowHeight, left+(j+1)*width, top+(i+2)*rowHeight).Inset(6)
			root.add(&view{text: string(key), b: b, pkg: imePackage, fill: rgb(0xffffff), size: m.dp(18), center: true,
				class: classText})
		}
	}
	return &window{title: "InputMethod", kind: "INPUT_METHOD", root: root, layer: 5}
}
