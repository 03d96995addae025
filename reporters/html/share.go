package html

import "github.com/taproot-dev/taproot/reporters/event"

// StyleSheet is the style of all pages, for pages of others that are to look alike.
func StyleSheet() ([]byte, error) { return assets.ReadFile("assets/style.css") }

// ThemeScript sets the theme that somebody chose, before anything is drawn.
func ThemeScript() ([]byte, error) { return assets.ReadFile("assets/theme.js") }

// Sign stands for a verdict where there is no room for a word.
func Sign(v event.Verdict) string { return sign(v) }

// Word is a verdict in words.
func Word(v event.Verdict) string { return word(v) }
