package touch

import (
	"encoding/xml"
	"fmt"
	"image"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers/ios/internal/source"
)

// sourceItem is an element of a source, as a test reads it.
type sourceItem struct {
	Attrs []xml.Attr   `xml:",any,attr"`
	Inner []sourceItem `xml:",any"`
}

func (e sourceItem) attr(name string) string {
	for _, a := range e.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// fitting lists the names of the elements that a predicate picks, in document order, as WebDriverAgent does.
func (e sourceItem) fitting(t *testing.T, predicate string) (names []string) {
	m := regexp.MustCompile(
		`^type == '(\w+)' AND rect\.x == (-?\d+) AND rect\.y == (-?\d+) ` +
			`AND rect\.width == (\d+) AND rect\.height == (\d+)$`).FindStringSubmatch(predicate)
	if m == nil {
		t.Fatalf("the predicate %q", predicate)
	}
	var walk func(e sourceItem)
	walk = func(e sourceItem) {
		if e.attr("type") == m[1] && e.attr("x") == m[2] && e.attr("y") == m[3] && e.attr("width") == m[4] &&
			e.attr("height") == m[5] {
			names = append(names, e.attr("name"))
		}
		for _, c := range e.Inner {
			walk(c)
		}
	}
	walk(e)
	return names
}

// TestPredicatePicksOneElement: the element with the handle from WebDriverAgent's response is the one that was
// decided on, or none is taken: where the answer has more or fewer, or the tree has another order.
func TestPredicatePicksOneElement(t *testing.T) {
	t.Parallel()
	taken, refused := 0, 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 58))
		var b strings.Builder
		n := 0
		var write func(depth int)
		write = func(depth int) {
			n++
			kind := []string{"Button", "Other", "StaticText", "Alert", "Cell"}[r.IntN(5)]
			fmt.Fprintf(&b,
				`<XCUIElementType%s type="XCUIElementType%s" name="n%d" label="Pay" enabled="true" visible="true" x="%d" y="%d" `+
					`width="%d" height="20">`,
				kind, kind, n, 10*r.IntN(2), 30*r.IntN(2), 40+10*r.IntN(2))
			for range r.IntN(3) * min(depth, 1) {
				write(depth - 1)
			}
			fmt.Fprintf(&b, `</XCUIElementType%s>`, kind)
		}
		b.WriteString(
			`<XCUIElementTypeApplication type="XCUIElementTypeApplication" name="app" x="0" y="0" width="100" height="200">`)
		for range 4 {
			write(3)
		}
		b.WriteString(`</XCUIElementTypeApplication>`)
		var doc sourceItem
		if err := xml.Unmarshal([]byte(b.String()), &doc); err != nil {
			t.Fatal(err)
		}
		tree, err := source.ReadTree([]byte(b.String()), image.Pt(300, 600), time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		for node := range tree.All {
			if !strings.HasPrefix(node.ID, "n") {
				continue
			}
			names := doc.fitting(t, placePredicate(node, 3))
			at, ok := sameAt(tree, node, len(names))
			if !ok {
				refused++
				continue
			}
			if taken++; names[at] != node.ID {
				t.Fatalf("seed %d: %s is taken for %s in\n%s", seed, names[at], node.ID, b.String())
			}
			if _, ok := sameAt(tree, node, len(names)+1); ok {
				t.Fatal("an answer of another screen is taken")
			}
		}
	}
	if taken < 5000 || refused == 0 {
		t.Errorf("%d taken, %d refused", taken, refused)
	}
}
