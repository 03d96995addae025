package webview

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/taproot-dev/taproot/internal/devtools"
	"github.com/taproot-dev/taproot/internal/sim/android/ui"
)

// webDialog is an alert, a question or a prompt of a page, which a WebView shows as a dialog of the phone.
type webDialog struct {
	Message, Type, URL string
}

// event takes an event of a page.
func (a *webApp) event(e devtools.Event) {
	found, known := a.tabs.Load(e.Session)
	if !known {
		return
	}
	t := found.(*webTab)
	switch e.Method {
	case "Page.javascriptDialogOpening":
		var d webDialog
		if json.Unmarshal(e.Params, &d) == nil {
			t.show(&d)
		}
	case "Page.javascriptDialogClosed":
		t.show(nil)
	}
}

func (t *webTab) show(d *webDialog) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dialog = d
}

// answer closes the dialog, and reports whether there was one.
func (t *webTab) answer(accept bool) bool {
	t.mu.Lock()
	was := t.dialog
	t.dialog = nil
	t.mu.Unlock()
	if was == nil {
		return false
	}
	// the page may still wait for the end of the touch that has opened the dialog
	return t.app.sys.Work.Run(func() {
		ctx, cancel := context.WithTimeout(t.ctx, webTouch)
		defer cancel()
		_ = t.ask(ctx, "Page.handleJavaScriptDialog", map[string]any{"accept": accept}, nil)
	})
}

// dialogView is the dialog as the phone shows it.
func (t *webTab) dialogView(m ui.Metrics) *ui.View {
	t.mu.Lock()
	d := t.dialog
	t.mu.Unlock()
	if d == nil {
		return nil
	}
	w := m.Width() - 64
	root := &ui.View{Class: ui.ClassFrame, B: m.Rect(32, 240, w, 220), Fill: ui.RGB(0xece6f0),
		ID: "android:id/parentPanel"}
	title := m.Label("The page at \""+strings.TrimSuffix(d.URL, "/")+"\" says:", m.Rect(52, 256, w-40, 40))
	message := m.Label(d.Message, m.Rect(52, 300, w-40, 56))
	message.ID = "android:id/message"
	root.Add(title, message,
		m.Button("OK", "android:id/button1", m.Rect(40+w/2, 390, w/2-28, 48), func() { t.answer(true) }))
	if d.Type != "alert" {
		root.Add(m.Button("Cancel", "android:id/button2", m.Rect(52, 390, w/2-28, 48), func() { t.answer(false) }))
	}
	return root
}
