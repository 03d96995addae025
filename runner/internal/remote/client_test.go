package remote

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// TestWhatAHubSays checks that the error for each wrong URL and key says what to do.
func TestWhatAHubSays(t *testing.T) {
	t.Parallel()
	answers := func(status int, text string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(text))
		})
	}
	for _, c := range []struct {
		h                       http.Handler
		method, path, key, want string
	}{
		{answers(401, `{"message": "send a credential"}`), "GET", "farm", "",
			"it requires an API key in TAPROOT_API_KEY; taproot admin key makes one"},
		{answers(401, ""), "HEAD", "farm/archives/x", "tap_x", "the key in TAPROOT_API_KEY is unknown, revoked or expired"},
		{answers(401, `{"message": "tap_x is unknown"}`), "GET", "farm", "tap_x", "*** is unknown (check TAPROOT_API_KEY)"},
		{answers(403, ""), "HEAD", "farm/archives/x", "tap_x", "lacks the scope runs:write"},
		{answers(404, `{"message": "there is nothing at this path; /openapi.json lists all paths"}`), "GET", "farm", "tap_x",
			"it is not a hub of a farm: was it started with taproot serve --service --farm"},
		{answers(404, "<title>"), "PUT", "farm/archives/x", "tap_x", "it is not a hub of a farm"},
		{answers(404, `{"message": "there is no run r"}`), "GET", "farm/runs/r", "tap_x", "there is no run r"},
		{answers(404, ""), "GET", "devices/x", "tap_x", "it responded with 404 Not Found"},
		{http.RedirectHandler("https://hub.example.com/api/farm", http.StatusPermanentRedirect), "GET", "farm", "tap_x",
			"redirects to https://hub.example.com: write that URL"},
	} {
		s := httptest.NewServer(c.h)
		client, err := NewClient(s.URL+"/", c.key)
		if err != nil {
			t.Fatal(err)
		}
		err = client.Ask(t.Context(), Request{Method: c.method, Path: c.path})
		s.Close()
		var hubErr *HubError
		if !errors.As(err, &hubErr) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %q", c.method, c.path, err, c.want)
		}
	}
	var usage *plan.Usage
	if _, err := NewClient("", ""); !errors.As(err, &usage) ||
		!strings.Contains(err.Error(), "--hub URL, or in TAPROOT_HUB") {
		t.Error(err)
	}
}
