package screen

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Typist is a Device that reports what the field that takes text shows, wherever the focus goes meanwhile. Its Type
// replaces what is selected, as the keys of a person do; it puts the caret behind the text only when a tap has brought
// the focus and selected nothing.
type Typist interface {
	// Field returns the field that takes text now, nil when none does; other says then what has the focus, "" when nothing
	// has.
	Field(ctx context.Context) (field *Field, other string, err error)
	// FieldAgain reads the same field again. One that is gone, because the page was left or has taken it away, has Gone
	// set.
	FieldAgain(ctx context.Context, f *Field) (*Field, error)
}

// Inserter is a Typist that can put a text in the place of what is selected as one change, without a key.
type Inserter interface {
	Insert(ctx context.Context, text string) error
}

// CellTypist is a Typist with grids of cells that may open a field at the first key.
type CellTypist interface {
	// CellInFocus reports whether such a cell, and no field, has the focus.
	CellInFocus(ctx context.Context) (bool, error)
}

// Paster is a Device with a clipboard that its apps can fill themselves.
type Paster interface {
	// SetClipboard puts a text on the clipboard.
	SetClipboard(ctx context.Context, text string) error
	// Clipboard returns what was put there last, by SetClipboard or by the app; "" when nothing was.
	Clipboard(ctx context.Context) (string, error)
	// Paste pastes the clipboard where the focus is. What the app makes of that is its own affair: it may refuse.
	Paste(ctx context.Context) error
}

// Field is one that takes text, at one moment.
type Field struct {
	// Node holds what is known of it: its type, id, hint, and as Text what a person reads in it, dots for a secret one.
	Node
	Name   string // what messages call it
	Handle any    // the driver's own

	// Head, Picked and Tail are the text before, in and behind the selection, where Known.
	Head, Picked, Tail string
	Known              bool
	// Value is another reading of the same field, where what takes the text is not what shows it; "" otherwise.
	Value string
	// Editor: it may close brackets, indent lines and replace quotes by itself. It can have several lines.
	Editor bool
	// Lines: a new line need not send it off.
	Lines bool
	// Painted: what it shows is an image, so that Text is not what a person reads in it.
	Painted bool
	// Picker is the kind of a field with a value that is picked rather than written (date, time, range …), "" for others.
	Picker string
	// Order is the order of day, month and year in which the app writes dates, as "dmy", where the device knows.
	Order string
	// Parts are the boxes of a field of several, such as a one-time code; At is the one that takes text now, -1 for none
	// of them.
	Parts []string
	At    int
	// Invalid says why the app does not accept what the field holds, "" when it does. Unfinished: it holds something that
	// is not a value.
	Invalid    string
	Unfinished bool
	// Gone: it is on the screen no more. Elsewhere names what has the focus in its place, Taken what that shows.
	Gone             bool
	Elsewhere, Taken string
	// Robbed names the field that the last touch met, when this one has taken the focus from it: what is typed is meant
	// for that one.
	Robbed string
	// Rest is what the app had on its way when the field was read, where the device knows. Late: something of that was due
	// already.
	Rest Activity
	Late bool
	// Refused: the app has kept characters from being written, where the device knows.
	Refused bool
}

// TextOutcome is what a field made of a text that went into it.
type TextOutcome int

const (
	// Whole: it is there, as it was typed or as the field writes it: spaces and marks added, in other case
	Whole   TextOutcome = iota
	Grown               // it is there, among characters or digits that were not typed
	Missing             // characters of it are missing, or all
)

// Follows reports whether all of a text is in another one, in its order: Whole when there is nothing between its
// characters but spaces and marks. A separator may have become another one: 12-34 is written as 12 34.
func Follows(have, want string) TextOutcome {
	rest := []rune(Normalise(want))
	more, parted := false, false
	drop := func() { // separators that the field writes in its own way
		for parted && len(rest) > 0 && strings.ContainsRune(separators, rest[0]) {
			rest = rest[1:]
		}
	}
	for _, r := range Normalise(have) {
		written := unicode.IsLetter(r) || unicode.IsDigit(r)
		if written && len(rest) > 0 && rest[0] != r {
			drop()
		}
		switch {
		case len(rest) > 0 && rest[0] == r:
			rest, parted = rest[1:], false
		case written:
			more = true
		case strings.ContainsRune(separators, r):
			parted = true
		}
	}
	drop()
	switch {
	case len(rest) > 0:
		return Missing
	case more:
		return Grown
	}
	return Whole
}

// separators stand between the parts of a number, a date or a code.
const separators = " -/.,:()_'"

// Accepts judges what the field shows now against what went into it as before.
func (f *Field) Accepts(now *Field, typed string) TextOutcome {
	switch {
	case f.Picker != "":
		return f.picked(now, typed)
	case len(f.Parts) > 0:
		return f.inParts(now, typed)
	case f.Password || now.Password:
		return f.counted(now, typed)
	}
	how := f.wrote(f.Text, now.Text, typed)
	if how == Whole && f.Lines && torn(now.Text, f.Head, typed) {
		how = Missing
	}
	if how != Whole && f.Editor && now.Value != "" && f.keeps(now) && f.wrote(f.Value, now.Value, typed) == Whole {
		return Whole
	}
	return how
}

// keeps reports whether the value of a field that only takes the keys says what the app made of them. A box of several
// lines that an editor reads its keys from may keep what the editor has refused: what is drawn must change as well,
// where it is a text.
func (f *Field) keeps(now *Field) bool { return !f.Lines || f.Painted || now.Text != f.Text }

