package work

import (
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/runner/remote/order"
)

// TestWorkingFolderOfOthers checks that a run with a working folder outside of its own archive, where the tests of
// other projects are, does not start, even if a hub sends it.
func TestWorkingFolderOfOthers(t *testing.T) {
	for _, dir := range []string{"..", "a/../../run-1", "/etc", "../run-1"} {
		why, err := (&Worker{}).run(t.Context(), order.Job{What: []byte(`{"file": "."}`)},
			order.Start{Go: true, Settings: order.Settings{Dir: dir}})
		if err != nil || !strings.Contains(why, "outside") {
			t.Errorf("%s: %q %v", dir, why, err)
		}
	}
	for _, dir := range []string{"", ".", "a/b", "a/../b"} {
		if err := (order.Settings{Dir: dir}).Check(); err != nil {
			t.Errorf("%q: %v", dir, err)
		}
	}
}
