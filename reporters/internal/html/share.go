package html

import "github.com/taproot-dev/taproot/internal/result/event"

// StyleSheet is the style of all pages, for other pages that must look the same.
func StyleSheet() ([]byte, error) { return assets.ReadFile("assets/style.css") }

// ThemeScript sets the theme that the user chose, before anything is drawn.
func ThemeScript() ([]byte, error) { return assets.ReadFile("assets/theme.js") }

// Sign is the symbol of a result, for places that are too small for a word.
func Sign(v event.Result) string { return sign(v) }

// Word is a result in words.
func Word(v event.Result) string { return word(v) }
