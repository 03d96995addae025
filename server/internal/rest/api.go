package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
)

// SchemaPrefix is the start of references to schemas.
const SchemaPrefix = "#/components/schemas/"

// configureHuma sets huma's package variables.
var configureHuma = sync.OnceFunc(func() { huma.NewError, huma.ValidateStrictCasing = humaError, true })

// newHuma creates the huma API, which decodes requests, encodes responses and describes both.
func newHuma(mux *http.ServeMux, o APIOptions) huma.API {
	configureHuma()
	json := huma.Format{Marshal: Marshal, Unmarshal: Unmarshal}
	c := huma.Config{OpenAPI: &huma.OpenAPI{OpenAPI: "3.1.0", Info: &huma.Info{Title: "Taproot", Version: o.Version,
		Description: o.Doc,
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
	c.Components = &huma.Components{Schemas: huma.NewMapRegistry(SchemaPrefix, huma.DefaultSchemaNamer),
		Responses: map[string]*huma.Response{},
		SecuritySchemes: map[string]*huma.SecurityScheme{
			"bearer": {Type: "http", Scheme: "bearer",
				Description: "An API key, or a JSON web token with the scope of the operation in its claim scope."},
			"key": {Type: "apiKey", In: "header", Name: "X-API-Key", Description: "An API key."}}}
	return humago.New(mux, c)
}

// Marshal encodes JSON without escaping <, > and &, which only HTML needs.
func Marshal(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// Unmarshal decodes JSON strictly: no duplicate keys, nothing after the value, no invalid UTF-8.
func Unmarshal(data []byte, v any) error {
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

// API is the list of operations: their routes, what they require, and their description.
type API struct {
	APIOptions
	huma   huma.API
	mux    *http.ServeMux
	access map[string]Access // by the pattern of a route
	moved  map[string]string // paths by what they were before
}

// APIOptions configure an API.
type APIOptions struct {
	Version  string
	Doc      string // Markdown
	Accounts bool   // the server has accounts
	MaxBody  int64  // bytes of a JSON body
	Log      *slog.Logger
	Mask     *event.Mask
	// Problems returns what converts the errors of a request.
	Problems func(context.Context) *Problems
	// Own returns the path of the action that other tools call as a path does that nothing is at; "": there is none.
	Own func(path string) string
}

// NewAPI creates an API without operations.
func NewAPI(o APIOptions) *API {
	mux := http.NewServeMux()
	return &API{APIOptions: o, mux: mux, huma: newHuma(mux, o), access: map[string]Access{},
		moved: map[string]string{}}
}

func (s *API) problem(ctx context.Context, err error) *Error { return s.Problems(ctx).Of(ctx, err) }

// ServeHTTP calls the handler of a route.
func (s *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Plain adds a route that is not described.
func (s *API) Plain(pattern, scope string, handle http.HandlerFunc) {
	s.mux.HandleFunc(pattern, handle)
	s.access[pattern] = Access{Scope: scope, Pattern: pattern}
}

// Moved has the error of an old path name the present one. Both are written as in routes.
func (s *API) Moved(old, now string) { s.moved[old] = now }

// Access returns what a route requires.
func (s *API) Access(pattern string) (a Access, known bool) {
	a, known = s.access[pattern]
	return a, known
}

// Document returns the OpenAPI document.
func (s *API) Document() ([]byte, error) {
	text, err := json.Marshal(s.huma.OpenAPI())
	if err != nil {
		return nil, fmt.Errorf("describe the API: %w", err)
	}
	return text, nil
}

// AddSchemas adds schemas to which others refer.
func (s *API) AddSchemas(schemas map[string]map[string]any) {
	components := s.huma.OpenAPI().Components.Schemas.Map()
	for name, shared := range schemas {
		components[name] = &huma.Schema{Extensions: shared}
	}
}

// On makes a handler of a method of the part that a request is for, such as the devices of its project.
func On[P, I, O any](of func(context.Context) P, method func(P, context.Context, *I) (*O, error)) func(
	context.Context, *I) (*O, error) {
	return func(ctx context.Context, in *I) (*O, error) { return method(of(ctx), ctx, in) }
}

// RawOn is On for handlers that read and write by themselves.
func RawOn[P any](of func(context.Context) P, method func(P, http.ResponseWriter, *http.Request) error) func(
	http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error { return method(of(r.Context()), w, r) }
}

// Op is one operation: exactly one of Get, Post and Delete is its path.
type Op struct {
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

func (o Op) method() (method, path string) {
	switch {
	case o.Get != "":
		return http.MethodGet, o.Get
	case o.Post != "":
		return http.MethodPost, o.Post
	}
	return http.MethodDelete, o.Delete
}

// describe converts an operation to huma's form, and stores the access that it requires.
func (s *API) describe(o Op) huma.Operation {
	method, path := o.method()
	pattern := method + " " + path
	if path == "/" {
		pattern += "{$}"
	}
	s.access[pattern] = Access{Scope: o.Scope, Upload: o.Upload, Free: o.Free, Stream: o.Stream}
	h := huma.Operation{Method: method, Path: path, OperationID: o.ID, Summary: o.Summary, Description: o.Doc,
		Tags:          []string{o.Tag},
		Hidden:        o.Undocumented,
		DefaultStatus: o.Status, MaxBodyBytes: s.MaxBody + 1, BodyReadTimeout: -1, Responses: map[string]*huma.Response{}}
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
	if s.Accounts && o.Scope != "" {
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
func (s *API) errorResponse(code int) *huma.Response {
	all := s.huma.OpenAPI().Components.Responses
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

func (s *API) schema(of any, name string) *huma.Schema {
	return s.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeOf(of), true, name)
}

// Register adds an operation. Its handler receives and returns structs.
func Register[I, O any](s *API, o Op, handle func(context.Context, *I) (*O, error)) {
	h := s.describe(o)
	defer s.also(h, o)
	huma.Register(s.huma, h, func(ctx context.Context, in *I) (*O, error) {
		out, err := handle(ctx, in)
		if err != nil {
			return nil, s.problem(ctx, err)
		}
		return out, nil
	})
}

// also documents the other success statuses after huma has derived the response schema.
func (s *API) also(h huma.Operation, o Op) {
	for _, status := range o.Also {
		h.Responses[strconv.Itoa(status)] = h.Responses[strconv.Itoa(o.status())]
	}
}

// Raw adds an operation. Its handler reads and writes by itself; an error that it returns becomes the response.
func (s *API) Raw(o Op, handle func(http.ResponseWriter, *http.Request) error) {
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

func (o Op) status() int {
	if o.Status == 0 {
		return http.StatusOK
	}
	return o.Status
}

func (s *API) success(o Op) *huma.Response {
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
func (s *API) handle(h huma.Operation, handle func(http.ResponseWriter, *http.Request) error) {
	documented := h
	documented.Path = strings.ReplaceAll(h.Path, "...}", "}")
	if !h.Hidden {
		s.huma.OpenAPI().AddOperation(&documented)
	}
	if h.Path == "/" {
		h.Path = "/{$}"
	}
	s.huma.Adapter().Handle(&h, func(ctx huma.Context) {
		r, w := humago.Unwrap(ctx)
		err := handle(w, r)
		if err == nil {
			return
		}
		if out, ok := w.(*Recorder); ok && out.Status != 0 { // the response has started
			s.Log.InfoContext(r.Context(), "answer broke off", "error", s.Mask.Text(err.Error()))
			panic(http.ErrAbortHandler)
		}
		if r.Context().Err() != nil && errors.Is(err, context.Canceled) {
			return // the client has disconnected
		}
		WriteError(w, s.problem(r.Context(), err))
	})
}

// Action registers an operation. Its body is an object with a derived schema.
func (s *API) Action(o Op, body map[string]any, needed bool, handle func(http.ResponseWriter, *http.Request) error) {
	h := s.describe(o)
	if strings.Contains(o.Post, "{id}") {
		h.Parameters = []*huma.Param{{Name: "id", In: "path", Required: true, Description: "The device.",
			Example: pathExample(o.Post, "id"), Schema: &huma.Schema{Type: huma.TypeString}}}
	}
	name := strings.ReplaceAll(o.ID, "-", "") + "Body"
	s.huma.OpenAPI().Components.Schemas.Map()[name] = &huma.Schema{Extensions: body}
	h.RequestBody = &huma.RequestBody{Required: needed, Content: map[string]*huma.MediaType{
		"application/json": {Schema: &huma.Schema{Ref: SchemaPrefix + name}, Example: o.Example}}}
	h.Responses[strconv.Itoa(http.StatusOK)] = s.success(o)
	s.handle(h, func(w http.ResponseWriter, r *http.Request) error {
		if fail := knownQuery(r, nil); fail != nil {
			return fail
		}
		return handle(w, r)
	})
}

// FileCodes are the other success statuses of files: a range, or not modified.
func FileCodes() []int { return []int{http.StatusPartialContent, http.StatusNotModified} }

// DeviceCodes are the error statuses of a device.
func DeviceCodes() []int {
	return []int{http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity, http.StatusBadGateway,
		http.StatusGatewayTimeout}
}

// MemberCodes are the error statuses of routes that need a credential.
func MemberCodes() []int {
	return []int{http.StatusPaymentRequired, http.StatusNotFound, http.StatusConflict, http.StatusServiceUnavailable}
}

// SentFile names the text of a request in messages.
const SentFile = "request.yaml"
