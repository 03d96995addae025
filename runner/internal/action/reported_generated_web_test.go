package action_test

import "github.com/taproot-dev/taproot/dsl"

// inRowOf is a label in the innermost box with a text.
func inRowOf(label, of string) dsl.Selector {
	return dsl.Selector{Label: label, Inside: &dsl.Selector{Contains: []dsl.Selector{{Label: of}}}}
}

func nth(label string, i int) dsl.Tap {
	return dsl.Tap{Selector: dsl.Selector{Label: label, Index: &i}}
}

const (
	gridRows = `<style>section{display:contents}main{display:grid;grid-template-columns:9em 9em 9em}</style><main>` +
		`<section><span>Ada</span><span>Paid</span><span><button id=a>Edit</button></span></section><section><span>` +
		`<b>Ben</b></span><span>Open</span><span><button id=b>Edit</button></span></section></main>`
	customRows = `<style>x-row>div{display:flex;gap:9px}</style><main><x-row><div><span><a href="#">Ada</a></span><i>` +
		`Paid</i><button id=a>Edit</button></div></x-row><x-row><div><span><a href="#">Ben</a></span><i>Open</i>` +
		`<button id=b>Edit</button></div></x-row></main>`
	twoLines = `<style>li{display:flex;gap:9px;align-items:center;font:15px/30px sans-serif}</style><ul><li><div>` +
		`<div>Ada</div><div>ada@example.com</div></div><b>Paid</b><button id=a>Edit</button></li><li><div>` +
		`<div>Ben</div><div>ben@example.com</div></div><b>Open</b><button id=b>Edit</button></li></ul>`
	longList = `<style>p{margin:0;height:300px}</style><p><button id=a>More</button></p><p><button id=b>More</button>` +
		`</p><p><button id=c>More</button></p><p><button id=d>More</button></p><p><button id=e>More</button></p>`
	twoBoxes = `<style>div{height:90px;overflow:auto}p{margin:0;height:40px}</style><div><p><button id=a>More</button>` +
		`</p><p><button id=b>More</button></p><p><button id=c>More</button></p><p><button id=d>More</button></p></div>` +
		`<div><p><button id=e>More</button></p><p><button id=f>More</button></p><p><button id=g>More</button></p></div>`
	board = `<style>section{float:left;width:200px}</style><section><div><span><b>Ada</b></span> <i>Paid</i> ` +
		`<button id=a>Edit</button></div><div><span><b>Ben</b></span> <i>Open</i> <button id=b>Edit</button></div>` +
		`</section><section><div><span><b>Cleo</b></span> <i>Late</i> <button id=c>Edit</button></div></section>`
)

// generatedReported are pages after mistakes that a generator of pages found, which compares with the browser's own
// pixels and events.
var generatedReported = []reported{
	{name: "a button in a row without a box", page: gridRows, do: dsl.Tap{Selector: inRowOf("Edit", "Ben")}, record: "b",
		shown: []dsl.Selector{inRowOf("Paid", "Ada"), inRowOf("Open", "Ben")},
		hides: []dsl.Selector{inRowOf("Open", "Ada"), inRowOf("Paid", "Ben")}},
	{name: "a button in a row of a custom element", page: customRows, do: dsl.Tap{Selector: inRowOf("Edit", "Ben")},
		record: "b", shown: []dsl.Selector{inRowOf("Paid", "Ada")}, hides: []dsl.Selector{inRowOf("Paid", "Ben")}},
	{name: "a state between the two lines of its row", page: twoLines,
		do: dsl.Tap{Selector: beside("Edit", dsl.Selector{Label: "Ben"})}, record: "b",
		shown: []dsl.Selector{beside("Paid", dsl.Selector{Label: "Ada"}),
			beside("Open", dsl.Selector{Label: "ben@example.com"})},
		hides: []dsl.Selector{beside("Paid", dsl.Selector{Label: "Ben"}), beside("Open", dsl.Selector{Label: "Ada"})}},
	{name: "the fifth of buttons, of which some are below the window", page: longList, do: nth("More", 4), record: "e"},
	{name: "the second of buttons, of which some are below the window", page: longList, do: nth("More", 1), record: "b"},
	{name: "a button that is scrolled away in the first of two boxes", page: twoBoxes, do: nth("More", 3), record: "d"},
	{name: "a button at the end of the second of two boxes", page: twoBoxes, do: nth("More", 6), record: "g"},
	{name: "a button in the second of two boxes, below one that is scrolled", page: twoBoxes +
		`<script>document.querySelector('div').scrollTop=70</script>`, do: nth("More", 4), record: "e"},
	{name: "the only card of a column", page: board, do: dsl.Tap{Selector: inRowOf("Edit", "Cleo")}, record: "c"},
	{name: "the first of buttons, above the window", page: longList + `<script>scrollTo(0,800)</script>`,
		do: dsl.Tap{Selector: dsl.Selector{Label: "More", First: true}}, record: "a"},
	{name: "a check box far left of the box that is drawn for it",
		page: `<style>input{position:absolute;left:-9999px;opacity:0}i{display:inline-block;width:16px;height:16px;` +
			`border:1px solid}</style><label style="position:relative"><input id=c type=checkbox><i></i> Mail me</label>`,
		do: tap("Mail me"), record: "c=true"},
	{name: "a cover over boxes that are drawn for fields", page: `<style>input{position:absolute;opacity:0}i{` +
		`display:inline-block;width:16px;height:16px;border:1px solid}div{position:relative}div>b{position:absolute;` +
		`inset:0;background:#ddd}</style><div><label><input type=checkbox><i></i> Mail me</label><b></b></div><div>` +
		`<label><input type=radio><i></i> Express</label><b></b></div><div><label><input type=radio><i></i> Slow` +
		`</label></div>`, shown: labels("Slow"), hides: append(labels("Mail me", "Express"),
		dsl.Selector{Type: "checkbox"}), do: tap("Mail me"), fail: "covered"},
	{name: "a radio button on the back of a card", page: `<div style="perspective:500px"><p style="transform:rotateY(` +
		`180deg);backface-visibility:hidden"><input type=radio id=r><label for=r>Express</label></p></div>`,
		hides: labels("Express")},
}
