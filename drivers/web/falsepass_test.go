package web

import (
	"errors"
	"fmt"
	"image"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/dom"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// The cases in which a driver is most easily wrong: a pass that is none, a tap on the wrong thing.

func TestPayIsNotPaymentHistory(t *testing.T) {
	t.Parallel()
	d := browse(t, "late.html")
	first := tree(t, d)
	if byID(t, first, "history").Text != "Payment history" {
		t.Fatal("no Payment history")
	}
	if m, err := pick(first, "Pay", false); err != nil || find(first, showing("Pay")) == nil && len(m) != 0 {
		t.Errorf("Pay before it came: %v, %v", m, err)
	}
	mustShow(t, d, "#pay", "Pay")
	m, err := pick(tree(t, d), "Pay", true)
	if err != nil || len(m) != 1 || m[0].Target.ID != "pay" {
		t.Fatalf("%v, %v", m, err)
	}
	if err := d.Tap(t.Context(), m[0].Point); err != nil {
		t.Fatal(err)
	}
	mustShow(t, d, "#log", "clicked Pay")
}

func TestOneTextTwice(t *testing.T) {
	t.Parallel()
	d := browse(t, "twice.html")
	tr := tree(t, d)
	if m, err := tr.Find(screen.Query{Selector: labelled("Total: 5 €")}); err != nil || len(m) != 2 {
		t.Errorf("assertion: %v, %v", m, err)
	}
	_, err := pick(tr, "Delete", true)
	var ambiguous *screen.AmbiguousError
	if !errors.As(err, &ambiguous) || len(ambiguous.Candidates) != 2 {
		t.Fatalf("action: %v", err)
	}
	if seen := look(t, d, "#log", drivers.WebCondition{}, time.Second); strings.Contains(strings.Join(seen.Texts, ""),
		"clicked") {
		t.Error("something was tapped")
	}
}

func TestAMovingButtonMovesInTheTree(t *testing.T) {
	t.Parallel()
	moved := func(way time.Duration) bool {
		d := browse(t, fmt.Sprintf("moving.html?for=%d", way.Milliseconds()))
		first := byID(t, tree(t, d), "go").Bounds
		moved := false
		settled := until(t.Context(), patience, func() bool {
			before := byID(t, tree(t, d), "go").Bounds
			_ = browser.Pause(t.Context(), 20*time.Millisecond)
			now := byID(t, tree(t, d), "go")
			moved = moved || now.Bounds != first
			return now.Bounds == before && !now.Undrawn
		})
		if !settled {
			t.Fatal("the button did not come to rest")
		}
		tap(t, d, byID(t, tree(t, d), "go"))
		mustShow(t, d, "#log", "Go 1 settled")
		return moved
	}
	// a slow machine may look at the page only after it has come to rest
	for way := 900 * time.Millisecond; way < patience/2; way *= 3 {
		if moved(way) {
			return
		}
	}
	t.Fatal("the button was never seen moving")
}

// Where nothing was drawn between two reads, a moving element seems to be stationary; the tree says so. The page holds
// its drawing back now and then, for on a busy machine no two looks fit between two frames.
func TestTreesTellWhetherThePageWasDrawnBetweenThem(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "TestAMovingButtonMovesInTheTree remains")
	d := display(t, `<p id=top>0</p><iframe id=in width=300 height=100 srcdoc="<p id=inner>in it</p>"></iframe>
		<script>let frames = 0, p = document.getElementById('top');
		const draw = () => { p.textContent = ++frames; requestAnimationFrame(draw); }; requestAnimationFrame(draw);
		const hold = () => document.startViewTransition(() => new Promise(go => setTimeout(go, 2000))).finished.then(() => `+
		`setTimeout(hold, 1000)); hold();</script>`)
	mustShow(t, d, "iframe", "")
	frames := func() (count string, undrawn, inner bool) {
		shown := tree(t, d)
		top := byID(t, shown, "top")
		return top.Text, top.Undrawn, byID(t, shown, "inner").Undrawn
	}
	seen := map[bool]int{}
	before, _, _ := frames()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		count, undrawn, inner := frames()
		if undrawn != (count == before) {
			t.Fatalf("undrawn %v between the frames %s and %s", undrawn, before, count)
		}
		if undrawn && !inner {
			t.Fatal("a frame in the page was drawn without the page")
		}
		before = count
		seen[undrawn]++
		if seen[true] > 0 && seen[false] > 0 {
			return
		}
	}
	t.Fatalf("%d looks found the page drawn anew and %d did not", seen[false], seen[true])
}

