package settings

import "testing"

// TestBefore compares versions of iOS.
func TestBefore(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{"15.8": true, "16.3.1": true, "16.4": false, "17": false, "": false,
		"18.1": false, "9": true} {
		if got := before(version, 16, 4); got != want {
			t.Errorf("%s: %v", version, got)
		}
	}
}
