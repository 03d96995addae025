package remote

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
)

// TestInside checks that a hub in this process behaves like one over HTTP: responses are streamed, break off as on a
// network, and end when the client cancels.
func TestInside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next, gone := make(chan string), make(chan error, 1)
		h := http.NewServeMux()
		h.HandleFunc("GET /lines", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Kind", "lines")
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
			for line := range next {
				if _, err := io.WriteString(w, line); err != nil {
					gone <- errors.Join(err, r.Context().Err())
					return
				}
			}
		})
		h.HandleFunc("POST /echo", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusCreated)
			_, _ = io.Copy(w, r.Body)
		})
		h.HandleFunc("GET /half", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "half")
			panic(http.ErrAbortHandler)
		})
		const insideURL = "http://hub.invalid"
		client := &http.Client{Transport: handlerTransport{h}}
		a, err := client.Post(insideURL+"/echo", "text/plain", strings.NewReader("word"))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(a.Body); a.StatusCode != http.StatusCreated || string(text) != "word" || err != nil {
			t.Errorf("%s %q %v", a.Status, text, err)
		}
		if a, err = client.Get(insideURL + "/half"); err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(a.Body); string(text) != "half" || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%q %v", text, err)
		}
		if a, err = client.Get(insideURL + "/nowhere"); err != nil || a.StatusCode != http.StatusNotFound {
			t.Errorf("%+v %v", a, err)
		}
		_ = a.Body.Close()
		ctx, cancel := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, insideURL+"/lines", nil)
		if err != nil {
			t.Fatal(err)
		}
		if a, err = client.Do(r); err != nil || a.Header.Get("X-Kind") != "lines" {
			t.Fatalf("%+v %v", a, err)
		}
		next <- "one"
		got := make([]byte, 3)
		if _, err := io.ReadFull(a.Body, got); err != nil || string(got) != "one" {
			t.Errorf("%q %v", got, err)
		}
		cancel()
		next <- "two"
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		_ = a.Body.Close()
	})
}
