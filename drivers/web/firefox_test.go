package web

import (
	"context"
	"errors"
	"image"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/drivertest"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/dsl"
)

// leftToFirefox skips a test in the short mode, which starts Firefox once, for TestFirefoxOnPages.
func leftToFirefox(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("left to make firefox: TestFirefoxOnPages is a part of it")
	}
}

// openFirefox returns a device with pages of Firefox: one process serves all tests.
func openFirefox(t *testing.T) *device {
	t.Helper()
	d := open(t)
	Must(t, d.UseBrowser(t.Context(), dsl.Firefox))
	return d
}

// firefoxes is the shared driver, with each device's pages in Firefox.
type firefoxes struct{ kept }

func (f firefoxes) Open(ctx context.Context, id string) (drivers.Device, error) {
	opened, err := f.kept.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	return opened, opened.(*device).UseBrowser(ctx, dsl.Firefox)
}

// TestFirefoxContract: Firefox keeps the promises of package drivers as Chromium does.
func TestFirefoxContract(t *testing.T) {
	t.Parallel()
	leftToFirefox(t)
	pages := httptest.NewServer(http.FileServer(http.Dir("../../suites/pages")))
	t.Cleanup(pages.Close)
	drivertest.Run(t, drivertest.Subject[*testing.T]{
		Driver: func(*testing.T) drivers.Driver { return firefoxes{kept{shared}} },
		ID:     "web-2",
		Login: func(ctx context.Context, dev drivers.Device) error {
			return dev.(drivers.Browser).OpenPage(ctx, pages.URL+"/login.html", drivers.PageOptions{})
		},
		Patience: patience,
	})
}

// What the table refuses is refused before a page opens, by name.
func TestFirefoxRefusesBeforeAPageOpens(t *testing.T) {
	t.Parallel()
	leftToFirefox(t)
	d := openFirefox(t)
	if info := d.Info(); !strings.HasPrefix(info.Model, "Firefox 1") || info.OSVersion == "" {
		t.Errorf("%+v", info)
	}
	for want, opts := range map[string]drivers.PageOptions{
		"connect does not work in Firefox":                    {Browser: dsl.Firefox, Connect: "http://127.0.0.1:1"},
		"colorScheme: no-preference does not work in Firefox": {ColorScheme: "no-preference"},
		"has a touch screen":                                  {DeviceName: "Pixel 7"},
		"permissions: camera does not work in Firefox":        {Permissions: []string{"camera"}},
	} {
		WantError(t, d.OpenPage(t.Context(), site.Page("index.html"), opts), drivers.ErrUnsupported, want)
		_, _, err := d.slot.Page()
		WantError(t, err, drivers.ErrPage, "no page is open")
	}
	Must(t, d.OpenPage(t.Context(), site.Page("index.html"), drivers.PageOptions{}))
	WantError(t, d.DarkMode(t.Context(), true), drivers.ErrUnsupported, "setDarkMode does not work in Firefox",
		"colorScheme")
	WantError(t, d.Swipe(t.Context(), image.Pt(300, 400), image.Pt(300, 100), 100*time.Millisecond),
		drivers.ErrUnsupported, "swipe does not work in Firefox")
}

