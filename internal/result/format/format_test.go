package format_test

import (
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/format"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"", format.Summary} {
		if err := format.Check("summary.json", good, format.Summary); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	err := format.Check("summary.json", "taproot.summary/2", format.Summary)
	for _, part := range []string{"summary.json", `"taproot.summary/2"`, `"taproot.summary/1"`} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not say %s", err, part)
		}
	}
}
