package apps

import (
	"fmt"
	"image"
	"image/color"
	"strconv"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/spec"
	"github.com/taproot-dev/taproot/internal/sim/android/system"
	"github.com/taproot-dev/taproot/internal/sim/android/ui"
)

// crashPage breaks in the ways in which apps do, some time after a tap.
type crashPage struct{ listPage }

func (l *crashPage) View(m ui.Metrics) *ui.View {
	root := m.Page(0xfefbff).Add(m.Title("Crashes"))
	w, s := m.Width()-32, l.screen
	for i, b := range []struct {
		text, id string
		do       func()
	}{
		{"Crash soon", "soon", func() { s.Crash(spec.ListPackage, "java.lang.IllegalStateException: the cart is gone") }},
		{"Crash in service", "service",
			func() { s.CrashProcess(spec.ListPackage+":remote", "java.io.IOException: sync broke") }},
		{"Crash natively", "native", func() { s.CrashNative(spec.ListPackage) }},
		{"Hang", "hang", func() { s.Freeze(spec.ListPackage) }},
		{"Crash another app", "another", func() { s.CrashProcess("com.example.chat", "java.lang.Error: not ours") }},
	} {
		root.Add(m.Button(b.text, spec.ListPackage+":id/"+b.id, m.Rect(16, 66+i*58, w, 50), func() {
			l.status = "Working"
			s.Later(s.Opts.CrashAfter, b.do)
		}))
	}
	return root.Add(l.footer(m, l.status))
}

// fieldsPage has fields with hints that could be typed text, one of a password, one that is filled, and one
// without a hint.
type fieldsPage struct {
	listPage
	email, quantity, password, filled, bare *ui.Field
}

func newFieldsPage(b listPage) system.Page {
	return &fieldsPage{listPage: b, email: &ui.Field{}, quantity: &ui.Field{}, password: &ui.Field{Password: true},
		filled: &ui.Field{Text: "Ada"}, bare: &ui.Field{}}
}

func (l *fieldsPage) View(m ui.Metrics) *ui.View {
	root := m.Page(0xfefbff).Add(m.Title("Order form"))
	w := m.Width() - 32
	for i, f := range []struct {
		field    *ui.Field
		hint, id string
	}{
		{l.email, "you@example.com", "email"}, {l.quantity, "1", "quantity"}, {l.password, "Password", "password"},
		{l.filled, "Name", "name"}, {l.bare, "", "bare"},
	} {
		root.Add(m.Edit(f.field, f.hint, spec.ListPackage+":id/"+f.id, m.Rect(16, 60+i*48, w, 44)))
	}
	send := m.Button("Send", spec.ListPackage+":id/send", m.Rect(m.Width()-120, 6, 110, 44), func() {
		l.status = fmt.Sprintf("%s|%s|%s|%s|%s", l.email.Text, l.quantity.Text, l.password.Text, l.filled.Text, l.bare.Text)
	})
	return root.Add(send, l.footer(m, l.status))
}

// gesturesPage says at its bottom which gesture it saw last.
type gesturesPage struct {
	listPage
	dropped bool
}

func (l *gesturesPage) View(m ui.Metrics) *ui.View {
	w := m.Width() - 32
	target := m.Button("Target", spec.ListPackage+":id/target", m.Rect(16, 80, w, 100), l.says("Tapped"))
	target.LongClickable = true
	target.OnLong, target.OnDouble = l.says("Long pressed"), l.says("Double tapped")
	target.OnPinch = func(open bool) { l.status = map[bool]string{true: "Pinched open", false: "Pinched close"}[open] }
	root := m.Page(0xfefbff).Add(m.Title("Gestures"), target, l.footer(m, l.status))
	basket := m.Label("Basket", m.Rect(16, 420, w, 80))
	basket.ID, basket.Fill = spec.ListPackage+":id/basket", ui.RGB(0xe7e0ec)
	root.Add(basket)
	if l.dropped {
		return root
	}
	apple := m.Button("Apple", spec.ListPackage+":id/apple", m.Rect(16, 220, w/2, 60), l.says("Apple tapped"))
	apple.LongClickable, apple.OnLong = true, l.says("Apple lifted")
	apple.OnDrag = func(to image.Point) {
		l.status = "Apple dropped beside the basket"
		if to.In(basket.B) {
			l.dropped, l.status = true, "Apple in the basket"
		}
	}
	return root.Add(apple)
}

