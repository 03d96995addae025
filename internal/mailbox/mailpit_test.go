package mailbox

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/mailbox/mailboxtest"
)

func TestMailpit(t *testing.T) {
	p := mailboxtest.NewMailpit(t)
	p.User, p.Key = "ada", "love/lace"
	ctx := t.Context()
	box, err := open(t, strings.Replace(p.Base(), "http://", "http://ada:love%2Flace@", 1), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if empty, err := box.Mark(ctx); err != nil || !empty.Exact() {
		t.Error(empty, err)
	}
	p.Deliver("ada@example.com", "old", "\nx\n")
	mark, err := box.Mark(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := box.New(ctx, mark); err != nil || len(got) != 0 {
		t.Errorf("at once: %v, %v", got, err)
	}
	for i := range 2*pageOfMails + 3 {
		p.Deliver("ada@example.com", fmt.Sprint("new ", i), "Content-Type: text/html\n\n<p>code&nbsp;7</p>\n")
	}
	got, err := box.New(ctx, mark)
	if err != nil || len(got) != 2*pageOfMails+3 || got[0].Subject != "new 0" || !got[0].SentTo("ADA@example.com") ||
		got[0].From != "shop@example.com" {
		t.Errorf("%d, %v", len(got), err)
	}
	if content, err := box.Content(ctx, got[2]); err != nil || content.HTML != "code 7" {
		t.Errorf("%+v, %v", content, err)
	}
	if again, err := box.New(ctx, mark); err != nil || len(again) != 0 {
		t.Errorf("again: %v, %v", again, err)
	}
	byTime, _ := open(t, strings.Replace(p.Base(), "http://", "http://ada:love%2Flace@", 1), Options{})
	if all, err := byTime.New(ctx, Mark{After: time.Now().Add(-time.Hour)}); err != nil || len(all) != 2*pageOfMails+4 {
		t.Errorf("by time: %d, %v", len(all), err)
	}
	for _, asked := range p.Asked() {
		if !strings.HasPrefix(asked, "GET /pit/api/v1/message") {
			t.Errorf("asked: %s", asked)
		}
	}
}

// TestMailpitMistakes checks what is reported about servers that are not Mailpit, hang, close or send nonsense.
func TestMailpitMistakes(t *testing.T) {
	for name, c := range map[string]struct {
		handle http.HandlerFunc
		want   string
	}{
		"not found": {http.NotFound, "no API of Mailpit"},
		"password":  {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }, "password is wrong"},
		"error":     {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502) }, "status 502"},
		"a page": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }, "not that " +
			"of Mailpit"},
		"JSON": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"total": 3}`)) }, "not " +
			"that of Mailpit"},
		"cut": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("{"))
		}, "closed the connection"},
		"hangs": {func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
			case <-time.After(5 * time.Second):
			}
		}, "did not answer in time"},
		"endless": {func(w http.ResponseWriter, _ *http.Request) {
			for range maxList >> 10 {
				if _, err := w.Write(make([]byte, 2<<10)); err != nil {
					return
				}
			}
		}, "not that of Mailpit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(c.handle)
			defer server.Close()
			box, err := open(t, strings.Replace(server.URL, "http://", "http://ada:lovelace@", 1), Options{})
			if err != nil {
				t.Fatal(err)
			}
			limit := 20 * time.Second
			if name == "hangs" {
				limit = 200 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			_, err = box.New(ctx, Mark{})
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "lovelace") ||
				!strings.Contains(err.Error(), server.Listener.Addr().String()) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
	box, _ := open(t, "http://ada:lovelace@127.0.0.1:1", Options{})
	if _, err := box.Mark(t.Context()); err == nil || !strings.Contains(err.Error(), "127.0.0.1:1") ||
		!strings.Contains(err.Error(), "refused") || strings.Contains(err.Error(), "lovelace") {
		t.Error(err)
	}
}
