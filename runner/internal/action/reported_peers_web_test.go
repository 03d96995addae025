package action_test

import (
	"slices"

	"github.com/taproot-dev/taproot/dsl"
)

// peersReported are pages after what the tests of other tools and of browsers expect.
var peersReported = []reported{
	{name: "a question above a dialog, earlier in the page", // html, the order of the top layer
		page: `<style>dialog{margin:0;inset:0 auto auto 0;width:300px;height:100px}#q{top:300px}</style><p>Old price</p>` +
			`<dialog id=q>Sure?</dialog><dialog id=d>Edit it</dialog><script>d.showModal();q.showModal()</script>`,
		shown: labels("Sure?", "Edit it"), hides: labels("Old price")},
	{name: "a question on a plain ground, earlier in the page", // html, the order of the top layer
		page: `<style>::backdrop{background:#fff}</style><dialog id=q>Sure?</dialog><dialog id=d>Edit it</dialog><script>` +
			`d.showModal();q.showModal()</script>`, shown: labels("Sure?"), hides: labels("Edit it")},
	{name: "a dialog on a plain ground over an open menu", // html, the order of the top layer
		page: `<style>::backdrop{background:#fff}</style><dialog id=d>Edit it</dialog><div popover=manual id=p>Menu</div>` +
			`<script>p.showPopover();d.showModal()</script>`, shown: labels("Edit it"), hides: labels("Menu")},
	{name: "two notices that let touches through", // html, the order of the top layer
		page: `<style>[popover]{inset:20px auto auto 20px;margin:0;width:200px;height:60px;pointer-events:none;` +
			`background:#fff}</style><div popover=manual id=a>Saved</div><div popover=manual id=b>Sent</div><script>` +
			`b.showPopover();a.showPopover()</script>`, shown: labels("Saved"), hides: labels("Sent")},
	{name: "a bar of the page over its text, behind a dialog", // axe-core, get-element-stack
		page: `<p style="margin:0;height:30px">Total 12</p><div style="position:relative;top:-30px;height:30px;` +
			`background:#eee">Offers</div><p>Free</p><dialog id=d style="margin:300px 0 0">Sure?</dialog>` +
			`<script>d.showModal()</script>`,
		shown: labels("Offers", "Sure?", "Free"), hides: labels("Total 12")},
	{name: "words of capitals", // csswg, text-transform
		page:  `<div lang=el style="text-transform:uppercase"><p>Καλημέρα σας</p><p>Μάιος ή Ήλιος</p></div>`,
		shown: append(labels("ΚΑΛΗΜΕΡΑ ΣΑΣ"), parts("ΚΑΛΗΜΕΡΑ", "ΜΑΪΟΣ", "ΣΑΣ", "ΗΛΙΟΣ")...),
		hides: parts("ΜΑΙΟΣ", "ΚΑΛΗ"), do: dsl.Tap{Selector: words("ΚΑΛΗΜΕΡΑ")}},
	{name: "letters on a plate of their colour, both faint", // csswg, opacity of groups
		page: `<p><span style="opacity:.4;background:blue;color:blue">Secret</span></p><p style="opacity:.4"><span ` +
			`style="background:blue;color:#fff">Open</span></p>`, shown: labels("Open"), hides: labels("Secret")},
	{name: "a first letter on its own colour", // csswg, first-letter
		page:  `<style>p::first-letter{color:green;background:green}</style><p>5 days</p><h2>Fine</h2>`,
		shown: labels("Fine"), hides: labels("5 days")},
	{name: "an alternative text of a field that is no image", // axe-core, accessible-text
		page:  `<input alt="Card number"><input type=image alt=Search style="width:40px;height:20px">`,
		shown: labels("Search"), hides: labels("Card number")},
	{name: "a field that an image names", // wpt, html-aam
		page: `<label for=q><img alt="Look up" width=20 height=20 src="data:image/svg+xml,<svg ` +
			`xmlns='http://www.w3.org/2000/svg'/>"></label><input id=q> <span id=n><svg width=20 height=20 role=img ` +
			`aria-label=Phone><rect width=20 height=20 /></svg></span><input id=p aria-labelledby=n>`,
		do: dsl.Input{Into: &dsl.Selector{Label: "Phone"}, Text: "12"}, record: "p=12"},
	{name: "a field that a button and a text name", // playwright, role utils
		page: `<input type=button id=b value=Remove><span id=s>Ada</span> <button id=x aria-labelledby="b s">x</button>`,
		do:   tap("Remove Ada"), record: "x"},
	{name: "texts of styles that are hidden, or lines of their own", // playwright, role utils
		page: `<style>.a::after{content:"soon";visibility:hidden}.b::before{content:"New";display:block}</style>` +
			`<button class=a>Pay</button><button class=b>Plan</button>`,
		shown: append(labels("New Plan", "Pay"), dsl.Selector{Type: "button", Label: "New Plan"}),
		hides: labels("Paysoon", "Pay soon", "NewPlan")},
	{name: "an image and a word of a style", // csswg, generated content
		page: `<style>.a::before{content:url("data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='9' ` +
			`height='9'/>") "New "}.b::before{content:url("data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' ` +
			`width='9' height='9'/>")}</style><button class=a>Plan</button><h2 class=b></h2><button class=b>Pay</button>`,
		shown: append(labels("New Plan", "Pay"), dsl.Selector{Label: "Pay", Match: dsl.MatchExact}),
		hides: []dsl.Selector{{Label: "svg", Match: dsl.MatchContains}}},
	{name: "marks of quotations", // csswg, quotes
		page: `<style>i{quotes:"Re:" "!" "(" ")"}i::before{content:open-quote}i::after{content:close-quote}b::after{` +
			`content:no-close-quote " end"}</style><p><button><i>Offer <i>two</i></i></button> <button><b>The</b></button>`,
		shown: labels("Re:Offer (two)!", "The end")},
	{name: "capitals at the start of words", // csswg, text-transform
		page:  `<p style="text-transform:capitalize">don't sign-in <b>t</b>wice</p>`,
		shown: []dsl.Selector{{Label: "Don't Sign-In Twice", Match: dsl.MatchExact}, {Label: "don't sign-in twice"}},
		hides: []dsl.Selector{{Label: "don't sign-in twice", Match: dsl.MatchExact}}},
	{name: "content that a column of a table cannot draw", // csswg, generated content
		page:  `<style>p::after{content:"Sold out";display:table-column}</style><p>Shoes</p>`,
		shown: labels("Shoes"), hides: append(labels("Sold out"), parts("Sold")...)},
	{name: "a text that takes touches later", // playwright, page-click
		page: `<label id=b onclick=1 style="pointer-events:none"><span>Go on</span></label><script>setTimeout(()=>` +
			`{b.style.pointerEvents=''},700)</script>`, do: tap("Go on"), record: "b"},
	{name: "a text that never takes touches", // playwright, page-click
		page: `<label id=b onclick=1 style="pointer-events:none"><span>Go on</span></label>`,
		do:   tap("Go on"), fail: "Go on"},
	{name: "a bar over the middle of the window", // playwright, page-click
		page: `<div style="position:fixed;top:0;width:100%;height:560px;background:#eee"></div><div style="height:1500px">` +
			`</div><button id=b>Order</button><div style="height:900px"></div>`, do: tap("Order"), record: "b"},
	{name: "a bar over the middle of a box that scrolls", // playwright, page-click
		page: `<div style="height:700px;overflow:auto"><div style="height:1500px"></div><button id=b>Order</button><div ` +
			`style="height:900px"></div></div><div style="position:absolute;top:0;width:100%;height:520px;background:#eee">` +
			`</div>`, do: tap("Order"), record: "b"},
	{name: "numbers in the letters of other alphabets", // csswg, counters
		page: `<style>body{counter-reset:a 1 b 11 c 1233}h2,h3,h4{counter-increment:a b c}h2::before{content:` +
			`counter(a,lower-greek) " "}h3::before{content:counter(b,georgian) " "}h4::before{content:counter(c,armenian) ` +
			`" "}</style><h2>Tea</h2><h3>Milk</h3><h4>Salt</h4>`, shown: labels("β Tea", "იგ Milk", "ՌՄԼԶ Salt")},
	{name: "heads of rows and parts of a page", // axe-core, implicit roles
		page: `<article><header>Story</header></article><header>Daily</header><table><tr><td></td><th>Price</th></tr><tr>` +
			`<th>Tea</th><td>3</td></tr></table><section aria-label=News>Today</section>`,
		shown: []dsl.Selector{{Type: "rowheader", Label: "Tea"}, {Type: "region", Label: "News"},
			{Type: "banner", Label: "Daily"}},
		hides: []dsl.Selector{{Type: "banner", Label: "Story"}, {Type: "rowheader", Label: "3"}}},
}

func allReported() []reported {
	return slices.Concat(boxesReported, textsReported, pagesReported, peersReported, generatedReported,
		actionsReported)
}
