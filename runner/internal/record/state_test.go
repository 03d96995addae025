package record_test

import (
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/runner/internal/record"
)

// TestRemember: a tab has no title while it is being closed; before, the step that closes it used its URL instead.
func TestRemember(t *testing.T) {
	now := []drivers.WebTab{{URL: "https://a.example/", Title: "Account"}, {URL: "https://a.example/terms"},
		{URL: "https://a.example/new"}}
	record.Remember([]drivers.WebTab{{URL: "https://a.example/", Title: "Old"},
		{URL: "https://a.example/terms", Title: "Terms"}, {URL: "https://a.example/other", Title: "Other"}}, now)
	if now[0].Title != "Account" || now[1].Title != "Terms" || now[2].Title != "" {
		t.Errorf("%v", now)
	}
}
