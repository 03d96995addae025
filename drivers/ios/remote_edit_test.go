package ios

import (
	"errors"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	iossim "github.com/taproot-dev/taproot/internal/sim/ios"
	"github.com/taproot-dev/taproot/internal/sim/ios/appium"
)

// editScript adds fields of all kinds to the shop, and keeps the keys and changes that they got.
const editScript = `document.body.insertAdjacentHTML('afterbegin', '<input aria-label=Age type=number value=12>' +
	'<textarea aria-label=Notes>a&#10;b</textarea><div aria-label=Letter role=textbox contenteditable>Dear</div>' +
	'<input aria-label=Secret type=password><input aria-label=Code maxlength=3><input aria-label=Fixed readonly>'), ` +
	`window.log = [], ['keydown', 'input'].forEach(k => addEventListener(k, e => log.push(k + ' ' + e.data))), 0`

// field is what a field of editScript holds.
func (r *remotePage) field(label string) (text string) {
	r.t.Helper()
	must(r.t, r.phone.EvalWebView(r.t.Context(), webApp,
		`(f => f.value ?? f.innerText)(document.querySelector('[aria-label=`+label+`]') ?? mail)`, &text))
	return text
}

// focus touches a field, and reads the screen.
func (r *remotePage) focus(label string) {
	r.t.Helper()
	r.press(label)
	for !r.find(label).Node.Focused {
		must(r.t, r.t.Context().Err())
	}
}

// TestTextIntoPagesOfRemoteIPhones: fields of which accessibility has nothing are edited by a script, as a user's input
// does, and the report says that the page got no keys. A key is an error.
func TestTextIntoPagesOfRemoteIPhones(t *testing.T) {
	t.Parallel()
	r := openRemotePage(t, iossim.WebView{Mute: true})
	r.find("Pay now")
	_ = drivers.TakeWarnings(r.dev)
	must(t, r.phone.EvalWebView(t.Context(), webApp, editScript, nil))
	for _, c := range []struct {
		label, text string
		erase       int
		want        string
	}{
		{"E-mail", "ada é漢@example.com", 0, "ada é漢@example.com"},
		{"E-mail", "org", 3, "ada é漢@example.org"},
		{"E-mail", "x", -1, "x"},
		{"Age", "5", 1, "15"},
		{"Notes", "\nc", 0, "a\nb\nc"},
		{"Notes", "", 2, "a\nb"},
		{"Letter", " Ada", 0, "Dear Ada"},
		{"Letter", "Bob", 3, "Dear Bob"},
		{"Secret", "s3cret", 0, "s3cret"},
	} {
		r.focus(c.label)
		must(t, r.dev.(drivers.Editor).Erase(t.Context(), c.erase))
		r.tree()
		must(t, r.dev.Type(t.Context(), c.text))
		if got := r.field(c.label); got != c.want {
			t.Errorf("%s: %q instead of %q", c.label, got, c.want)
		}
	}
	var log []string
	must(t, r.phone.EvalWebView(t.Context(), webApp, `log`, &log))
	if len(log) < 10 || strings.Contains(strings.Join(log, "\n"), "keydown") {
		t.Errorf("%q", log)
	}
	for label, want := range map[string]string{"E-mail": "no keys such as Enter", "Fixed": "takes no text"} {
		r.focus(label)
		if err := r.dev.Type(t.Context(), map[string]string{"E-mail": "a\n", "Fixed": "a"}[label]); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", label, err)
		}
	}
	r.focus("E-mail")
	if err := r.dev.(drivers.Keys).Press(t.Context(), []string{"enter"}); err == nil ||
		!strings.Contains(err.Error(), "accessibility has nothing of the field") {
		t.Errorf("a key: %v", err)
	}
	if w := drivers.TakeWarnings(r.dev); len(w) != 1 || !strings.Contains(w[0], "edited by a script") {
		t.Error(w)
	}
	if n := r.Count("POST /element"); n != 0 {
		t.Errorf("%d commands for elements", n)
	}
	r.back()
}

// TestLostAnswerToTextIntoAPage: the text is not sent again. What the page shows then decides whether it has arrived.
func TestLostAnswerToTextIntoAPage(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{appium.Dropped, appium.HTML, appium.Cut, appium.Internal, appium.Gone} {
		for _, performed := range []bool{true, false} {
			t.Run(fault+map[bool]string{true: " performed", false: " not performed"}[performed], func(t *testing.T) {
				t.Parallel()
				r := openRemotePage(t, iossim.WebView{Mute: true})
				r.focus("E-mail")
				r.Set(func() { r.Fault, r.Faulty, r.Before, r.Once = fault, "script", !performed, true })
				err := r.dev.Type(t.Context(), "ada")
				lost := fault == appium.Dropped || fault == appium.HTML || fault == appium.Cut
				arrived := r.field("E-mail")
				if (err == nil) != (performed && lost) {
					t.Errorf("%v, the field holds %q", err, arrived)
				}
				if strings.Count(arrived, "ada") > 1 || err == nil && arrived != "ada" {
					t.Errorf("%v, the field holds %q", err, arrived)
				}
				if errors.Is(err, drivers.ErrNotActionable) && arrived != "" {
					t.Errorf("the caller would type again: %v, the field holds %q", err, arrived)
				}
				plain(t, err)
			})
		}
	}
}
