package dump

import (
	"context"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// fieldFacts is what a dump reports of a field in addition to its text. An empty field has its hint as its text,
// whatever else it says.
type fieldFacts struct {
	hintKnown             bool // the dump reports hints
	showing, showingKnown bool // whether the hint is shown
	selected              bool // there is a text before the caret
}

// settle distinguishes a field's text from its hint, as far as possible.
func (f fieldFacts) settle(n *screen.Node) {
	if f.showing && n.Hint == "" {
		n.Hint = n.Text
	}
	same := n.Text != "" && n.Text == n.Hint
	switch {
	case n.Text == "" || f.showingKnown && !f.showing || f.selected:
	case f.showing:
		if same {
			n.Text = ""
		}
	case n.Password && !masked(n.Text):
		if same || n.Hint == "" { // else it is one that shows what it holds
			n.Hint, n.Text = n.Text, ""
		}
	case same:
		n.Text, n.HintUnsure = "", true
	case !f.hintKnown && !n.Password:
		n.Hint, n.HintUnsure = n.Text, true
	}
}

// masks are the marks that stand for the characters of a password.
const masks = "•●*∙·⬤◦○■＊"

// masked reports whether a password field shows what was typed: marks, and for a moment the last character itself.
func masked(text string) bool {
	runes := []rune(text)
	rest := runes[:max(len(runes)-1, 0)]
	return len(runes) == 1 || strings.Trim(string(rest), masks) == ""
}

var (
	caretPlace = lazyregexp.New(`\bmCursorSelStart=(-?\d+) mCursorSelEnd=(-?\d+)`)
	editorHint = lazyregexp.New(`(?m)^\s*hintText=(.*?)(?: label=.*)?$`)
)

// AskCaret queries the input method service about the field that has the focus, when its text may be its hint: only in
// front of a text the caret is anywhere but at the start. What is unknown stays as it is.
func (u *Reader) AskCaret(ctx context.Context, t *screen.Tree) {
	n := t.Focused()
	if n == nil || !n.HintUnsure {
		return
	}
	if o, err := u.Phone.Run(ctx, adb.Command{Name: "dumpsys input_method", ReadOnly: true,
		Line: "dumpsys input_method"}); err == nil {
		settleByCaret(n, string(o.Out))
	}
}

func settleByCaret(n *screen.Node, dumpsys string) {
	shown := n.Hint
	if m := caretPlace.FindStringSubmatch(dumpsys); m != nil {
		if end, err := strconv.Atoi(m[2]); err == nil && end > 0 {
			if n.Text == shown { // the device reports no hints
				n.Hint = ""
			}
			n.Text, n.HintUnsure = shown, false
			return
		}
	}
	m := editorHint.FindStringSubmatch(dumpsys)
	if m == nil || m[1] == "null" || m[1] == "non-null" {
		return
	}
	switch hint := strings.TrimSpace(m[1]); {
	case hint == "":
	case hint == shown:
		n.Hint, n.Text = hint, ""
	default:
		n.Hint, n.HintUnsure = hint, false
	}
}
