package web

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/internal/webtest"
)

func text(s string) drivers.WebCondition { return drivers.WebCondition{Text: &s} }

func TestSignIn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, password, selector, shows string }{
		{"right", webtest.Password, "#welcome", "Welcome, Ada"},
		{"wrong", "guess", "#error", "Wrong email or password"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "wrong" {
				testutil.Leave(t, "the other page of it remains")
			}
			d := browse(t, "login.html")
			// The fields come 400 ms after the page.
			for selector, value := range map[string]string{"#email": webtest.User, "#password": c.password} {
				if err := d.Fill(t.Context(), selector, value, patience); err != nil {
					t.Fatal(err)
				}
			}
			tap(t, d, byID(t, tree(t, d), "submit"))
			mustShow(t, d, c.selector, c.shows)
		})
	}
}

func TestPaidIsNotUnpaid(t *testing.T) {
	t.Parallel()
	d := display(t, `<p id=status>Status: <b>Unpaid</b></p><p id=other>Paid</p>`)
	if seen := look(t, d, "#status", text("Paid"), 300*time.Millisecond); seen.Met || len(seen.Texts) != 1 ||
		seen.Texts[0] != "Status: Unpaid" {
		t.Errorf("Paid on Unpaid: %+v", seen)
	}
	if seen := look(t, d, "p", text("Paid"), patience); !seen.Met || seen.Count != 2 {
		t.Errorf("one of two shows it: %+v", seen)
	}
	if seen := look(t, d, "#status", text("status: unpaid"), patience); !seen.Met {
		t.Errorf("case and markup count: %+v", seen)
	}
}

func TestLookSeesOnlyWhatIsVisible(t *testing.T) {
	t.Parallel()
	d := browse(t, "hidden.html")
	for selector, visible := range map[string]bool{
		"#shown": true, "#none": false, "#invisible": false, "#transparent": false, "#inside-transparent": false,
		"#reader": false, "#folded": false, "#missing": false, "p": true,
	} {
		long := map[bool]time.Duration{true: patience, false: 300 * time.Millisecond}
		if seen := look(t, d, selector, drivers.WebCondition{}, long[visible]); seen.Met != visible {
			t.Errorf("%s visible: %+v", selector, seen)
		}
		if seen := look(t, d, selector, drivers.WebCondition{Hidden: true}, long[!visible]); seen.Met == visible {
			t.Errorf("%s hidden: %+v", selector, seen)
		}
	}
	for _, hidden := range []string{"Display none", "Visibility hidden", "Transparent", "Unpaid"} {
		if seen := look(t, d, "p", text(hidden), 200*time.Millisecond); seen.Met {
			t.Errorf("%q counts as shown", hidden)
		}
	}
	if seen := look(t, d, "#mixed", text("Paid"), patience); !seen.Met {
		t.Errorf("mixed: %+v", seen)
	}
}

func TestLookWaits(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "TestWaitElement and TestPayIsNotPaymentHistory wait as well")
	d := browse(t, "slow.html?then=700")
	if seen := look(t, d, "data-testid=state", text("Ready"), patience); !seen.Met {
		t.Errorf("%+v", seen)
	}
	d = browse(t, "spa.html")
	mustShow(t, d, "#view", "All goods")
	tap(t, d, find(tree(t, d), showing("Cart")))
	mustShow(t, d, "text=Your cart is empty", "Your cart is empty")
}

func TestHiddenWaitsForTheLoading(t *testing.T) {
	t.Parallel()
	// Until a page has loaded, "nothing is there" proves nothing.
	d := display(t, `<p id=x>Here</p><script>x.remove()</script>`)
	if seen := look(t, d, "#x", drivers.WebCondition{Hidden: true}, patience); !seen.Met || seen.Count != 0 {
		t.Errorf("a removed element: %+v", seen)
	}
}

