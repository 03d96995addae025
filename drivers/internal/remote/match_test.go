package remote

import (
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
)

// TestUnmatched: the error of a session that does not open says what the user can change.
func TestUnmatched(t *testing.T) {
	capabilities := map[string]any{"browserName": "firefox", "x:options": map[string]any{"key": "s3cret"}}
	for message, want := range map[string]string{
		"Invalid Host header grid.example:4444": ": start geckodriver with --allow-hosts grid.example",
		"no firefox here":                       "(capabilities under remotes: browserName: firefox)",
		"something else":                        "(capabilities under remotes: browserName: firefox)",
		"the key is wrong":                      "(capabilities under remotes: x:options.key)",
	} {
		err := unmatched(&webdriver.Error{Code: webdriver.UnknownError, Host: "grid.example:4444", Message: message},
			capabilities)
		if !strings.HasSuffix(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", message, err)
		}
	}
}
