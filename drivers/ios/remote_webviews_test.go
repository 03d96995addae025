package ios

import (
	"errors"
	"image"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	iossim "github.com/taproot-dev/taproot/internal/sim/ios"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// twoViews is a screen with the page of thanks above, and the shop below, of which a keyboard covers the lower part.
func twoViews(t *testing.T, view iossim.WebView) *remotePage {
	t.Helper()
	site := webSite(t)
	view.URL, view.Second = site+"/shop", site+"/thanks"
	view.Bounds, view.SecondBounds = image.Rect(0, 290, 393, 852), image.Rect(20, 100, 373, 280)
	return openRemotePage(t, view)
}

// TestWebViewsOfARemoteIPhone: of several WebViews on a screen, each has the elements of its page, touches and text
// reach the page in which they are made, and what none of them has is absent.
func TestWebViewsOfARemoteIPhone(t *testing.T) {
	t.Parallel()
	for name, mute := range map[string]bool{"by their sizes": true, "by their texts": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := twoViews(t, iossim.WebView{Mute: mute})
			r.read("devtools")
			again := r.find("Pay again")
			pay := r.find("Pay now")
			if !pay.Node.Bounds.In(image.Rect(0, 580, 786, 1704)) || !again.Node.Bounds.In(image.Rect(40, 200, 746, 560)) {
				t.Errorf("%v, %v", pay.Node.Bounds, again.Node.Bounds)
			}
			must(t, r.phone.EvalSecondWebView(t.Context(), webApp, `document.body.insertAdjacentHTML('beforeend', `+
				`'<input aria-label=Note id=note>'), addEventListener('click', e => { if (e.target.id === 'pay') `+
				`document.getElementById('thanks').textContent = 'Paid again with ' + note.value; })`, nil))
			if !mute { // text goes to fields that accessibility has
				r.press("Note")
				must(t, r.dev.Type(t.Context(), "ada"))
			}
			r.press("Pay again")
			r.find("Paid again with" + map[bool]string{false: " ada"}[mute])
			if r.done() != "Nothing paid" {
				t.Errorf("the other page: %q", r.done())
			}
			r.press("Pay now")
			r.find("Paid by")
			tree := r.tree()
			if tree.Cut() != "" || tree.Loading || len(labelled(tree, "Never shown")) > 1 ||
				len(labelled(tree, "Paid again with"+map[bool]string{false: " ada"}[mute])) == 0 {
				t.Errorf("%q\n%s", tree.Cut(), shown(tree))
			}
			if w := drivers.TakeWarnings(r.dev); !mute && len(w) > 0 {
				t.Error(w)
			}
			r.back()
		})
	}
}

// TestWebViewsOfOneSize: where nothing says which of two pages a view shows, the screen is incomplete, and neither is
// read.
func TestWebViewsOfOneSize(t *testing.T) {
	t.Parallel()
	r := twoViews(t, iossim.WebView{Mute: true})
	r.phone.ChangeWebView(webApp, func(w *iossim.WebView) {
		w.Bounds, w.SecondBounds = image.Rect(0, 100, 393, 450), image.Rect(0, 460, 393, 810)
	})
	r.waitCut("several pages that are shown are as large as the view")
	if tree := r.tree(); len(inPages(tree)) > 0 {
		t.Errorf("%s", shown(tree))
	}
	r.back()
}

// TestSilentPageBesideAnother: the page that responds is read and touched; what may be on the other one is unknown. It
// is not taken for a page that is not there, nor is the other one shown in its place.
func TestSilentPageBesideAnother(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]image.Rectangle{"of another size": image.Rect(20, 100, 373, 280),
		"of the same size": image.Rect(0, 510, 393, 852)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := twoViews(t, iossim.WebView{Mute: true})
			r.find("Pay again")
			r.find("Pay now")
			same := size.Dx() == 393
			r.Set(func() { r.AtomWait = 300 * time.Millisecond })
			r.phone.ChangeWebView(webApp, func(w *iossim.WebView) {
				w.SecondSilent, w.SecondBounds = true, size
				if same {
					w.Bounds = size.Sub(image.Pt(0, size.Dy()+10))
				}
			})
			r.waitCut("may be busy")
			tree := r.tree()
			if len(labelled(tree, "Pay again")) > 0 || len(labelled(tree, "Pay now")) > 0 == same ||
				!strings.Contains(tree.Cut(), "may be busy") {
				t.Errorf("%q\n%s", tree.Cut(), shown(tree))
			}
			if !same {
				r.press("Pay now")
				r.find("Paid by")
			}
			r.back()
		})
	}
}

// TestHungPageBesideAnother: a page that cannot be entered blocks the server, whatever else is on the screen.
func TestHungPageBesideAnother(t *testing.T) {
	testutil.Leave(t, "TestSilentPageBesideAnother: a page that was entered before")
	t.Parallel()
	r := twoViews(t, iossim.WebView{Mute: true, SecondSilent: true})
	var err error
	for began := time.Now(); err == nil && time.Since(began) < patience; { // on a busy machine, it is listed late
		_, err = r.dev.Tree(t.Context())
	}
	if !errors.Is(err, drivers.ErrDeviceLost) || !strings.Contains(err.Error(), "does not respond") {
		t.Error(err)
	}
}

// waitCut waits until the screen is incomplete for a reason.
func (r *remotePage) waitCut(why string) {
	r.t.Helper()
	for began := time.Now(); ; {
		cut := r.tree().Cut()
		if strings.Contains(cut, why) {
			return
		}
		if time.Since(began) > patience {
			r.t.Fatalf("%q", cut)
		}
	}
}

// inPages are the elements of pages.
func inPages(tree *screen.Tree) (list []*screen.Node) {
	for n := range tree.All {
		if n.InPage {
			list = append(list, n)
		}
	}
	return list
}
