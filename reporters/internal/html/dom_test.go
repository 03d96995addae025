package html

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// domFile is a snapshot of a page with what is hostile in it: markup in texts, styles that load, numbers that lead
// nowhere.
func domFile(t testing.TB, button string) []byte {
	t.Helper()
	style := func(values ...string) string { data, _ := json.Marshal(values); return string(data) }
	plain := []string{"block", "static", "auto", "visible", "visible", "1"}
	page := `{"w":180,"h":400,"url":"https://shop.example/","props":["display","position","z-index","overflow",` +
		`"visibility","opacity","background-color","background-image","border","border-radius","color","font"],
	"styles":[` + style(append(plain, "rgba(0, 0, 0, 0)", "none", "0px none rgb(0, 0, 0)", "0px")...) + `,
		` + style(append(plain, "rgb(20, 90, 200)", "linear-gradient(rgb(1, 2, 3), rgb(4, 5, 6))", "2px solid rgb(9, 9, 9)",
		"8px", "rgb(255, 255, 255)", `700 16px / 24px "Evil</style><script>", sans-serif`)...) + `,
		` + style(append(plain, `red;background:url(https://evil.example/1)`, `image-set("https://evil.example/2" 1x)`,
		"url(https://evil.example/3)", "8px")...) + `],
	"nodes":[{"p":-1,"t":"html","b":[0,0,180,400],"s":0},{"p":0,"t":"body","b":[0,0,180,400],"s":0},
		{"p":1,"t":"h1","a":["id","title"],"b":[10,10,160,30],"s":1},{"p":2,"x":"Shop <img src=x ` +
		`onerror=alert(1)>","b":[10,10,150,20]},
		{"p":1,"t":"button","a":["class","pay primary","onclick","alert(2)"],"b":[20,200,140,40],"s":1},{"p":4,"x":"` + button + `","b":[30,205,80,20]},
		{"p":1,"t":"script","a":["src","https://evil.example/4.js"],"b":[0,0,1,1],"s":2},{"p":1,"t":"iframe","a":["src",` +
		`"https://evil.example/5"],"b":[20,250,100,50],"s":2,"f":4},
		{"p":1,"t":"p","b":[10,310,160,40],"s":0},{"p":8,"x":"Two lines of text that stand ` +
		`here","b":[10,310,160,40],"l":1,"i":12},
		{"p":99,"t":"x-\u202eevil","b":[1,2],"s":77,"a":["odd"]},{"p":1,"t":"div","f":1}]}`
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(page)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// addDOM adds the elements of their pages to the steps of a sample: steps 1 to 3 share a file.
func addDOM(t testing.TB, dir string, events []event.Event) []event.Event {
	t.Helper()
	var out []event.Event
	for _, e := range events {
		out = append(out, e)
		if e.Kind == event.StepStarted {
			n := map[bool]int{true: 1, false: e.Step}[e.Step <= 3]
			name := fmt.Sprintf("artifacts/dom-%02d.json.gz", n)
			write(t, filepath.Join(dir, name), domFile(t, fmt.Sprintf("TextView Pay %d", n)))
			out = append(out, event.Event{Time: e.Time, Kind: event.Attached, Step: e.Step, Attachment: &event.Attachment{
				Path: name, Type: "application/gzip", Kind: event.KindDOM}})
		}
	}
	return out
}

// TestDOM: the elements of the page after each step can be looked into, and nothing of them is run or fetched.
func TestDOM(t *testing.T) {
	t.Parallel()
	file := filepath.Join(richRun(t), "cart--attempt-2", PackFile)
	t.Run("of the failing step", func(t *testing.T) {
		p := openTab(t, file, "#panel=dom", screen{})
		p.is(textsOf(".domtree .node.is-near .flag"), []string{`candidate 1: it says "TextView Pay", not "Button Pay"`})
		p.is(`[...document.querySelectorAll(".domtree .node b")].map(e => e.textContent).slice(0, 6)`,
			[]string{"<html", ">", "<body", ">", "<h1", ">"})
		p.is(textsOf(".domfacts h3"), []string{"<button>"})
		p.is(`document.querySelector(".domfacts .styles").textContent.includes("rgb(20, 90, 200)")`, true)
		p.is(`document.querySelector(".domtree").textContent.includes("TextView Pay 5")`, true)
		p.inFull()
	})
	t.Run("pointing at an element", func(t *testing.T) {
		for _, look := range testutil.Few(2, []string{"&look=drawn", ""}) {
			p := openTab(t, file, "#panel=dom"+look, screen{})
			p.is(`document.querySelector(".domstage iframe").contentDocument.body.children.length`, 1)
			at := p.js(`(() => { const b = document.querySelector(".glass").getBoundingClientRect(), k = b.width / 180; ` +
				`return [b.left + 60 * k, b.top + 22 * k] })()`).([]any)
			if err := p.Mouse().Move(number(at[0]), number(at[1])); err != nil {
				t.Fatal(err)
			}
			p.is(`document.querySelector(".domsaid").textContent`,
				"h1#title 160 × 30 at 10, 10 · rgb(255, 255, 255), on rgb(20, 90, 200), 700 16px")
			if err := p.Mouse().Click(number(at[0]), number(at[1])); err != nil {
				t.Fatal(err)
			}
			p.is(textsOf(".domtree [aria-current] b"), []string{"<h1", ">"})
		}
	})
	t.Run("before and after", func(t *testing.T) {
		testutil.Leave(t, "the page of one step")
		p := openTab(t, file, "#step-3&panel=dom", screen{})
		p.is(`document.querySelector("#panel [aria-pressed=true]").textContent`, "Before it") // where the tapped element was
		p.js(`[...document.querySelectorAll("#panel .chip")].find(e => e.textContent === "After it").click()`)
		p.is(`location.hash`, "#step-3&panel=dom&dom=after")
		p.press("j")
		p.is(`document.getElementById("domtitle").textContent.includes("Step 4 of 6")`, true)
		p.is(`document.querySelector(".domtree").textContent.includes("TextView Pay 4")`, true)
	})
	t.Run("hostile", func(t *testing.T) { // openTab fails for any request and any message of the page
		p := openTab(t, file, "#panel=dom&look=drawn", screen{})
		p.is(`document.querySelector(".domstage iframe").getAttribute("sandbox")`, "allow-same-origin")
		drawn := `document.querySelector(".domstage iframe").contentDocument`
		p.is(`[...new Set([...`+drawn+`.body.querySelectorAll("*")].map(e => e.localName))]`, []string{"div"})
		p.is(`[...`+drawn+
			`.body.querySelectorAll("*")].some(e => `+
			`/evil|url|image-set/.test(e.style.cssText.replace(/font:[^;]*|font-family:[^;]*/, "")))`, false)
		p.is(drawn+`.body.textContent.includes("<img src=x onerror=alert(1)>")`, true)
		p.is(`document.querySelector(".domtree").textContent.includes("\u202e")`, false)
	})
	t.Run("by the keyboard", func(t *testing.T) {
		testutil.Leave(t, "TestPackInABrowser goes by keys")
		p := openTab(t, file, "#panel=dom&dq=h1", screen{})
		p.is(textsOf(".domtree b"), []string{"<h1", ">"})
		p = openTab(t, file, "#panel=dom", screen{dark: true})
		p.is(`document.querySelectorAll(".domtree [tabindex='0']").length`, 1)
		p.js(`document.querySelector(".domtree [tabindex='0']").focus()`)
		p.press("Home", "ArrowDown", "ArrowDown", "Enter")
		p.is(textsOf(".domfacts h3"), []string{"<h1>"})
		p.accessible()
	})
	t.Run("in a page that is shut in", func(t *testing.T) { // as the server shows uploaded reports
		testutil.Leave(t, "it needs a context of its own")
		dir := filepath.Dir(filepath.Dir(file))
		served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Security-Policy",
				"sandbox allow-scripts allow-downloads allow-popups; default-src 'self' 'unsafe-inline' data: blob:; connect-src "+
					"'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'")
			http.FileServer(http.Dir(dir)).ServeHTTP(w, r)
		}))
		defer served.Close()
		context, err := chromium.Start(t).NewContext()
		if err != nil {
			t.Fatal(err)
		}
		defer context.Close() // nothing was written
		page, err := context.NewPage()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := page.Goto(served.URL+"/cart--attempt-2/report.html#panel=dom&look=drawn", playwright.PageGotoOptions{
			Timeout: playwright.Float(patience)}); err != nil {
			t.Fatal(err)
		}
		p := &tab{Page: page, t: t}
		p.is(`document.querySelectorAll(".domstage .drawing").length`, 1)
		p.js(`(() => { const g = document.querySelector(".glass"), b = g.getBoundingClientRect(), k = b.width / 180; ` +
			`g.dispatchEvent(new MouseEvent("click", {clientX: b.left + 60 * k, clientY: b.top + 22 * k})) })()`)
		p.is(textsOf(".domfacts h3"), []string{"<h1>"})
	})
	t.Run("in one file", func(t *testing.T) {
		var b bytes.Buffer
		if _, _, err := Bundle(t.Context(), &b, filepath.Dir(file)); err != nil {
			t.Fatal(err)
		}
		whole := filepath.Join(t.TempDir(), "whole.html")
		write(t, whole, b.Bytes())
		p := openTab(t, whole, "#panel=dom&look=drawn", screen{width: 390, height: 844})
		p.is(`document.querySelector(".domstage iframe").contentDocument.body.textContent.includes("TextView Pay 5")`, true)
		p.inFull()
		p.js(`document.querySelector(".attempts a").click()`) // the other try is in the same file
		p.is(`document.querySelector('.attempts [aria-current="page"]').textContent.slice(0, 9)`, "Attempt 1")
		p.js(`document.getElementById("tab-steps").click()`)
		p.is(`[...document.querySelectorAll("figure img")].every(i => i.naturalWidth === 180)`, true)
		p.is(`[...document.querySelectorAll("a[href^='.']")].length`, 0)
	})
}

