package classic

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
)

// An error of the server says nothing about the page.
func TestNotOpened(t *testing.T) {
	for want, err := range map[string]error{
		"net::ERR_INVALID_URL:": &webdriver.Error{Code: webdriver.InvalidArgument, Message: "'url' is invalid"},
		"net::ERR_TIMED_OUT":    &webdriver.Error{Code: webdriver.UnknownError, Message: "net::ERR_TIMED_OUT\n(…)"},
	} {
		if got := notOpened(err); !strings.HasPrefix(got.Error(), want) {
			t.Errorf("%v, want %s", got, want)
		}
	}
	for _, err := range []error{io.EOF, &webdriver.Error{Code: webdriver.UnknownError, Message: "the node is away"},
		&webdriver.Error{Code: webdriver.InvalidSession}} {
		if got := notOpened(err); !errors.Is(got, err) || strings.Contains(got.Error(), "net::") {
			t.Errorf("%v, want %v", got, err)
		}
	}
}
