package client

import (
	"context"
	"strings"

	"github.com/taproot-dev/taproot/internal/source"
)

// What a call that acts can show afterwards.
const (
	thenDiff       = "diff"
	thenSnapshot   = "snapshot"
	thenScreenshot = "screenshot"
)

// FollowUps returns what a call that acts can show afterwards.
func FollowUps() []string { return []string{thenDiff, thenSnapshot, thenScreenshot} }

// answer returns a text answer, with the values and files of the steps.
func (c *Call) answer(said []string) *Answer {
	a := c.result
	a.Parts = []Part{{Text: strings.Join(said, "\n")}}
	return &a
}

// withSnapshot returns an answer with the screen that the call requested.
func (c *Call) withSnapshot(ctx context.Context, device string, said []string) (*Answer, error) {
	answer := c.answer(said)
	if c.Then == "" {
		return answer, nil
	}
	answer.Parts = append(answer.Parts, c.See(ctx, device).Parts...)
	return answer, nil
}

// See returns the screen that the call requested.
func (c *Call) See(ctx context.Context, device string) *Answer {
	if err := c.Screen(device).settle(ctx); err != nil {
		c.Log.Debug("the screen does not come to rest", "error", err)
	}
	var more *Answer
	var err error
	if c.Then == thenScreenshot {
		more, err = c.Screen(device).Screenshot(ctx, ScreenshotArgs{MaxPx: 1024, Format: "png"})
	} else {
		more, err = c.Screen(device).Look(ctx, View{Max: 500, Diff: c.Then == thenDiff})
	}
	if err != nil { // the action itself succeeded
		more = Text("not seen: " + c.Explain(ctx, err).Error())
	}
	return more
}

// Foreign marks a text of a page or a screen.
func (s *Client) Foreign(text string) string { return s.Fence.Inline(s.Mask.Text(text)) }

// Listed returns the references of the last snapshot of a device, each with its element.
func (s *Client) Listed(device string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Refs.lines(device)
}

// usedIn returns the exposed variables that a step uses.
func usedIn(v source.Value, exposed map[string]string) []string { return UsedNames(v, exposed) }