// Each way round of the table does what it says. In the short mode, Firefox starts, is clicked and reports its place.
func TestFirefoxOnPages(t *testing.T) {
	t.Parallel()
	files := http.NewServeMux()
	files.HandleFunc("/file", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="in voice.txt"`)
		_, _ = w.Write([]byte("42 €"))
	})
	files.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(`<title>` + r.URL.Path + `</title><h1>` + r.URL.Path +
			`</h1><a id=file href=/file>File</a> <a id=next href=/two>Next</a>
			<p id=where></p><button onclick="navigator.geolocation.getCurrentPosition(p => where.textContent = ` +
			`p.coords.latitude + ' ' + p.coords.longitude, e => where.textContent = e.message)">Where</button>`))
	})
	server := httptest.NewServer(files)
	t.Cleanup(server.Close)
	d := openFirefox(t)
	Must(t, d.OpenPage(t.Context(), server.URL+"/one", drivers.PageOptions{
		Geolocation: &drivers.Coordinates{Latitude: 52.5, Longitude: 13.25}}))
	t.Run("download", func(t *testing.T) {
		leftToFirefox(t)
		path, err := d.Download(t.Context(), target("#file"), t.TempDir(), "")
		Must(t, err)
		if text, err := os.ReadFile(path); filepath.Base(path) != "in voice.txt" || string(text) != "42 €" {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	})
	t.Run("location", func(t *testing.T) {
		Must(t, d.ClickOn(t.Context(), target("button"), drivers.WebClick{}))
		mustShow(t, d, "#where", "52.5 13.25")
		Must(t, d.SetLocation(t.Context(), drivers.Coordinates{Latitude: 1.5, Longitude: 2.5}))
		Must(t, d.ClickOn(t.Context(), target("button"), drivers.WebClick{}))
		mustShow(t, d, "#where", "1.5 2.5")
	})
	t.Run("history", func(t *testing.T) {
		leftToFirefox(t)
		WantError(t, d.Navigate(t.Context(), "back", patience), drivers.ErrNotActionable, "no page to go back to")
		Must(t, d.ClickOn(t.Context(), target("#next"), drivers.WebClick{}))
		mustShow(t, d, "h1", "/two")
		Must(t, d.Navigate(t.Context(), "back", patience))
		mustShow(t, d, "h1", "/one")
		Must(t, d.Navigate(t.Context(), "forward", patience))
		mustShow(t, d, "h1", "/two")
		WantError(t, d.Navigate(t.Context(), "forward", patience), drivers.ErrNotActionable, "no page to go forward to")
	})
	t.Run("a page that goes on elsewhere", func(t *testing.T) { // Firefox responds while it does; Chromium waits
		leftToFirefox(t)
		goesOn(t, d, goWhenAsked)
		_, err := d.Eval(t.Context(), "setTimeout(() => location.href = '/hang')", patience)
		Must(t, err)
		if !until(t.Context(), patience, func() bool {
			r, err := d.Reader.LookIn(t.Context(), "", "#none")
			return err == nil &&
				!r.Loaded
		}) {
			t.Error("it counts as loaded while it is left")
		}
	})
	t.Run("offline", func(t *testing.T) {
		leftToFirefox(t)
		Must(t, d.Airplane(t.Context(), true))
		if on, err := d.Eval(t.Context(), "navigator.onLine", patience); on != false || err != nil {
			t.Errorf("%v, %v", on, err)
		}
		WantError(t, d.Navigate(t.Context(), server.URL+"/three", patience), drivers.ErrPage, "no network")
		Must(t, d.Airplane(t.Context(), false))
		Must(t, d.OpenPage(t.Context(), server.URL+"/three", drivers.PageOptions{}))
		mustShow(t, d, "h1", "/three")
	})
	t.Run("an address that cannot be reached", func(t *testing.T) {
		leftToFirefox(t)
		WantError(t, d.OpenPage(t.Context(), "http://127.0.0.1:9/", drivers.PageOptions{}), drivers.ErrPage)
		WantError(t, d.OpenPage(t.Context(), "http://nobody.invalid/", drivers.PageOptions{}), drivers.ErrPage,
			"there is no such host")
	})
}

// TestFirefoxHearsOfTheMouseEverywhere: on all of a page, also where its window would be too small.
func TestFirefoxHearsOfTheMouseEverywhere(t *testing.T) {
	t.Parallel()
	leftToFirefox(t)
	// Those that are larger than the screen start another Firefox.
	for _, size := range []image.Point{{}, {X: 390, Y: 844}, browser.FirefoxScreen,
		{X: browser.FirefoxScreen.X + 1, Y: 400},
		{X: 400, Y: browser.FirefoxScreen.Y + 1}, browser.FirefoxLargeScreen} {
		t.Run(size.String(), func(t *testing.T) {
			d := openFirefox(t)
			Must(t, d.OpenPage(t.Context(),
				dataPage(`<button id=corner style="position:fixed;right:0;bottom:0" `+
					`onclick="this.textContent='Pressed'">Corner</button>`), drivers.PageOptions{Viewport: size}))
			corner := byID(t, tree(t, d), "corner")
			d.Aim(corner)
			Must(t, d.Tap(t.Context(), *corner.Press))
			mustShow(t, d, "button", "Pressed")
		})
	}
}

