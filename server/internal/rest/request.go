package rest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// CheckQuery rejects query strings that cannot be parsed, and parameters that are given twice. Parsers would ignore
// both.
func CheckQuery(r *http.Request) *Error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return Invalid("query: it cannot be read: write %, & and ; in values as %25, %26 and %3B")
	}
	for name, values := range query {
		if len(values) > 1 {
			return Invalid("query." + strconv.Quote(Cut(name, 50)) + ": given twice")
		}
	}
	return nil
}

// knownQuery rejects query parameters that the operation does not have.
func knownQuery(r *http.Request, known []*huma.Param) *Error {
	for name := range r.URL.Query() {
		found := false
		for _, p := range known {
			found = found || p.Name == name && p.In == "query"
		}
		if !found {
			return Invalid("query." + strconv.Quote(Cut(name, 50)) + ": unknown query parameter")
		}
	}
	return nil
}

// Route finds the handler of a request and its pattern. Paths with empty or dot segments have no handler; http.ServeMux
// would redirect them.
func (s *API) Route(r *http.Request) (http.Handler, string) {
	if clean := path.Clean(r.URL.Path); r.URL.Path != clean && (r.URL.Path != clean+"/" || clean == "/") ||
		strings.ContainsFunc(r.URL.Path, IsControl) {
		return http.NotFoundHandler(), ""
	}
	h, pattern := s.mux.Handler(r)
	if _, known := s.access[pattern]; !known {
		return h, ""
	}
	return h, pattern
}

// IsControl reports whether a character must not be in an ID or a path.
func IsControl(r rune) bool { return r < ' ' || r == 0x7f }

// RouteError returns the error of a path or method without a route. It calls the mux's own handler to find out which of
// the two it is, and which methods the path allows.
func (s *API) RouteError(w http.ResponseWriter, r *http.Request, h http.Handler) *Error {
	if now := s.movedTo(r.URL.Path); now != "" {
		return Fault(http.StatusNotFound, CodeNotFound, fmt.Sprintf("the path is called %s now", Cut(now, 200)))
	}
	said := headersOnly{h: http.Header{}}
	h.ServeHTTP(&said, r)
	allow := said.h.Get("Allow")
	if own := s.own(r.URL.Path); own != "" && !strings.Contains(allow, http.MethodPost) {
		return Fault(http.StatusNotFound, CodeNotFound,
			fmt.Sprintf("there is nothing at this path; the action is at %s", Cut(own, 200)))
	}
	if said.status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", allow)
		return Fault(http.StatusMethodNotAllowed, CodeMethod, fmt.Sprintf("%s does not work here; use %s", r.Method, allow))
	}
	return Fault(http.StatusNotFound, CodeNotFound, "there is nothing at this path; /openapi.json lists all paths")
}

// own returns the path for one with a word of another tool; "" when it has none.
func (s *API) own(path string) string {
	if s.Own == nil {
		return ""
	}
	return s.Own(path)
}

// movedTo returns the present path of an old one; "" when it is not an old one.
func (s *API) movedTo(path string) string {
	parts := strings.Split(path, "/")
	id := ""
	if len(parts) == 4 && parts[1] == "devices" {
		id, parts[2] = parts[2], "{id}"
	}
	return strings.Replace(s.moved[strings.Join(parts, "/")], "{id}", id, 1)
}

// headersOnly is a ResponseWriter that keeps the status and the headers and drops the body.
type headersOnly struct {
	h      http.Header
	status int
}

func (o *headersOnly) Header() http.Header { return o.h }

func (o *headersOnly) WriteHeader(status int) {
	if o.status == 0 {
		o.status = status
	}
}

func (o *headersOnly) Write(p []byte) (int, error) {
	o.WriteHeader(http.StatusOK)
	return len(p), nil
}

// CheckBody checks the headers of the body before it is read. HTML forms of other sites cannot send Content-Type:
// application/json.
func (s *API) CheckBody(r *http.Request, a Access) *Error {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return nil
	}
	kind := r.Header.Get("Content-Type")
	if kind == "" && r.ContentLength == 0 {
		return nil
	}
	media, params, err := mime.ParseMediaType(kind)
	want := "application/json"
	if a.Upload {
		want = "multipart/form-data"
	}
	charset := params["charset"]
	switch {
	case err != nil || media != want:
		return Fault(http.StatusUnsupportedMediaType, CodeMediaType, "send the body with Content-Type: "+want)
	case charset != "" && !strings.EqualFold(charset, "utf-8") && !a.Upload:
		return Fault(http.StatusUnsupportedMediaType, CodeMediaType, "send the body in UTF-8")
	case r.Header.Get("Content-Encoding") != "":
		return Fault(http.StatusUnsupportedMediaType, CodeMediaType, "send the body without Content-Encoding")
	case r.ContentLength > s.MaxBody && !a.Upload:
		return Fault(http.StatusRequestEntityTooLarge, CodeTooLarge, fmt.Sprintf("a body has at most %d bytes", s.MaxBody))
	}
	return nil
}

// ReadBody reads the whole body before the handler runs, so that a client that sends slowly occupies only its
// connection.
func (s *API) ReadBody(w http.ResponseWriter, r *http.Request) *Error {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.MaxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return Fault(http.StatusRequestEntityTooLarge, CodeTooLarge, fmt.Sprintf("a body has at most %d bytes", s.MaxBody))
	case errors.Is(err, os.ErrDeadlineExceeded):
		return Fault(http.StatusGatewayTimeout, CodeTimeout, "the request did not arrive in time")
	case err != nil:
		return Invalid("the body was cut off")
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // the body has arrived; the handler may take longer
	r.Body = io.NopCloser(bytes.NewReader(data))
	return nil
}
