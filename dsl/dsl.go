package dsl

import (
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// MaxFileSize is the size, in bytes, of the largest file that Parse takes.
const MaxFileSize = source.MaxBytes

// Suggest returns the candidate that a mistyped word most likely means, or "".
func Suggest(word string, candidates []string) string { return phrase.Nearest(word, candidates) }

// Ptr returns the pointer that fields want which may be left out: dsl.Selector{Label: "News", Checked: dsl.Ptr(true)}.
func Ptr[T any](v T) *T { return &v }
