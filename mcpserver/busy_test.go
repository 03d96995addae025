package mcpserver

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestPageThatComputesForEver checks that a page with an endless script costs no more than the time of the call.
func TestPageThatComputesForEver(t *testing.T) {
	t.Parallel()
	busy := make(chan struct{}, 1)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/busy" {
			busy <- struct{}{}
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<h1>Report</h1><button onclick="setTimeout(()=>{const x = new XMLHttpRequest();`+
			`x.open('GET','/busy',false);x.send();for(;;);},0)">Compute</button>`)
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
	select {
	case <-busy: // the script waits for the response, and computes then: nothing else of the page runs any more
	case <-time.After(time.Minute):
		t.Fatal("the page does not compute")
	}
	for range 2 { // before the second call, the page is known not to respond
		text := s.ok("snapshot", `{}`)
		if !strings.Contains(text, "Compute") || !strings.Contains(text, "it cannot be read now") {
			t.Errorf("a snapshot says %s", text)
		}
		waitedAtMost(t, text, 8400*time.Millisecond)
		waitedAtMost(t, s.refused("tap", `{"label": "Compute", "timeoutMs": 2000}`, "its scripts may be busy"),
			2400*time.Millisecond)
	}
}

var within = regexp.MustCompile(`did not answer within ([0-9.]+m?s)`)

// waitedAtMost checks the limit in a response: it is the rest of the call's time.
func waitedAtMost(t *testing.T, text string, limit time.Duration) {
	t.Helper()
	m := within.FindStringSubmatch(text)
	if m == nil {
		t.Errorf("the response contains no limit: %s", text)
		return
	}
	if d, err := time.ParseDuration(m[1]); err != nil || d <= 0 || d > limit {
		t.Errorf("waited %s, want %s at most: %s", m[1], limit, text)
	}
}
