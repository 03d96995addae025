// Package webtest serves sample pages on which a browser driver can be tried, the easy ones and the nasty ones.
package webtest

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"
)

//go:embed pages
var files embed.FS

// The one account of login.html.
const (
	User     = "ada@example.com"
	Password = "lovelace"
)

// maxDelay bounds what a visitor may ask /slow for.
const maxDelay = 30 * time.Second

// Site is the sample pages on a port of the loopback interface.
type Site struct {
	URL    string
	server *httptest.Server
	end    context.CancelFunc // of the delayed responses
}

// Start serves the pages until Close.
func Start() *Site {
	life, end := context.WithCancel(context.Background())
	server := httptest.NewUnstartedServer(Handler())
	server.Config.BaseContext = func(net.Listener) context.Context { return life }
	server.Start()
	return &Site{URL: server.URL, server: server, end: end}
}

// New serves the pages for one test.
func New(t testing.TB) *Site {
	t.Helper()
	site := Start()
	t.Cleanup(site.Close)
	return site
}

// Page is the address of one page: "login.html".
func (s *Site) Page(name string) string { return s.URL + "/" + strings.TrimPrefix(name, "/") }

// Made is the address of a page of the test's own making. A browser has a process for the pages of a site, and starts
// one for each data: address.
func (s *Site) Made(body string) string { return s.Page("made?body=" + url.QueryEscape(body)) }

// Other is the same page from another site, in the browser's eyes.
func (s *Site) Other(name string) string {
	return strings.Replace(s.Page(name), "127.0.0.1", "localhost", 1)
}

// Close ends the server; delayed responses are cut off.
func (s *Site) Close() {
	s.end()
	s.server.CloseClientConnections()
	s.server.Close()
}

// Names lists the pages.
func Names() []string {
	entries, err := fs.ReadDir(files, "pages")
	if err != nil {
		return nil // embedded, so it cannot happen
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".html") {
			names = append(names, e.Name())
		}
	}
	return names
}

// Handler serves the pages and a few responses that a file cannot contain:
//
//	/slow?ms=500      the page slow.html, half a second late
//	/status/503       an answer with that status
//	/redirect?to=/x   a redirect within the site
//	/hang             nothing, until the visitor leaves
//	/made?body=<p>    a page of that body
//	/guarded          a page for the user ada with the password lovelace
//	/download?name=x&ms=800   a file, report.csv if it is not named, the rest of which comes after 800 ms
//	/api/goods        a JSON list; other sites may read it
//	/api/orders       takes orders
//	/api/echo         the headers of the request, as JSON
func Handler() http.Handler {
	pages, err := fs.Sub(files, "pages")
	if err != nil {
		return http.NotFoundHandler() // embedded, so it cannot happen
	}
	mux := http.NewServeMux()
	mux.Handle("/", noStore(http.FileServerFS(pages)))
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		if wait(r, r.URL.Query().Get("ms")) {
			http.ServeFileFS(w, r, pages, "slow.html")
		}
	})
	mux.HandleFunc("/status/{code}", func(w http.ResponseWriter, r *http.Request) {
		code, err := strconv.Atoi(r.PathValue("code"))
		if err != nil || code < 200 || code > 599 {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(code)
		fmt.Fprintf(w, "<!doctype html><title>%d</title><h1>Status %d</h1>", code, code)
	})
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
		to := r.URL.Query().Get("to")
		if !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") {
			http.NotFound(w, r)
			return
		}
		http.Redirect(w, r, to, http.StatusFound)
	})
	mux.HandleFunc("/made", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<!doctype html><meta charset=utf-8><body>"+r.URL.Query().Get("body"))
	})
	mux.HandleFunc("/guarded", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if user, password, _ := r.BasicAuth(); user != "ada" || password != "lovelace" {
			w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, "<!doctype html><title>Guarded</title><h1>Welcome, Ada</h1>")
	})
	mux.HandleFunc("/hang", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/download", download)
	mux.HandleFunc("/api/goods", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `["Apple","Pear"]`)
	})
	mux.HandleFunc("/api/echo", func(w http.ResponseWriter, r *http.Request) {
		headers := map[string]string{}
		for name := range r.Header {
			headers[name] = r.Header.Get(name)
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(headers) // a visitor who left needs no answer
	})
	mux.HandleFunc("POST /api/orders", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusCreated) })
	return mux
}

func download(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Query().Get("name")
	if name == "" {
		name = "report.csv"
	}
	w.Header().Set("Content-Disposition", "attachment; filename*=UTF-8''"+url.PathEscape(name))
	w.Header().Set("Content-Type", "text/csv") // not a kind that browsers look into before they start
	fmt.Fprint(w, "a,b\n")
	if ms := r.URL.Query().Get("ms"); ms != "" {
		_ = http.NewResponseController(w).Flush() // a visitor who left is noticed by wait
		if !wait(r, ms) {
			return
		}
	}
	fmt.Fprint(w, "1,2\n")
}

// wait delays a response, and reports whether the visitor is still there.
func wait(r *http.Request, ms string) bool {
	n, err := strconv.Atoi(ms)
	if err != nil || n < 0 {
		n = 0
	}
	timer := time.NewTimer(min(time.Duration(n)*time.Millisecond, maxDelay))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

func noStore(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}