// torn reports whether a line of the text ends within a word that was typed as one. Head is what is before it, which
// may end a line.
func torn(have, head, typed string) bool {
	rest := []rune(strings.ToLower(have))
	within := false
	begins := utf8.RuneCountInString(strings.ToLower(head))
	for i, r := range []rune(strings.ToLower(head) + strings.ToLower(typed)) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			within = false
			continue
		}
		at := slices.Index(rest, r)
		if at < 0 {
			return false
		}
		if within && i > begins && slices.Contains(rest[:at], '\n') {
			return true
		}
		rest, within = rest[at+1:], true
	}
	return false
}

// wrote compares two readings of a field's text.
func (f *Field) wrote(before, now, typed string) TextOutcome {
	whole := f.Head + typed + f.Tail
	if f.Known && now == whole {
		return Whole
	}
	// What the field makes of the text is compared first: 1,250 of 1250, also where it showed that before and all was
	// selected.
	if f.Known && (now != before || f.Picked != "") && alphanumerics(typed) != "" && Follows(now, whole) == Whole {
		return Whole
	}
	if now == before {
		return Missing
	}
	removed, added := difference(before, now)
	how := Follows(added, typed)
	switch {
	case f.Known && f.Picked != "" && how != Whole && completes(alphanumerics(now), alphanumerics(whole)) &&
		!inserted(alphanumerics(before), alphanumerics(now), alphanumerics(typed)):
		return Grown
	case f.Known && f.Picked != "" && removed == "": // what was selected is still there
		return Missing
	case f.Known && bare(now) == bare(f.Head+typed+f.Tail):
		return Follows(now, f.Head+typed+f.Tail)
	case how != Whole && Follows(now, f.Head+typed+f.Tail) == Whole:
		return Whole
	}
	replaced := f.Known && f.Picked != "" && !f.Editor
	if how == Missing && !replaced && Follows(now, typed) == Grown && strings.Contains(Normalise(now), Normalise(typed)) {
		return Whole // the text around it changed as well: a scrolled editor, a list of suggestions
	}
	return how
}

// completes reports whether a text is another one that the field has completed: 1250 with its cents, or with a currency
// before it.
func completes(now, typed string) bool {
	before, ends := strings.CutSuffix(now, typed)
	return typed != "" && now != typed &&
		(strings.HasPrefix(now, typed) || ends && !strings.ContainsFunc(before, unicode.IsDigit))
}

// inserted reports whether a text is another one with more put into it somewhere.
func inserted(before, now, more string) bool {
	if len(now) != len(before)+len(more) {
		return false
	}
	for at := range len(before) + 1 {
		if now == before[:at]+more+before[at:] {
			return true
		}
	}
	return false
}

// difference returns what two texts do not have in common at their ends.
func difference(before, now string) (removed, added string) {
	a, b := []rune(before), []rune(now)
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return string(a), string(b)
}

// bare is a text without its white space.
func bare(s string) string { return strings.Join(strings.Fields(s), "") }

// counted judges a secret field by the number of its characters.
func (f *Field) counted(now *Field, typed string) TextOutcome {
	have, want := len([]rune(now.Text)), len([]rune(f.Text))-len([]rune(f.Picked))+len([]rune(typed))
	switch {
	case have == want:
		return Whole
	case have > want:
		return Grown
	}
	return Missing
}

// inParts judges a field of several boxes: from the one that had the focus on they hold the text, and the others what
// they held.
func (f *Field) inParts(now *Field, typed string) TextOutcome {
	if len(now.Parts) != len(f.Parts) || f.At < 0 {
		return Follows(strings.Join(now.Parts, ""), typed)
	}
	want := alphanumerics(typed)
	for i := f.At; i < len(now.Parts); i++ {
		part := alphanumerics(now.Parts[i])
		if want == "" {
			if now.Parts[i] != f.Parts[i] {
				return Grown
			}
			continue
		}
		short := strings.TrimLeft(part, "0") // a day 7 is shown as 07
		switch {
		case part != "" && strings.HasPrefix(want, part):
			want = want[len(part):]
		case short != "" && strings.HasPrefix(want, short):
			want = want[len(short):]
		case f.Type != "input" && short != "" && strings.HasPrefix(strings.TrimLeft(want, "0"), short):
			// 07 as 7, in a segment of a date
			want = strings.TrimLeft(want, "0")[len(short):]
		case i == f.At && f.Parts[i] != "" && strings.HasPrefix(part, alphanumerics(f.Parts[i])) &&
			strings.HasPrefix(want, part[len(alphanumerics(f.Parts[i])):]):
			want = want[len(part)-len(alphanumerics(f.Parts[i])):]
		default:
			return Missing
		}
	}
	if want != "" {
		return Missing
	}
	return Whole
}

// alphanumerics are the alphabetic characters and digits of a text, in lower case.
func alphanumerics(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// picked judges the value of a date, a time or the like against what was meant; that of a range or a colour as a number
// or a text.
func (f *Field) picked(now *Field, typed string) TextOutcome {
	value := now.Text
	if value == "" || now.Unfinished {
		return Missing
	}
	if Dated(f.Picker) {
		if meant, ok := PickedValue(f.Picker, typed, f.Order); ok && sameMoment(value, meant) {
			return Whole
		}
		return Missing
	}
	if strings.EqualFold(value, typed) {
		return Whole
	}
	have, err := strconv.ParseFloat(value, 64)
	want, wrong := strconv.ParseFloat(strings.TrimSpace(typed), 64)
	if err == nil && wrong == nil && have == want {
		return Whole
	}
	return Missing
}

// numbers are the runs of digits in a text.
func numbers(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}
