package web
import ("testing";"time";"github.com/playwright-community/playwright-go")
func TestZZ(t *testing.T) {
	d := visit(t, "files.html")
	_, page, _ := d.page()
	_, _ = page.Evaluate(`() => { document.getElementById('never').href = 'download?ms=5000' }`)
	cdp, _ := d.session.context.NewCDPSession(page)
	page.OnDownload(func(playwright.Download) { t.Log("download event") })
	for _, nw := range []bool{true} {
	b := time.Now()
	err := page.Locator("#never").Click(playwright.LocatorClickOptions{Timeout: playwright.Float(2000), NoWaitAfter: playwright.Bool(nw)})
	t.Log(time.Since(b), err)
	}
	b := time.Now()
	v, err := cdp.Send("Runtime.evaluate", map[string]any{"expression": "1+1"})
	t.Log(time.Since(b), v, err)
	v, err = page.Evaluate("1+1")
	t.Log(time.Since(b), v, err)
}
