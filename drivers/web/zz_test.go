package web

import (
	"testing"
	"time"
	"strings"
	"github.com/taproot-dev/taproot/drivers"
)

func TestZZ(t *testing.T) {
	at := time.Now()
	lap := func(what string) { t.Log(what, time.Since(at)); at = time.Now() }
	own := New(Options{})
	defer own.Close()
	opened, err := own.Open(t.Context(), "web-1")
	if err != nil {
		t.Fatal(err)
	}
	lap("open")
	d := opened.(*Device)
	if err := d.OpenPage(t.Context(), site.Page("index.html"), drivers.PageOptions{}); err != nil {
		t.Fatal(err)
	}
	lap("page")
	if err := own.browsers[false].Browser.Close(); err != nil {
		t.Fatal(err)
	}
	lap("browser close")
	_, err = d.Tree(t.Context())
	lap("tree")
	d.Close()
	lap("close")
	d = visit(t, "index.html")
	_, page, err := d.page()
	lap("visit")
	_, _ = page.Goto("chrome://crash")
	lap("crash")
	_, err = d.Tree(t.Context())
	lap("tree")
	d.Close()
	lap("close")
	own.Close()
	lap("own close")
	d = show(t, `<div id=big></div><script>
		const f = document.createDocumentFragment();
		for (let i = 0; i < 25000; i++) { const p = document.createElement('i'); p.textContent = i; f.append(p); }
		big.append(f);
	</script>`)
	_, page, err = d.page()
	lap("show")
	v, err := page.Evaluate(`(src) => { const e = eval(src); const t = performance.now(); const r = e.queryAll(document, 'tree.1.20000'); return [performance.now() - t, r[0].textContent.length] }`, strings.TrimSpace(engine))
	t.Log(v, err)
	lap("eval")
	_, err = page.Locator("taproot=tree.2.20000").TextContent()
	lap("text")
	_, err = d.Tree(t.Context())
	lap("tree")
	t.Log(err)
}