// motionActivities are opened by links (spinner://) only: pages on which something moves, or that only pixels show.
func motionActivities() map[string]string {
	return map[string]string{"Clock": "clock", "Spinner": "spinner", "Video": "video", "Fling": "fling",
		"Canvas": "canvas"}
}

// motionPage shows one kind of movement.
type motionPage struct {
	listPage
	kind string
}

// newMotionPage returns the page of an activity, or nil when it is none of these.
func newMotionPage(base listPage, activity string) system.Page {
	if _, ok := motionActivities()[activity]; !ok {
		return nil
	}
	return &motionPage{base, activity}
}

// flingTime is how long the list of the page "Fling" continues to move after it was opened.
const flingTime = 1200 * time.Millisecond

func (l *motionPage) View(m ui.Metrics) *ui.View {
	at := m.Now.Sub(l.act.Started)
	root := m.Page(0xfefbff).Add(m.Title(l.kind))
	w := m.Width() - 32
	switch l.kind {
	case "Clock":
		return root.Add(m.Label(fmt.Sprintf("Elapsed %02d", int(at.Seconds())), m.Rect(16, 200, w, 40)))
	case "Spinner":
		return root.Add(l.spinner(m, at))
	case "Video":
		return root.Add(l.video(m, at))
	case "Fling":
		return l.fling(m, root, at)
	}
	return l.canvas(m, root)
}

// spinner is one element with dots that go round.
func (l *motionPage) spinner(m ui.Metrics, at time.Duration) *ui.View {
	v := &ui.View{Class: ui.ClassBar, Desc: "Loading", B: m.Rect(150, 300, 60, 60)}
	around := [][2]int{{24, 0}, {41, 7}, {48, 24}, {41, 41}, {24, 48}, {7, 41}, {0, 24}, {7, 7}}
	dot := around[int(at/(70*time.Millisecond))%len(around)]
	return v.Paint(&ui.View{B: m.Rect(150+dot[0], 300+dot[1], 12, 12), Fill: ui.RGB(0x6750a4)})
}

// video is one element of squares with colours that change 24 times a second.
func (l *motionPage) video(m ui.Metrics, at time.Duration) *ui.View {
	v := &ui.View{Class: "android.view.TextureView", Desc: "Film", B: m.Rect(16, 120, 320, 180)}
	frame := uint32(at / (41 * time.Millisecond))
	for i := range 16 {
		noise := (frame*2654435761 + uint32(i)*40503) >> 8
		v.Paint(&ui.View{B: m.Rect(16+i%8*40, 120+i/8*90, 40, 90), Fill: color.Gray{uint8(noise)}})
	}
	return v
}

// fling is a list that still scrolls for a while.
func (l *motionPage) fling(m ui.Metrics, root *ui.View, at time.Duration) *ui.View {
	moved := int(40 * min(at, flingTime) / (100 * time.Millisecond))
	for i := range 60 {
		y := 80 + i*52 - moved
		if y >= 60 && y < m.Height()-60 {
			root.Add(m.Label("Row "+strconv.Itoa(i), m.Rect(16, y, m.Width()-32, 48)))
		}
	}
	return root
}

// canvas is a game: its words are pixels, and no element has a name.
func (l *motionPage) canvas(m ui.Metrics, root *ui.View) *ui.View {
	board := &ui.View{Class: "android.view.SurfaceView", B: m.Rect(0, 60, m.Width(), 400), Fill: ui.RGB(0x203040)}
	say := func(text string, y int) *ui.View {
		v := m.Label(text, m.Rect(40, y, 280, 40))
		v.Ink = ui.RGB(0xfff8e1)
		return v
	}
	board.Paint(say("Hello canvas", 90), say("Lives 3 of 5", 150))
	if l.status != "" {
		board.Paint(say(l.status, 380))
	}
	play := &ui.View{Class: "android.view.View", B: m.Rect(40, 240, 200, 60), Clickable: true, Fill: ui.RGB(0x6750a4),
		OnTap: l.says("Game started")}
	word := m.Label("Play now", m.Rect(60, 250, 160, 40))
	word.Ink = ui.RGB(0xffffff)
	return root.Add(board, play.Paint(word))
}
