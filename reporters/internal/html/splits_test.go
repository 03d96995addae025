package html

import (
	"maps"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
)

// A test that passes in one browser and fails in another says so on the rows of both; each row of its data is a test of
// its own.
func TestSplitsBetweenBrowsers(t *testing.T) {
	t.Parallel()
	of := func(key, browser, model string, v event.Result) history.RunCase {
		return history.RunCase{Key: key, CaseResult: &event.CaseResult{Case: event.Case{Browser: browser, Model: model},
			Result: v}}
	}
	got := splits(&history.Run{Cases: []history.RunCase{
		of("buy--chromium", "chromium", "Chromium 156", event.Pass), of("buy--firefox", "firefox", "Firefox 153", event.Fail),
		of("rows--chromium--row-1", "chromium", "Chromium 156", event.Pass), of("rows--firefox--row-1", "firefox",
			"Firefox 153", event.Pass),
		of("rows--firefox--row-2", "firefox", "Firefox 153", event.Fail), of("phone", "", "Pixel 7", event.Fail),
	}})
	if want := map[int]string{0: "fail in Firefox 153", 1: "pass in Chromium 156"}; !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
}
