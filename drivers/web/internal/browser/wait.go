package browser

import (
	"context"
	"os"
	"time"

	"github.com/playwright-community/playwright-go"
)

const (
	startLimit = 2 * time.Minute  // on a busy machine Chromium needs half of one
	StopLimit  = 15 * time.Second // a busy machine needs some seconds to close a page
	TraceLimit = 15 * time.Second // for a trace to be packed, too
)

// removeDir removes a folder in which programs that were ended may still write for a moment.
func removeDir(dir string) {
	for end := time.Now().Add(StopLimit); os.RemoveAll(dir) != nil &&
		time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
	}
}

// Within runs f and waits for its end at most so long. f must end by itself when the browser or its process does.
func Within(limit time.Duration, f func()) bool {
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	return WaitFor(done, limit)
}

func WaitFor(done <-chan struct{}, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

const (
	// CallLimit bounds a call that reads or acts once.
	CallLimit = 15 * time.Second
	// ActGrace is how long an action may still take when its context ends: less than a second, long enough for a click
	// that has started to be delivered whole, and for a slice of a wait to end.
	ActGrace = 900 * time.Millisecond
)

type Outcome[T any] struct {
	Value T
	Err   error
}

// Pause waits, unless ctx ends first.
func Pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func Milliseconds(d time.Duration) *float64 {
	// 0 means "for ever" to Playwright.
	return playwright.Float(max(float64(d)/float64(time.Millisecond), 1))
}

// FramesUnder returns a frame and the frames within it that exist. playwright-go's Page.Frames returns frames that are
// detached in place of all others, and its ChildFrames keeps those that are detached.
func FramesUnder(frame playwright.Frame) []playwright.Frame {
	all := []playwright.Frame{frame}
	for _, child := range frame.ChildFrames() {
		if !child.IsDetached() {
			all = append(all, FramesUnder(child)...)
		}
	}
	return all
}
