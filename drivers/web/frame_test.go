package web

import (
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// consentPage has a frame that removes itself when its button is clicked, and one within it.
const consentPage = `<h1>Shop</h1><div class=cmp><iframe id=consent title=Consent srcdoc="<button ` +
	`onclick='frameElement.remove()'>Accept</button>
	<iframe id=inner srcdoc='<p>Partners</p>'></iframe>"></iframe></div><p id=none></p>`

// wantAbsent checks that all waits for absence in a frame are met, with the warning or, if it is "", without one.
func wantAbsent(t *testing.T, d *device, frame, selector, warning string) {
	t.Helper()
	zero := 0
	for name, want := range map[string]drivers.WebCondition{"hidden": {Frame: frame, Hidden: true},
		"count 0": {Frame: frame, Count: &zero}} {
		seen := look(t, d, selector, want, patience)
		if !seen.Met || seen.Count != 0 || seen.Visible != 0 {
			t.Errorf("%s of %s in %s: %+v", name, selector, frame, seen)
		}
		if warning == "" && seen.Warning != "" || !strings.Contains(seen.Warning, warning) {
			t.Errorf("%s of %s in %s warns %q, want %q", name, selector, frame, seen.Warning, warning)
		}
	}
	for _, state := range []string{"hidden", "detached"} {
		said := ""
		at := inFrame(frame, selector)
		at.Warned = func(warning string) { said = warning }
		if err := d.WaitElement(t.Context(), at, state); err != nil {
			t.Errorf("%s of %s in %s: %v", state, selector, frame, err)
		}
		if warning == "" && said != "" || !strings.Contains(said, warning) {
			t.Errorf("%s of %s in %s warns %q, want %q", state, selector, frame, said, warning)
		}
	}
}

func TestAFrameThatIsGoneHoldsNothing(t *testing.T) {
	t.Parallel()
	for _, accept := range map[string]func(*device){
		"by selector": func(d *device) { Must(t, d.ClickOn(t.Context(), inFrame("#consent", "button"), drivers.WebClick{})) },
		"by label":    func(d *device) { tap(t, d, byLabel(t, tree(t, d), "Accept")) },
	} {
		d := display(t, consentPage)
		until(t.Context(), patience, func() bool { return find(tree(t, d), showing("Accept")) != nil })
		accept(d)
		for _, frame := range []string{"#consent", "#consent >> #inner", ".cmp iframe", "iframe[title=Consent]"} {
			wantAbsent(t, d, frame, "button", "")
		}
		wantAbsent(t, d, "#consnet", "button", `the frame "#consnet" was never seen on the page`)
		for _, state := range []string{"visible", "attached"} {
			at := inFrame("#consent", "button")
			at.Timeout = 300 * time.Millisecond
			WantError(t, d.WaitElement(t.Context(), at, state), screen.ErrNotFound, "the frame is not there", "#consent")
		}
		one := 1
		for _, want := range []drivers.WebCondition{{Frame: "#consent"}, {Frame: "#consent", Count: &one}} {
			_, err := d.Look(t.Context(), "button", want, 300*time.Millisecond)
			WantError(t, err, screen.ErrNotFound, "the frame is not there")
		}
	}
}

func TestAFrameThatIsHiddenHidesWhatItHolds(t *testing.T) {
	t.Parallel()
	for _, style := range []string{"display:none", "visibility:hidden", "opacity:0", "width:0;height:0;border:0"} {
		d := display(t, `<div style="`+style+`"><iframe id=f style="`+style+
			`" srcdoc="<button>Accept</button><p>Text</p>"></iframe></div>`)
		zero := 0
		if seen := look(t, d, "button", drivers.WebCondition{Frame: "#f", Hidden: true}, patience); !seen.Met ||
			seen.Count != 1 {
			t.Errorf("%s: %+v", style, seen)
		}
		if seen := look(t, d, "button", drivers.WebCondition{Frame: "#f", Count: &zero}, 300*time.Millisecond); seen.Met {
			t.Errorf("%s: there is no button: %+v", style, seen)
		}
		Must(t, d.WaitElement(t.Context(), inFrame("#f", "button"), "hidden"))
		Must(t, d.WaitElement(t.Context(), inFrame("#f", "button"), "attached"))
		at := inFrame("#f", "button")
		at.Timeout = 300 * time.Millisecond
		WantError(t, d.WaitElement(t.Context(), at, "visible"), screen.ErrNotFound, "did not become visible")
	}
}

// byLabel finds the one element that a tap on the label takes.
func byLabel(t *testing.T, tr *screen.Tree, label string) *screen.Node {
	t.Helper()
	matches, err := pick(tr, label, true)
	if err != nil || len(matches) == 0 {
		t.Fatalf("%s: %v, %v", label, matches, err)
	}
	return matches[0].Node
}
