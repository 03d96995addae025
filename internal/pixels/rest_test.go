package pixels

import (
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"testing"
	"time"
)

var screen = image.Rect(0, 0, 720, 1600)

// scene draws what a screen shows at a time since it came up.
type scene func(img *image.RGBA, at time.Duration)

func fill(img *image.RGBA, r image.Rectangle, c color.Color) {
	draw.Draw(img, r, image.NewUniform(c), image.Point{}, draw.Src)
}

// digits draws a number as bars, so that its pixels differ from those of any other.
func digits(img *image.RGBA, at image.Point, n int) {
	for i := range 8 {
		if n>>i&1 == 1 {
			fill(img, image.Rect(at.X+12*i, at.Y, at.X+12*i+8, at.Y+30), color.Black)
		}
	}
}

func caretScene(img *image.RGBA, at time.Duration) {
	if at/(500*time.Millisecond)%2 == 0 {
		fill(img, image.Rect(200, 400, 204, 436), color.RGBA{103, 80, 164, 255})
	}
}

func clockScene(img *image.RGBA, at time.Duration) {
	digits(img, image.Pt(300, 800), 7+int(at/time.Second))
}

func scenes() map[string]struct {
	draw   scene
	rests  bool            // within four seconds
	region image.Rectangle // of the unrest
} {
	return map[string]struct {
		draw   scene
		rests  bool
		region image.Rectangle
	}{
		"nothing moves": {func(*image.RGBA, time.Duration) {}, true, image.Rectangle{}},
		"a caret":       {caretScene, true, image.Rectangle{}},
		"a block cursor": {func(img *image.RGBA, at time.Duration) {
			if at/(530*time.Millisecond)%2 == 0 {
				fill(img, image.Rect(200, 400, 216, 430), color.Black)
			}
		}, true, image.Rectangle{}},
		"a clock": {clockScene, true, image.Rectangle{}},
		"a clock and a caret": {func(img *image.RGBA, at time.Duration) {
			clockScene(img, at)
			caretScene(img, at)
		}, true, image.Rectangle{}},
		"the clock of the status bar": {func(img *image.RGBA, at time.Duration) {
			digits(img, image.Pt(20, 10), int(at/(100*time.Millisecond)))
		}, true, image.Rectangle{}},
		"a spinner": {func(img *image.RGBA, at time.Duration) {
			i := int(at / (45 * time.Millisecond) % 8)
			fill(img, image.Rect(340+[]int{0, 20, 30, 20, 0, -20, -30, -20}[i], 790+[]int{-30, -20, 0, 20, 30, 20, 0, -20}[i],
				350+[]int{0, 20, 30, 20, 0, -20, -30, -20}[i], 800+[]int{-30, -20, 0, 20, 30, 20, 0, -20}[i]), color.Black)
		}, false, image.Rect(300, 750, 390, 840)},
		"a video": {func(img *image.RGBA, at time.Duration) {
			noise := rand.New(rand.NewPCG(uint64(at/(41*time.Millisecond)), 1))
			for y := 300; y < 700; y += 20 {
				for x := 0; x < 720; x += 20 {
					fill(img, image.Rect(x, y, x+20, y+20), color.Gray{uint8(noise.UintN(256))})
				}
			}
		}, false, image.Rect(0, 300, 720, 700)},
		"a bar that grows": {func(img *image.RGBA, at time.Duration) {
			fill(img, image.Rect(100, 900, 100+int(at/(20*time.Millisecond)), 930), color.Black)
		}, false, image.Rect(100, 900, 720, 930)},
		"a list that still scrolls": {func(img *image.RGBA, at time.Duration) {
			y := int(min(at, 1500*time.Millisecond) / time.Millisecond)
			for row := range 40 {
				digits(img, image.Pt(40, 100+row*80-y), row)
			}
		}, true, image.Rectangle{}},
		"a picture that comes late": {func(img *image.RGBA, at time.Duration) {
			if at > 900*time.Millisecond {
				fill(img, image.Rect(100, 600, 600, 1000), color.Black)
			}
		}, true, image.Rectangle{}},
	}
}