func TestFillTellsWhyNot(t *testing.T) {
	t.Parallel()
	d := browse(t, "form.html")
	type row struct {
		selector, value string
		atOnce          bool // no waiting would help
		kind            error
		words           []string
	}
	for _, c := range testutil.Few(2, []row{
		{"#missing", "x", false, screen.ErrNotFound, []string{"nothing on the page matches", `"#missing"`}},
		{"#coupon", "x", false, drivers.ErrNotActionable, []string{"is disabled"}},
		{"#code", "x", false, drivers.ErrNotActionable, []string{"is read-only"}},
		{"#gift", "x", true, drivers.ErrNotActionable, []string{"checkbox"}},
		{"h1", "x", true, drivers.ErrNotActionable, []string{"<input>"}},
		{"#day", "tomorrow", true, drivers.ErrNotActionable, []string{"Malformed value"}},
		{"#amount", "five", true, drivers.ErrNotActionable, []string{"number"}},
		{"form input", "x", false, screen.ErrAmbiguous, []string{"name", "gift"}},
		{"p[", "x", true, screen.ErrNotFound, []string{"is not valid"}},
		{"nonsense=x", "x", true, screen.ErrNotFound, []string{"is not valid", "Unknown engine"}},
		{"xpath=//[", "x", true, screen.ErrNotFound, []string{"is not valid"}},
	}) {
		t.Run(c.selector, func(t *testing.T) {
			limit := 400 * time.Millisecond
			if c.atOnce {
				limit = time.Minute
			}
			WantError(t, d.Fill(t.Context(), c.selector, c.value, limit), c.kind, c.words...)
		})
	}
	_, err := d.Look(t.Context(), "p[", drivers.WebCondition{Hidden: true}, time.Second)
	WantError(t, err, screen.ErrNotFound, "is not valid")
}

func TestFillReplaces(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "TestFieldsOfEveryType and TestFillEndsWithTheText remain")
	d := browse(t, "form.html")
	for selector, value := range map[string]string{
		"#name": "Zoë 😀", "#notes": "two\nlines", "#amount": "7", "#day": "2031-05-04", "#pin": "1234",
	} {
		for _, v := range []string{"", value} {
			if v == "" && selector == "#day" {
				continue
			}
			if err := d.Fill(t.Context(), selector, v, patience); err != nil {
				t.Fatalf("%s: %v", selector, err)
			}
		}
	}
	_, page, err := d.slot.Page()
	if err != nil {
		t.Fatal(err)
	}
	if err := page.Locator("data-testid=send").Click(); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"name: Zoë 😀", "notes: two lines", "amount: 7", "day: 2031-05-04", "pin: 4 digits",
		"size: m"} {
		mustShow(t, d, "#summary li", line)
	}
}

func TestFillWaitsForAFieldToWork(t *testing.T) {
	t.Parallel()
	d := display(t, `<input id=f disabled><script>setTimeout(() => f.disabled = false, 1500)</script>`)
	if err := d.Fill(t.Context(), "#f", "done", patience); err != nil {
		t.Fatal(err)
	}
	if n := byID(t, tree(t, d), "f"); n.Text != "done" {
		t.Errorf("the field holds %q", n.Text)
	}
}

func TestACancelledFillLeavesThePageUsable(t *testing.T) {
	t.Parallel()
	d := display(t, `<input id=f disabled>`)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- d.Fill(ctx, "#f", "late", time.Minute) }()
	_ = browser.Pause(t.Context(), 200*time.Millisecond)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, err := d.Screenshot(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestLookInShadowRootsAndFrames(t *testing.T) {
	t.Parallel()
	d := browse(t, "shadow.html")
	mustShow(t, d, "#inner", "Shadow button")
	if err := d.Fill(t.Context(), "#nick", "ada", patience); err != nil {
		t.Fatal(err)
	}
	mustShow(t, d, "#log", "nick ada")
}

func TestMatchedElementsOfATree(t *testing.T) {
	t.Parallel()
	d := browse(t, "twice.html")
	tr := tree(t, d)
	found, err := d.Matched(t.Context(), tr, "button >> nth=1")
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || !found[byID(t, tr, "second")] {
		t.Errorf("%v", found)
	}
}
