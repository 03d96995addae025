package webtest

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestEveryPageIsServedAndHasATitle(t *testing.T) {
	site := New(t)
	if len(Names()) < 12 {
		t.Fatalf("only %d pages: %v", len(Names()), Names())
	}
	for _, name := range Names() {
		resp, err := http.Get(site.Page(name))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(body), "<title>") {
			t.Errorf("%s: status %d, error %v", name, resp.StatusCode, err)
		}
	}
}

func TestIndexLinksEveryPage(t *testing.T) {
	index, err := files.ReadFile("pages/index.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Names() {
		if name != "index.html" && !strings.Contains(string(index), `href="`+name+`"`) {
			t.Errorf("index.html does not link %s", name)
		}
	}
}

func TestRedirectStaysOnTheSite(t *testing.T) {
	site := New(t)
	for _, to := range []string{"//evil.example", "http://evil.example", "x"} {
		resp, err := http.Get(site.Page("redirect?to=" + to))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s: status %d", to, resp.StatusCode)
		}
	}
}
