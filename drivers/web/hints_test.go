package web

import (
	"image"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// hintsPage has fields with labels; the hints of those with an id that starts with "no" are not
// drawn.
const hintsPage = `<style>
	#no1::placeholder{color:transparent} #no2::placeholder{opacity:0}
	#no4::placeholder{font-size:0} #no5::placeholder{color:rgba(0,0,0,.01)} #no6::placeholder{opacity:0%}
	@media (min-width: 1px){#no7::placeholder{color:transparent}}
	@supports (display: grid){#no8::placeholder{opacity:0}}
	.floats{&::placeholder{color:transparent}} .box{.inner::placeholder{opacity:0}}
	:root{--clear:transparent} #no11::placeholder{color:var(--clear)} #no12::placeholder{color:var(--none, transparent)}
	#no13::placeholder{opacity:0 !important} input#no13.a::placeholder{opacity:1}
	@layer base{#yes1::placeholder{opacity:0}} .plain::placeholder{opacity:1}
	input::placeholder{letter-spacing:normal} #yes2::placeholder{color:red} #yes2:focus::placeholder{opacity:0}
	@media (max-width: 1px){#yes3::placeholder{color:transparent}}
	@supports (no-such: thing){#yes4::placeholder{opacity:0}}
	.low::placeholder{opacity:0} #yes5::placeholder{opacity:.6}
	#yes6::placeholder{opacity:0} #yes6::placeholder{opacity:1}
	#yes7::placeholder{color:transparent;-webkit-text-fill-color:black}
	</style><p><label for=no9>L</label><input id=no9 class=floats placeholder=H></p>
	<p class=box><label for=no10>L</label><input id=no10 class=inner placeholder=H></p><div id=all></div><script>
	for (const id of ['no1','no2','no4','no5','no6','no7','no8','no11','no12','no13 a','yes1 plain','yes2','yes3',
		'yes4','yes5 low','yes6','yes7','yes8']) {
		const [name, of] = id.split(' ');
		all.insertAdjacentHTML('beforeend', '<p><label for=' + name + '>L</label><input class="' + (of || '') + '" id=' +
			name + ' placeholder=H></p>');
	}</script>`

func seeHints(t *testing.T, d *device) {
	t.Helper()
	Must(t, d.OpenPage(t.Context(), site.Made(hintsPage), drivers.PageOptions{}))
	tr := tree(t, d)
	fields := 0
	for n := range tr.All {
		no, yes := strings.HasPrefix(n.ID, "no"), strings.HasPrefix(n.ID, "yes")
		if no || yes {
			fields++
		}
		if no && n.Hint != "" || yes && n.Hint != "H" {
			t.Errorf("the hint of %s is read as %q", n.ID, n.Hint)
		}
	}
	if fields != 20 {
		t.Errorf("%d fields", fields)
	}
}

// Hints of fields are read where they are drawn.
func TestHints(t *testing.T) {
	t.Parallel()
	seeHints(t, browse(t, "blank.html"))
}

func TestFirefoxSeesHints(t *testing.T) {
	t.Parallel()
	leftToFirefox(t)
	seeHints(t, openFirefox(t))
}

func TestWebKitSeesHints(t *testing.T) {
	leftToWebKit(t)
	seeHints(t, openWebKit(t))
}

const fixedEditor = `<div contenteditable id=outer><p>Body</p><p contenteditable=false id=fixed><b>Fixed part</b></p>
	</div>`

// A touch of a part of an editor that cannot be edited puts the caret there: it is not where text can be typed.
func noFieldInAFixedPart(t *testing.T, d *device) {
	t.Helper()
	Must(t, d.OpenPage(t.Context(), site.Made(fixedEditor), drivers.PageOptions{}))
	touch := func(text string) {
		t.Helper()
		n := find(tree(t, d), func(n *screen.Node) bool { return n.Text == text })
		d.Aim(n)
		Must(t, d.Tap(t.Context(), n.Bounds.Min.Add(image.Pt(5, 5))))
	}
	touch("Fixed part")
	if f, other, err := d.Field(t.Context()); err != nil || f != nil || other != "p#fixed" {
		t.Errorf("%+v, %q, %v", f, other, err)
	}
	touch("Body")
	if f, _, err := d.Field(t.Context()); err != nil || f == nil {
		t.Errorf("the editor is not in focus: %+v, %v", f, err)
	}
}

func TestFixedPartsOfEditors(t *testing.T) {
	t.Parallel()
	noFieldInAFixedPart(t, browse(t, "blank.html"))
}

func TestFirefoxKnowsFixedPartsOfEditors(t *testing.T) {
	t.Parallel()
	leftToFirefox(t)
	noFieldInAFixedPart(t, openFirefox(t))
}

func TestWebKitKnowsFixedPartsOfEditors(t *testing.T) {
	leftToWebKit(t)
	noFieldInAFixedPart(t, openWebKit(t))
}