// What a page draws in the frame after a key is not on the screen yet when the key has ended; the tree waits for that
// frame, which the page delays here as a busy machine does.
func TestTreesWaitForTheAnswerToAKey(t *testing.T) {
	t.Parallel()
	d := display(t, `<p id=line>the old line</p><p id=held></p>
		<script>let go; document.startViewTransition(() => new Promise(ready => { go = ready; `+
		`document.getElementById('held').textContent = 'held'; }));
		addEventListener('keydown', () => {
			setTimeout(go, 150);
			requestAnimationFrame(() => { document.getElementById('line').textContent = 'nothing'; });
		});</script>`)
	mustShow(t, d, "#held", "held")
	if err := d.Press(t.Context(), []string{"f2"}); err != nil {
		t.Fatal(err)
	}
	if line := byID(t, tree(t, d), "line"); line.Text != "nothing" {
		t.Errorf("the tree after the key says %q", line.Text)
	}
}

func TestAnOverlayCovers(t *testing.T) {
	t.Parallel()
	d := browse(t, "overlay.html")
	buy := byID(t, tree(t, d), "buy")
	if buy.Covered != "div#cookie-banner" || buy.Hidden {
		t.Errorf("covered by %q", buy.Covered)
	}
	if accept := byID(t, tree(t, d), "accept"); accept.Covered != "" {
		t.Errorf("the banner's own button is covered by %q", accept.Covered)
	}
	tap(t, d, byID(t, tree(t, d), "accept"))
	mustShow(t, d, "#log", "clicked accept")
	buy = byID(t, tree(t, d), "buy")
	if buy.Covered != "" {
		t.Errorf("still covered by %q", buy.Covered)
	}
	tap(t, d, buy)
	mustShow(t, d, "#log", "clicked buy")
}

func TestAModalDialogCovers(t *testing.T) {
	t.Parallel()
	d := browse(t, "dialog.html")
	tap(t, d, byID(t, tree(t, d), "open"))
	mustShow(t, d, "#modal p", "This cannot be undone.")
	tr := tree(t, d)
	if c := byID(t, tr, "alert").Covered; c != "dialog#modal" {
		t.Errorf("behind the dialog: covered by %q", c)
	}
	no := byID(t, tr, "no")
	if no.Covered != "" {
		t.Errorf("in the dialog: covered by %q", no.Covered)
	}
	tap(t, d, no)
	mustShow(t, d, "#log", "kept")
	if seen := look(t, d, "#modal", drivers.WebCondition{Hidden: true}, patience); !seen.Met {
		t.Errorf("the closed dialog: %+v", seen)
	}
}

func TestALabelInsideAClickableParent(t *testing.T) {
	t.Parallel()
	for label, log := range map[string]string{
		"Premium plan": "clicked card", "Read more": "clicked link", "☐ I agree to the terms": "terms true",
	} {
		d := browse(t, "nested.html")
		m, err := pick(tree(t, d), label, true)
		if err != nil || len(m) != 1 {
			t.Errorf("%s: %v, %v", label, m, err)
			continue
		}
		if !m[0].Target.Clickable || m[0].CoverText != "" {
			t.Errorf("%s: target %v, covered by %q", label, m[0].Target, m[0].CoverText)
		}
		if err := d.Tap(t.Context(), m[0].Point); err != nil {
			t.Fatal(err)
		}
		mustShow(t, d, "#log", log)
	}
}

