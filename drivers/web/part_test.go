package web

import (
	"image"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// partScene is a page with an element x, a part of its text, and how that is drawn: "seen", "away" (a scroll brings it
// to light), "cut", "hidden", or "unknown".
type partScene struct {
	name, body string
	part       string
	mode       dsl.MatchMode
	want       string
}

// state says of a place what a person would.
func state(p screen.PartPlace) string {
	switch {
	case p.Cut:
		return "cut"
	case p.Offscreen:
		return "away"
	case p.Obscured != "":
		return "hidden"
	case p.Press == nil:
		return "taken"
	}
	return "seen"
}

func TestWhereThePartsOfATextAre(t *testing.T) {
	t.Parallel()
	lines := func(n int) string { return strings.Repeat("job {} done\n", n) }
	words, prefix, contains := dsl.MatchWords, dsl.MatchPrefix, dsl.MatchContains
	_ = prefix
	d := browse(t, "blank.html")
	for _, s := range []partScene{
		{"in a line", `<p id=x>Invoice 4711 Call us</p>`, "Call us", words, "seen"},
		{"across elements", `<p id=x>Invoice <b>47</b>11 <i>Call</i> us</p>`, "4711 call", words, "seen"},
		{"across blocks", `<button id=x><div>Invoice</div><div>4711</div></button>`, "Invoice 4711", words, "seen"},
		{"other case and marks", `<p id=x>Invoi&shy;ce&nbsp;4711 DON’T  Pay</p>`, "INVOICE 4711 don't", words, "seen"},
		{"quotes and dashes", `<p id=x>Say „x“ — «y» ‹z› today</p>`, `"x" - "y" 'z'`, words, "seen"},
		{"a long dash parts words", `<p id=x>Status—Paid—today</p>`, "paid", words, "seen"},
		{"Turkish letters", `<p id=x>Lütfen GİRİŞ YAP, KAPALI</p>`, "giriş yap, kapalı", words, "seen"},
		{"ligatures and accents", "<p id=x>o\ufb03ce cafe\u0301 stra\u00dfe</p>", "office caf\u00e9 STRASSE", words, "seen"},
		{"upper case by style", `<p id=x style="text-transform:uppercase">Straße 5 open</p>`, "STRASSE 5", words, "seen"},
		{"no word", `<p id=x>Invoice 4711 Unpaid</p>`, "paid", words, ""},
		{"part of a word", `<p id=x>Invoice 4711 Unpaid</p>`, "paid", contains, "seen"},
		{"beginning", `<p id=x>Invoice 4711 Unpaid</p>`, "invo", prefix, "seen"},
		{"not the beginning", `<p id=x>Invoice 4711 Unpaid</p>`, "4711", prefix, ""},
		{"number with a sign", `<p id=x>-5 15 5.99 5</p>`, "5", words, "seen"},
		{"scrolled in a box", `<pre id=x style="height:100px;overflow:auto">` + lines(50) + `job 250 done</pre>`,
			"job 250 done", contains, "away"},
		{"below the window", `<pre id=x>` + lines(300) + `job 250 done</pre>`, "job 250 done", contains, "away"},
		{"one of two in view", `<pre id=x>last` + lines(300) + `last done</pre>`, "last", contains, "seen"},
		{"cut off", `<div id=x style="overflow:hidden;width:60px;white-space:nowrap">Invoice 4711 Call us</div>`, "us", words,
			"cut"},
		{"half cut off", `<div id=x style="overflow:hidden;width:60px;white-space:nowrap">Invoice 4711 Call us</div>`,
			"Invoice 4711", words, "cut"},
		{"not cut off", `<div id=x style="overflow:hidden;width:60px;white-space:nowrap">Invoice 4711 Call us</div>`,
			"Invoice", words, "seen"},
		{"behind dots",
			`<div id=x style="overflow:hidden;width:75px;text-overflow:ellipsis;white-space:nowrap">Invoice us 4711 Call ` +
				`us</div>`, "us", words, "cut"},
		{"before dots",
			`<div id=x style="overflow:hidden;width:90px;text-overflow:ellipsis;white-space:nowrap">Invoice us 4711 Call ` +
				`us</div>`, "Invoice", words, "seen"},
		{"beyond clamped lines",
			`<div id=x style="overflow:hidden;width:90px;display:-webkit-box;-webkit-box-orient:vertical;` +
				`-webkit-line-clamp:2">Invoice us 4711 Call us when you can, or so</div>`, "you can", words, "cut"},
		{"in clamped lines",
			`<div id=x style="overflow:hidden;width:90px;display:-webkit-box;-webkit-box-orient:vertical;` +
				`-webkit-line-clamp:2">Invoice us 4711 Call us when you can, or so</div>`, "Invoice us", words, "seen"},
		{"in a cut part of it",
			`<p id=x>Invoice <span style="display:inline-block;overflow:hidden;width:40px;white-space:nowrap;height:1.2em">` +
				`4711 Call us</span> soon</p>`, "us", words, "cut"},
		{"after a cut part of it",
			`<p id=x>Invoice <span style="display:inline-block;overflow:hidden;width:40px;white-space:nowrap;height:1.2em">` +
				`4711 Call us</span> soon</p>`, "soon", words, "seen"},
		{"covered", `<div style="position:relative;font:16px monospace"><p id=x>Invoice 4711 Call us</p><div ` +
			`style="position:absolute;left:75px;top:0;width:45px;height:40px;background:#fff">x</div></div>`, "4711", words,
			"hidden"},
		{"beside what covers",
			`<div style="position:relative;font:16px monospace"><p id=x>Invoice 4711 Call us</p><div style="position:absolute;` +
				`left:75px;top:0;width:45px;height:40px;background:#fff">x</div></div>`, "Call", words, "seen"},
		{"within a link", `<p id=x>Read <a href=#>our terms</a> soon</p>`, "terms soon", words, "seen"},
		{"of a field", `<input id=x value="Invoice 4711 Call us">`, "4711", words, ""},
		{"by a style sheet", `<style>#x::before{content:"Invoice 4711"}</style><p id=x></p>`, "4711", words, ""},
	} {
		t.Run(s.name, func(t *testing.T) {
			fill(t, d, s.body)
			d.ReadParts(screen.TextPart{Text: s.part, Mode: s.mode})
			n := find(tree(t, d), func(n *screen.Node) bool { return n.ID == "x" })
			got := ""
			if len(n.Parts) > 0 {
				got = state(n.Parts[0])
			}
			if got != s.want {
				t.Errorf("%s is %q, want %q: %+v of %+v", s.part, got, s.want, n.Parts, n)
			}
			checkPress(t, d, n, s.part)
		})
	}
}

// checkPress fails where a touch would miss the words.
func checkPress(t *testing.T, d *device, n *screen.Node, part string) {
	t.Helper()
	for _, p := range n.Parts {
		on := false
		for _, line := range p.Lines {
			on = on || p.Press != nil && p.Press.In(line.Inset(-1))
		}
		if p.Press != nil && !on {
			t.Errorf("%s is touched at %v, out of %v", part, p.Press, p.Lines)
		}
	}
	_ = image.Point{}
}
