package console

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/reporters/html"
	"github.com/taproot-dev/taproot/server/internal/service"
)

//go:embed pages/*.html
var pageFiles embed.FS

//go:embed assets
var assetFiles embed.FS

// assets are the files that pages load, by name.
type assets map[string]asset

type asset struct {
	kind string
	text []byte
}

// loadTemplates reads each page with the common frame.
func loadTemplates() (map[string]*template.Template, error) {
	all := map[string]*template.Template{}
	names, err := fs.Glob(pageFiles, "pages/*.html")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		short := strings.TrimSuffix(strings.TrimPrefix(name, "pages/"), ".html")
		t, err := template.New("frame.html").Funcs(functions()).ParseFS(pageFiles, "pages/frame.html", name)
		if err != nil {
			return nil, fmt.Errorf("page %s: %w", short, err)
		}
		all[short] = t
	}
	return all, nil
}

// loadAssets adds the style sheet of the reports before the console's own.
func loadAssets() (assets, error) {
	shared, err := html.StyleSheet()
	theme, themeErr := html.ThemeScript()
	style, styleErr := assetFiles.ReadFile("assets/console.css")
	script, scriptErr := assetFiles.ReadFile("assets/console.js")
	icon, iconErr := assetFiles.ReadFile("assets/icon.svg")
	return assets{
		"console.css": {"text/css; charset=utf-8", append(append([]byte{}, shared...), style...)},
		"theme.js":    {"text/javascript; charset=utf-8", theme},
		"console.js":  {"text/javascript; charset=utf-8", script},
		"icon.svg":    {"image/svg+xml", icon},
	}, errors.Join(err, themeErr, styleErr, scriptErr, iconErr)
}

// frame is what all pages share.
type frame struct {
	o         Options
	log       *slog.Logger
	templates map[string]*template.Template
}

const plainCookie = "taproot_session"

// cookieName returns a name that binds the cookie to this host, which browsers support only over TLS.
func (f *frame) cookieName() string {
	if f.o.Service.Secure() {
		return "__Host-" + plainCookie
	}
	return plainCookie
}

func (f *frame) cookie(value string) *http.Cookie {
	k := &http.Cookie{Name: f.cookieName(), Value: value, Path: "/", HttpOnly: true, Secure: f.o.Service.Secure(),
		SameSite: http.SameSiteLaxMode}
	if value == "" {
		k.MaxAge = -1
	}
	return k
}

// view is the data of a template.
type view struct {
	Title    string
	Tab      string // of the project's pages
	Person   *service.Account
	Project  *service.ProjectInfo
	Projects []service.ProjectInfo
	Base     string // URL of the project's pages
	Done     string
	Error    string
	Farm     bool // the server is the hub of a farm
	Refresh  bool // without scripts, the page reloads itself
	Version  string
	Provider string // name of the identity provider; empty: there is none
	D        any
}

// Writes reports whether the person may change things in the project.
func (v view) Writes() bool  { return v.Project != nil && v.Project.Role.Covers(service.RoleMember) }
func (v view) Manages() bool { return v.Project != nil && v.Project.Role.Covers(service.RoleAdmin) }

// Owns reports whether the person owns the project.
func (v view) Owns() bool { return v.Project != nil && v.Project.Role.Covers(service.RoleOwner) }

// doneTexts are the messages after an action, by their name in the URL.
var doneTexts = map[string]string{
	"registered": "Your account is ready. Log in.",
	"pending": "Your account was made. Open the link in the e-mail that we sent to you, or ask the operator to " +
		"confirm your address. Then log in.",
	"confirmed": "Your address is confirmed. Log in.",
	"reset-asked": "If there is an account with this address, an e-mail is on its way to " +
		"it.", "reset": "Your password was changed. Log in with it.",
	"logged-out": "You are logged out.", "password": "Your password was changed. All other sessions have ended.",
	"connected":       "The provider is connected: you can log in with it from now on.",
	"factor-off":      "The second factor is off.",
	"session":         "The session has ended.",
	"deleted-account": "Your account was deleted.", "project": "The project was created.",
	"joined": "You are a member of this project now.", "key-revoked": "The key was revoked. It does not work any more.",
	"tests": "The tests were uploaded.", "cancelled": "The run was cancelled. Its reports stay.",
	"report-deleted": "The reports of the run were deleted.", "uploaded": "The pack was uploaded.",
	"recording": "The screen is being recorded, for ten minutes at most.", "recorded": "The video can be downloaded.",
	"recording-deleted": "The video was deleted.",
	"known":             "This pack had been uploaded before. It is not stored twice.", "role": "The role was changed.",
	"removed": "The member was removed.", "left": "You have left the project.",
	"transferred": "The project has a new owner.", "withdrawn": "The invitation was withdrawn.",
	"settings": "The settings were saved.", "project-deleted": "The project was deleted with its keys and reports.",
	"account-created": "The account was created.", "account-changed": "The account was changed.",
	"account-deleted": "The account was deleted with its projects.",
}

// show writes a page.
func (q *request) show(name string, v view) error { return q.showStatus(http.StatusOK, name, v) }

