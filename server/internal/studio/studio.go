// Package studio serves Studio: the pages on which a person sees a device live, acts on it and records a test. The
// pages use the REST API like any other client. Their credential is a session, which starts with a one-time link or an
// API key.
package studio

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters/html"
	"github.com/taproot-dev/taproot/server/internal/auth"
)

// Options are the services that the pages use.
type Options struct {
	// Identify returns the identity of a credential; nil: no login is required.
	Identify func(http.Header) (auth.Identity, error)
	// Guess counts a wrong key, and responds to clients that have sent too many; nil: keys are not counted.
	Guess func(http.ResponseWriter, *http.Request) bool
	// Files is the folder of the project in which tests are opened and saved; nil: there is no project.
	Files *os.Root
	// PrefersID reports whether a file of the project prefers IDs to texts; nil: no file does.
	PrefersID func(file string) bool
	// Reports evaluates steps on recorded screens; the zero value: no reports are shown.
	Reports Recorded
}

// Studio serves the pages. It is safe for concurrent use.
type Studio struct {
	o        Options
	sessions sessions
	pages    *template.Template
	assets   map[string]asset
	mux      *http.ServeMux
}

type asset struct {
	kind string
	text []byte
}

//go:embed assets
var files embed.FS

// Path reports whether a path belongs to Studio.
func Path(path string) bool { return path == "/studio" || strings.HasPrefix(path, "/studio/") }

// IsAsset reports whether a path is a file that all pages load. These files are public.
func IsAsset(path string) bool { return strings.HasPrefix(path, "/studio/assets/") }

// New creates the pages.
func New(o Options) (*Studio, error) {
	s := &Studio{o: o, mux: http.NewServeMux(), assets: map[string]asset{}}
	shared, err := html.StyleSheet()
	theme, themeErr := html.ThemeScript()
	if err := errors.Join(err, themeErr); err != nil {
		return nil, err
	}
	s.assets["theme.js"] = asset{"text/javascript; charset=utf-8", theme}
	for name, kind := range map[string]string{"studio.css": "text/css; charset=utf-8",
		"studio.js": "text/javascript; charset=utf-8", "list.js": "text/javascript; charset=utf-8",
		"report.js": "text/javascript; charset=utf-8"} {
		text, err := files.ReadFile("assets/" + name)
		if err != nil {
			return nil, err
		}
		if name == "studio.css" {
			text = append(bytes.Clone(shared), text...)
		}
		s.assets[name] = asset{kind, text}
	}
	if s.pages, err = template.ParseFS(files, "assets/*.html"); err != nil {
		return nil, err
	}
	s.mux.HandleFunc("GET /studio/assets/{name}", s.asset)
	s.mux.HandleFunc("GET /studio/assets/schema.json", serveSchema)
	s.mux.HandleFunc("GET /studio/enter", s.enter)
	s.mux.HandleFunc("POST /studio/enter", s.key)
	s.mux.HandleFunc("GET /studio", s.withSession(s.list))
	s.mux.HandleFunc("GET /studio/devices/{id}", s.withSession(s.device))
	s.mux.HandleFunc("GET /studio/reports", s.withSession(s.reports))
	s.mux.HandleFunc("GET /studio/reports/{run}/{pack}", s.withSession(s.report))
	s.mux.HandleFunc("GET /studio/reports/{run}/{pack}/screenshots/{file}", s.withSession(s.shot))
	s.mux.HandleFunc("POST /studio/reports/{run}/{pack}/try", s.withSession(s.try))
	s.mux.HandleFunc("GET /studio/file", s.withSession(s.open))
	s.mux.HandleFunc("PUT /studio/file", s.withSession(s.save))
	s.mux.HandleFunc("POST /studio/fix", s.withSession(s.fix))
	s.mux.HandleFunc("PUT /studio/attachment", s.withSession(s.attach))
	return s, nil
}

// policy lets a page load only files of this server.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' blob:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// ServeHTTP implements http.Handler. The caller must have rejected requests of other sites.
func (s *Studio) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	headers(w.Header())
	s.mux.ServeHTTP(w, r)
}

