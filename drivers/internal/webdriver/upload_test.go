package webdriver

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestUploadCommands: the command that a server has is found before a file is sent. geckodriver has none, and closes
// the connection of one that it has not read.
func TestUploadCommands(t *testing.T) {
	for name, has := range map[string]string{"geckodriver": "", "chromedriver": "/file", "Grid": "/se/file"} {
		var got []string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			command := strings.TrimPrefix(r.URL.Path, "/session/one")
			switch {
			case command == "/session":
				_, _ = w.Write([]byte(`{"value": {"sessionId": "one", "capabilities": {}}}`))
				return
			case r.ContentLength < 100:
				command += " empty"
			}
			got = append(got, command)
			switch {
			case has != "" && command == has+" empty":
				w.WriteHeader(http.StatusBadRequest)
				_, _ = w.Write([]byte(`{"value": {"error": "invalid argument", "message": "missing 'file'", "stacktrace": ""}}`))
			case command == has:
				_, _ = w.Write([]byte(`{"value": "/there/a.txt"}`))
			default:
				http.Error(w, "HTTP method not allowed", http.StatusMethodNotAllowed)
			}
		}))
		t.Cleanup(server.Close)
		c, err := New(Options{URL: server.URL})
		if err != nil {
			t.Fatal(err)
		}
		s, err := c.NewSession(t.Context(), nil, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		path, err := s.Upload(t.Context(), bytes.Repeat([]byte("a"), 1000))
		want := map[string][]string{"": {"/se/file empty", "/file empty"}, "/se/file": {"/se/file empty", "/se/file"},
			"/file": {"/se/file empty", "/file empty", "/file"}}[has]
		if !slices.Equal(got, want) {
			t.Errorf("%s got %q", name, got)
		}
		if has == "" && !Is(err, UnknownMethod) || has != "" && (err != nil || path != "/there/a.txt") {
			t.Errorf("%s: %q, %v", name, path, err)
		}
	}
}
