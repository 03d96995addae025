package testutil

import (
	"testing"
	"time"
)

// TestWhoEndsLateIsNoLeak checks that a goroutine counts as a leak only when the time has passed.
func TestWhoEndsLateIsNoLeak(t *testing.T) {
	late := make(chan struct{})
	done := make(chan struct{})
	go func() { <-late; close(done) }()
	if code := leaks(time.Time{}); code != 1 {
		t.Errorf("a goroutine that does not end: %d", code)
	}
	if code := CheckLeaks(2); code != 2 {
		t.Errorf("tests that failed: %d", code)
	}
	time.AfterFunc(time.Second, func() { close(late) })
	if code := CheckLeaks(0); code != 0 {
		t.Errorf("a goroutine that ends late: %d", code)
	}
	<-done
}
