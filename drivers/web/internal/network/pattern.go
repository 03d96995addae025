package network

import (
	"fmt"
	"regexp"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/urlpattern"
)

// Compile makes a matcher of addresses from a pattern as drivers.WebEvent describes it.
func Compile(pattern string) (*regexp.Regexp, error) {
	re, err := urlpattern.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", screen.ErrNotFound, screen.Quote(pattern), err)
	}
	return re, nil
}

// Slashed returns what is between the slashes of /regex/.
func Slashed(pattern string) (string, bool) { return urlpattern.Slashed(pattern) }
