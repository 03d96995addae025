package testdevice

import (
	"os"
	"path"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/decide"
)

// DecidedAgain returns a function that takes the files of a report, and fails the test where recorded frames do not
// lead to their results again.
func DecidedAgain(t *testing.T) func(a event.Attachment, from string) {
	return func(a event.Attachment, from string) {
		if name := path.Base(a.Path); !strings.HasPrefix(name, "frames") || path.Ext(name) != ".ndjson" {
			return
		}
		f, err := os.Open(from)
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		list, err := decide.Read(f)
		if err != nil {
			t.Errorf("%s: %v", a.Path, err)
		}
		for _, r := range list {
			if r.Gone > 0 || r.Lacks != "" {
				continue
			}
			if now := r.Again(); !now.Equal(r.Result) {
				t.Errorf("step %d, %s %+v, decided again:\n got %+v\nwant %+v", r.Step, r.Want.Purpose, r.Want.Selector, now,
					r.Result)
			}
		}
	}
}
