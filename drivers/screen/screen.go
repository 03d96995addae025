// Package screen holds what is on a screen, a tree of elements, and finds in it what a selector means: a Tree and a
// Selector go in, one element comes out, or why there is none. The code is in drivers/internal/screen; this is what
// other folders need of it.
package screen

import (
	"image"
	"time"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// Trace is what an element of one tree is found again by in a later one, when what names it may be gone.
type Trace = screen.Trace

// TraceOf returns the trace of an element.
func TraceOf(n *Node) Trace {
	return screen.TraceOf(n)
}

// Dated reports whether the value of a field of that kind is a date, a time or a part of them.
func Dated(picker string) bool {
	return screen.Dated(picker)
}

// ISOExample is a value as fields of that kind spell it, whatever they show; "" for fields without a date or a time.
func ISOExample(picker string) string {
	return screen.ISOExample(picker)
}

// PickedValue is the value of a date, a time or the like that a text means: in its own spelling (2026-11-22, 09:30), or
// as it is written where the parts of a date are in the given order, such as "dmy". A text that means none, or of which
// that is not certain, returns false.
func PickedValue(picker string, text string, order string) (string, bool) {
	return screen.PickedValue(picker, text, order)
}

// Quote shows foreign text in a message: quoted, control characters escaped, cut at 80 characters.
func Quote(s string) string {
	return screen.Quote(s)
}

// Describe shows a selector in a message.
func Describe(s dsl.Selector) string {
	return screen.Describe(s)
}

// Query is a selector and what it is for.
type Query = screen.Query

// Expression is a css selector or an XPath: one of the two is empty.
type Expression = screen.Expression

// Expressions lists what a selector, and those within it, say in css and XPath.
func Expressions(s dsl.Selector) []Expression {
	return screen.Expressions(s)
}

// Match is an element that a selector picks.
type Match = screen.Match

// AmbiguousError lists elements between which a selector does not decide.
type AmbiguousError = screen.AmbiguousError

// Node is one element of a screen. Text is what it shows, Desc what it reports to assistive technology, Hint what an
// empty field suggests; each is raw, as the device returned it.
type Node = screen.Node

// ControlValue is what a list, slider, or date field holds in addition to the text that it shows.
type ControlValue = screen.ControlValue

// Tree is the elements of a screen at one moment.
type Tree = screen.Tree

// Activity is what is known of a screen that may be about to change by itself.
type Activity = screen.Activity

// What is known of it.
const (
	Unknown = screen.Unknown
	Busy    = screen.Busy  // timers that end soon, or requests
	Quiet   = screen.Quiet // nothing
)

// NewTree links parents and numbers the elements; every driver makes its trees with it.
func NewTree(windows []*Node, size image.Point, taken time.Time) *Tree {
	return screen.NewTree(windows, size, taken)
}

// BareText is the type of a text that is not an element of its own on a page, but one of several in the element around
// it.
const BareText = screen.BareText

// TextPart is a part of a text that a selector requires: whole words, the start, or any part.
type TextPart = screen.TextPart

// TextParts lists the parts of shown texts that a selector, and those within it, ask for.
func TextParts(s dsl.Selector) []TextPart {
	return screen.TextParts(s)
}

// UnplacedError says that a relation refers to a part of a text, that the device does not say where in the text it is,
// and that this matters. It wraps ErrNotFound.
type UnplacedError = screen.UnplacedError

// ReadRecorded returns a tree that Record has recorded.
func ReadRecorded(data []byte) (*Tree, error) {
	return screen.ReadRecorded(data)
}

// What comes of a search that does not end with one element. Both blame the app or the test, not the device.
var (
	ErrNotFound  = screen.ErrNotFound
	ErrAmbiguous = screen.ErrAmbiguous
)

// Normalise makes texts comparable that are alike to a person: NFKC, case folded, invisible marks dropped, white space
// (NBSP too) collapsed and trimmed, and typographic quotation marks and dashes replaced by those of a keyboard: Android
// writes "Don’t allow" and "Wi‑Fi" (with U+2011), a tester does not. The four characters i of Turkish become one;
// SameText distinguishes them.
func Normalise(s string) string {
	return screen.Normalise(s)
}

// SameText reports whether two texts read alike: both normalised, they are equal. I is both i and ı in another case, İ
// is i in another case, and i and ı are two characters: "Giriş yap" is "GİRİŞ YAP", and "kır" is not "kir".
func SameText(a string, b string) bool {
	return screen.SameText(a, b)
}

// Alike returns the one of some texts that reads like another text. Where several do, letter case decides; ok is false
// where it does not.
func Alike(texts []string, want string) (found string, ok bool) {
	return screen.Alike(texts, want)
}

// SameValue reports whether two values of fields read alike: a space that keeps words together, or is narrow, is a
// space.
func SameValue(a string, b string) bool {
	return screen.SameValue(a, b)
}

// TextShows reports whether have contains want as whole words, both normalised: "Paid" is in "Status: Paid" and not in
// "Unpaid"; "5" is not in "15", "5.99", or "-5". An empty want is shown by an empty have only.
func TextShows(have string, want string) bool {
	return screen.TextShows(have, want)
}

// Typist is a Device that reports what the field that takes text shows, wherever the focus goes meanwhile. Its Type
// replaces what is selected, as the keys of a person do; it puts the caret behind the text only when a tap has brought
// the focus and selected nothing.
type Typist = screen.Typist

// Inserter is a Typist that can put a text in the place of what is selected as one change, without a key.
type Inserter = screen.Inserter

// CellTypist is a Typist with grids of cells that may open a field at the first key.
type CellTypist = screen.CellTypist

// Paster is a Device with a clipboard that its apps can fill themselves.
type Paster = screen.Paster

// Field is one that takes text, at one moment.
type Field = screen.Field

// TextOutcome is what a field made of a text that went into it.
type TextOutcome = screen.TextOutcome

const (
	// Whole: it is there, as it was typed or as the field writes it: spaces and marks added, in other case
	Whole   = screen.Whole
	Grown   = screen.Grown   // it is there, among characters or digits that were not typed
	Missing = screen.Missing // characters of it are missing, or all
)
