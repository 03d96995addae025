package system

import (
	"slices"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/ui"
)

// Combination holds all keys but the last. The phone's lock is held.
func (s *Screen) Combination(keys []int) {
	if s.Web != nil {
		s.Web.Together(keys)
		return
	}
	f, last := s.Focus, keys[len(keys)-1]
	letter := last >= 29 && last <= 54
	switch {
	case f == nil || len(keys) != 2:
	case keys[0] == 59 && letter: // shift
		s.TypeText(string(rune('A' + last - 29)))
	case keys[0] != 113 && keys[0] != 114: // not control
	case last == 29: // A
		f.Selected = f.Text != ""
	case last == 31 && f.Selected: // C
		s.Clipboard = f.Text
	case last == 52 && f.Selected: // X
		s.Clipboard = f.Text
		f.Erase()
	case last == 50: // V
		s.TypeText(s.Clipboard)
	case last == 122:
		f.Behind = len([]rune(f.Text))
	case last == 123:
		f.Behind = 0
	}
}

// Key presses one key. The phone's lock is held.
func (s *Screen) Key(code int) {
	if s.lockKey(code) || s.Web != nil && s.Web.Key(code) {
		return
	}
	f := s.Focus
	switch code {
	case 3:
		s.home()
	case 4:
		s.Back()
	case 61:
		s.nextField()
	case 111:
		switch o := s.Opts; {
		case o.EscapeGoesBack:
			s.Keyboard = false
			s.Back()
		case !s.Keyboard || !o.DeafToEscape:
			s.Back() // which hides the keyboard if there is one
		}
	case 19, 20, 21, 22, 122, 123, 112:
		if f != nil {
			f.Move(code)
		}
	case 66, 160:
		s.Enter(f)
	case 67:
		if f != nil {
			f.Erase()
		}
	case 62:
		s.TypeText(" ")
	case 279:
		s.TypeText(s.Clipboard)
	default:
		switch {
		case code >= 29 && code <= 54:
			s.TypeText(string(rune('a' + code - 29)))
		case code >= 7 && code <= 16:
			s.TypeText(string(rune('0' + code - 7)))
		}
	}
}

// Enter is the enter key in a field.
func (s *Screen) Enter(f *ui.Field) {
	switch {
	case f == nil:
	case f.OnEnter != nil:
		f.OnEnter()
	default:
		s.nextField()
	}
}

// nextField moves the focus to the next text field of the active window.
func (s *Screen) nextField() {
	var fields []*ui.Field
	if w := s.Frame(time.Now()).Active(); w != nil {
		w.Root.Walk(func(v *ui.View) {
			if v.Field != nil {
				fields = append(fields, v.Field)
			}
		})
	}
	i := slices.Index(fields, s.Focus)
	if i+1 < len(fields) {
		s.Focus, s.Keyboard = fields[i+1], true
	}
}

// TypeText types into what has the focus.
func (s *Screen) TypeText(text string) {
	f := s.Focus
	switch {
	case s.Web != nil:
		s.Web.Typed(text)
		return
	case f == nil:
		return // keys without a focused element are lost
	}
	if f.Selected {
		f.Text, f.Selected, f.Behind = "", false, 0
	}
	for _, r := range text {
		if r == '\n' {
			s.Enter(f)
			continue
		}
		before, after := f.Split()
		f.Text = string(before) + string(r) + string(after)
		f = f.Changed()
		s.Focus = f
	}
}

// Pressed notes keys. The phone's lock is held.
func (s *Screen) Pressed(keys []int) { s.keys = append(s.keys, keys) }
