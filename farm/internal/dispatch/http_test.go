package dispatch

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	"github.com/taproot-dev/taproot/farm/internal/queue"
	"github.com/taproot-dev/taproot/internal/blob"
	"github.com/taproot-dev/taproot/internal/upload"
)

// TestHostileRuns checks that neither the working folder of a run nor the name of a pack leads to files of another run,
// and that settings that are too large for a message are refused.
func TestHostileRuns(t *testing.T) {
	d := &Dispatcher{}
	h := d.Handler(func(*http.Request) string { return "p" })
	for _, dir := range []string{"..", "/etc", "a/../../b"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", "/farm/runs", strings.NewReader(`{"protocol": 3, "archive": "`+
			strings.Repeat("0", 64)+`", "settings": {"dir": "`+dir+`"}}`)))
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "outside of the tests") {
			t.Errorf("%s: %d %s", dir, w.Code, w.Body)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("POST", "/farm/runs", strings.NewReader(`{"protocol": 3, "archive": "`+
		strings.Repeat("0", 64)+`", "settings": {"vars": {"A": "`+strings.Repeat("<", maxSettings/5)+`"}}}`)))
	// the message to the host is larger than the settings
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "bytes") {
		t.Errorf("settings that are too large: %d %.200s", w.Code, w.Body)
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

// TestErrorsAreThoseOfTheAPI checks that each error below /farm is a JSON object with a code of the API, including the
// errors for unknown paths.
func TestErrorsAreThoseOfTheAPI(t *testing.T) {
	d := &Dispatcher{o: Options{Log: slog.New(slog.DiscardHandler)}}
	h := d.Handler(func(*http.Request) string { return "p" })
	long := `{"protocol": 3, "archive": "` + strings.Repeat("0", maxBody) + `"}`
	for _, c := range []struct {
		method, path, body string
		status             int
		code, allow        string
	}{
		{"GET", "/farm/runs", "", 405, "method_not_allowed", "POST"},
		{"PATCH", "/farm/archives/x", "", 405, "method_not_allowed", "HEAD, PUT"},
		{"POST", "/farm/usable", "", 405, "method_not_allowed", "GET, HEAD"},
		{"GET", "/farm/runs/run_1/nothing", "", 404, "not_found", ""},
		{"GET", "/farm/archives", "", 404, "not_found", ""},
		{"GET", "/farm/runs//x", "", 404, "not_found", ""},
		{"POST", "/farm/runs", "{", 400, "invalid_request", ""},
		{"POST", "/farm/runs", `{"protocol": 99}`, 409, "version_mismatch", ""},
		{"POST", "/farm/runs", long, 413, "payload_too_large", ""},
		{"PUT", "/farm/archives/x", "", 400, "invalid_request", ""},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(c.method, c.path, strings.NewReader(c.body)))
		var e struct{ Error, Message string }
		if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || w.Code != c.status || e.Error != c.code ||
			e.Message == "" || w.Header().Get("Content-Type") != "application/json" || w.Header().Get("Allow") != c.allow {
			t.Errorf("%s %s %.40s: %d %s %.300s", c.method, c.path, c.body, w.Code, w.Header(), w.Body)
		}
	}
	a := &api{d, nil}
	for code, err := range map[string]error{"not_found": queue.ErrNoRun, "invalid_request": &upload.Refused{},
		"payload_too_large": &upload.TooLarge{}, "insufficient_storage": syscall.ENOSPC,
		"unavailable": errors.New("dial tcp 10.0.0.7:5432: connection refused")} {
		w := httptest.NewRecorder()
		a.fail(w, httptest.NewRequest("GET", "/farm/usable", nil), err)
		if !strings.Contains(w.Body.String(), `"error":"`+code+`"`) || strings.Contains(w.Body.String(), "10.0.0.7") {
			t.Errorf("%v: %s", err, w.Body)
		}
	}
}