func headers(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
}

// schema is the JSON Schema of the test syntax, created for the first request.
var schema = sync.OnceValues(func() ([]byte, error) { return json.Marshal(dsl.Schema()) })

func serveSchema(w http.ResponseWriter, _ *http.Request) {
	text, err := schema()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text)
}

func (s *Studio) asset(w http.ResponseWriter, r *http.Request) {
	a, ok := s.assets[r.PathValue("name")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", a.kind)
	_, _ = w.Write(a.text) // a client that disconnected reads nothing
}

// withSession calls page for requests with a session, and shows the login form otherwise.
func (s *Studio) withSession(page func(http.ResponseWriter, *http.Request, auth.Identity)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		who, ok := s.Identify(r)
		switch {
		case s.o.Identify == nil || ok && who.May("devices:read"):
			page(w, r, who)
		case ok:
			s.show(w, http.StatusForbidden, "enter.html",
				enterPage{Problem: "Your credential may not see devices: it lacks the scope devices:read."})
		case r.Method == http.MethodGet && !strings.HasPrefix(r.URL.Path, "/studio/file") &&
			r.URL.Path != "/studio/attachment":
			s.show(w, http.StatusUnauthorized, "enter.html", enterPage{Next: r.URL.Path})
		default:
			http.Error(w, "Studio's session has ended: open its page again.", http.StatusUnauthorized)
		}
	}
}

func (s *Studio) show(w http.ResponseWriter, status int, name string, data any) {
	var page bytes.Buffer
	if err := s.pages.ExecuteTemplate(&page, name, data); err != nil {
		http.Error(w, "The page cannot be written.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.Copy(w, &page) // a client that disconnected reads nothing
}

func (s *Studio) list(w http.ResponseWriter, _ *http.Request, _ auth.Identity) {
	s.show(w, http.StatusOK, "list.html", s.o.Reports.Try != nil)
}

// Seat is a device of the page, with its name in a test with several.
type Seat struct{ Name, ID string }

// DevicePage is the data of the page of a device, or of those of a test with several.
type DevicePage struct {
	ID    string
	Name  string // in a test with several devices
	With  []Seat // its other devices
	IDs   bool   // initially prefer IDs to texts
	Acts  bool   // may act, not only watch
	Saves bool   // there is a project in which to save
	File  string // the file of it that is opened
	Home  string // the page that lists devices
	API   string // prefix of the API's paths
}

// Several reports whether the page is for a test that lists its devices.
func (p DevicePage) Several() bool { return p.Name != "" }

// Screens are all devices of the page.
func (p DevicePage) Screens() []Seat { return append([]Seat{{p.Name, p.ID}}, p.With...) }

// Title names the devices.
func (p DevicePage) Title() string {
	if !p.Several() {
		return p.ID
	}
	var names []string
	for _, s := range p.Screens() {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}

// withSeats adds the devices that the URL of a page names, as that of the WebSocket does.
func (p DevicePage) withSeats(query url.Values) DevicePage {
	if p.Name = query.Get("as"); p.Name == "" {
		return p
	}
	for one := range strings.SplitSeq(query.Get("with"), ",") {
		if name, id, ok := strings.Cut(one, "="); ok {
			p.With = append(p.With, Seat{name, id})
		}
	}
	return p
}

// Device shows the page of a device to a person whom the caller has authenticated.
func (s *Studio) Device(w http.ResponseWriter, page DevicePage) {
	headers(w.Header())
	s.show(w, http.StatusOK, "device.html", page)
}

func (s *Studio) device(w http.ResponseWriter, r *http.Request, who auth.Identity) {
	acts, file := s.o.Identify == nil || who.May("devices:write"), r.URL.Query().Get("file")
	page := DevicePage{ID: r.PathValue("id"), IDs: s.o.PrefersID != nil && s.o.PrefersID(file), Acts: acts,
		Saves: acts && s.o.Files != nil, File: file, Home: "/studio"}
	s.show(w, http.StatusOK, "device.html", page.withSeats(r.URL.Query()))
}