func TestHiddenElementsAreHiddenInTheTree(t *testing.T) {
	t.Parallel()
	d := browse(t, "hidden.html")
	tr := tree(t, d)
	for _, id := range []string{"invisible", "transparent", "inside-transparent", "collapsed", "reader"} {
		if n := byID(t, tr, id); !n.Hidden {
			t.Errorf("%s can be seen: %+v", id, n)
		}
	}
	for _, id := range []string{"none", "folded"} {
		if n := find(tr, func(n *screen.Node) bool { return n.ID == id }); n != nil && !n.Hidden {
			t.Errorf("%s can be seen: %+v", id, n)
		}
	}
	if n := byID(t, tr, "scrolled"); n.Hidden || !n.Offscreen {
		t.Errorf("an element scrolled out of its box: %+v", n)
	}
	if n := byID(t, tr, "away"); !n.Hidden || n.Bounds.Max.X > 0 {
		t.Errorf("an element where no scrolling leads: %+v", n)
	}
	for text, shown := range map[string]bool{"Shown": true, "Paid": true, "LOUD": true, "Chosen option": true,
		"Other option": false, "UnPaid": false} {
		if got := find(tr, showing(text)) != nil; got != shown {
			t.Errorf("%q shown: %v", text, got)
		}
	}
}

