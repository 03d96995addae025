package web

import (
	"errors"
	"image"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// What comes between the last read of an element and the touch must not get the touch.
func TestATouchMeetsWhatItIsAimedAt(t *testing.T) {
	t.Parallel()
	const plain = `<button id=go style="position:absolute;left:50px;top:50px;width:120px;height:40px" ` +
		`onclick="said('go')">Go</button>`
	rows := `<ul id=rows onclick="said(event.target.textContent)"><li id=one>One</li><li>Two</li></ul>`
	framed := `<iframe id=in style="position:absolute;left:50px;top:50px;width:300px;height:200px;border:0"
		srcdoc="<body style='margin:0'><button id=go onclick=&quot;parent.said('go')&quot;>Go</button>"></iframe>`
	type row struct {
		name, body, id, change, want string
		byTouch                      bool
	}
	for _, c := range testutil.Few(3, []row{
		{"nothing changed", plain, "go", ``, "go", true},
		{"it moved away", plain, "go", `go.style.left = '400px'; document.body.onclick = () => said('body')`, "", true},
		{"it moved a little", plain, "go", `go.style.left = '80px'`, "go", false},
		{"another came to its place", plain, "go", `go.style.left = '400px'; document.body.insertAdjacentHTML('beforeend',
			'<button style="position:absolute;left:50px;top:50px;width:120px;height:40px" onclick="said(1)">Delete ` +
			`all</button>')`, "", false},
		{"something came over it", plain, "go", `veil()`, "", true},
		{"it is gone", plain, "go", `go.remove()`, "", false},
		{"the page drew it anew", plain, "go", `document.body.innerHTML += ''`, "go", false},
		{"the page drew it anew elsewhere", plain, "go", `go.style.left = '400px'; document.body.innerHTML += ''`, "", false},
		{"the next row came to its place", rows, "one", `one.remove()`, "", false},
		{"the hand over it opens a menu", plain, "go", `go.onmouseover = veil`, "", false},
		{"the page stops the event", plain, "go", `addEventListener('pointerdown', e => e.stopImmediatePropagation(), true)`,
			"go", false},
		{"the page makes events", plain, "go", `document.dispatchEvent(new PointerEvent('pointerdown', {bubbles: true}))`,
			"go", false},
		{"in a frame", framed, "go", ``, "go", false},
		{"over a frame", framed, "go", `veil()`, "", false},
		{"a frame that moved away", framed, "go",
			`document.getElementById('in').style.left = '400px'; document.body.onclick = () => said(1)`, "", false},
		{"a frame that is gone", framed, "go", `document.getElementById('in').remove()`, "", false},
		{"out of its frame", framed, "go", `frames[0].document.getElementById('go').style.marginLeft = '100px';
			frames[0].document.body.onclick = () => said(1)`, "", false},
	}) {
		for _, device := range []string{"", touchable} {
			if device != "" && !c.byTouch {
				continue
			}
			t.Run(c.name+" "+device, func(t *testing.T) {
				body := `<meta name=viewport content="width=device-width"><p id=log></p>` + c.body + `<script>
					function said(text) { document.getElementById('log').textContent += text; }
					function veil() { document.body.insertAdjacentHTML('beforeend',
						'<div id=veil style="position:fixed;inset:0;background:#0008" onclick="said(1)"></div>'); }
					</script>`
				d := reach(t, site.Made(body), device)
				n := byID(t, tree(t, d), c.id)
				_, err := d.Eval(t.Context(), c.change+"; null", patience)
				Must(t, err)
				d.Aim(n)
				err = d.Tap(t.Context(), centre(n))
				if missed := c.want == ""; errors.Is(err, drivers.ErrMissed) != missed || !missed && err != nil {
					t.Errorf("error %v", err)
				}
				got := ""
				// the click of a finger comes after the touch
				if !until(t.Context(), patience, func() bool { got = byID(t, tree(t, d), "log").Text; return got == c.want }) {
					t.Errorf("touched %q, want %q", got, c.want)
				}
				// The next touch is not aimed at anything.
				Must(t, d.Tap(t.Context(), image.Pt(300, 300)))
			})
		}
	}
}
