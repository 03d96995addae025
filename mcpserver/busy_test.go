package mcpserver

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestPageThatComputesForEver: a page whose script never ends costs an assistant no more than the time of its call.
func TestPageThatComputesForEver(t *testing.T) {
	t.Parallel()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<h1>Report</h1><button onclick="setTimeout(()=>{for(;;);},0)">Compute</button>`)
	}))
	defer page.Close()
	conf := newLab(t, 0).config(t)
	conf.Drivers = pages()
	s := connect(t, conf)
	s.ok("open_browser", `{"url": "`+page.URL+`"}`)
	seen := s.ok("snapshot", `{}`)
	if !strings.Contains(seen, "Compute") {
		t.Fatal(seen)
	}
	s.ok("tap", `{"label": "Compute"}`)
	for range 2 { // the second call knows already that the page does not answer
		if text := s.ok("snapshot", `{}`); !strings.Contains(text, "Compute") || !strings.Contains(text, "it cannot be read now") ||
			!strings.Contains(text, "within 4.4s") {
			t.Errorf("a snapshot says %s", text)
		}
		s.refused("tap", `{"label": "Compute", "timeoutMs": 2000}`, "did not answer within 2.4s", "its scripts may be busy")
	}
}
