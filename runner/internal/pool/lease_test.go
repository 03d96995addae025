package pool

import (
	"os"
	"testing"
	"time"
)

// TestHolderIsReadWhole: a reader of the holder gets a complete record also while it is written again.
func TestHolderIsReadWhole(t *testing.T) {
	l := leases{t.TempDir(), time.Now}
	release, ok, err := l.try("A", "a test")
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	defer release()
	written := make(chan error)
	go func() {
		defer close(written)
		for range 500 {
			if err := l.note("A", Holder{PID: os.Getpid(), What: "a test", Who: "ada",
				Until: time.Now().Add(time.Hour)}); err != nil {
				written <- err
			}
		}
	}()
	for missed := 0; ; {
		select {
		case err, more := <-written:
			if err != nil {
				t.Error(err)
			}
			if !more {
				if missed > 0 {
					t.Errorf("%d times nobody had it", missed)
				}
				return
			}
		default:
			if h, ok := l.holder("A"); !ok || h.PID != os.Getpid() {
				missed++
			}
		}
	}
}
