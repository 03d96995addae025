package web

import (
	"context"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// alertOf waits for a dialog.
func alertOf(t *testing.T, d *device, text string) {
	t.Helper()
	var open *drivers.Alert
	there := until(t.Context(), patience, func() bool {
		var err error
		open, err = d.Alert(t.Context())
		Must(t, err)
		return open != nil
	})
	if !there || open.Text != text {
		t.Fatalf("the open dialog is %+v, not %q", open, text)
	}
}

func TestAnOpenDialogIsAnswered(t *testing.T) {
	t.Parallel()
	d := browse(t, "dialog.html")
	if open, err := d.Alert(t.Context()); open != nil || err != nil {
		t.Fatalf("%v, %v", open, err)
	}
	WantError(t, d.AnswerAlert(t.Context(), "OK", ""), screen.ErrNotFound, "no dialog")
	type row struct {
		id, says, text, log string
		accept              bool
	}
	for _, c := range testutil.Few(2, []row{
		{"alert", "Saved", "", "alert closed", true}, {"confirm", "Really?", "", "confirm true", true},
		{"confirm", "Really?", "", "confirm false", false},
		{"prompt", "Your name?", "Zoë", "prompt Zoë", true}, {"prompt", "Your name?", "", "prompt ", true},
		{"prompt", "Your name?", "x", "prompt null", false},
	}) {
		Must(t, d.ClickOn(t.Context(), target("#"+c.id), drivers.WebClick{}))
		alertOf(t, d, c.says)
		_, err := d.Screenshot(t.Context()) // it does not respond
		WantError(t, err, drivers.ErrNotReady, "dialog")
		Must(t, d.AnswerAlert(t.Context(), map[bool]string{true: "OK", false: "Cancel"}[c.accept], c.text))
		mustShow(t, d, "#log", c.log)
		if picture, err := d.Screenshot(t.Context()); err != nil || picture == nil {
			t.Errorf("afterwards: %v", err)
		}
	}
}

// OK returns the text that the field of a prompt has from the start.
func TestAPromptKeepsItsText(t *testing.T) {
	t.Parallel()
	d := display(t, `<button id=ask onclick="log.textContent = 'Hello ' + prompt('Who?', 'Ada')">Ask</button>
		<p id=log></p>`)
	Must(t, d.ClickOn(t.Context(), target("#ask"), drivers.WebClick{}))
	alertOf(t, d, "Who?")
	Must(t, d.AnswerAlert(t.Context(), "OK", ""))
	mustShow(t, d, "#log", "Hello Ada")
}

// One action may open several dialogs, one after the other; one may come when nothing is under way.
func TestDialogsInARow(t *testing.T) {
	t.Parallel()
	d := display(t, `<button id=two>Two</button><button id=later>Later</button><p id=log></p><script>
		two.onclick = () => { const a = prompt('One?'), b = confirm('Two?'); log.textContent = a + ' ' + b; };
		later.onclick = () => setTimeout(() => { log.textContent = 'later ' + confirm('Later?'); }, 300);</script>`)
	Must(t, d.ClickOn(t.Context(), target("#two"), drivers.WebClick{}))
	alertOf(t, d, "One?")
	Must(t, d.AnswerAlert(t.Context(), "OK", "uno"))
	alertOf(t, d, "Two?")
	Must(t, d.AnswerAlert(t.Context(), "OK", ""))
	mustShow(t, d, "#log", "uno true")
	Must(t, d.ClickOn(t.Context(), target("#later"), drivers.WebClick{}))
	alertOf(t, d, "Later?")
	Must(t, d.AnswerAlert(t.Context(), "OK", ""))
	mustShow(t, d, "#log", "later true")
}

func TestDialogsAreAnsweredAhead(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "TestAnOpenDialogIsAnswered and TestDialogsDoNotHang remain")
	d := open(t)
	Must(t, d.AnswerDialogs(t.Context(), drivers.WebAnswer{AtOnce: true, Accept: true, Text: "Grace"}))
	Must(t, d.OpenPage(t.Context(), site.Page("dialog.html"), drivers.PageOptions{}))
	for _, c := range [][2]string{{"confirm", "confirm true"}, {"prompt", "prompt Grace"}, {"alert", "alert closed"}} {
		Must(t, d.ClickOn(t.Context(), target("#"+c[0]), drivers.WebClick{}))
		mustShow(t, d, "#log", c[1])
	}
	if value, err := d.Eval(t.Context(), "confirm('sure?')", time.Minute); value != true || err != nil {
		t.Errorf("%v, %v", value, err)
	}
	Must(t, d.AnswerDialogs(t.Context(), drivers.WebAnswer{AtOnce: true}))
	Must(t, d.ClickOn(t.Context(), target("#confirm"), drivers.WebClick{}))
	mustShow(t, d, "#log", "confirm false")
	Must(t, d.AnswerDialogs(t.Context(), drivers.WebAnswer{}))
	// a script must not be stopped
	if value, err := d.Eval(t.Context(), "confirm('sure?')", time.Minute); value != false || err != nil {
		t.Errorf("%v, %v", value, err)
	}
	// A page that will not be left, and one with a dialog while it loads, stop nothing.
	Must(t, d.Navigate(t.Context(), "data:text/html,<script>alert('hello')</script><h1>There</h1>", 0))
	mustShow(t, d, "h1", "There")
}

func TestACancelledCallLeavesADialog(t *testing.T) {
	t.Parallel()
	d := visitPage(t, "dialog.html")
	Must(t, d.ClickOn(t.Context(), target("#confirm"), drivers.WebClick{}))
	alertOf(t, d, "Really?")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.AnswerAlert(ctx, "OK", ""); err == nil {
		t.Error("a cancelled call answers")
	}
	Must(t, d.Close())
}
