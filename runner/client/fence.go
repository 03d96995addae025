package client

import (
	"crypto/rand"
	"strings"
)

// Fence marks texts that others wrote (pages, screens, logs, pictures), so that they cannot be taken for what we say:
// its mark is made anew for each session and known to no page, and taken out of what it surrounds.
type Fence struct{ mark string }

// NewFence makes the fence of a session.
func NewFence() Fence { return Fence{"x" + strings.ToLower(rand.Text()[:4])} }

// Open and Close are the two ends.
func (f Fence) Open() string  { return "<" + f.mark + ">" }
func (f Fence) Close() string { return "</" + f.mark + ">" }

// Inline surrounds a text within a line; a text of nothing stays as it is.
func (f Fence) Inline(text string) string {
	if strings.TrimSpace(text) == "" {
		return text
	}
	return f.Open() + f.clean(text) + f.Close()
}

// Block surrounds lines.
func (f Fence) Block(text string) string {
	if strings.TrimSpace(text) == "" {
		return text
	}
	return f.Open() + "\n" + strings.TrimRight(f.clean(text), "\n") + "\n" + f.Close()
}

func (f Fence) clean(text string) string { return strings.ReplaceAll(text, f.mark, "x") }