func TestTextsOfAList(t *testing.T) {
	t.Parallel()
	d := browse(t, "list.html")
	tr := tree(t, d)
	for _, text := range []string{"Ada Lovelace", "Zoë Müller-Straße", "Party 🎉 Planner", "Price\u00a05\u00a0€",
		"Edge white space", "שלום עולם",
		"日本語の名前", "<b>not bold</b> & \"quoted\""} {
		if find(tr, showing(text)) == nil {
			t.Errorf("the tree does not show %q", text)
		}
	}
	last := find(tr, showing("Contact 120"))
	if last == nil || last.Bounds.Min.Y < tr.Size.Y {
		t.Fatalf("the last row: %v", last)
	}
	if err := d.Reveal(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	again := find(tree(t, d), showing("Contact 120"))
	if !again.Bounds.In(image.Rectangle{Max: tr.Size}) {
		t.Fatalf("revealed, it is at %v", again.Bounds)
	}
	tap(t, d, again)
	mustShow(t, d, "#chosen", "Chosen: row 120")
	WantError(t, d.Reveal(t.Context(), last), drivers.ErrNotReady)
	WantError(t, d.Reveal(t.Context(), &screen.Node{Ref: "x;y/1"}), drivers.ErrNotReady)
}

func TestFramesAndShadowRootsAreInTheTree(t *testing.T) {
	t.Parallel()
	d := browse(t, "iframe.html")
	for _, name := range []string{"same", "cross"} {
		tr := tree(t, d)
		press := find(tr, func(n *screen.Node) bool { return n.Role == "button" && n.Text == "Press "+name })
		if press == nil || press.Covered != "" || press.Disabled || !press.Clickable {
			t.Fatalf("button in frame %s: %+v; the page shows %q", name, press, tr.AllTexts())
		}
		tap(t, d, press)
		mustShow(t, d, "#log", "pressed "+name)
	}
	far := find(tree(t, d), func(n *screen.Node) bool { return n.Text == "Far below" })
	if far == nil || far.Hidden || !far.Offscreen {
		t.Errorf("outside its frame's view: %+v", far)
	}
	if err := d.Reveal(t.Context(), far); err != nil {
		t.Fatal(err)
	}
	if find(tree(t, d), showing("Far below")) == nil {
		t.Error("revealed, it is still out of view")
	}
	d = browse(t, "shadow.html")
	tr := tree(t, d)
	if find(tr, showing("Slotted title")) == nil ||
		find(tr, func(n *screen.Node) bool { return strings.HasPrefix(n.Text, "Not shown") }) != nil {
		t.Error("slots are not followed")
	}
	if n := byID(t, tr, "nick"); n.Desc != "Nickname" || !n.Editable {
		t.Errorf("a field two shadow roots deep: %+v", n)
	}
	tap(t, d, byID(t, tr, "inner"))
	mustShow(t, d, "#log", "clicked shadow button")
}

func TestAnOverlayOverAFrameCovers(t *testing.T) {
	t.Parallel()
	d := display(t,
		`<style>body{margin:0}</style><iframe srcdoc="<button id=b>Pay</button>" style="width:400px;height:200px"></iframe>
		<div id=veil style="position:fixed;inset:0;background:#0008"></div>`)
	if n := byID(t, tree(t, d), "b"); n.Covered != "div#veil" {
		t.Errorf("covered by %q", n.Covered)
	}
}

func TestAHostilePageIsReadAllTheSame(t *testing.T) {
	t.Parallel()
	d := browse(t, "hostile.html")
	tr := tree(t, d)
	button := byID(t, tr, "real")
	if button.Text != "Real button" || button.Bounds.Empty() || button.Covered != "" {
		t.Errorf("%+v", button)
	}
	tap(t, d, button)
	mustShow(t, d, "#log", "clicked real")
	if seen := look(t, d, "h1", text("Paid"), 200*time.Millisecond); seen.Met {
		t.Error("the page made us believe a text that it does not show")
	}
}

func TestALargePageIsCut(t *testing.T) {
	t.Parallel()
	most, whole := dom.MaxNodes, 25000
	if testing.Short() {
		most, whole = most/10, whole/10
	}
	d := display(t, `<div id=big></div><script>
		const f = document.createDocumentFragment();
		for (let i = 0; i < `+strconv.Itoa(whole)+
		`; i++) { const p = document.createElement('p'); p.textContent = i; f.append(p); }
		big.append(f);
		let deep = document.body;
		for (let i = 0; i < 400; i++) { const e = document.createElement('div'); deep.append(e); deep = e; }
		big.title = 'x'.repeat(100000);
	</script>`)
	d.Reader.Most = most
	tr := tree(t, d)
	count := 0
	for range tr.All {
		count++
	}
	if count > most+10 {
		t.Errorf("%d elements", count)
	}
	// How many are read before the time for it ends depends on the machine; with those that the note counts, they are
	// all.
	n := find(tr, func(n *screen.Node) bool { return n.Type == screen.CutNote })
	if n == nil || !n.Hidden {
		t.Fatalf("nothing says how much of the tree was cut: %v", n)
	}
	said := regexp.MustCompile(`about (\d+) more`).FindStringSubmatch(n.Desc)
	if said == nil {
		t.Fatalf("the note does not say how much was cut: %s", n.Desc)
	}
	if more, err := strconv.Atoi(said[1]); err != nil || count+more < whole || count+more > whole+500 {
		t.Errorf("%d elements, and %q", count, n.Desc)
	}
	if n := byID(t, tr, "big"); len(n.Desc) > 5000 || len(n.Text) > 5000 {
		t.Errorf("texts of %d and %d bytes", len(n.Desc), len(n.Text))
	}
}

func labelled(label string) dsl.Selector { return dsl.Selector{Label: label} }

// TestAFrameThatIsNotDrawnYet: a page that waits for its next animation frame may change with it, however long a busy
// machine takes to draw it; frames that are never drawn, of a document out of view, do not count for ever.
func TestAFrameThatIsNotDrawnYet(t *testing.T) {
	t.Parallel()
	d := show(t, `<h1>Shop</h1><iframe sandbox=allow-scripts style="margin-top:9000px" srcdoc="<script>`+
		`let n = 0; setInterval(() => { if (++n % 50 === 10) requestAnimationFrame(() => {}) }, 100)</script>"></iframe>`)
	for _, rest := range []screen.Activity{screen.Unknown, screen.Busy, screen.Unknown, screen.Busy} {
		if !until(t.Context(), patience, func() bool { return tree(t, d).Rest == rest }) {
			t.Fatalf("it was never %v", rest)
		}
	}
}
