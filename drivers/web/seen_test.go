package web

import (
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// scene is a page of a test's own making, and what a tree of it must say of the elements that have these ids: "seen",
// "hidden" (not drawn, or not to be reached by scrolling), "away" (a scroll brings it into view), "obscured" (an opaque
// thing covers it).
type scene struct {
	name string
	body string
	want map[string]string
}

// sight says of an element what a person would.
func sight(tr *screen.Tree, id string) string {
	n := find(tr, func(n *screen.Node) bool { return n.ID == id })
	switch {
	case n == nil || n.Hidden:
		return "hidden"
	case n.Obscured != "":
		return "obscured"
	case n.Offscreen:
		return "away"
	case n.Text == "" && n.Type == "p":
		return "silent"
	case n.Bounds.Min.Y >= tr.Size.Y || n.Bounds.Max.Y <= 0 || n.Bounds.Min.X >= tr.Size.X || n.Bounds.Max.X <= 0:
		return "below"
	}
	return "seen"
}

func runScenes(t *testing.T, scenes []scene) {
	t.Helper()
	runScenesOn(t, browse(t, "blank.html"), scenes, fill)
}

// runScenesOn puts each page into the one that is open, by show.
func runScenesOn(t *testing.T, d *device, scenes []scene, show func(t *testing.T, d *device, body string)) {
	t.Helper()
	slices.SortFunc(scenes, func(a, b scene) int { return strings.Compare(a.name, b.name) })
	for _, s := range testutil.Few(4, scenes) {
		t.Run(s.name, func(t *testing.T) {
			show(t, d, s.body)
			tr := tree(t, d)
			if note := tr.Cut(); note != "" {
				t.Errorf("the tree is cut: %s", note)
			}
			for id, want := range s.want {
				if got := sight(tr, id); got != want {
					n := find(tr, func(n *screen.Node) bool { return n.ID == id })
					t.Errorf("%s is %s, want %s: %+v", id, got, want, n)
				}
			}
		})
	}
}

// fill puts a page of a test's own making into the page that is open, which takes less time than to open one.
func fill(t *testing.T, d *device, body string) {
	t.Helper()
	_, page, err := d.slot.Page()
	Must(t, err)
	Must(t, page.SetContent("<!doctype html><meta charset=utf-8><body>"+body))
}

func one(name, body, want string) scene { return scene{name, body, map[string]string{"x": want}} }

const curtain = `<div style="position:fixed;inset:0;background:white`

// Without a doctype, the body has the size of all that the window can show.
func TestWhatIsFarDownAPageWithoutADoctype(t *testing.T) {
	t.Parallel()
	d := reach(t, "data:text/html,<button id=b style='position:absolute;left:1500px;top:1700px'>Far</button>", "")
	n := byID(t, tree(t, d), "b")
	if n.Hidden {
		t.Errorf("%v counts as hidden", n)
	}
	Must(t, d.Reveal(t.Context(), n))
	all := tree(t, d)
	if n = byID(t, all, "b"); !n.Bounds.In(image.Rectangle{Max: all.Size}) {
		t.Errorf("%v is still out of view", n)
	}
}

func TestWhatIsCoveredIsNotSeen(t *testing.T) {
	t.Parallel()
	p := `<p id=x>Paid</p>`
	runScenes(t, []scene{
		one("nothing", p, "seen"),
		one("splash", p+curtain+`">Loading</div>`, "obscured"),
		one("half transparent", p+curtain+`;opacity:.6">Loading</div>`, "seen"),
		one("transparent colour", p+`<div style="position:fixed;inset:0;background:#0008">Loading</div>`, "seen"),
		one("through touches", p+curtain+`;pointer-events:none">Loading</div>`, "obscured"),
		one("under it by z-index", `<p id=x style="position:relative;z-index:2">Paid</p>`+curtain+
			`;z-index:1;pointer-events:none">Loading</div>`, "seen"),
		one("under it in order", curtain+`;z-index:-1;pointer-events:none"></div>`+p, "seen"),
		one("before it and placed", curtain+`;pointer-events:none"></div>`+p, "obscured"),
		one("inert curtain", p+`<div inert style="position:fixed;inset:0;background:#fff"></div>`, "obscured"),
		one("inert page", `<div inert>`+p+`</div>`+curtain+`"></div>`, "obscured"),
		one("backdrop", `<style>dialog::backdrop{background:white}</style>`+p+
			`<dialog id=d>Sure?</dialog><script>d.showModal()</script>`, "obscured"),
		one("usual backdrop", p+`<dialog id=d>Sure?</dialog><script>d.showModal()</script>`, "seen"),
		one("popover's backdrop", `<style>#d::backdrop{background:black}</style>`+p+
			`<div popover id=d>Menu</div><script>d.showPopover()</script>`, "obscured"),
		{"in the dialog",
			`<style>dialog::backdrop{background:white}</style><dialog id=d><p ` +
				`id=x>Paid</p></dialog><script>d.showModal()</script>`, map[string]string{"x": "seen"}},
		one("after", `<style>body::after{content:"";position:fixed;inset:0;background:white}</style>`+p, "obscured"),
		one("after through touches",
			`<style>body::after{content:"";position:fixed;inset:0;background:white;pointer-events:none}</style>`+p, "obscured"),
		one("after below", `<style>body::after{content:"";position:fixed;inset:0;background:white;z-index:-1}</style>`+p,
			"seen"),
		one("before of itself",
			`<style>p{position:relative}p::after{content:"";position:absolute;inset:0;background:red}</style>`+p, "obscured"),
		one("decoration below it",
			`<style>p{position:relative;z-index:0}p::before{content:"";position:absolute;inset:0;background:red;z-index:-1}`+
				`</style>`+p, "seen"),
		one("two halves",
			`<p id=x style="width:200px;margin:0">A long text here that</p><div `+
				`style="position:fixed;left:0;top:0;width:90px;height:90px;background:white"></div><div `+
				`style="position:fixed;left:80px;top:0;width:500px;height:90px;background:white"></div>`, "obscured"),
		one("one half",
			`<p id=x style="width:200px;margin:0">A long text here that</p><div `+
				`style="position:fixed;left:0;top:0;width:90px;height:90px;background:white"></div>`, "seen"),
		one("picture",
			p+`<img style="position:fixed;inset:0;width:100%;height:100%" `+
				`src="data:image/gif;base64,R0lGODdhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=">`, "obscured"),
		one("clear picture",
			p+`<img style="position:fixed;inset:0;width:100%;height:100%" `+
				`src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7">`, "seen"),
		one("canvas",
			p+`<canvas id=c style="position:fixed;inset:0"></canvas><script>const `+
				`g=c.getContext('2d');g.fillRect(0,0,400,400)</script>`, "obscured"),
		one("empty canvas", p+`<canvas id=c style="position:fixed;inset:0"></canvas>`, "seen"),
		one("frame",
			p+`<iframe style="position:fixed;inset:0;width:100%;height:100%" srcdoc="<body `+
				`style='background:white'>Other"></iframe>`, "obscured"),
		one("clear frame", p+`<iframe style="position:fixed;inset:0;width:100%;height:100%" srcdoc="<body>Other"></iframe>`,
			"seen"),
		one("gradient", p+`<div style="position:fixed;inset:0;background:linear-gradient(red, blue)"></div>`, "obscured"),
		one("fading gradient", p+`<div style="position:fixed;inset:0;background:linear-gradient(transparent, blue)"></div>`,
			"seen"),
		one("other screen in a stack", `<div style="position:absolute;inset:0;background:#eee">`+p+
			`</div><div style="position:absolute;inset:0;background:#fff">Second</div>`, "obscured"),
		one("covered by its own child",
			`<div id=x style="position:relative;width:200px">Paid<div `+
				`style="position:absolute;inset:0;background:#fff">Other</div></div>`, "obscured"),
		one("behind its parent", `<div style="background:#fff"><p id=x style="position:relative;z-index:-1">Paid</p></div>`,
			"obscured"),
		one("shape",
			p+`<svg style="position:fixed;left:0;top:0" width=500 height=500><rect width=500 height=500 fill=white /></svg>`,
			"obscured"),
		one("sticky header over it", `<div style="position:fixed;top:0;left:0;right:0;height:60px;background:navy">Bar</div>`+
			p, "obscured"),
		one("in shadow",
			p+`<x-splash id=s></x-splash><script>s.attachShadow({mode:'open'}).innerHTML='<div `+
				`style="position:fixed;inset:0;background:#fff">Wait</div>'</script>`, "obscured"),
		one("field", `<input id=x value=Paid>`+curtain+`"></div>`, "obscured"),
	})
}

func TestWhatIsNotDrawnIsNotSeen(t *testing.T) {
	t.Parallel()
	st := func(style string) string { return `<p id=x style="` + style + `">Paid</p>` }
	in := func(style string) string { return `<div style="` + style + `"><p id=x>Paid</p></div>` }
	var list []scene
	for style, want := range map[string]string{
		"position:fixed;transform:translateX(-100%);width:300px": "hidden", "position:absolute;left:-9999px": "hidden",
		"color:transparent":     "hidden",
		"color:rgba(1,2,3,.01)": "hidden", "filter:opacity(0)": "hidden", "filter:opacity(0%)": "hidden",
		"filter:opacity(1)": "seen",
		"mask-image:linear-gradient(transparent,transparent)": "hidden",
		"mask-image:linear-gradient(black,transparent)":       "seen",
		"clip-path:inset(50%)":                                "hidden", "clip-path:inset(0 0 100% 0)": "hidden",
		"clip-path:inset(1px)":           "seen",
		"clip-path:polygon(0 0)":         "hidden",
		"clip-path:polygon(0 0,0 0,0 0)": "hidden", "clip-path:polygon(0 0,100% 0,100% 100%,0 100%)": "seen",
		"clip-path:circle(0)": "hidden", "clip-path:circle(400px at 0 0)": "seen", "clip-path:circle(400px)": "hidden",
		"width:40px;clip-path:circle(50%)": "seen", "font-size:0": "hidden", "-webkit-text-fill-color:transparent": "hidden",
		"-webkit-text-fill-color:transparent;background:linear-gradient(red,blue);-webkit-background-clip:text": "seen",
		"color:transparent;text-shadow:0 0 0 black":                                                             "seen",
		"text-indent:-9999px": "hidden", "text-indent:200%;white-space:nowrap;overflow:hidden": "hidden",
		"content-visibility:hidden": "hidden", "visibility:hidden": "hidden", "visibility:collapse": "hidden",
		"transform:scale(0)": "hidden", "scale:0": "hidden",
		"transform:rotateY(180deg);backface-visibility:hidden": "hidden", "transform:rotateY(180deg)": "seen",
		"transform:rotateY(90deg)":                               "hidden",
		"rotate:y 180deg;backface-visibility:hidden":             "hidden",
		"width:1px;height:1px;overflow:hidden;position:absolute": "hidden",
		"position:absolute;clip:rect(0,0,0,0)":                   "hidden",
		"position:absolute;clip:rect(1px,1px,1px,1px)":           "hidden",
		"opacity:0.01": "hidden", "opacity:.5": "seen",
		"color:white": "hidden", "color:white;background:navy": "seen", "color:#fff;text-shadow:1px 1px 2px #000": "seen",
		"height:0;overflow:hidden":   "hidden",
		"max-height:0;overflow:clip": "hidden", "overflow:hidden;height:3px;line-height:40px": "hidden",
		"position:absolute;top:-300px": "hidden", "position:absolute;top:3000px": "below",
		"position:fixed;top:3000px": "hidden", "position:fixed;left:100vw": "hidden",
		"position:absolute;left:3000px": "below", "zoom:0.5": "seen",
	} {
		list = append(list, one("own "+style, st(style), want))
	}
	for style, want := range map[string]string{
		"position:fixed;left:0;transform:translateX(-100%);width:300px": "hidden", "opacity:0": "hidden",
		"filter:opacity(0)": "hidden", "opacity:.1;filter:opacity(.3)": "hidden", "clip-path:inset(50%)": "hidden",
		"clip-path:inset(50%);position:absolute": "hidden", "height:0;overflow:hidden": "hidden",
		"transform:scale(0)": "hidden",
		"display:grid;grid-template-rows:0fr;overflow:hidden;height:0": "hidden", "contain:paint;height:0": "hidden",
		"content-visibility:hidden":            "hidden",
		"width:1px;height:1px;overflow:hidden": "hidden", "height:20px;overflow:auto;line-height:900px": "away",
		"mask:linear-gradient(transparent,transparent)":                                                      "hidden",
		"perspective:900px;transform-style:preserve-3d;transform:rotateY(180deg);backface-visibility:hidden": "hidden",
		"display:contents": "seen", "visibility:hidden": "hidden",
		"transform:scale(.5)": "seen", "overflow:hidden;width:400px;transform:scale(.5)": "seen",
		"background:#fff;color:#fff": "hidden", "background:url(x.png) #fff;color:#fff": "seen",
	} {
		list = append(list, one("in "+style, in(style), want))
	}
	list = append(list,
		one("closed details", `<details><summary>More</summary><p id=x>Paid</p></details>`, "hidden"),
		one("open details", `<details open><summary>More</summary><p id=x>Paid</p></details>`, "seen"),
		one("text right in closed details", `<details><summary>More</summary><span id=x>Paid</span></details>`, "hidden"),
		one("until found", `<div hidden=until-found><p id=x>Paid</p></div>`, "hidden"),
		one("front of a turned card",
			`<style>.c{transform-style:preserve-3d;transform:rotateY(180deg);position:relative;height:50px}.c `+
				`p{position:absolute;inset:0;backface-visibility:hidden;margin:0}.b{transform:rotateY(180deg)}</style><div `+
				`class=c><p id=x>Front</p><p class=b id=y>Back</p></div>`, "hidden"),
		scene{"back of a turned card",
			`<style>.c{transform-style:preserve-3d;transform:rotateY(180deg);position:relative;height:50px}.c ` +
				`p{position:absolute;inset:0;backface-visibility:hidden;margin:0}.b{transform:rotateY(180deg)}</style><div ` +
				`class=c><p id=x>Front</p><p class=b id=y>Back</p></div>`, map[string]string{"y": "seen"}},
		scene{"carousel",
			`<div style="width:300px;overflow:hidden;display:flex"><p style="flex:0 0 300px" id=a>One</p><p style="flex:0 0 ` +
				`300px" id=b>Two</p></div>`, map[string]string{"a": "seen", "b": "hidden"}},
		scene{"scroller",
			`<div style="height:60px;overflow:auto"><p id=a>One</p><p style="margin-top:400px" id=b>Two</p></div>`,
			map[string]string{"a": "seen", "b": "away"}},
		scene{"shell",
			`<style>html{height:100%;overflow:hidden}body{height:100%;overflow:auto;margin:0}</style><p id=a>One</p><p ` +
				`style="margin-top:3000px" id=b>Two</p>`, map[string]string{"a": "seen", "b": "away"}},
		scene{"white on a dark pseudo",
			`<style>.h{position:relative;z-index:0}.h::before{content:"";position:absolute;inset:0;background:navy;z-index:-1}` +
				`</style><div class=h><p id=x style="color:white">Paid</p></div>`, map[string]string{"x": "seen"}},
		scene{"fallback of a canvas", `<canvas id=x>Paid</canvas>`, map[string]string{"x": "seen"}},
	)
	runScenes(t, list)
	d := display(t, `<canvas>Fallback</canvas><video>Fallback</video><details>Fallback<summary>More</summary></details>`)
	if n := find(tree(t, d), func(n *screen.Node) bool { return strings.Contains(n.Text, "Fallback") }); n != nil {
		t.Errorf("what is for other browsers is shown: %v", n)
	}
}
