package web

import (
	"testing"

	"github.com/taproot-dev/taproot/drivers"
)

// corners are texts in the round corners of boxes that clip their content, and texts that are too small to be read.
func corners() []scene {
	clip := func(style, at string) string {
		return `<div style="position:relative;width:200px;height:120px;` + style + `"><p id=x style="position:absolute;` +
			`margin:0;font-size:9px;line-height:12px;white-space:nowrap;` + at + `">Paid 12</p></div>`
	}
	const round, corner = "overflow:hidden;border-radius:50%", "left:0;top:0"
	return []scene{
		one("corner of a circle", clip(round, corner), "obscured"),
		one("other corners", clip(round, "right:0;top:0"), "obscured"),
		one("lower corner", clip(round, "right:0;bottom:0"), "obscured"),
		one("middle of a circle", clip(round, "left:80px;top:50px"), "seen"),
		one("edge of a circle", clip(round, "left:4px;top:54px"), "seen"),
		one("small corner", clip("overflow:hidden;border-radius:12px", corner), "seen"),
		one("one round corner", clip("overflow:hidden;border-top-left-radius:120px", corner), "obscured"),
		one("one other round corner", clip("overflow:hidden;border-top-right-radius:120px", corner), "seen"),
		one("a corner that clips nothing", clip("border-radius:50%", corner), "seen"),
		one("paint containment", clip("contain:paint;border-radius:50%", corner), "obscured"),
		one("a border as wide as its corner", clip("overflow:hidden;border:60px solid;border-radius:60px", corner), "seen"),
		one("a clip that does not hold it", `<div style="position:relative">`+clip("position:static;"+round,
			corner)+`</div>`, "seen"),
		one("a clip of a fixed text", clip(round, "position:fixed;left:0;top:0"), "seen"),
		one("a clip around the clip", `<div style="`+round+`;width:200px;height:120px">`+clip("overflow:hidden",
			corner)+`</div>`, "obscured"),
		one("a scaled clip", clip(round+";transform:scale(2);transform-origin:0 0", corner), "obscured"),
		one("the middle of a turned clip", clip(round+";transform:rotate(30deg)", "left:80px;top:50px"), "seen"),
		one("past the edge of a drawing", `<svg width=60 height=20 style="overflow:visible"><text id=x x=70 y=15>Paid</text>`+
			`</svg>`, "seen"),
		one("past the edge of a drawing that clips", `<svg width=60 height=20><text id=x x=70 y=15>Paid</text></svg>`,
			"hidden"),
		one("a path that clips past the edge", `<svg width=60 height=20 style="overflow:visible"><clipPath id=c>`+
			`<rect width=50 height=20 /></clipPath><text clip-path="url(#c)" id=x x=10 y=15>Paid</text></svg>`, "seen"),
		one("dust", `<p id=x style="transform:scale(.05);width:300px">Paid</p>`, "hidden"),
		one("one letter of dust", `<p id=x style="transform:scale(.1)">l</p>`, "hidden"),
		one("a thin letter", `<p id=x style="font-size:10px">l</p>`, "seen"),
		one("thin letters in a column", `<p id=x style="writing-mode:vertical-rl;font-size:8px">ill</p>`, "seen"),
	}
}

func TestRoundCorners(t *testing.T) {
	t.Parallel()
	runScenes(t, corners())
}

func TestFirefoxSeesRoundCorners(t *testing.T) {
	t.Parallel()
	leftToFirefox(t)
	d := openFirefox(t)
	Must(t, d.OpenPage(t.Context(), site.Page("blank.html"), drivers.PageOptions{}))
	runScenesOn(t, d, corners(), fill)
}

func TestWebKitSeesRoundCorners(t *testing.T) {
	leftToWebKit(t)
	d := openWebKit(t)
	Must(t, d.OpenPage(t.Context(), site.Page("blank.html"), drivers.PageOptions{}))
	runScenesOn(t, d, corners(), func(t *testing.T, d *device, body string) {
		Must(t, d.Navigate(t.Context(), site.Made(body), patience))
	})
}
