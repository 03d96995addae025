package ui

import (
	"context"
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// dialogParts are the ids that Android's dialogs give their parts: alerts of apps and of the system, the question for a
// permission, and the one about an app that does not respond.
type dialogParts struct{ text, accept, dismiss, other []string }

func dialogs() dialogParts {
	return dialogParts{
		text: []string{"android:id/alertTitle", "android:id/message", "permission_message", "detail_message"},
		accept: []string{"android:id/button1", "permission_allow_button", "permission_allow_foreground_only_button",
			"permission_allow_one_time_button",
			"permission_allow_all_button", "android:id/aerr_wait", "permission_allow_always_button"},
		dismiss: []string{"android:id/button2", "permission_deny_button", "permission_deny_and_dont_ask_again_button",
			"permission_no_upgrade_button", "permission_no_upgrade_and_dont_ask_again_button",
			"permission_no_upgrade_one_time_button",
			"permission_no_upgrade_one_time_and_dont_ask_again_button", "permission_dont_allow_more_selected_button",
			"android:id/aerr_close", "android:id/button3"},
		other: []string{"permission_allow_selected_button"}, // some of the photos: neither yes nor no
	}
}

// openDialog is a dialog on the screen.
type openDialog struct {
	texts           []string
	buttons         []*screen.Node
	accept, dismiss *screen.Node
	field           *screen.Node
}

// Toucher is the screen of a phone with dialogs, by whatever it is read and touched.
type Toucher interface {
	Tree(ctx context.Context) (*screen.Tree, error)
	// TapOn touches the middle of an element of the newest tree.
	TapOn(ctx context.Context, n *screen.Node) error
	Type(ctx context.Context, text string) error
	HideKeyboard(ctx context.Context) error
}

// Dialogs are the dialogs of Android on a screen, known by the ids of their parts.
type Dialogs struct {
	Screen Toucher
	Device string // its id, for messages

	mu      sync.Mutex
	buttons []image.Rectangle // of the dialog that was looked at last
}

// Alert finds a dialog by the ids of its parts: text alone, without a button to answer it, is none.
func (u *Dialogs) Alert(ctx context.Context) (*drivers.Alert, error) {
	tree, err := u.Screen.Tree(ctx)
	if err != nil {
		return nil, err
	}
	open := findDialog(tree)
	if open == nil {
		return nil, nil
	}
	u.noteButtons(open)
	a := &drivers.Alert{Text: strings.Join(open.texts, "\n")}
	for _, b := range open.buttons {
		a.Buttons = append(a.Buttons, b.Label())
	}
	a.Accept, a.Dismiss = open.actions()
	return a, nil
}

// actions are the buttons that accept and dismiss, "" where none does. An app's dialog with a single button is closed
// by that one in both ways; the system's, which may have unknown buttons, is not.
func (o *openDialog) actions() (accept, dismiss string) {
	yes, no := o.accept, o.dismiss
	only := o.buttons[0]
	if len(o.buttons) == 1 && strings.HasPrefix(only.ID, "android:id/button") {
		yes, no = only, only
	}
	if yes != nil {
		accept = yes.Label()
	}
	if no != nil {
		dismiss = no.Label()
	}
	return accept, dismiss
}

// noteButtons keeps where the buttons of a dialog are, and reports whether they were there in the read before as well.
func (u *Dialogs) noteButtons(open *openDialog) (rests bool) {
	var now []image.Rectangle
	for _, b := range open.buttons {
		now = append(now, b.Bounds)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	rests = slices.Equal(now, u.buttons)
	u.buttons = now
	return rests
}

const (
	dialogSlides = 5 * time.Second // a dialog that moves for longer is answered on its way
	dialogPause  = 50 * time.Millisecond
)

// AnswerAlert taps the button of that name, once the dialog is stationary: while it slides in, another button comes to
// where this one was.
func (u *Dialogs) AnswerAlert(ctx context.Context, name, text string) error {
	for end := time.Now().Add(dialogSlides); ; {
		rests, err := u.answer(ctx, name, text, time.Now().After(end))
		if rests && !errors.Is(err, drivers.ErrMissed) || err != nil && !errors.Is(err, drivers.ErrMissed) ||
			time.Now().After(end.Add(dialogSlides)) {
			return err
		}
		if err := drivers.Pause(ctx, dialogPause); err != nil {
			return err
		}
	}
}

// answer taps the button if the dialog has not moved since it was looked at before; false: it has.
func (u *Dialogs) answer(ctx context.Context, name, text string, anyway bool) (rests bool, err error) {
	tree, err := u.Screen.Tree(ctx)
	if err != nil {
		return false, err
	}
	open := findDialog(tree)
	if open == nil {
		return false, fmt.Errorf("device %s: %w: no dialog is open", u.Device, screen.ErrNotFound)
	}
	at := slices.IndexFunc(open.buttons, func(b *screen.Node) bool { return b.Label() == name })
	if at < 0 {
		return false, fmt.Errorf("device %s: %w: the dialog has no button %s", u.Device, screen.ErrNotFound,
			screen.Quote(name))
	}
	if !u.noteButtons(open) && !anyway {
		return false, nil
	}
	if text != "" {
		if open.field == nil {
			return false, fmt.Errorf("device %s: %w: the dialog has no field for a text", u.Device,
				drivers.ErrNotActionable)
		}
		if err := u.Screen.TapOn(ctx, open.field); err != nil {
			return true, err
		}
		if err := u.Screen.Type(ctx, text); err != nil {
			return true, err
		}
		if err := u.Screen.HideKeyboard(ctx); err != nil { // it may lie over the buttons, or have moved them
			return true, err
		}
		return true, u.AnswerAlert(ctx, name, "")
	}
	return true, u.Screen.TapOn(ctx, open.buttons[at])
}

func findDialog(t *screen.Tree) *openDialog {
	parts, open := dialogs(), openDialog{}
	for n := range t.All {
		if n.Hidden || n.Bounds.Empty() {
			continue
		}
		switch {
		case isPart(n, parts.text) && n.Text != "":
			open.texts = append(open.texts, n.Text)
		case isPart(n, parts.accept):
			open.buttons = append(open.buttons, n)
			if open.accept == nil {
				open.accept = n
			}
		case isPart(n, parts.dismiss):
			open.buttons = append(open.buttons, n)
			if open.dismiss == nil {
				open.dismiss = n
			}
		case isPart(n, parts.other):
			open.buttons = append(open.buttons, n)
		case n.Editable:
			open.field = n
		}
	}
	if len(open.buttons) == 0 {
		return nil
	}
	return &open
}

// isPart compares ids whole, or by their last part for those of the permission controller, which differ in their
// package.
func isPart(n *screen.Node, ids []string) bool {
	_, last, _ := strings.Cut(n.ID, ":id/")
	return n.ID != "" && (slices.Contains(ids, n.ID) || last != "" && slices.Contains(ids, last) &&
		strings.Contains(n.ID, "permission") ||
		strings.HasSuffix(n.Package, "packageinstaller") && slices.Contains(ids, last))
}

// Complaint returns the title of a dialog in which the system says that an app does not respond or has stopped; "": the
// window is none.
func Complaint(window *screen.Node) string {
	dialog := findIDs(window, func(id string) bool { return strings.HasPrefix(id, "android:id/aerr_") })
	if dialog == nil {
		return ""
	}
	if title := findIDs(window, func(id string) bool { return id == "android:id/alertTitle" }); title != nil {
		return title.Label()
	}
	return dialog.Label()
}

// findIDs returns the first element with an id that fits.
func findIDs(n *screen.Node, fits func(id string) bool) *screen.Node {
	if fits(n.ID) {
		return n
	}
	for _, c := range n.Children {
		if found := findIDs(c, fits); found != nil {
			return found
		}
	}
	return nil
}
