// Package runpage serves the page of taproot run --ui: tests and the events of their runs go in, a page comes out on
// which a person chooses tests, runs them, and sees what happens.
package runpage

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/cli/internal/report"
	"github.com/taproot-dev/taproot/reporters/html"
)

// Options are what the page shows and does.
type Options struct {
	Tests   Tests
	Reports string // the folder of the runs
	Title   string // the folder of the tests, for people
	Watch   bool   // tests run again from the start when a file is saved
	Port    int    // 0: a free one
	Viewer  string // the folder of Playwright's viewer of traces; empty: there is none
}

// Page is the page while it is served. Safe for concurrent use.
type Page struct {
	o        Options
	listener net.Listener
	secret   string // in the paths of reports, which frames without a cookie load
	token    string // of the link
	session  string // of the cookie
	state    *state
	runs     *runs
	closing  chan struct{} // closed when the streams must end

	mu     sync.Mutex
	linkBy time.Time // until when the link works; zero: it has been used
}

// linkLimit is how long the link of a page works.
const linkLimit = 10 * time.Minute

//go:embed assets
var assets embed.FS

// New opens the port of a page. Serve serves it, and closes it.
func New(ctx context.Context, o Options) (*Page, error) {
	if err := os.MkdirAll(o.Reports, 0o755); err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(o.Port)))
	if err != nil {
		return nil, fmt.Errorf("serve the page: %w", err)
	}
	p := &Page{o: o, listener: listener, secret: rand.Text(), token: rand.Text(), session: rand.Text(),
		linkBy: time.Now().Add(linkLimit), closing: make(chan struct{})}
	p.state = newState(o)
	p.runs = &runs{tests: o.Tests, state: p.state}
	return p, nil
}

// Link is the URL that logs in the first browser that opens it within ten minutes.
func (p *Page) Link() string {
	return "http://" + p.listener.Addr().String() + "/enter?token=" + p.token
}

// Serve serves the page until ctx ends, then interrupts the run of that moment and waits for its end. The error is that
// of the last run, or one of serving.
func (p *Page) Serve(ctx context.Context) error {
	handler, root, err := p.handler()
	if err != nil {
		return errors.Join(err, p.listener.Close())
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	var work sync.WaitGroup
	work.Go(func() { p.runs.work(ctx) })
	work.Go(func() { p.runs.follow(ctx) })
	work.Go(func() {
		<-ctx.Done()
		close(p.closing)
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if server.Shutdown(stop) != nil {
			_ = server.Close() // a client reads too slowly
		}
	})
	p.runs.refresh()
	served := server.Serve(p.listener)
	cancel() // also when the port fails
	work.Wait()
	if err := root.Close(); err != nil {
		return err
	}
	if !errors.Is(served, http.ErrServerClosed) {
		return served
	}
	return p.runs.last
}

// policy lets the page load only files of this server.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; " +
	"frame-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// handler returns the routes of the page, and the folder of the reports, to be closed.
func (p *Page) handler() (http.Handler, *os.Root, error) {
	root, err := os.OpenRoot(p.o.Reports)
	if err != nil {
		return nil, nil, err
	}
	files, err := p.files()
	if err != nil {
		return nil, nil, errors.Join(err, root.Close())
	}
	mux := http.NewServeMux()
	for path, file := range files {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Security-Policy", policy)
			w.Header().Set("Content-Type", file.kind)
			_, _ = w.Write(file.text) // a client that disconnected reads nothing
		})
	}
	mux.HandleFunc("GET /enter", p.enter)
	mux.HandleFunc("GET /events", p.events)
	mux.HandleFunc("GET /case", p.showCase)
	mux.HandleFunc("POST /run", p.run)
	mux.HandleFunc("POST /stop", func(w http.ResponseWriter, _ *http.Request) { p.runs.stop(); answer(w, "stopping") })
	mux.HandleFunc("POST /watch", p.watch)
	pages := report.Pages(root.FS(), p.o.Viewer)
	mux.Handle("GET "+p.reports(), http.StripPrefix(strings.TrimSuffix(p.reports(), "/"), pages))
	if p.o.Viewer != "" {
		mux.Handle("GET /trace/", pages)
	}
	return p.guard(mux), root, nil
}

// reports is the path of the reports. It is secret, because a frame with a report has no cookie: its scripts run with
// another origin than the page.
func (p *Page) reports() string { return "/reports/" + p.secret + "/" }

type file struct {
	kind string
	text []byte
}