func (q *request) showStatus(status int, name string, v view) error {
	v.Version, v.Farm = q.frame.o.Version, q.frame.o.Farm != nil
	if q.frame.o.OIDC != nil {
		v.Provider = q.frame.o.OIDC.Name()
	}
	if v.Done == "" {
		v.Done = doneTexts[q.r.URL.Query().Get("done")]
	}
	if q.person != nil {
		v.Person = &q.person.Account
		list, err := q.person.Projects(q.r.Context())
		if err != nil {
			return err
		}
		v.Projects = list
	}
	if q.project != nil {
		v.Project, v.Base = &q.project.ProjectInfo, q.base()
	}
	var page bytes.Buffer
	if err := q.frame.templates[name].Execute(&page, v); err != nil {
		return fmt.Errorf("page %s: %w", name, err)
	}
	h := q.w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(page.Len()))
	q.w.WriteHeader(status)
	_, _ = q.w.Write(page.Bytes()) // a client that disconnected reads nothing
	return nil
}

// showFormAgain shows the page of a form again, with the error in the input; for other errors it shows the
// error page.
func (q *request) showFormAgain(name string, v view, err error) error {
	e := known(err)
	if e == nil || e.Status == http.StatusNotFound || e.Status >= http.StatusInternalServerError {
		return err
	}
	retryAfter(q.w.Header(), e)
	v.Error = sentence(e.Message)
	return q.showStatus(e.Status, name, v)
}

// fail responds with a page that describes the error.
func (f *frame) fail(q *request, err error) {
	e := known(err)
	if e == nil {
		f.log.ErrorContext(q.r.Context(), "page of the console failed", "path", q.r.URL.Path, "error", err)
		e = &service.Error{Status: http.StatusInternalServerError,
			Message: "Something went wrong in the server. Its log says more."}
	}
	retryAfter(q.w.Header(), e)
	if e.Status >= http.StatusInternalServerError {
		q.person, q.project = nil, nil // the database may be down: do not query it
	}
	if q.project != nil && e.Status == http.StatusNotFound && q.r.PathValue("run") == "" {
		q.project = nil
	}
	text := sentence(e.Message)
	if e.Code == service.ErrNotFound.Code && e.Message == service.ErrNotFound.Message {
		text = "There is no such page, or it belongs to a project of which you are not a member."
	}
	if err := q.showStatus(e.Status, "error", view{Title: http.StatusText(e.Status), Error: text,
		D: e.Status}); err != nil {
		f.log.ErrorContext(q.r.Context(), "page of the console failed", "path", q.r.URL.Path, "error", err)
		http.Error(q.w, "Something went wrong in the server.", http.StatusInternalServerError)
	}
}

// retryAfter returns the value of the header Retry-After.
func retryAfter(h http.Header, e *service.Error) {
	if e.After > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(e.After.Seconds()))))
	}
}

var fieldPrefix = lazyregexp.New(`^(body|query)(\.\w+)?: `)

// sentence converts a message of the API to a sentence for people who see a form.
func sentence(message string) string {
	message = fieldPrefix.ReplaceAllString(message, "")
	for i, r := range message {
		if i == 0 {
			message = string(unicode.ToUpper(r)) + message[len(string(r)):]
		}
	}
	if !strings.HasSuffix(message, ".") {
		message += "."
	}
	return message
}

// functions are the functions of the templates.
func functions() template.FuncMap {
	return template.FuncMap{
		"when": func(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04 UTC") },
		"iso":  func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"sign": html.Sign, "word": html.Word,
		"result": func(v event.Result) string {
			if v == "" {
				return "unreached"
			}
			return string(v)
		},
		"initial": func(text string) string {
			for _, r := range text {
				return string(unicode.ToUpper(r))
			}
			return ""
		},
		"number": number, "took": took, "plural": plural,
		"platforms":   func() []string { return []string{"android", "ios", "web"} },
		"results":     func() []string { return []string{"pass", "fail", "error", "skipped", "expected", "interrupted"} },
		"memberRoles": func() []string { return []string{"admin", "member", "viewer"} },
	}
}

// number groups digits by three.
func number(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + one + "s"
}

// took formats a duration for people.
func took(d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	}
	return d.Round(time.Second).String()
}

// failScript responds with an error in the API's form.
func (f *frame) failScript(q *request, err error) {
	e := known(err)
	if e == nil {
		f.log.ErrorContext(q.r.Context(), "request of a page failed", "path", q.r.URL.Path, "error", err)
		e = &service.Error{Status: http.StatusInternalServerError, Code: "internal",
			Message: "something went wrong in the server; its log says more"}
	}
	retryAfter(q.w.Header(), e)
	q.w.Header().Set("Content-Type", "application/json")
	q.w.WriteHeader(e.Status)
	// A client that disconnected reads nothing.
	_ = json.NewEncoder(q.w).Encode(map[string]string{"error": e.Code, "message": e.Message})
}

func (a assets) serve(q *request) error {
	file, ok := a[q.r.PathValue("name")]
	if !ok {
		return service.ErrNotFound
	}
	q.w.Header().Set("Content-Type", file.kind)
	q.w.Header().Set("Cache-Control", "max-age=300")
	_, err := q.w.Write(file.text)
	return err
}
