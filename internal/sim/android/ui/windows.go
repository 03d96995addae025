package ui

import (
	"image"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/spec"
)

const (
	StatusBarDP = 28
	NavBarDP    = 24
	ButtonBarDP = 48
)

// Toast is a text that goes away by itself.
type Toast struct {
	Text   string
	Until  time.Time
	Raised time.Time
	Nth    int
}

// Window shows the toast; no touch touches it.
func (t Toast) Window(m Metrics) *Window {
	b := m.Rect(40, m.Height()-160, m.Width()-80, 48)
	text := m.Label(t.Text, b)
	text.Fill, text.Ink, text.Center = RGB(0x322f35), RGB(0xffffff), true
	return &Window{Title: "Toast", Kind: "APPLICATION", Root: text, Layer: 30, Glass: true}
}

// HeadsUp is a notification that drops down over the app.
func HeadsUp(m Metrics, title, text string, tap func()) *Window {
	const systemUI = "com.android.systemui"
	b := m.Rect(8, 4, m.Width()-16, 96)
	root := &View{Class: ClassFrame, ID: systemUI + ":id/expandableNotificationRow", B: b, Fill: RGB(0xffffff),
		Clickable: true, LongClickable: true, OnTap: tap}
	first, second := m.Label(title, m.Rect(24, 8, m.Width()-48, 40)), m.Label(text, m.Rect(24, 52, m.Width()-48, 40))
	first.ID, second.ID = "android:id/title", "android:id/text"
	root.Add(first, second)
	root.Walk(func(v *View) { v.Pkg = systemUI })
	return &Window{Title: "NotificationShade", Kind: "SYSTEM", Root: root}
}

// Bubble is the bubble of a chat app.
func Bubble(at image.Rectangle, tap func()) *Window {
	root := &View{
		Class: ClassImage, Desc: "Bob: are you there?", Pkg: "com.example.chat", B: at, Clickable: true, Focusable: true,
		Image: true,
		Fill:  RGB(0x0b57d0), Ink: RGB(0xffffff), OnTap: tap,
	}
	return &Window{Title: "BubbleStackView", Kind: "SYSTEM", Root: root}
}

// CallBanner is a banner with buttons that answer or decline a call.
func CallBanner(m Metrics, name string, answer func(how string)) *Window {
	const dialer = "com.google.android.dialer"
	b := m.Rect(8, 4, m.Width()-16, 120)
	root := &View{Class: ClassFrame, ID: dialer + ":id/banner", B: b, Fill: RGB(0x1f3d2b), Clickable: true}
	title := m.Label(name+" is calling", m.Rect(24, 8, m.Width()-48, 40))
	title.Ink = RGB(0xffffff)
	half := (m.Width() - 64) / 2
	root.Add(title,
		m.Button("Decline", dialer+":id/decline", m.Rect(24, 60, half, 52), func() { answer("Declined") }),
		m.Button("Answer", dialer+":id/answer", m.Rect(40+half, 60, half, 52), func() { answer("Answered") }))
	root.Walk(func(v *View) { v.Pkg = dialer })
	return &Window{Title: "Incoming call", Kind: "SYSTEM", Root: root}
}

// StatusBar shows the time to the second, so that no two screenshots are quite the same.
func StatusBar(m Metrics, size image.Point) *Window {
	b := image.Rect(0, 0, size.X, m.Dp(StatusBarDP))
	bar := &View{Class: ClassFrame, B: b, Pkg: "com.android.systemui", Fill: RGB(0xf3edf7),
		ID: "com.android.systemui:id/status_bar"}
	clock := &View{
		Class: ClassText, Text: m.Now.Format("15:04:05"), B: image.Rect(m.Dp(12), 0, m.Dp(150), b.Max.Y), Size: m.Dp(13),
		ID: "com.android.systemui:id/clock", Pkg: "com.android.systemui",
	}
	return &Window{Title: "StatusBar", Kind: "SYSTEM", Root: bar.Add(clock), Layer: 9}
}

// NotificationShade covers everything while it is pulled down.
func NotificationShade(m Metrics, size image.Point) *Window {
	root := &View{Class: ClassFrame, B: image.Rectangle{Max: size}, Fill: RGB(0x1c1b1f),
		ID: "com.android.systemui:id/notification_panel"}
	title := m.Label("Notifications", m.Rect(16, 40, m.Width()-32, 40))
	none := m.Label("No notifications", m.Rect(16, 120, m.Width()-32, 40))
	title.Ink, none.Ink = RGB(0xffffff), RGB(0xffffff)
	root.Add(title, none)
	root.Walk(func(v *View) { v.Pkg = "com.android.systemui" })
	return &Window{Title: "NotificationShade", Kind: "SYSTEM", Root: root, Focused: true, Layer: 8}
}

// KeyboardWindow covers the lower part; its keys are pixels only, as those of most keyboards are.
func KeyboardWindow(m Metrics, size image.Point) *Window {
	top := size.Y - size.Y*36/100
	root := &View{Class: ClassFrame, B: image.Rect(0, top, size.X, size.Y), Pkg: spec.IMEPackage, Fill: RGB(0xdcd7e2)}
	rows := []string{"qwertyuiop", "asdfghjkl", "zxcvbnm"}
	rowHeight := (size.Y - top) / 5
	for i, row := range rows {
		width := size.X / 10
		left := (size.X - width*len(row)) / 2
		for j, key := range row {
			b := image.Rect(left+j*width, top+(i+1)*rowHeight, left+(j+1)*width, top+(i+2)*rowHeight).Inset(6)
			root.Add(&View{Text: string(key), B: b, Pkg: spec.IMEPackage, Fill: RGB(0xffffff), Size: m.Dp(18), Center: true,
				Class: ClassText})
		}
	}
	return &Window{Title: "InputMethod", Kind: "INPUT_METHOD", Root: root, Layer: 5}
}
