package android

import (
	"errors"
	"fmt"
	"image"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// fakePages are the contexts of a fakeAppium: a page with a button, in a WebView of the app.
type fakePages struct {
	context map[string]string // by session; "": the phone
	script  map[string]int    // the limit of scripts, in ms, by session
	dialog  string            // that the page has open
	busy    int               // so many scripts do not end in time
	refused string            // why no page can be entered
	hidden  bool              // the app does not let its pages be debugged
	arm     string            // the fault starts with the first touch
	touched int               // in the page
	typed   string            // keys that the page got
	wrong   []string          // commands for the phone that came while a page was chosen

	two    bool              // there is a second WebView, with another page
	window map[string]string // that is chosen, by session
	used   []string          // pages that were touched or typed into
	focus  []string          // the pages that have it; nil: the first
	hung   string            // a page of which the scripts do not end in time
	shut   string            // a page that cannot be chosen
}

const (
	fakeContext = "WEBVIEW_com.example"
	fakeWindow  = "W1"
	fakeSecond  = "W2"
	fakePage    = `{"doc":"d","ready":"complete","url":"http://shop/","w":400,"h":400,"root":{"t":"body","n":0,` +
		`"b":[0,0,400,400],"k":[{"t":"button","n":1,"f":128,"b":[10,10,110,50],"x":"Pay now"},` +
		`{"t":"input","n":2,"f":208,"b":[10,60,210,90],"i":"mail","x":"ab"}]}}`
)

func newFakePages() *fakePages {
	return &fakePages{context: map[string]string{}, script: map[string]int{}, window: map[string]string{}}
}

// under adds the WebView to the document of the screen, and takes the focus from its field.
func (w *fakePages) under(doc string) string {
	if w == nil {
		return doc
	}
	const end = "</android.widget.FrameLayout>"
	views := ""
	for i, b := range w.places() {
		views += fmt.Sprintf(`<android.webkit.WebView index="%d" package="com.example" class="android.webkit.WebView" `+
			`text="" enabled="true" focused="false" bounds="[%d,%d][%d,%d]" displayed="true"/>`, i+2, b.Min.X, b.Min.Y,
			b.Max.X, b.Max.Y)
	}
	return strings.Replace(strings.ReplaceAll(doc, `focused="true"`, `focused="false"`), end, views+end, 1)
}

// places are those of the WebViews.
func (w *fakePages) places() []image.Rectangle {
	if w.two {
		return []image.Rectangle{image.Rect(0, 400, 400, 600), image.Rect(0, 600, 400, 800)}
	}
	return []image.Rectangle{image.Rect(0, 400, 400, 800)}
}

// targets are the pages as the DevTools list them.
func (w *fakePages) targets() (list []any) {
	for i, b := range w.places() {
		list = append(list, map[string]any{"id": []string{fakeWindow, fakeSecond}[i], "type": "page",
			"description": fmt.Sprintf(`{"attached":true,"visible":true,"screenX":%d,"screenY":%d,"width":%d,"height":%d}`,
				b.Min.X, b.Min.Y, b.Dx(), b.Dy())})
	}
	return list
}

// note sees each command before it is performed, and returns how its answer is spoilt.
func (w *fakePages) note(name, id, spoilt string) string {
	if w == nil {
		return spoilt
	}
	native := name == "GET /source" || name == "GET /screenshot" || name == "GET /element/active" ||
		strings.HasPrefix(name, "mobile: ") && name != "mobile: getContexts"
	if native && w.context[id] != "" {
		w.wrong = append(w.wrong, name)
	}
	if w.arm != "" && w.touched == 0 {
		return ""
	}
	return spoilt
}

// perform is the effect of a command that has to do with pages; status 0: it has not.
func (w *fakePages) perform(name, id string, body map[string]any) (status int, value any) {
	if w == nil {
		return 0, nil
	}
	inPage := w.context[id] != ""
	switch name {
	case "mobile: getContexts":
		if w.hidden {
			return 200, []any{}
		}
		return 200, []any{map[string]any{"proc": "@webview_devtools_remote_7", "webviewName": fakeContext,
			"info": map[string]any{"Android-Package": "com.example"}, "pages": w.targets()}}
	case "POST /context":
		to, _ := body["name"].(string)
		if to == "NATIVE_APP" {
			to = ""
		} else if w.refused != "" {
			return 500, failed("unknown error", w.refused)
		}
		w.context[id] = to
	case "POST /window", "GET /timeouts", "POST /timeouts", "GET /alert/text", "return 1", "POST /goog/cdp/execute":
		if !inPage {
			return 404, failed("unknown command", name+" came to the phone")
		}
		return w.inPage(name, id, body)
	case "POST /actions":
		if !inPage {
			return 0, nil
		}
		w.act(id, body)
	default:
		return 0, nil
	}
	return 200, nil
}

// inPage performs a command in the page.
func (w *fakePages) inPage(name, id string, body map[string]any) (status int, value any) {
	closed := func() (int, any) { // as a chromedriver does
		w.dialog = ""
		return 500, failed("unexpected alert open", "closed")
	}
	switch name {
	case "POST /window":
		window, _ := body["handle"].(string)
		if window == w.shut {
			return 404, failed("no such window", "no such window")
		}
		w.window[id] = window
	case "GET /timeouts":
		return 200, map[string]any{"script": max(w.script[id], 30000*(1-min(1, w.script[id]))), "pageLoad": 300000}
	case "POST /timeouts":
		limit, _ := body["script"].(float64)
		w.script[id] = int(limit)
	case "GET /alert/text":
		if w.dialog == "" {
			return 404, failed("no such alert", "none")
		}
		return 200, w.dialog
	case "return 1":
		if w.dialog != "" {
			return closed()
		}
		if w.busy--; w.busy >= 0 || w.hung != "" && w.window[id] == w.hung {
			return 500, failed("script timeout", "busy")
		}
		return 200, 1
	case "POST /goog/cdp/execute":
		if w.dialog != "" {
			return closed()
		}
		return 200, w.devtools(w.window[id], body)
	}
	return 200, nil
}

// devtools performs a command of the DevTools.
func (w *fakePages) devtools(window string, body map[string]any) any {
	params, _ := body["params"].(map[string]any)
	script, _ := params["expression"].(string)
	says := func(text string) any { return map[string]any{"result": map[string]any{"value": text}} }
	switch {
	case body["cmd"] == "Page.getFrameTree":
		return map[string]any{"frameTree": map[string]any{"frame": map[string]any{"id": "F"}}}
	case body["cmd"] == "Page.createIsolatedWorld":
		return map[string]any{"executionContextId": 7}
	case strings.HasPrefix(script, `taprootEngine.query(document, "tree.`):
		page := fakePage
		if w.focus != nil && !slices.Contains(w.focus, window) {
			page = strings.Replace(page, `"f":208`, `"f":192`, 1)
		}
		if window == fakeSecond {
			page = strings.NewReplacer("Pay now", "Pay again", `"i":"mail","x":"ab"`, `"i":"note","x":"cd"`).Replace(page)
		}
		return says(page)
	case strings.HasPrefix(script, `taprootEngine.query(document, "aimed")`) && w.touched > 0:
		return says(`{"result":"hit","met":"button"}`)
	}
	return says(`{}`)
}

// act notes touches and keys.
func (w *fakePages) act(id string, body map[string]any) {
	w.used = append(w.used, w.window[id])
	sources, _ := body["actions"].([]any)
	for _, source := range sources {
		device, _ := source.(map[string]any)
		if device["type"] == "pointer" {
			w.touched++
			continue
		}
		actions, _ := device["actions"].([]any)
		for _, one := range actions {
			if a, _ := one.(map[string]any); a["type"] == "keyDown" {
				w.typed += fmt.Sprint(a["value"])
			}
		}
	}
}

// onPages opens a phone with a page, which is read wherever it can be.
func onPages(t *testing.T) (f *fakeAppium, d drivers.Device, driver drivers.Driver, folder string) {
	t.Helper()
	f = newFakeAppium(t)
	f.web = newFakePages()
	driver, folder = f.remote(t)
	d, err := driver.Open(t.Context(), "lab-1")
	if err == nil {
		err = d.(drivers.WebViewReader).ReadWebViews("devtools")
	}
	if err != nil {
		t.Fatal(err)
	}
	return f, d, driver, folder
}

// tapPage touches the button of the page.
func tapPage(t *testing.T, d drivers.Device, n *screen.Node) error {
	d.(drivers.Aimer).Aim(n)
	return d.Tap(t.Context(), image.Pt(60, 430))
}

// TestPagesOfRemotePhones: the page in a WebView is read and touched in its context, and the phone in its own.
func TestPagesOfRemotePhones(t *testing.T) {
	t.Parallel()
	f, d, driver, _ := onPages(t)
	tree, err := d.Tree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pay, save := findNode(tree, "Pay now"), findNode(tree, "Save")
	if pay == nil || !pay.InPage || pay.Bounds != image.Rect(10, 410, 110, 450) || save == nil || save.InPage ||
		tree.Cut() != "" {
		t.Fatalf("%q\n%s", tree.Cut(), shown(tree))
	}
	if err := tapPage(t, d, pay); err != nil || f.web.touched != 1 || f.touch != 0 {
		t.Errorf("%v, %d touches of the page, %d of the phone", err, f.web.touched, f.touch)
	}
	if err := d.Tap(t.Context(), image.Pt(200, 350)); err != nil || f.web.touched != 1 || f.touch != 1 {
		t.Errorf("%v, %d touches of the page, %d of the phone", err, f.web.touched, f.touch)
	}
	if err := d.Type(t.Context(), "Ada é\n"); err != nil || f.web.typed != "Ada é\ue007" || f.typed != 0 {
		t.Errorf("%v, %q", err, f.web.typed)
	}
	f.set(func() { f.web.typed = "" })
	if err := d.(drivers.Editor).Erase(t.Context(), -1); err != nil || f.web.typed != "\ue009\ue010\ue003\ue003" {
		t.Errorf("%v, %q", err, f.web.typed)
	}
	calls := f.count("POST /context")
	if err := d.(drivers.WebViewReader).ReadWebViews("accessibility"); err != nil {
		t.Fatal(err)
	}
	tree, err = d.Tree(t.Context())
	if err != nil || findNode(tree, "Pay now") != nil || f.count("POST /context") != calls {
		t.Errorf("by accessibility: %v", err)
	}
	if err := errors.Join(d.Close(), driver.Close()); err != nil || f.left() != 0 || len(f.web.wrong) != 0 {
		t.Errorf("%v, %d sessions, %v", err, f.left(), f.web.wrong)
	}
}

// TestFaultsOfPages: each call that has to do with pages, with each fault, leads to no false result, no second touch
// and no session that is left in a page.
func TestFaultsOfPages(t *testing.T) {
	t.Parallel()
	type row struct{ name, fault, when string }
	var rows []row
	for _, name := range []string{"mobile: getContexts", "POST /context", "POST /window", "GET /timeouts",
		"POST /timeouts", "GET /alert/text", "return 1", "POST /goog/cdp/execute", "POST /actions"} {
		for _, fault := range []string{"dropped", "html", "500", "cut", "gone"} {
			for _, when := range []string{"read", "touch", "after the touch"} {
				rows = append(rows, row{name, fault, when})
			}
		}
	}
	for _, name := range []string{"mobile: getContexts", "POST /context", "GET /alert/text", "POST /goog/cdp/execute"} {
		rows = append(rows, row{name, "late", "read"})
	}
	for _, name := range []string{"POST /context", "POST /goog/cdp/execute", "POST /actions"} {
		rows = append(rows, row{name, "late", "touch"})
	}
	rows = append(rows, row{"POST /goog/cdp/execute", "late", "after the touch"})
	for _, c := range rows {
		t.Run(strings.Join([]string{c.name, c.fault, c.when}, " "), func(t *testing.T) {
			if c.fault == "late" {
				testutil.Leave(t, "the other faults: it waits until each limit")
			}
			t.Parallel()
			faultOfPages(t, c.name, c.fault, c.when)
		})
	}
}

func faultOfPages(t *testing.T, name, fault, when string) {
	f, d, driver, folder := onPages(t)
	var pay *screen.Node
	if when != "read" {
		tree, err := d.Tree(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		pay = findNode(tree, "Pay now")
	}
	f.set(func() {
		f.fault, f.faulty = fault, name
		if when == "after the touch" {
			f.web.arm = when
		}
	})
	met := true // the call was part of what was done
	switch when {
	case "read":
		tree, err := d.Tree(t.Context())
		met = name != "POST /actions"
		if met && err == nil && tree.Cut() == "" {
			t.Error("the screen seems to be whole")
		}
		if err == nil && met && findNode(tree, "Pay now") != nil && fault != "gone" {
			t.Error("the page was read")
		}
	default:
		err := tapPage(t, d, pay)
		met = name != "mobile: getContexts" && name != "POST /timeouts"
		if when == "touch" && met && err == nil {
			t.Error("no error")
		}
		// chromedriver reports a page that has changed so
		if refused := name == "POST /goog/cdp/execute" && fault == "500"; drivers.AppIsWrong(err) && !refused {
			t.Errorf("the app is blamed: %v", err)
		}
		if f.web.touched > 0 && errors.Is(err, drivers.ErrMissed) {
			t.Errorf("the caller would touch again: %v", err)
		}
		warned := strings.Join(drivers.TakeWarnings(d), "\n")
		asked := name == "POST /goog/cdp/execute" || name == "GET /alert/text"
		if asked && when == "after the touch" && fault != "500" && err == nil &&
			!strings.Contains(warned, "has reached it is unknown") {
			t.Errorf("nothing warns of a touch of which the effect is unknown: %q", warned)
		}
		if text := fmt.Sprint(err); strings.Contains(text, "<html") || strings.Contains(text, "invalid character") {
			t.Error(err)
		}
	}
	if f.web.touched > 1 || f.touch > 0 || len(f.web.wrong) > 0 {
		t.Errorf("%d touches of the page, %d of the phone, in the wrong context: %v", f.web.touched, f.touch, f.web.wrong)
	}
	f.set(func() { f.fault = "" })
	if err := d.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	next, err := driver.Open(t.Context(), "lab-1")
	if err != nil {
		t.Fatal(err)
	}
	f.set(func() {
		for id := range f.open {
			if f.web.context[id] != "" {
				t.Errorf("the next test starts in %s", f.web.context[id])
			}
		}
	})
	if err := errors.Join(next.Close(), driver.Close()); err != nil {
		t.Errorf("close: %v", err)
	}
	if files, _ := filepath.Glob(filepath.Join(folder, "*.json")); f.left() != 0 || len(files) != 0 {
		t.Errorf("%d sessions and %d records are left", f.left(), len(files))
	}
}

// TestDialogOfARemotePage: while a page has a dialog open, nothing is sent that would close it.
func TestDialogOfARemotePage(t *testing.T) {
	t.Parallel()
	f, d, driver, _ := onPages(t)
	defer driver.Close()
	f.set(func() { f.web.dialog = "Sure?" })
	tree, err := d.Tree(t.Context())
	if err != nil || !strings.Contains(tree.Cut(), "a dialog of the page is open") || f.web.dialog == "" {
		t.Errorf("%v, %q, dialog %q", err, tree.Cut(), f.web.dialog)
	}
	_ = d.Close()
}

// TestBusyRemotePage: a page with busy scripts is waited for; a chromedriver that was started again is warned of.
func TestBusyRemotePage(t *testing.T) {
	t.Parallel()
	f, d, driver, _ := onPages(t)
	defer driver.Close()
	f.set(func() { f.web.busy = 2 })
	tree, err := d.Tree(t.Context())
	if err != nil || findNode(tree, "Pay now") == nil {
		t.Errorf("%v", err)
	}
	f.set(func() { f.web.script = map[string]int{} })
	if _, err := d.Tree(t.Context()); err != nil {
		t.Error(err)
	}
	warnings := drivers.TakeWarnings(d)
	if len(warnings) != 1 || !strings.Contains(warnings[0], "a dialog that one of them had open is closed") {
		t.Error(warnings)
	}
	_ = d.Close()
}

// TestPagesThatCannotBeEntered: what the server lacks is an error where a test wants pages, and otherwise a screen that
// is not whole.
func TestPagesThatCannotBeEntered(t *testing.T) {
	t.Parallel()
	f, d, driver, _ := onPages(t)
	defer driver.Close()
	f.set(func() { f.web.refused = "No Chromedriver found that can automate Chrome '150'." })
	for range 2 {
		_, err := d.Tree(t.Context())
		text := fmt.Sprint(err)
		if !errors.Is(err, drivers.ErrUnsupported) || !strings.Contains(text, "remote lab has no chromedriver") ||
			!strings.Contains(text, "appium:chromedriverExecutable") {
			t.Error(err)
		}
	}
	if n := f.count("POST /context"); n > 2 { // to the page, and back
		t.Errorf("%d contexts were chosen", n)
	}
	if err := d.(drivers.WebViewReader).ReadWebViews("auto"); err != nil {
		t.Fatal(err)
	}
	if tree, err := d.Tree(t.Context()); err != nil || !strings.Contains(tree.Cut(), "no chromedriver") {
		t.Errorf("%v, %q", err, tree.Cut())
	}
	_ = d.Close()
}

// TestRemotePageThatIsNotListed: a page that the server does not list may be being opened; then accessibility alone has
// it, which the report says.
func TestRemotePageThatIsNotListed(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"auto", "devtools"} {
		f, d, driver, _ := onPages(t)
		if err := d.(drivers.WebViewReader).ReadWebViews(how); err != nil {
			t.Fatal(err)
		}
		f.set(func() { f.web.hidden = true })
		warned := notListed(t, d, func(tree *screen.Tree) bool { return findNode(tree, "Save") != nil })
		if !strings.Contains(warned, "does not let its WebViews be debugged") || !strings.Contains(warned, "com.example") {
			t.Error(warned)
		}
		if err := errors.Join(d.Close(), driver.Close()); err != nil {
			t.Error(err)
		}
	}
}

// notListed reads screens with a page that nothing lists, and returns the warning: until then, the page may come.
func notListed(t *testing.T, d drivers.Device, whole func(*screen.Tree) bool) string {
	t.Helper()
	for {
		tree, err := d.Tree(t.Context())
		if err != nil || tree.Cut() != "" || !whole(tree) {
			t.Fatalf("%v, %q\n%s", err, tree.Cut(), shown(tree))
		}
		if warnings := drivers.TakeWarnings(d); tree.Loading == (len(warnings) > 0) {
			t.Fatalf("loading %v, %q", tree.Loading, warnings)
		} else if len(warnings) > 0 {
			return warnings[0]
		}
		if drivers.Pause(t.Context(), 50*time.Millisecond) != nil {
			t.Fatal("no warning")
		}
	}
}
