package action_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// TestAStepEndsInItsTime: what a step waits for one after the other does not add up to more than its time.
func TestAStepEndsInItsTime(t *testing.T) {
	t.Parallel()
	s := browser(t)
	file := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte("a"), 0o644); err != nil {
		t.Fatal(err)
	}
	soon := `<script>setTimeout(()=>document.querySelectorAll('[disabled]').forEach(e=>e.disabled=false),3500)</script>`
	cover := `<div style="position:fixed;inset:0;background:#fff"></div>`
	no := "nothing"
	for _, c := range testutil.Few(3, []struct {
		name, page string
		step       any
	}{
		{"a dialog that does not open", `<button id=f>Choose</button>`, dsl.WebUpload{Selector: "#f", Files: []string{file}}},
		{"a button below something, for files", `<button id=f>Choose</button>` + cover,
			dsl.WebUpload{Selector: "#f", Files: []string{file}}},
		{"a button that is disabled, for files", `<button id=f disabled>Choose</button>`,
			dsl.WebUpload{Selector: "#f", Files: []string{file}}},
		{"a download that does not begin", `<button id=f>Get</button>`, dsl.WebDownload{Selector: "#f"}},
		{"a text into a list", `<select id=f><option>A<option>B</select>`,
			dsl.Input{Text: "B", Into: &dsl.Selector{CSS: "#f"}}},
		{"a text into a list that is covered", `<select id=f><option>A<option>B</select>` + cover,
			dsl.Input{Text: "B", Into: &dsl.Selector{CSS: "#f"}}},
		{"a text into a button", `<button id=f>Choose</button>`, dsl.Input{Text: "B", Into: &dsl.Selector{CSS: "#f"}}},
		{"a field that is enabled late and keeps nothing", `<input id=f disabled oninput="this.value=''">` + soon,
			dsl.WebType{Selector: "#f", Text: "a"}},
		{"a list without the option, enabled late", `<select id=f disabled><option>A</select>` + soon,
			dsl.WebSelect{Selector: "#f", Label: []string{"B"}}},
		{"a box that is covered, enabled late", `<input id=f type=checkbox disabled>` + cover + soon,
			dsl.WebCheck{Selector: "#f", Checked: true}},
		{"a target that is not there", `<p id=f draggable=true>x</p>`, dsl.WebDrag{Selector: "#f", To: "#none"}},
		{"a field that takes nothing", `<input id=f oninput="this.value=''">`,
			dsl.Input{Text: "abc", Into: &dsl.Selector{CSS: "#f"}}},
		{"a text that does not come", `<p id=f>x</p>`, dsl.WebAssert{Selector: "#f", Text: &no}},
	}) {
		t.Run(c.name, func(t *testing.T) {
			visit(t, s, c.page)
			began := time.Now()
			_, _ = do(t, s, dsl.AssertNot{Selector: dsl.Selector{Label: "nothing of the kind"}})
			read := time.Since(began)
			s.Timeout = 4 * time.Second
			began = time.Now()
			result, err := do(t, s, c.step)
			if took := time.Since(began); err == nil || took > s.Timeout+2*time.Second+4*read {
				t.Errorf("%s after %s, of %s, and a read of %s: %v", result, took, s.Timeout, read, err)
			} else {
				t.Log(took, err)
			}
		})
	}
}
