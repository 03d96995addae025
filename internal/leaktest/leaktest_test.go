package leaktest

import (
	"testing"
	"time"
)

// TestWhoEndsLateIsNoLeak: what goes on is one only when the time is over.
func TestWhoEndsLateIsNoLeak(t *testing.T) {
	late := make(chan struct{})
	done := make(chan struct{})
	go func() { <-late; close(done) }()
	if code := check(time.Time{}); code != 1 {
		t.Errorf("one that goes on: %d", code)
	}
	if code := Check(2); code != 2 {
		t.Errorf("of tests that failed: %d", code)
	}
	time.AfterFunc(time.Second, func() { close(late) })
	if code := Check(0); code != 0 {
		t.Errorf("one that ends late: %d", code)
	}
	<-done
}
