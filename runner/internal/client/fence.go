package client

import (
	"crypto/rand"
	"strings"
)

// Fence marks texts from pages, screens, logs and images, so that an assistant does not take them for texts of this
// program (prompt injection). The mark is random for each session, so no page knows it, and it is removed from the
// texts inside.
type Fence struct{ mark string }

// NewFence returns the fence of a session.
func NewFence() Fence { return Fence{"x" + strings.ToLower(rand.Text()[:4])} }

// Open and Close return the two ends.
func (f Fence) Open() string  { return "<" + f.mark + ">" }
func (f Fence) Close() string { return "</" + f.mark + ">" }

// Inline marks a text within a line; an empty text does not change.
func (f Fence) Inline(text string) string {
	if strings.TrimSpace(text) == "" {
		return text
	}
	return f.Open() + f.clean(text) + f.Close()
}

// Block marks lines.
func (f Fence) Block(text string) string {
	if strings.TrimSpace(text) == "" {
		return text
	}
	return f.Open() + "\n" + strings.TrimRight(f.clean(text), "\n") + "\n" + f.Close()
}

func (f Fence) clean(text string) string { return strings.ReplaceAll(text, f.mark, "x") }