// files are the page and the files that it loads.
func (p *Page) files() (map[string]file, error) {
	all := map[string]file{}
	shared, err := html.StyleSheet()
	theme, themeErr := html.ThemeScript()
	if err := errors.Join(err, themeErr); err != nil {
		return nil, err
	}
	all["/assets/theme.js"] = file{"text/javascript; charset=utf-8", theme}
	names, err := fs.Glob(assets, "assets/*")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := assets.ReadFile(name)
		if err != nil {
			return nil, err
		}
		switch {
		case strings.HasSuffix(name, ".html"):
			all["/{$}"] = file{"text/html; charset=utf-8", text}
		case strings.HasSuffix(name, ".css"):
			all["/"+name] = file{"text/css; charset=utf-8", append(append([]byte{}, shared...), text...)}
		default:
			all["/"+name] = file{"text/javascript; charset=utf-8", text}
		}
	}
	return all, nil
}

// cookie is the name of the session's cookie. Cookies do not depend on the port, and several pages may be open.
func (p *Page) cookie() string {
	_, port, _ := net.SplitHostPort(p.listener.Addr().String())
	return "taproot_run_" + port
}

// guard rejects requests for other host names, those of other sites' pages, and those without the session.
func (p *Page) guard(next http.Handler) http.Handler {
	host := p.listener.Addr().String()
	_, port, _ := net.SplitHostPort(host)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
		// their paths are secret, or their content is public
		open := r.Method == http.MethodGet && (r.URL.Path == "/enter" || strings.HasPrefix(r.URL.Path, p.reports()) ||
			strings.HasPrefix(r.URL.Path, "/trace/") || strings.HasPrefix(r.URL.Path, "/assets/"))
		cookie, err := r.Cookie(p.cookie())
		switch {
		case r.Host != host && r.Host != "localhost:"+port:
			http.Error(w, "this is not a name of this server", http.StatusForbidden)
		case !open && !ownPage(r):
			http.Error(w, "this request comes from another page", http.StatusForbidden)
		case !open && (err != nil || !same(cookie.Value, p.session)):
			http.Error(w, "open the link that taproot run --ui has printed", http.StatusUnauthorized)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// ownPage reports whether a request comes from the page, or from no page. A page at another port of this machine
// belongs to the same site, so the browser sends the cookie with its requests.
func ownPage(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" {
		if u, err := url.Parse(origin); err != nil || !strings.EqualFold(u.Host, r.Host) {
			return false
		}
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return true
	}
	return r.Method == http.MethodGet && r.URL.Path == "/" && r.Header.Get("Sec-Fetch-Mode") == "navigate"
}

// enter starts the session of the browser that opens the link first.
func (p *Page) enter(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	good := time.Now().Before(p.linkBy) && same(r.URL.Query().Get("token"), p.token)
	if good {
		p.linkBy = time.Time{}
	}
	p.mu.Unlock()
	if cookie, err := r.Cookie(p.cookie()); !good && (err != nil || !same(cookie.Value, p.session)) {
		http.Error(w, "This link has been used, or is too old: start taproot run --ui again for a new one.",
			http.StatusForbidden)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: p.cookie(), Value: p.session, Path: "/", HttpOnly: true,
		SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// maxRequest limits the size of a request's body.
const maxRequest = 8 << 20

func decode(w http.ResponseWriter, r *http.Request, into any) bool {
	if r.Header.Get("Content-Type") != "application/json" ||
		json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest)).Decode(into) != nil {
		http.Error(w, "send JSON", http.StatusBadRequest)
		return false
	}
	return true
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // a client that disconnected reads nothing
}

func (p *Page) run(w http.ResponseWriter, r *http.Request) {
	var chosen struct{ Cases []string }
	if !decode(w, r, &chosen) {
		return
	}
	if err := p.runs.start(chosen.Cases); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	answer(w, "started")
}

func (p *Page) watch(w http.ResponseWriter, r *http.Request) {
	var on struct{ On bool }
	if decode(w, r, &on) {
		p.state.setWatch(on.On)
		answer(w, on.On)
	}
}

// events streams the state and its changes.
func (p *Page) events(w http.ResponseWriter, r *http.Request) {
	flush := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	first, stream := p.state.subscribe(p.reports())
	defer p.state.unsubscribe(stream)
	send := func(data []byte) bool {
		_, err := fmt.Fprintf(w, "data: %s\n\n", data)
		return err == nil
	}
	beat := time.NewTicker(15 * time.Second)
	defer beat.Stop()
	_, err := fmt.Fprint(w, "retry: 500\n") // milliseconds until a lost connection is made again
	for ok := err == nil && send(first); ok && flush.Flush() == nil; {
		select {
		case data, open := <-stream:
			if ok = open && send(data); !open {
				return // it was too slow, and starts again with the whole state
			}
			for more := len(stream); ok && more > 0; more-- {
				if data, open = <-stream; open {
					ok = send(data)
				}
			}
		case <-beat.C:
			_, err := fmt.Fprint(w, ": still here\n\n")
			ok = err == nil
		case <-r.Context().Done():
			return
		case <-p.closing:
			return
		}
	}
}