// TestRest shows each scene at the pace of a fast browser, of a phone, and of a slow phone.
func TestRest(t *testing.T) {
	white := image.NewRGBA(screen)
	fill(white, screen, color.White)
	for name, s := range scenes() {
		for _, pace := range []time.Duration{70 * time.Millisecond, 330 * time.Millisecond} {
			if name == "a block cursor" && pace > blinkGap {
				continue // cannot be distinguished from a spinner
			}
			r := Rest{StatusBar: true}
			began := time.Now()
			restedAt := time.Duration(-1)
			for at := time.Duration(0); at < 4500*time.Millisecond; at += pace {
				img := image.NewRGBA(screen)
				copy(img.Pix, white.Pix)
				s.draw(img, at)
				r.See(began.Add(at), img)
				if restedAt < 0 && r.Looks() >= 2 && began.Add(at).Sub(r.Since()) >= 1300*time.Millisecond {
					restedAt = at
				}
			}
			if (restedAt >= 0) != s.rests || s.rests && restedAt > 4*time.Second {
				t.Errorf("%s at %s: rested at %s, unrest %v, ignored %v", name, pace, restedAt, r.Unrest(), r.Ignored())
			}
			if !s.rests && (!r.Unrest().In(s.region) || r.Unrest().Empty()) {
				t.Errorf("%s at %s: the region of unrest is %v, the movement is in %v", name, pace, r.Unrest(), s.region)
			}
		}
	}
}

// TestRestWaitsForTheListToStop measures when a list that scrolls for 1.5 s counts as at rest.
func TestRestWaitsForTheListToStop(t *testing.T) {
	list := scenes()["a list that still scrolls"]
	r := Rest{}
	began := time.Now()
	for at := time.Duration(0); ; at += 50 * time.Millisecond {
		img := image.NewRGBA(screen)
		fill(img, screen, color.White)
		list.draw(img, at)
		r.See(began.Add(at), img)
		if began.Add(at).Sub(r.Since()) >= 400*time.Millisecond {
			if at < 1850*time.Millisecond || at > 2200*time.Millisecond {
				t.Errorf("it rested at %s", at)
			}
			return
		}
	}
}

// TestRestAfterALongGap is a clock on a phone with trees that cost two seconds: what is known as a clock stays one.
func TestRestAfterALongGap(t *testing.T) {
	r := Rest{}
	began := time.Now()
	see := func(at time.Duration) {
		img := image.NewRGBA(screen)
		fill(img, screen, color.White)
		clockScene(img, at)
		r.See(began.Add(at), img)
	}
	for at := time.Duration(0); at <= 3*time.Second; at += 300 * time.Millisecond {
		see(at)
	}
	since := r.Since()
	see(5200 * time.Millisecond)
	see(5400 * time.Millisecond)
	if r.Since() != since || len(r.Ignored()) != 1 {
		t.Errorf("it rests since %s, before since %s; ignored %v", r.Since(), since, r.Ignored())
	}
}

func TestRestTurned(t *testing.T) {
	r := Rest{}
	now := time.Now()
	r.See(now, image.NewRGBA(image.Rect(0, 0, 100, 200)))
	r.See(now.Add(time.Second), image.NewRGBA(image.Rect(0, 0, 200, 100)))
	if !r.Since().Equal(now.Add(time.Second)) || r.Unrest() != image.Rect(0, 0, 200, 100) {
		t.Errorf("since %s, unrest %v", r.Since(), r.Unrest())
	}
}

func TestChanged(t *testing.T) {
	a, b := image.NewRGBA(image.Rect(0, 0, 100, 100)), image.NewRGBA(image.Rect(0, 0, 100, 100))
	if !Changed(a, b, a.Rect).Empty() {
		t.Error("alike pictures differ")
	}
	b.Set(70, 80, color.White)
	b.Set(10, 20, color.White)
	b.Set(50, 50, color.RGBA{tolerance, 0, 0, 255}) // is dithering
	if got := Changed(a, b, a.Rect); got != image.Rect(10, 20, 71, 81) {
		t.Errorf("changed %v", got)
	}
	if got := Changed(a, b, image.Rect(60, 60, 200, 200)); got != image.Rect(70, 80, 71, 81) {
		t.Errorf("changed within %v", got)
	}
	if got := Changed(a, image.NewRGBA(image.Rect(0, 0, 50, 50)), a.Rect); got != a.Rect {
		t.Errorf("another size: %v", got)
	}
	if got := Changed(a, b, image.Rect(200, 200, 300, 300)); !got.Empty() {
		t.Errorf("outside: %v", got)
	}
}

// BenchmarkRest looks at a window of which a third moves, as a video in a page does.
func BenchmarkRest(b *testing.B) {
	shown := [2]*image.RGBA{}
	for i := range shown {
		shown[i] = image.NewRGBA(image.Rect(0, 0, 1280, 800))
		draw.Draw(shown[i], image.Rect(100, 200, 900, 600), image.NewUniform(color.Gray{uint8(100 * i)}), image.Point{},
			draw.Src)
	}
	var r Rest
	at := time.Unix(0, 0)
	for n := 0; b.Loop(); n++ {
		at = at.Add(100 * time.Millisecond)
		r.See(at, shown[n%2])
	}
}