// The ways of dragging: by the mouse, and by the events of HTML, also of what is draggable only while it is pressed.
func TestFirefoxDrags(t *testing.T) {
	t.Parallel()
	leftToFirefox(t)
	drags(t, openFirefox(t))
}

func drags(t *testing.T, d *device) {
	t.Helper()
	dragPage := dataPage(`<style>div{width:80px;height:80px;margin:10px;background:#ccc}</style><div id=html ` +
		`draggable=true>HTML</div><div id=mouse>Mouse</div><div id=late>Late</div><div id=own draggable=true>Own</div>` +
		`<div id=cart>Cart</div><p id=got></p>
		<p id=ends></p><script>
		for (const from of [html, late])
			from.addEventListener('dragstart', e => e.dataTransfer.setData('text/plain', 'milk'));
		cart.addEventListener('dragover', e => e.preventDefault());
		cart.addEventListener('drop', e => { e.preventDefault(); got.textContent = 'dropped ' + ` +
		`e.dataTransfer.getData('text/plain') });
		let down = false;
		mouse.addEventListener('pointerdown', () => down = true);
		cart.addEventListener('pointerup', () => { if (down) got.textContent = 'moved'; down = false });
		late.addEventListener('pointerdown', () => { late.draggable = true; ends.textContent = 'down' });
		own.addEventListener('dragstart', e => { e.preventDefault(); ends.textContent += ' start'; down = true });
		for (const type of ['pointerup', 'mouseup', 'click'])
			late.addEventListener(type, () => { ends.textContent += ' ' + type });
		</script>`)
	Must(t, d.OpenPage(t.Context(), dragPage, drivers.PageOptions{}))
	tr := tree(t, d)
	Must(t, d.Drag(t.Context(), centre(byID(t, tr, "html")), centre(byID(t, tr, "cart")), 200*time.Millisecond))
	mustShow(t, d, "#got", "dropped milk")
	// aimed, as every step of a test is
	for id, want := range map[string]string{"mouse": "moved", "html": "dropped milk", "late": "dropped milk"} {
		Must(t, d.OpenPage(t.Context(), dragPage, drivers.PageOptions{}))
		tr := tree(t, d)
		d.Aim(byID(t, tr, id))
		Must(t, d.Drag(t.Context(), centre(byID(t, tr, id)), centre(byID(t, tr, "cart")), 200*time.Millisecond))
		mustShow(t, d, "#got", want)
		d.Aim(byID(t, tr, "cart"))
		if err := d.Drag(t.Context(), centre(byID(t, tr, id)), centre(byID(t, tr, "cart")), 200*time.Millisecond); !errors.Is(
			err, drivers.ErrMissed) {
			t.Errorf("%s was dragged in place of the cart: %v", id, err)
		}
	}
	Must(t, d.OpenPage(t.Context(), dragPage, drivers.PageOptions{}))
	tr = tree(t, d)
	Must(t, d.Drag(t.Context(), centre(byID(t, tr, "late")), centre(byID(t, tr, "cart")), 200*time.Millisecond))
	mustShow(t, d, "#ends", "down") // a drag has no release and no click
	Must(t, d.Tap(t.Context(), centre(byID(t, tr, "late"))))
	mustShow(t, d, "#ends", "down pointerup mouseup click")

	Must(t, d.OpenPage(t.Context(), dragPage, drivers.PageOptions{}))
	tr = tree(t, d)
	Must(t, d.Drag(t.Context(), centre(byID(t, tr, "own")), centre(byID(t, tr, "cart")), 200*time.Millisecond))
	mustShow(t, d, "#got", "moved")
	starts, err := d.Eval(t.Context(), "ends.textContent.split('start').length - 1", patience)
	if n, _ := starts.(int); err != nil || n < 1 || n > 2 { // one by Taproot, one by the mouse in some browsers
		t.Errorf("it started %v times, %v", starts, err)
	}
}

