package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/taproot-dev/taproot/dsl/source"
)

const schemaPrefix = "#/components/schemas/"

// configureHuma sets huma's package variables.
var configureHuma = sync.OnceFunc(func() { huma.NewError, huma.ValidateStrictCasing = humaError, true })

// newAPI creates the huma API, which decodes requests, encodes responses and describes both.
func newAPI(mux *http.ServeMux, version string) huma.API {
	configureHuma()
	json := huma.Format{Marshal: marshal, Unmarshal: unmarshal}
	c := huma.Config{OpenAPI: &huma.OpenAPI{OpenAPI: "3.1.0", Info: &huma.Info{Title: "Taproot", Version: version,
		Description: apiDoc,
		License:     &huma.License{Name: "Apache-2.0", URL: "https://www.apache.org/licenses/LICENSE-2.0"}},
		Servers: []*huma.Server{{URL: "/", Description: "this server"},
			{URL: "/api", Description: "the same, under the prefix of the cloud service"}},
		Tags: []*huma.Tag{{Name: "devices", Description: "Phones, and pages of browsers."},
			{Name: "actions", Description: "What can be done on a device."},
			{Name: "leases", Description: "Holding a device for more than one call."},
			{Name: "web", Description: "Pages of a browser."},
			{Name: "runs", Description: "Running tests."}, {Name: "reports", Description: "What runs leave."},
			{Name: "accounts", Description: "People, where the server has accounts."},
			{Name: "projects", Description: "Projects, their members, keys and usage, where the server has " +
				"accounts."}, {Name: "farm", Description: "Hosts and their devices, where the server is the hub of a farm. " +
				"The paths below /farm/archives, /farm/runs and /farm/usable are between taproot run --hub and the hub, change " +
				"with their version, and are not described: clients of the API run tests on the farm with POST /runs."},
			{Name: "server", Description: "The server itself."}}},
		Formats: map[string]huma.Format{"application/json": json}, DefaultFormat: "application/json",
		RejectUnknownQueryParameters: true}
	c.Components = &huma.Components{Schemas: huma.NewMapRegistry(schemaPrefix, huma.DefaultSchemaNamer),
		Responses: map[string]*huma.Response{},
		SecuritySchemes: map[string]*huma.SecurityScheme{
			"bearer": {Type: "http", Scheme: "bearer",
				Description: "An API key, or a JSON web token with the scope of the operation in its claim scope."},
			"key": {Type: "apiKey", In: "header", Name: "X-API-Key", Description: "An API key."}}}
	return humago.New(mux, c)
}

