package console

import (
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/reporters/html"
	"github.com/taproot-dev/taproot/server/oidc"
	"github.com/taproot-dev/taproot/server/service"
)

// Options are the services that the console uses.
type Options struct {
	Service *service.Service
	// API serves a request of the API in the name of a person.
	API func(w http.ResponseWriter, r *http.Request, who *service.Caller)
	// Drop removes the files of a deleted project.
	Drop func(project string) error
	// Client returns the address of the client of a request, and the name under which its requests are counted.
	Client func(r *http.Request) (address, counted string)
	// Studio serves Studio's page of a device of a project. The URLs of that project start with base; acts reports
	// whether the person may act on the device.
	Studio func(w http.ResponseWriter, device, base string, acts bool)
	// OIDC lets persons of an identity provider log in; nil: only passwords do.
	OIDC *oidc.Provider
	// Farm is the hub with the hosts that admins see; nil: there is none.
	Farm    *hub.Hub
	Version string
	Log     *slog.Logger
}

// Console serves every path below /console. It is safe for concurrent use.
type Console struct {
	o      Options
	log    *slog.Logger
	mux    *http.ServeMux
	guard  *http.CrossOriginProtection
	pages  map[string]*template.Template
	static map[string]asset
	began  time.Time
}

//go:embed pages/*.html
var pageFiles embed.FS

//go:embed assets
var assetFiles embed.FS

type asset struct {
	kind string
	text []byte
}

// New creates a console.
func New(o Options) (*Console, error) {
	c := &Console{o: o, log: o.Log, mux: http.NewServeMux(), guard: http.NewCrossOriginProtection(), began: time.Now()}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	if err := c.guard.AddTrustedOrigin(o.Service.PublicURL()); err != nil {
		return nil, fmt.Errorf("TAPROOT_PUBLIC_URL: %w", err)
	}
	if err := errors.Join(c.loadPages(), c.loadAssets()); err != nil {
		return nil, err
	}
	for _, r := range routes() {
		c.mux.Handle(r.pattern, c.handler(r))
	}
	c.mux.HandleFunc("/console/", c.nothing)
	c.mux.HandleFunc("/console", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/console/", http.StatusSeeOther)
	})
	return c, nil
}

// loadPages reads each page with the common frame.
func (c *Console) loadPages() error {
	c.pages = map[string]*template.Template{}
	names, err := fs.Glob(pageFiles, "pages/*.html")
	if err != nil {
		return err
	}
	for _, name := range names {
		short := strings.TrimSuffix(strings.TrimPrefix(name, "pages/"), ".html")
		t, err := template.New("frame.html").Funcs(functions()).ParseFS(pageFiles, "pages/frame.html", name)
		if err != nil {
			return fmt.Errorf("page %s: %w", short, err)
		}
		c.pages[short] = t
	}
	return nil
}

// loadAssets adds the style sheet of the reports before the console's own.
func (c *Console) loadAssets() error {
	shared, err := html.StyleSheet()
	theme, themeErr := html.ThemeScript()
	style, styleErr := assetFiles.ReadFile("assets/console.css")
	script, scriptErr := assetFiles.ReadFile("assets/console.js")
	icon, iconErr := assetFiles.ReadFile("assets/icon.svg")
	c.static = map[string]asset{
		"console.css": {"text/css; charset=utf-8", append(append([]byte{}, shared...), style...)},
		"theme.js":    {"text/javascript; charset=utf-8", theme},
		"console.js":  {"text/javascript; charset=utf-8", script},
		"icon.svg":    {"image/svg+xml", icon},
	}
	return errors.Join(err, themeErr, styleErr, scriptErr, iconErr)
}

// policy lets a page load only files of the console.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// ServeHTTP implements http.Handler. It rejects forms of other sites.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	h.Set("Cache-Control", "no-store")
	if err := c.guard.Check(r); err != nil {
		c.fail(&request{c: c, w: w, r: r}, errForeign)
		return
	}
	c.mux.ServeHTTP(w, r)
}

var errForeign = &service.Error{Status: http.StatusForbidden, Code: "forbidden",
	Message: "This request came from a page of another site. Open the console and do it there."}

func (c *Console) nothing(w http.ResponseWriter, r *http.Request) {
	q := &request{c: c, w: w, r: r}
	if err := q.identify(); err != nil {
		c.fail(q, err)
		return
	}
	c.fail(q, &service.Error{Status: http.StatusNotFound, Code: "not_found", Message: "There is no such page."})
}

func (c *Console) asset(q *request) error {
	a, ok := c.static[q.r.PathValue("name")]
	if !ok {
		return service.ErrNotFound
	}
	q.w.Header().Set("Content-Type", a.kind)
	q.w.Header().Set("Cache-Control", "max-age=300")
	_, err := q.w.Write(a.text)
	return err
}