// Light and dark are two processes, and what one shows the other does not.
func TestFirefoxIsDark(t *testing.T) {
	t.Parallel()
	leftToFirefox(t)
	d := openFirefox(t)
	for scheme, dark := range map[string]bool{"": false, "light": false, "dark": true} {
		Must(t, d.OpenPage(t.Context(), site.Page("index.html"), drivers.PageOptions{ColorScheme: scheme}))
		got, err := d.Eval(t.Context(), "matchMedia('(prefers-color-scheme: dark)').matches", patience)
		if err != nil || got != dark {
			t.Errorf("%q: %v, %v", scheme, got, err)
		}
	}
}

// A recording of Firefox is made of screenshots.
func TestFirefoxIsFilmed(t *testing.T) {
	t.Parallel()
	leftToFirefox(t)
	d := openFirefox(t)
	film, err := d.StartRecording(t.Context(), t.TempDir())
	Must(t, err)
	Must(t, d.OpenPage(t.Context(),
		dataPage(`<h1>Film</h1><script>let n = 0; setInterval(() => document.body.style.background = ['red', 'blue'][n++ % `+
			`2], 50)</script>`), drivers.PageOptions{}))
	_, err = d.Screenshot(t.Context())
	Must(t, err)
	clips, err := film.Stop(t.Context())
	Must(t, err)
	if len(clips) != 1 {
		t.Fatalf("%d films", len(clips))
	}
	if info, err := os.Stat(clips[0].Path); err != nil || info.Size() < 1000 {
		t.Errorf("%v, %v", info, err)
	}
}

// The finder, what is seen, and what is gone are the same in both browsers.
func TestBrowsersSeeTheSame(t *testing.T) {
	t.Parallel()
	leftToFirefox(t)
	page := dataPage(
		`<h1>Shop</h1><button disabled>Pay</button><label>Mail <input value="ada@example.com"></label><p hidden>Secret</p>
		<p style="position:absolute;left:-999px">Away</p><div style="position:relative"><p id=under>Under</p><div ` +
			`style="position:absolute;inset:0;background:white">Over</div></div>
		<select><option>One<option selected>Two</select><details><summary>More</summary>Inside</details><input ` +
			`type=checkbox checked aria-label=Terms>
		<my-box></my-box><script>document.querySelector('my-box').attachShadow({mode:'open'}).innerHTML = '<b>In the ` +
			`shadow</b>'</script>`)
	var seen [2][]string
	for i, browser := range []string{dsl.Chromium, dsl.Firefox} {
		d := open(t)
		Must(t, d.UseBrowser(t.Context(), browser))
		Must(t, d.OpenPage(t.Context(), page, drivers.PageOptions{}))
		for n := range tree(t, d).All {
			if n.Text != "" || n.Desc != "" {
				seen[i] = append(seen[i], lineOf(n))
			}
		}
	}
	if !slices.Equal(seen[0], seen[1]) {
		t.Errorf("Chromium:\n%s\n\nFirefox:\n%s", strings.Join(seen[0], "\n"), strings.Join(seen[1], "\n"))
	}
}

func lineOf(n *screen.Node) string {
	line := n.Type + " " + screen.Quote(n.Text) + " " + screen.Quote(n.Desc)
	for word, on := range map[string]bool{"hidden": n.Hidden} {
		if on {
			line += " " + word
		}
	}
	if n.Offscreen {
		line += " offscreen"
	}
	return line
}