func number(v any) float64 {
	switch v := v.(type) {
	case int:
		return float64(v)
	case float64:
		return v
	}
	return 0
}

// TestDOMFiles: files that are broken or too large are reported, and the rest of the page works.
func TestDOMFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := sample{run: thisRun, id: "t", steps: 3, text: "Pay"}
	var bomb bytes.Buffer
	w := gzip.NewWriter(&bomb)
	for range 6 << 10 {
		if _, err := w.Write(bytes.Repeat([]byte(" "), 1<<10)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var events []event.Event
	for _, e := range s.events(t, dir) {
		events = append(events, e)
		if e.Kind == event.StepStarted {
			name := fmt.Sprintf("artifacts/dom-%02d.json.gz", e.Step)
			events = append(events, event.Event{Time: e.Time, Kind: event.Attached, Step: e.Step, Attachment: &event.Attachment{
				Path: name, Kind: event.KindDOM}})
		}
	}
	write(t, filepath.Join(dir, "artifacts", "dom-01.json.gz"), []byte("no gzip"))
	write(t, filepath.Join(dir, "artifacts", "dom-02.json.gz"), bomb.Bytes())
	write(t, filepath.Join(dir, "artifacts", "dom-03.json.gz"), domFile(t, "Pay"))
	b := builder{in: PackPage{Dir: dir}, res: event.Fold(events)}
	if err := b.open(); err != nil {
		t.Fatal(err)
	}
	out := b.build()
	b.close()
	told := strings.Join(out.Remarks, "\n")
	if len(out.DOM) != 1 || out.Steps[2].DOM != 1 || out.Steps[0].DOM != 0 ||
		!strings.Contains(told, "dom-01.json.gz cannot be shown") || !strings.Contains(told, "larger than 4 MB") {
		t.Errorf("%d pages, %s", len(out.DOM), told)
	}
}
