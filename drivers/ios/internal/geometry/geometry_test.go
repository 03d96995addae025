package geometry

import (
	"image"
	"testing"
)

// TestSwipeKeepsItsWay: a swipe that is moved above the home indicator has the length and the direction that it had.
func TestSwipeKeepsItsWay(t *testing.T) {
	t.Parallel()
	d := &Screen{shot: image.Pt(600, 1280), scale: 2}
	for _, c := range [][4]image.Point{
		{image.Pt(300, 1270), image.Pt(300, 1250), image.Pt(300, 1211), image.Pt(300, 1191)},
		{image.Pt(500, 1270), image.Pt(100, 1270), image.Pt(500, 1211), image.Pt(100, 1211)},
		{image.Pt(300, 1200), image.Pt(300, 400), image.Pt(300, 1200), image.Pt(300, 400)},
		{image.Pt(300, 1270), image.Pt(300, 10), image.Pt(300, 1211), image.Pt(300, 0)},
		{image.Pt(300, 400), image.Pt(300, 1270), image.Pt(300, 400), image.Pt(300, 1270)},
	} {
		if from, to := d.AboveHome(c[0], c[1]); from != c[2] || to != c[3] {
			t.Errorf("%v to %v: %v to %v", c[0], c[1], from, to)
		}
	}
}

func TestStatusBarOf(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		screen        image.Point
		width, height int
		want          int
	}{
		"a phone":                            {image.Pt(390, 844), 390, 47, 47},
		"a phone on its side":                {image.Pt(844, 390), 390, 47, 0},
		"a phone on its side, which says so": {image.Pt(844, 390), 0, 0, 0},
		"an iPad":                            {image.Pt(768, 1024), 768, 24, 24},
		"an iPad on its side":                {image.Pt(1024, 768), 768, 24, 24},
		"none":                               {image.Pt(390, 844), 390, 0, 0},
		"one as high as the screen":          {image.Pt(390, 844), 390, 844, 0},
	} {
		if got := StatusBarOf(c.screen, c.width, c.height); got != c.want {
			t.Errorf("%s: %d", name, got)
		}
	}
}