// TestFirefoxTellsOfClosedRootsInHTML: such a root cannot be read, and the tree reports it as cut; roots that a script
// makes can be read. No page is requested twice.
func TestFirefoxTellsOfClosedRootsInHTML(t *testing.T) {
	t.Parallel()
	leftToFirefox(t)
	const declared = `<h1>Page</h1><div><template shadowrootmode="closed"><p>Secret</p></template></div>`
	pages := map[string]string{
		"/declared": declared,
		"/scripted": `<h1>Page</h1><div id=h></div><script>h.attachShadow({mode:'closed'}).innerHTML=` +
			`'<p>Secret</p>'</script>`,
		"/open":    `<h1>Page</h1><div><template shadowrootmode=open><p>Secret</p></template></div>`,
		"/framed":  `<h1>Page</h1><iframe src=/declared></iframe>`,
		"/large":   strings.Repeat("<!-- filler filler filler -->", 10_000) + declared,
		"/cached":  declared,
		"/pushed":  declared + `<script>history.pushState(0, '', '/elsewhere')</script>`,
		"/comment": `<h1>Page</h1><!-- ` + declared + ` --><script>const s = '` + declared + `'</script>`,
		"/form":    `<h1>Page</h1><form method=post action=/form><script>document.forms[0].submit()</script></form>`,
	}
	var mu sync.Mutex
	requests := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		requests[r.Method+" "+r.URL.Path]++
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch {
		case r.URL.Path == "/redirect":
			http.Redirect(w, r, "/declared", http.StatusFound)
			return
		case r.URL.Path == "/cached":
			w.Header().Set("Cache-Control", "max-age=3600")
		case r.Method == http.MethodPost:
			_, _ = w.Write([]byte("<!doctype html>" + declared))
			return
		}
		_, _ = w.Write([]byte("<!doctype html>" + pages[r.URL.Path]))
	}))
	t.Cleanup(server.Close)
	d := openFirefox(t)
	Must(t, d.OpenPage(t.Context(), server.URL+"/open", drivers.PageOptions{}))
	for _, c := range []struct {
		address     string
		cut, secret bool
	}{
		{"/declared", true, false}, {"/scripted", false, true}, {"/framed", true, false}, {"/open", false, true},
		{"/large", true, false}, {"/open", false, true}, {"/cached", true, false}, {"/open", false, true},
		{"/cached", true, false}, {"/cached#same-document", true, false}, {"/comment", false, false},
		{"/redirect", true, false}, {"/pushed", true, false}, {"/open", false, true},
		{"data:text/html;charset=utf-8," + url.PathEscape(declared), true, false}, {"about:blank", false, false},
		{"/form", true, false},
	} {
		address := c.address
		if strings.HasPrefix(address, "/") {
			address = server.URL + address
		}
		Must(t, d.Navigate(t.Context(), address, patience))
		if c.address == "/form" {
			until(t.Context(), patience, func() bool {
				tr, err := d.Tree(t.Context())
				return err == nil && !tr.Loading && tr.Cut() != ""
			})
		}
		if c.address == "about:blank" {
			continue // it has no elements
		}
		tr := tree(t, d)
		if cut := tr.Cut(); (cut != "") != c.cut || (find(tr, showing("Secret")) != nil) != c.secret {
			t.Errorf("%s: %q, %v", c.address, cut, tr.Texts(9))
		}
	}
	mu.Lock()
	defer mu.Unlock()
	for request, want := range map[string]int{"GET /large": 1, "GET /form": 1, "POST /form": 1, "GET /redirect": 1} {
		if requests[request] != want {
			t.Errorf("%s: %d requests, want %d", request, requests[request], want)
		}
	}
}

func TestBrowsersAreNamed(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{{dsl.Chromium, "156.0.7204.9", "Chromium 156"}, {dsl.Firefox, "153.7", "Firefox 153"},
		{dsl.WebKit, "2.50.6", "WebKit 2.50"}, {dsl.WebKit, "2", "WebKit 2"}, {dsl.Chromium, "", "Chromium"}} {
		if got := browser.ModelOf(c[0], c[1]); got != c[2] {
			t.Errorf("%s %s is called %q, not %q", c[0], c[1], got, c[2])
		}
	}
}
