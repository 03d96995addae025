package androidsim

import (
	"fmt"
	"image/color"
	"strconv"
	"time"
)

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
func newMotionPage(base listPage, activity string) page {
	if _, ok := motionActivities()[activity]; !ok {
		return nil
	}
	return &motionPage{base, activity}
}

// flingTime is how long the list of the page "Fling" continues to move after it was opened.
const flingTime = 1200 * time.Millisecond

func (l *motionPage) view(m metrics) *view {
	at := m.now.Sub(l.act.started)
	root := m.page(0xfefbff).add(m.title(l.kind))
	w := m.width() - 32
	switch l.kind {
	case "Clock":
		return root.add(m.label(fmt.Sprintf("Elapsed %02d", int(at.Seconds())), m.rect(16, 200, w, 40)))
	case "Spinner":
		return root.add(l.spinner(m, at))
	case "Video":
		return root.add(l.video(m, at))
	case "Fling":
		return l.fling(m, root, at)
	}
	return l.canvas(m, root)
}

// spinner is one element with dots that go round.
func (l *motionPage) spinner(m metrics, at time.Duration) *view {
	v := &view{class: classBar, desc: "Loading", b: m.rect(150, 300, 60, 60)}
	around := [][2]int{{24, 0}, {41, 7}, {48, 24}, {41, 41}, {24, 48}, {7, 41}, {0, 24}, {7, 7}}
	dot := around[int(at/(70*time.Millisecond))%len(around)]
	return v.paint(&view{b: m.rect(150+dot[0], 300+dot[1], 12, 12), fill: rgb(0x6750a4)})
}

// video is one element of squares with colours that change 24 times a second.
func (l *motionPage) video(m metrics, at time.Duration) *view {
	v := &view{class: "android.view.TextureView", desc: "Film", b: m.rect(16, 120, 320, 180)}
	frame := uint32(at / (41 * time.Millisecond))
	for i := range 16 {
		noise := (frame*2654435761 + uint32(i)*40503) >> 8
		v.paint(&view{b: m.rect(16+i%8*40, 120+i/8*90, 40, 90), fill: color.Gray{uint8(noise)}})
	}
	return v
}

// fling is a list that still scrolls for a while.
func (l *motionPage) fling(m metrics, root *view, at time.Duration) *view {
	moved := int(40 * min(at, flingTime) / (100 * time.Millisecond))
	for i := range 60 {
		y := 80 + i*52 - moved
		if y >= 60 && y < m.height()-60 {
			root.add(m.label("Row "+strconv.Itoa(i), m.rect(16, y, m.width()-32, 48)))
		}
	}
	return root
}

// canvas is a game: its words are pixels, and no element has a name.
func (l *motionPage) canvas(m metrics, root *view) *view {
	board := &view{class: "android.view.SurfaceView", b: m.rect(0, 60, m.width(), 400), fill: rgb(0x203040)}
	say := func(text string, y int) *view {
		v := m.label(text, m.rect(40, y, 280, 40))
		v.ink = rgb(0xfff8e1)
		return v
	}
	board.paint(say("Hello canvas", 90), say("Lives 3 of 5", 150))
	if l.status != "" {
		board.paint(say(l.status, 380))
	}
	play := &view{class: "android.view.View", b: m.rect(40, 240, 200, 60), clickable: true, fill: rgb(0x6750a4),
		onTap: l.says("Game started")}
	word := m.label("Play now", m.rect(60, 250, 160, 40))
	word.ink = rgb(0xffffff)
	return root.add(board, play.paint(word))
}
