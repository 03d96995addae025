package web

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// keptPage is a snapshot as a report reads it.
type keptPage struct {
	W, H   int
	Props  []string
	Styles [][]string
	Nodes  []struct {
		P    int
		T, X string
		A    []string
		B    []int
		S, F int
		I, L int
	}
	More int
}

func keptOf(t *testing.T, d *device) (keptPage, string) {
	t.Helper()
	var data []byte
	var err error
	until(t.Context(), patience, func() bool { // a page that is being laid out does not answer at once
		data, err = d.PageSnapshot(t.Context())
		return !errors.Is(err, drivers.ErrNotReady)
	})
	Must(t, err)
	var k keptPage
	Must(t, json.Unmarshal(data, &k))
	return k, string(data)
}

func (k keptPage) is(t *testing.T, tag string) int {
	t.Helper()
	for i, n := range k.Nodes {
		if n.T == tag {
			return i
		}
	}
	t.Fatalf("there is no <%s>", tag)
	return -1
}

func TestPageSnapshot(t *testing.T) {
	t.Parallel()
	d := reach(t,
		dataPage(`<style>h1 { color: rgb(1, 2, 3) } #gone { display: none }</style><h1 class="big" onclick="alert(1)">Shop `+
			`&lt;b&gt;</h1>
		<input type=password value=hush><input type=hidden value=token><input value=Ada><p id=gone>hidden</p>
		<form><input name=attributes><input name=childNodes><input name=firstChild></form>
		<div id=host></div><iframe srcdoc="<button>Inside</button>"></iframe><img `+
			`src="data:image/png;base64,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA">
		<script>document.getElementById("host").attachShadow({mode: "open"}).innerHTML = "<em>in the shadow</em>"</script>`),
		"") // its URL shows nothing of it
	k, raw := keptOf(t, d)
	h1 := k.Nodes[k.is(t, "h1")]
	if k.W != 1280 || k.H != 720 || !slices.Equal(h1.A, []string{"class", "big"}) || len(h1.B) != 4 || h1.B[2] < 100 {
		t.Errorf("%dx%d %+v", k.W, k.H, h1)
	}
	if color := k.Styles[h1.S][slices.Index(k.Props, "color")]; color != "rgb(1, 2, 3)" {
		t.Errorf("the colour is %s", color)
	}
	for _, want := range []string{`"x":"Shop <b>"`, "in the shadow", "Inside", `"x":"Ada"`, `"x":"••••"`} {
		if !strings.Contains(raw, want) {
			t.Errorf("%s is not in it", want)
		}
	}
	for _, bad := range []string{"hush", "token", "alert", "srcdoc", "hidden\"}", "AAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"attachShadow"} {
		if strings.Contains(raw, bad) {
			t.Errorf("%s is in it", bad)
		}
	}
	if inside := k.Nodes[k.is(t, "button")]; inside.B[0] < k.Nodes[k.is(t, "iframe")].B[0] ||
		inside.B[1] < k.Nodes[k.is(t, "iframe")].B[1] {
		t.Errorf("what is in a frame lies outside of it: %v", inside.B)
	}

	first := &d.Reader.Snapshot.Data[0]
	if _, last := keptOf(t, d); first != &d.Reader.Snapshot.Data[0] || last != raw {
		t.Error("a page that did not change was read as another one")
	}
	_, err := d.Eval(t.Context(), `document.querySelector("h1").textContent = "Cart"`, patience)
	Must(t, err)
	if _, changed := keptOf(t, d); !strings.Contains(changed, `"x":"Cart"`) {
		t.Error("the change is not in it")
	}
}

// A snapshot of a page that is hostile, or just large, stays small.
func TestPageSnapshotIsBounded(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "the page is huge; TestALargePageIsCut remains")
	d := display(t, `<script>
		let deep = document.body; for (let i = 0; i < 500; i++) deep = deep.appendChild(document.createElement("div"));
		for (let i = 0; i < 5000; i++) { const p = document.createElement("p"); p.title = "x".repeat(900); p.textContent = `+
		`"y".repeat(2500); p.style.cssText = "position:absolute;top:" + i % 700 + "px;color:rgb(" + i % 255 + "," + i % `+
		`251 + ",7)"; document.body.append(p) }
		</script>`)
	k, raw := keptOf(t, d)
	if len(raw) > 1<<20 || len(k.Nodes) > 4000 || k.More == 0 {
		t.Errorf("%d bytes, %d nodes, %d more", len(raw), len(k.Nodes), k.More)
	}
}

// An open dialog stays as it is.
func TestPageSnapshotLeavesDialogs(t *testing.T) {
	t.Parallel()
	d := display(t, `<button onclick="document.title = confirm('Sure?')">Ask</button>`)
	Must(t, d.ClickOn(t.Context(), target("button"), drivers.WebClick{}))
	alertOf(t, d, "Sure?")
	_, err := d.PageSnapshot(t.Context())
	WantError(t, err, drivers.ErrNotReady, "the page does not answer")
	alertOf(t, d, "Sure?")
	Must(t, d.AnswerAlert(t.Context(), "OK", ""))
	keptOf(t, d) // behind the dialog
}
