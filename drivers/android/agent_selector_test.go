package android

import (
	"encoding/xml"
	"fmt"
	"image"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers/android/internal/agent"
	"github.com/taproot-dev/taproot/drivers/android/internal/dump"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

// agentElement is an element of the agent's tree, as a test reads it.
type agentElement struct {
	XMLName xml.Name
	Attrs   []xml.Attr     `xml:",any,attr"`
	Inner   []agentElement `xml:",any"`
}

func (e agentElement) attr(name string) string {
	for _, a := range e.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// firstMatch returns the bounds of the element that the agent returns for a selector: the first one in document order,
// the topmost window first. A UiSelector searches the active window only.
func firstMatch(doc agentElement, active, strategy, value string) string {
	fits := func(e agentElement) bool {
		switch strategy {
		case "id":
			return e.attr("resource-id") == value
		case "accessibility id":
			return e.attr("content-desc") == value
		}
		for _, part := range strings.Split(strings.TrimSuffix(strings.TrimPrefix(value, "new UiSelector()."), `")`), `").`) {
			method, want, _ := strings.Cut(part, `("`)
			name := map[string]string{"text": "text", "description": "content-desc", "resourceId": "resource-id",
				"className": "class"}[method]
			if name == "" || e.attr(name) != want {
				return false
			}
		}
		return true
	}
	var find func(e agentElement) string
	find = func(e agentElement) string {
		if fits(e) {
			return e.attr("bounds")
		}
		for _, c := range e.Inner {
			if found := find(c); found != "" {
				return found
			}
		}
		return ""
	}
	for _, window := range doc.Inner {
		if strategy == agent.BySelector && window.attr("window-id") != active {
			continue
		}
		if found := find(window); found != "" {
			return found
		}
	}
	return ""
}

// randomSource writes the agent's tree of some windows with few labels and ids, so that many are equal. Each element
// has bounds of its own.
type randomSource struct {
	*rand.Rand
	b strings.Builder
	n int
}

func (r *randomSource) one(list ...string) string { return list[r.IntN(len(list))] }

func (r *randomSource) element(window, depth int) {
	r.n++
	class := r.one("android.widget.TextView", "android.widget.Button", "android.widget.ImageButton",
		"android.widget.EditText", "android.view.ViewGroup")
	text := r.one("", "Sign in", "Sign in", "SIGN IN", "Back", "Say &quot;hi&quot;", "Home")
	fmt.Fprintf(&r.b, `<%s class="%s" text="%s" bounds="[%d,%d][%d,%d]" clickable="true" package="com.example"`, class,
		class, text, r.n, r.n, r.n+200, r.n+100)
	if strings.HasSuffix(class, "EditText") && r.IntN(2) == 0 {
		fmt.Fprintf(&r.b, ` hint="%s" showing-hint="true"`, text)
	}
	if desc := r.one("", "", "Back", "Home", "Sign in"); desc != "" {
		fmt.Fprintf(&r.b, ` content-desc="%s"`, desc)
	}
	if id := r.one("", "", "com.example:id/title", "com.example:id/go", "tag"); id != "" {
		fmt.Fprintf(&r.b, ` resource-id="%s"`, id)
	}
	fmt.Fprintf(&r.b, ` window-id="%d">`, window)
	if depth > 0 {
		for range r.IntN(3) {
			r.element(window, depth-1)
		}
	}
	fmt.Fprintf(&r.b, "</%s>", class)
}

// TestSelectorPicksOneElement: whatever is sent to the agent picks, by the agent's own rule, the element that was
// decided on. The windows of the system, which no test addresses, count.
func TestSelectorPicksOneElement(t *testing.T) {
	t.Parallel()
	sent := map[string]int{}
	for seed := range uint64(4000) {
		r := &randomSource{Rand: rand.New(rand.NewPCG(seed, 58))}
		windows := 1 + r.IntN(3)
		active := 1 + r.IntN(windows)
		r.b.WriteString(`<hierarchy rotation="0" width="1080" height="2400">`)
		var list []agent.Window
		for w := 1; w <= windows; w++ {
			r.element(w, 3)
			id, kind := w, 1
			if w != active && r.IntN(2) == 0 {
				kind = 3 // the system's
			}
			list = append(list, agent.Window{WindowID: &id, Type: kind, Layer: windows - w, IsActive: w == active,
				IsFocused: w == active})
		}
		r.b.WriteString(`</hierarchy>`)
		source := r.b.String()
		var doc agentElement
		if err := xml.Unmarshal([]byte(source), &doc); err != nil {
			t.Fatal(err)
		}
		got, err := dump.Parse([]byte(source))
		if err == nil {
			err = agent.Know(got, list, "phone")
		}
		if err != nil {
			t.Fatal(err)
		}
		all := agent.TakeCensus(got, true)
		got.Reachable()
		for n := range screen.NewTree(got.Windows, image.Pt(1080, 2400), time.Time{}).All {
			strategy, value, ok := all.Selector(n)
			if !ok {
				continue
			}
			sent[strategy]++
			want := fmt.Sprintf("[%d,%d][%d,%d]", n.Bounds.Min.X, n.Bounds.Min.Y, n.Bounds.Max.X, n.Bounds.Max.Y)
			if is := firstMatch(doc, fmt.Sprint(active), strategy, value); is != want {
				t.Fatalf("seed %d: %s %s, for %s, picks %s in\n%s", seed, strategy, value, want, is, source)
			}
		}
	}
	if sent["id"] < 500 || sent["accessibility id"] < 500 || sent[agent.BySelector] < 500 {
		t.Errorf("sent: %v", sent)
	}
}

// TestAgentTouchesOfTwoAlike: an element with a text or name that another one has as well, with an id or in a window of
// the system, is touched.
func TestAgentTouchesOfTwoAlike(t *testing.T) {
	t.Parallel()
	place, other := image.Rect(20, 400, 500, 460), image.Rect(20, 200, 500, 260)
	button := androidsim.Part{Class: "android.widget.Button", Text: "Sign in", Bounds: place, Clickable: true}
	bare := androidsim.Part{Class: "android.widget.FrameLayout", Bounds: place, Clickable: true,
		Parts: []androidsim.Part{{Text: "Sign in", Bounds: place.Inset(8)}}}
	title := androidsim.Part{ID: sceneApp + ":id/title", Text: "Sign in", Bounds: other}
	image1 := androidsim.Part{Class: "android.widget.ImageButton", Desc: "Back", Bounds: place, Clickable: true}
	bar := func(name string) []androidsim.Part {
		return []androidsim.Part{{Class: "android.widget.FrameLayout", Bounds: image.Rect(0, 1150, 540, 1200),
			Parts: []androidsim.Part{
				{Class: "android.widget.ImageView", Desc: name, Bounds: image.Rect(40, 1150, 120, 1200), Clickable: true},
			}}}
	}
	for name, c := range map[string]struct {
		shown androidsim.Shown
		find  func(n *screen.Node) bool
	}{
		"a title with an id and a button without": {androidsim.Shown{Page: []androidsim.Part{title, button}},
			func(n *screen.Node) bool { return n.Text == "Sign in" && n.ID == "" }},
		"a title with an id and a label in a button": {androidsim.Shown{Page: []androidsim.Part{title, bare}},
			func(n *screen.Node) bool { return n.Text == "Sign in" && n.ID == "" }},
		"the title itself": {androidsim.Shown{Page: []androidsim.Part{button, title}},
			func(n *screen.Node) bool { return n.ID != "" }},
		"a button Back over a bar with one": {androidsim.Shown{Page: []androidsim.Part{image1},
			Above: bar("Back")}, func(n *screen.Node) bool { return n.Desc == "Back" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, p := onScene(t, func(androidsim.Moment) androidsim.Shown { return c.shown })
			waitNode(t, d, map[bool]string{true: "Back", false: "Sign in"}[c.shown.Above != nil])
			var n *screen.Node
			for o := range agentTree(t, d).All {
				if c.find(o) {
					n = o
				}
			}
			d.Aim(n)
			if err := d.Tap(t.Context(), centre(n)); err != nil || len(p.Taps()) != 1 {
				t.Errorf("%s: %v, %v", n, err, p.Taps())
			}
		})
	}
}

// TestAgentWritesIntoTheField: a view around the field that has the focus, too, does not get the text.
func TestAgentWritesIntoTheField(t *testing.T) {
	t.Parallel()
	entry := androidsim.NewEntry("", false)
	field := androidsim.Part{Class: "android.widget.EditText", ID: sceneApp + ":id/note",
		Bounds: image.Rect(20, 400, 500, 460), Clickable: true, Entry: entry}
	page := []androidsim.Part{{Class: "android.view.ViewGroup", SharesFocus: true, Bounds: image.Rect(0, 380, 540, 500),
		Parts: []androidsim.Part{field}}}
	d, p := onScene(t, func(androidsim.Moment) androidsim.Shown { return androidsim.Shown{Page: page} })
	tapOn(t, d, "note")
	if err := d.Type(t.Context(), "Grüße"); err != nil || p.EntryText(entry) != "Grüße" {
		t.Errorf("%v: %q", err, p.EntryText(entry))
	}
}
