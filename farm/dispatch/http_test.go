package dispatch

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/farm/queue"
	"github.com/taproot-dev/taproot/server/blob"
)

// TestHostileRuns: neither the working folder of a run nor the name of a pack leads to what belongs to another run, and settings that no message holds keep no host busy.
func TestHostileRuns(t *testing.T) {
	d := &Dispatcher{}
	h := d.Handler(func(*http.Request) string { return "p" })
	for _, dir := range []string{"..", "/etc", "a/../../b"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", "/farm/runs", strings.NewReader(`{"protocol": 1, "archive": "`+strings.Repeat("0", 64)+`", "settings": {"dir": "`+dir+`"}}`)))
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "outside of the tests") {
			t.Errorf("%s: %d %s", dir, w.Code, w.Body)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("POST", "/farm/runs", strings.NewReader(`{"protocol": 1, "archive": "`+strings.Repeat("0", 64)+`", "settings": {"vars": {"A": "`+strings.Repeat("<", maxSettings/5)+`"}}}`)))
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "bytes") { // they are longer on the way to a host
		t.Errorf("settings that no message holds: %d %.200s", w.Code, w.Body)
	}
	for _, which := range []string{"..", "../x", "a/b", ""} {
		r := httptest.NewRequestWithContext(context.Background(), "GET", "/farm/runs/a/packs/x", nil)
		r.SetPathValue("which", which)
		w := httptest.NewRecorder()
		a := &api{d, nil}
		if err := a.pack(w, r, queue.Run{ID: "a"}); err != blob.ErrNotFound {
			t.Errorf("%q: %v", which, err)
		}
	}
}