// marshal encodes JSON without escaping <, > and &, which only HTML needs.
func marshal(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// unmarshal decodes JSON strictly: no duplicate keys, nothing after the value, no invalid UTF-8.
func unmarshal(data []byte, v any) error {
	if _, err := source.FromJSON(data); err != nil {
		return err
	}
	err := json.Unmarshal(data, v)
	var unfit *json.UnmarshalTypeError
	if errors.As(err, &unfit) {
		// encoding/json's message names Go types
		return fmt.Errorf("%q does not take the %s", unfit.Field, unfit.Value)
	}
	return err
}

// op is one operation: exactly one of Get, Post and Delete is its path.
type op struct {
	Get, Post, Delete string
	ID, Tag           string
	Summary, Doc      string
	Scope             string // of tokens; empty: public
	Status            int    // of success; default: 200
	Also              []int  // other statuses of success
	Codes             []int  // of errors, in addition to those of every operation
	Type, AlsoType    string // of a response that is not JSON
	Answers           any    // the response of a raw operation, as JSON
	Example           any    // of the body
	Query             []*huma.Param
	Upload            bool
	Part              string // with Upload: the name of the part that holds the archive
	Free              bool   // not counted against rate limits
	Stream            bool   // the response continues until the client disconnects
	Undocumented      bool   // an older path of another operation
}

func (o op) method() (method, path string) {
	switch {
	case o.Get != "":
		return http.MethodGet, o.Get
	case o.Post != "":
		return http.MethodPost, o.Post
	}
	return http.MethodDelete, o.Delete
}

// describe converts an operation to huma's form, and stores the access that it requires.
func (s *Server) describe(o op) huma.Operation {
	method, path := o.method()
	pattern := method + " " + path
	if path == "/" {
		pattern += "{$}"
	}
	s.access[pattern] = access{scope: o.Scope, upload: o.Upload, free: o.Free, stream: o.Stream}
	h := huma.Operation{Method: method, Path: path, OperationID: o.ID, Summary: o.Summary, Description: o.Doc,
		Tags:          []string{o.Tag},
		Hidden:        o.Undocumented,
		DefaultStatus: o.Status, MaxBodyBytes: s.o.MaxBody + 1, BodyReadTimeout: -1, Responses: map[string]*huma.Response{}}
	if h.Description == "" {
		h.Description = o.Summary + "."
	}
	if o.Scope == "" {
		h.Security = []map[string][]string{}
	} else {
		h.Security = []map[string][]string{{"bearer": {}}, {"key": {}}}
		h.Extensions = map[string]any{"x-scope": o.Scope}
	}
	codes := append([]int{http.StatusBadRequest, http.StatusForbidden, http.StatusTooManyRequests,
		http.StatusInternalServerError}, o.Codes...)
	if o.Scope != "" {
		codes = append(codes, http.StatusUnauthorized)
	}
	if s.o.Service != nil && o.Scope != "" {
		codes = append(codes, http.StatusPaymentRequired, http.StatusNotFound, http.StatusServiceUnavailable,
			http.StatusInsufficientStorage)
	}
	if method == http.MethodPost {
		codes = append(codes, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType,
			http.StatusInsufficientStorage)
	}
	for _, code := range codes {
		h.Responses[strconv.Itoa(code)] = s.errorResponse(code)
	}
	return h
}

// errorResponse refers to the shared description of an error response.
func (s *Server) errorResponse(code int) *huma.Response {
	all := s.api.OpenAPI().Components.Responses
	name := "Error" + strconv.Itoa(code)
	if all[name] == nil {
		r := &huma.Response{Description: http.StatusText(code), Content: map[string]*huma.MediaType{
			"application/json": {Schema: s.schema(Error{}, "Error")}}}
		if code == http.StatusTooManyRequests {
			r.Headers = map[string]*huma.Param{
				"Retry-After": {Description: "Seconds to wait.", Schema: &huma.Schema{Type: huma.TypeInteger}}}
		}
		all[name] = r
	}
	return &huma.Response{Ref: "#/components/responses/" + name}
}

func (s *Server) schema(of any, name string) *huma.Schema {
	return s.api.OpenAPI().Components.Schemas.Schema(reflect.TypeOf(of), true, name)
}

// register adds an operation. Its handler receives and returns structs.
func register[I, O any](s *Server, o op, handle func(context.Context, *I) (*O, error)) {
	h := s.describe(o)
	defer s.also(h, o)
	huma.Register(s.api, h, func(ctx context.Context, in *I) (*O, error) {
		out, err := handle(ctx, in)
		if err != nil {
			return nil, s.problem(ctx, err)
		}
		return out, nil
	})
}

// also documents the other success statuses after huma has derived the response schema.
func (s *Server) also(h huma.Operation, o op) {
	for _, status := range o.Also {
		h.Responses[strconv.Itoa(status)] = h.Responses[strconv.Itoa(o.status())]
	}
}

// raw adds an operation. Its handler reads and writes by itself; an error that it returns becomes the response.
func (s *Server) raw(o op, handle func(http.ResponseWriter, *http.Request) error) {
	h := s.describe(o)
	_, path := o.method()
	for _, part := range strings.Split(path, "/") {
		if name, ok := strings.CutPrefix(strings.TrimSuffix(part, "}"), "{"); ok {
			name = strings.TrimSuffix(name, "...")
			h.Parameters = append(h.Parameters, &huma.Param{Name: name, In: "path", Required: true,
				Example: pathExample(path, name), Schema: &huma.Schema{Type: huma.TypeString}})
		}
	}
	h.Parameters = append(h.Parameters, o.Query...)
	for _, status := range append([]int{o.status()}, o.Also...) {
		h.Responses[strconv.Itoa(status)] = s.success(o)
	}
	if o.Upload {
		h.RequestBody = uploadBody(o.Part)
	}
	s.handle(h, func(w http.ResponseWriter, r *http.Request) error {
		if fail := knownQuery(r, o.Query); fail != nil {
			return fail
		}
		return handle(w, r)
	})
}

// pathExample returns an example of a path parameter.
func pathExample(path, name string) any {
	switch {
	case name == "id" && strings.HasPrefix(path, "/devices/"):
		return "emulator-5554"
	case name == "id" || name == "run":
		return "2026-03-04T05-06-07"
	case name == "name":
		return "login"
	case name == "path":
		return "run.md"
	}
	return nil
}

func (o op) status() int {
	if o.Status == 0 {
		return http.StatusOK
	}
	return o.Status
}

func (s *Server) success(o op) *huma.Response {
	r := &huma.Response{Description: "Success", Content: map[string]*huma.MediaType{}}
	if o.Answers != nil {
		r.Content["application/json"] = &huma.MediaType{Schema: s.schema(o.Answers, o.ID)}
	}
	for _, kind := range []string{o.Type, o.AlsoType} {
		switch {
		case kind == "":
		case kind == "application/json":
			r.Content[kind] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}}
		case strings.HasPrefix(kind, "text/"):
			r.Content[kind] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
		case kind == "application/octet-stream":
			r.Content["*/*"] = &huma.MediaType{
				Schema: &huma.Schema{Extensions: map[string]any{"contentMediaType": "application/octet-stream"}}}
		default:
			r.Content[kind] = &huma.MediaType{Schema: &huma.Schema{Extensions: map[string]any{"contentMediaType": kind}}}
		}
	}
	return r
}

// handle adds a described operation to the document and its handler to the mux, through huma's adapter.
func (s *Server) handle(h huma.Operation, handle func(http.ResponseWriter, *http.Request) error) {
	documented := h
	documented.Path = strings.ReplaceAll(h.Path, "...}", "}")
	if !h.Hidden {
		s.api.OpenAPI().AddOperation(&documented)
	}
	if h.Path == "/" {
		h.Path = "/{$}"
	}
	s.api.Adapter().Handle(&h, func(ctx huma.Context) {
		r, w := humago.Unwrap(ctx)
		err := handle(w, r)
		if err == nil {
			return
		}
		if out, ok := w.(*responseRecorder); ok && out.status != 0 { // the response has started
			s.log.InfoContext(r.Context(), "answer broke off", "error", s.mask.Text(err.Error()))
			panic(http.ErrAbortHandler)
		}
		if r.Context().Err() != nil && errors.Is(err, context.Canceled) {
			return // the client has disconnected
		}
		writeError(w, s.problem(r.Context(), err))
	})
}

// checkQuery rejects query strings that cannot be parsed, and parameters that are given twice. Parsers would ignore
// both.
func checkQuery(r *http.Request) *Error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return invalid("query: it cannot be read: write %, & and ; in values as %25, %26 and %3B")
	}
	for name, values := range query {
		if len(values) > 1 {
			return invalid("query." + strconv.Quote(cut(name, 50)) + ": given twice")
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
			return invalid("query." + strconv.Quote(cut(name, 50)) + ": unknown query parameter")
		}
	}
	return nil
}
