package action_test

import "github.com/taproot-dev/taproot/dsl"

// pagesReported are further pages after reports.
var pagesReported = []reported{
	{name: "a grid row that is folded", // playwright 33489
		page: `<div style="display:grid;grid-template-rows:0fr;overflow:hidden;height:0"><p style="margin:0">Folded` +
			`</p></div><div style="display:grid;grid-template-rows:0fr"><div style="overflow:hidden;min-height:0">Gone` +
			`</div></div>` +
			`<div style="display:grid;grid-template-rows:1fr;overflow:hidden"><p style="margin:0">Open</p></div>`,
		shown: labels("Open"), hides: labels("Folded", "Gone")},
	{name: "a dialog of no size around what it shows", // playwright 20862
		page: `<div role=dialog aria-label=Box style="width:0;height:0"><p style="position:fixed;top:50px">Update now</p>` +
			`</div>`,
		shown: labels("Update now")},
	{name: "clip without a position", // axe-core 3037
		page:  `<p style="clip:rect(0,0,0,0)">Still here</p><p style="position:relative;clip:rect(0,0,0,0)">Here too</p>`,
		shown: labels("Still here", "Here too")},
	{name: "a plate behind a text by negative margins", // axe-core 2680
		page: `<style>h2::before{content:"";display:block;height:40px;margin-bottom:-40px;background:#246}</style>` +
			`<h2 style="color:#fff">Settings</h2>`, shown: labels("Settings")},
	{name: "a body that clips and what is fixed", // axe-core 3996
		page: `<style>body{overflow:hidden;height:30px}</style><p style="margin:0">Top</p><div style="position:fixed;` +
			`top:90px">Cookies</div><div style="position:absolute;top:200px">Banner` +
			`</div>`, shown: labels("Top", "Cookies", "Banner")},
	{name: "a link over a whole card", // bootstrap's stretched link
		page: `<style>.k{position:relative;width:200px}#go::after{content:"";position:absolute;inset:0}</style>` +
			`<div class=k>` +
			`<h5>Title</h5><p>About it</p><a id=go href="#">Go</a> <button id=like>Like</button></div>`,
		shown: labels("About it", "Title"), do: tap("Like"), fail: "covered by a#go"},
	{name: "the close sign of a chip in a list that opens on press", // mui 19364
		page: `<div id=sel role=combobox tabindex=0 style="padding:6px">` +
			`<span role=button tabindex=-1 id=chip>Red <svg id=x aria-label="Remove Red" role=button width=16 height=16>` +
			`<circle cx=8 cy=8 r=8 fill=#999 /></svg></span></div>`, do: tap("Remove Red"), record: "x"},
	{name: "a row in two parts", // ag-grid pinned columns
		page: `<style>.r{height:30px}</style><div style="display:flex"><div style="width:120px"><div class=r>Ada` +
			`</div><div ` +
			`class=r>Ben</div></div><div style="width:300px;overflow:auto"><div class=r><button id=e1>Edit</button>` +
			`</div><div ` +
			`class=r><button id=e2>Edit</button></div></div></div>`,
		do: dsl.Tap{Selector: dsl.Selector{Label: "Edit", RightOf: &dsl.Selector{Label: "Ben"}}}, record: "e2"},
	{name: "a label that floats over its field", // mui 4418
		page: `<div style="position:relative;padding-top:16px"><label for=n style="position:absolute;top:18px;left:4px;` +
			`pointer-events:none">Name</label><input id=n style="width:200px"></div>`,
		do: dsl.Input{Into: &dsl.Selector{Label: "Name"}, Text: "Ada"}, record: "n=Ada"},
	{name: "one of three copies is visible", // cypress 3819
		page: `<div style="display:none"><button id=a>Menu</button></div><div style="visibility:hidden"><button id=b>Menu` +
			`</button></div><div style="opacity:0"><button id=c>Menu</button></div><button id=d>Menu</button>`,
		do: tap("Menu"), record: "d"},
	{name: "a list that unfolds", // playwright 16048
		page: `<style>ul{max-height:0;overflow:hidden;transition:max-height .3s;margin:0}.on{max-height:200px}` +
			`li{height:25px}</style><button id=h onclick="u.classList.add('on')">Header</button><ul id=u>` +
			`<li id=o1>Option 1<li id=o2>Option 2` +
			`<li id=o3>Option 3</ul><script>h.click()</script>`, do: tap("Option 3"), record: "o3"},
	{name: "content that arrives late above", // playwright 6238
		page: `<div id=ad></div><button id=b style="display:block">Contact</button>` +
			`<button id=w style="display:block">Other` +
			`</button><script>let n=0;const i=setInterval(()=>{ad.style.height=(n+=20)+'px';` +
			`n>200&&clearInterval(i)},40)</script>`,
		do: tap("Contact"), record: "b"},
	{name: "a caption from an attribute", // responsive tables
		page:  `<style>td::before{content:attr(data-label) ": "}</style><table><tr><td data-label=Price>12 €</table>`,
		shown: append(labels("Price: 12 €"), parts("Price")...)},
	{name: "text replaced by an image", // axe-core 2962
		page: `<style>a,h1,h2{display:block;margin:0;overflow:hidden;background:#cde;width:90px;height:30px}</style><h1 ` +
			`style="text-indent:100%;white-space:nowrap">Logo one</h1><h2 style="height:0;padding-top:30px">Logo two</h2><a ` +
			`id=a href="#" style="text-indent:100%;white-space:nowrap">Home</a>`,
		shown: labels("Home"), hides: append(labels("Logo two"), dsl.Selector{Label: "Logo one", Match: dsl.MatchWords}),
		do: tap("Home"), record: "a"},
	{name: "letters on one another", // cypress 1242
		page:  `<p style="letter-spacing:-1em">Secret</p><p style="zoom:.02">Small print</p><p>Fine</p>`,
		shown: labels("Fine"), hides: labels("Small print")},
	{name: "filters that leave one colour", // axe-core 1987
		page: `<p style="background:#fff;filter:contrast(0)">Grey one</p><p style="background:#fff;filter:brightness(0)">` +
			`Black one</p><p style="background:#fff;filter:invert(.5)">Half one</p><p style="background:#fff;` +
			`filter:invert(1)">Turned</p>`, shown: labels("Turned"), hides: labels("Grey one", "Black one", "Half one")},
	{name: "white text that turns black over white", // axe-core 1650
		page: `<style>body{background:#fff}</style><header style="position:fixed;color:#fff;` +
			`mix-blend-mode:difference">Work` +
			`</header>`, shown: labels("Work")},
	{name: "white text that has nothing to turn black over", // axe-core 1650
		page: `<header style="position:fixed;color:#fff;mix-blend-mode:difference">Work</header>`, hides: labels("Work")},
	{name: "headings and cells whose text cannot be read", // axe-core 1987
		page: `<style>i{position:absolute;inset:10px 5px;background:#ccc}td,h3{position:relative;padding:10px}` +
			`</style><h2 ` +
			`style="color:#fff">White</h2><h3>Covered<i></i></h3><table><tr><td style="color:transparent">Clear<td style="` +
			`font-size:1px">Dust<td style="width:90px">Under<i></i><td style="color:#fff">Pale<td><span style="opacity:0">` +
			`Faded</span><td>Plain</table>`, shown: labels("Plain"),
		hides: labels("White", "Covered", "Clear", "Dust", "Under", "Pale", "Faded")},
	{name: "a dot that only its hidden text names", // axe-core 2962
		page: `<style>.s{position:absolute;width:1px;height:1px;overflow:hidden}b{display:block;width:9px;height:9px;` +
			`background:red}</style><table><tr><td><b></b><span class=s>Failed</span><td><span class=s>Hint</span></table>`,
		shown: labels("Failed"), hides: labels("Hint")},
	{name: "clip-paths that leave nothing", // cypress 32801
		page: `<svg width=0 height=0 style="position:absolute"><clipPath id=e></clipPath></svg><p style="clip-path:` +
			`circle(0)">One</p><p style="clip-path:url(#e)">Two</p><p style="clip-path:inset(50%)">Three</p><p ` +
			`style="clip-path:xywh(0 0 0 0)">Four</p><p style="clip-path:path('M0 0')">Five</p><p ` +
			`style="clip-path:rect(0 0 0 0)">Six</p><p style="clip-path:ellipse(0 50%)">Seven</p>`,
		hides: labels("One", "Two", "Three", "Four", "Five", "Six", "Seven")},
	{name: "capitals of a language", // zora 39
		page: `<p lang=el style="text-transform:uppercase">Καλημέρα</p>` +
			`<p lang=tr style="text-transform:uppercase">istanbul` +
			`</p>`, shown: append(labels("ΚΑΛΗΜΕΡΑ", "İSTANBUL"), dsl.Selector{Label: "ΚΑΛΗΜΕΡΑ", Match: dsl.MatchExact})},
	{name: "characters of two parts", page: "<p>Cafe\u0301</p><p>o\ufb03ce</p>", // playwright 10620
		shown: append(labels("Café", "office"), parts("Café")...)},
	{name: "edge-on and behind", // cypress 5916
		page: `<div style="perspective:500px"><p style="transform:rotateX(90deg)">Edge</p><p ` +
			`style="transform:rotateY(60deg);width:200px">Turned</p></div>`, shown: labels("Turned"), hides: labels("Edge")},
	{name: "a field among its own words", // dom-testing-library 545
		page: `<label>Every <input id=d size=3> days</label>`,
		do:   dsl.Input{Into: &dsl.Selector{Label: "Every days"}, Text: "7"}, record: "d=7"},
	{name: "the rest of the page behind a clear layer", // radix dialogs
		page: `<div aria-hidden=true><button id=b>Save</button></div><div id=layer style="position:fixed;inset:0;` +
			`background:rgba(0,0,0,.4)"></div><div role=dialog style="position:fixed;top:200px;background:#fff">Sure?</div>`,
		shown: labels("Save", "Sure?"), do: tap("Save"), fail: "covered by div#layer"},
	{name: "rows that a scroller places", // react-window
		page: `<div id=s style="height:100px;overflow:auto;position:relative"><div id=t style="height:30000px">` +
			`</div></div>` +
			`<script>const draw=()=>{const a=Math.floor(s.scrollTop/30);t.innerHTML='';for(let i=a;i<a+5;i++){const ` +
			`r=document.createElement('div');r.id='r'+i;r.textContent='Row '+i;r.style.cssText='position:absolute;left:0;` +
			`height:30px;transform:translateY('+i*30+'px)';t.append(r)}};s.onscroll=()=>setTimeout(draw,30);s.scrollTop=600;` +
			`draw()</script>`, shown: labels("Row 21"), hides: labels("Row 2"), do: tap("Row 22"), record: "r22"},
	{name: "right of in a page from right to left", // playwright 13720
		page: `<div dir=rtl style="width:400px"><div>شقة <button id=a>فتح</button></div><div>بيت <button id=b>فتح` +
			`</button>` +
			`</div></div>`, do: dsl.Tap{Selector: dsl.Selector{Label: "فتح", LeftOf: &dsl.Selector{Label: "بيت"}}}, record: "b"},
	{name: "a menu of a frame above its edge", // cypress 4347
		page: `<div style="margin:40px;border:10px solid;padding:5px;width:220px;transform:rotate(2deg)">` +
			inFrame("width:200px;height:90px", `<p style="margin:0">Head</p><button id=in style="margin-top:30px">`+
				`Deep</button>`) +
			`</div>`, do: tap("Deep"), record: "in"},
	{name: "gradient letters and letters of an outline", // axe-core background-clip
		page: `<h1 style="background:linear-gradient(#f00,#00f);-webkit-background-clip:text;` +
			`color:transparent">Sale now</h1>` +
			`<h2 style="color:transparent;-webkit-text-stroke:1px #000">Outlined</h2>` +
			`<h3 style="color:transparent">Nothing</h3>`,
		shown: labels("Sale now", "Outlined"), hides: labels("Nothing")},
	{name: "an arc of a chart", // recharts
		page: `<svg width=200 height=200><path id=p1 role=button aria-label=Rent d="M100 20 A80 80 0 1 1 20 100 L40 100 ` +
			`A60 60 0 1 0 100 40 Z" fill=#36c /><path id=p2 role=button aria-label=Food d="M20 100 A80 80 0 0 1 100 20 ` +
			`L100 40 A60 60 0 0 0 40 100 Z" fill=#c63 /></svg>`, do: tap("Rent"), record: "p1"},
	{name: "a slice under the middle of another one", // recharts
		page: `<svg width=200 height=200><path id=p1 role=button aria-label=Frame fill-rule=evenodd d="M0 0H200V200H0Z ` +
			`M10 10V190H190V10Z" fill=#36c /><rect id=p2 x=10 y=10 width=180 height=180 fill=#eee /></svg>`,
		do: tap("Frame"), record: "p1"},
}
