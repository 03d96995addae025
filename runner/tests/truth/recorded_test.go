package truth_test

import (
	"image"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/drivers/web"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/client"
)

// recordedPages are ten of the pages: forms, lists, menus, tables and widgets as real ones have them.
var recordedPages = []string{"accordion", "calendar", "cards", "chips", "check-wrap", "backdrop", "carousel",
	"area-map", "chat-history", "attrs"}

// TestRecordedSelectors clicks every element that a person can, on saved screens of phones and on pages, as Studio
// records a click, and holds the step that is written down, read again from its YAML, against the very element: what it
// taps must lie in that one, and be that one.
func TestRecordedSelectors(t *testing.T) {
	var all, onPages, right, robust, places int
	screens := map[string]*screen.Tree{}
	files, err := filepath.Glob("testdata/trees/*.xml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if screens[filepath.Base(file)], err = readTree(file); err != nil {
			t.Fatal(err)
		}
	}
	least := 30
	if testing.Short() { // without the pages
		least = 20
	} else {
		readPages(t, screens)
	}
	for name, tree := range screens {
		scene := client.NewRefs().Identify(tree)
		for i, n := range scene.All() {
			if i == 150 { // the rest of a long list is like it
				break
			}
			at := n.Bounds.Min.Add(n.Bounds.Size().Div(2))
			if clicked := scene.At(at.X, at.Y); n.Offscreen || n.Hidden || clicked != n ||
				!(n.Clickable || n.Editable || n.Checkable) || !at.In(image.Rectangle{Max: tree.Size}) {
				continue
			}
			best := scene.Ranked(n, false)[0]
			if all++; !strings.HasSuffix(name, ".xml") {
				onPages++
			}
			if _, place := best.Selector.Get("point"); place {
				places++
			} else if best.Robust {
				robust++
			}
			if problem := tapsIt(tree, n, best); problem != "" {
				t.Logf("%s: %s: %s", name, scene.Words(n), problem)
				continue
			}
			right++
		}
	}
	t.Logf("%d screens, %d elements, %d of them on %d pages: the best selector picks exactly the clicked one for %d "+
		"(%.1f %%); %d are robust, %d are places", len(screens), all, onPages, len(recordedPages), right,
		100*float64(right)/float64(all), robust, places)
	if len(screens) < least || all < 100 || right < all {
		t.Errorf("%d of %d are right", right, all)
	}
}

// tapsIt reads the step as a test has it, and returns what is wrong with what it taps.
func tapsIt(tree *screen.Tree, n *screen.Node, best client.Candidate) string {
	def, _ := dsl.Lookup("tap")
	line := client.StepLine(def, best.Selector)
	_, rest, _ := strings.Cut(line, ":")
	sel, err := selectorOf("tap", "tap:"+rest)
	if err != nil {
		return err.Error()
	}
	if sel.Point != nil {
		if p := sel.Point; !p.Percent || !image.Pt(int(p.X*float64(tree.Size.X)/100), int(p.Y*float64(tree.Size.Y)/100)).In(
			n.Bounds) {
			return line + " lies beside it"
		}
		return ""
	}
	found, err := tree.Find(screen.Query{Selector: sel, Action: true, Reveal: tree.HitTested})
	switch {
	case err != nil:
		return line + ": " + err.Error()
	case len(found) != 1 || found[0].Node != n && found[0].Target != n && !found[0].Node.Within(n):
		return line + " picks another element"
	case !found[0].Point.In(n.Bounds):
		return line + " taps beside it"
	}
	return ""
}

// readPages adds the trees of pages.
func readPages(t *testing.T, screens map[string]*screen.Tree) {
	t.Helper()
	site := httptest.NewServer(http.FileServer(http.Dir("testdata/pages")))
	t.Cleanup(site.Close)
	driver := web.New(web.Options{Slots: 1})
	t.Cleanup(func() { _ = driver.Close() })
	d, err := driver.Open(t.Context(), "web-1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	for i, name := range recordedPages {
		address := site.URL + "/" + name + ".html"
		if i == 0 {
			err = d.(drivers.Browser).OpenPage(t.Context(), address, drivers.PageOptions{})
		} else {
			err = d.(drivers.Navigator).Navigate(t.Context(), address, time.Minute)
		}
		if err != nil {
			t.Fatal(err)
		}
		if screens[name], err = d.Tree(t.Context()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
}
