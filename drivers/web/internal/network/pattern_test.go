package network

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/urlpattern"
)

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern, address string
		fits             bool
	}{
		{"https://a.b/c", "https://a.b/c", true}, {"https://a.b/c", "https://a.b/c#x", true},
		{"https://a.b/c", "https://a.b/c?x=1", false},
		{"https://a.b/c", "https://a.b/cd", false}, {"https://a.b/c", "https://aXb/c", false}, {"/c", "https://a.b/c", true},
		{"/c", "https://a.b/c?x=1#y", true}, {"/c", "https://a.b/d/c", false}, {"/c?x=1", "https://a.b/c?x=1", true},
		{"/c?x=1", "https://a.b/c?x=2", false}, {"/c#y", "https://a.b/c", false}, {"**/c", "https://a.b/d/e/c", true},
		{"https://a.b/*", "https://a.b/c", true}, {"https://a.b/*", "https://a.b/c/d", false},
		{"**/api/**", "https://a.b/api/x?y", true},
		{"**/*.{png,svg}", "https://a.b/x.svg", true}, {"**/*.{png,svg}", "https://a.b/x.gif", false},
		{"/id=[0-9]+/", "https://a.b/?id=12", true},
		{"/id=[0-9]+/", "https://a.b/?id=x", false}, {"/", "https://a.b/", true}, {"/{x", "https://a.b/{x", true},
		{"/a,b", "https://a.b/a,b", true},
	} {
		re, err := Compile(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
		} else if re.MatchString(c.address) != c.fits {
			t.Errorf("%s fits %s: %v, by %s", c.pattern, c.address, !c.fits, re)
		}
	}
	for _, bad := range []string{"", "/(/", strings.Repeat("x", 3000)} {
		if _, err := Compile(bad); !errors.Is(err, screen.ErrNotFound) {
			t.Errorf("%.20s: %v", bad, err)
		}
	}
}

func FuzzPattern(f *testing.F) {
	f.Add("/{a,{b}", "x")
	f.Add("\x91", "0")
	f.Add("**/*.{png,svg}", "https://a.b/x.svg")
	f.Fuzz(func(t *testing.T, pattern, address string) {
		re, err := Compile(pattern)
		if err == nil && re == nil || err != nil && !errors.Is(err, screen.ErrNotFound) {
			t.Fatalf("%v, %v", re, err)
		}
		fair := pattern != "" && len(pattern) <= urlpattern.MaxLength &&
			utf8.ValidString(pattern) && strings.Count(pattern, "{") < 500
		if _, slashes := Slashed(pattern); err != nil && !slashes && fair {
			t.Fatalf("%q is refused: %v", pattern, err)
		}
	})
}
