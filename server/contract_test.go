package server_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/taproot-dev/taproot/server"
)

// contract is an API document against which responses are checked.
type contract struct {
	router   routers.Router
	document map[string]any
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema // of bodies, by their places in the document
}

// contracts caches the documents: writing and reading one takes as long as a short test.
var contracts = struct {
	sync.Mutex
	of map[string]*contract
}{of: map[string]*contract{}}

// contractOf reads the document of a lab's server.
func contractOf(l *lab, o server.Options) *contract {
	l.t.Helper()
	contracts.Lock()
	defer contracts.Unlock()
	kind := fmt.Sprint(o.Service != nil, o.Farm != nil) // nothing else makes a difference
	if c := contracts.of[kind]; c != nil {
		return c
	}
	r, err := l.client.Get(l.http.URL + "/openapi.json")
	if err != nil {
		l.t.Fatal(err)
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		l.t.Fatal(err)
	}
	c, err := readContract(data)
	if err != nil {
		l.t.Fatal(err)
	}
	contracts.of[kind] = c
	return c
}

func readContract(data []byte) (*contract, error) {
	doc, err := openapi3.NewLoader().LoadFromData(data)
	if err != nil {
		return nil, err
	}
	doc.Servers = nil
	c := &contract{compiler: jsonschema.NewCompiler(), schemas: map[string]*jsonschema.Schema{}}
	if c.router, err = gorillamux.NewRouter(doc); err != nil {
		return nil, err
	}
	text, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	c.document = text.(map[string]any)
	c.compiler.DefaultDraft(jsonschema.Draft2020)
	c.compiler.AssertFormat()
	return c, c.compiler.AddResource("openapi.json", text)
}

// check validates a response against the document.
func (c *contract) check(t testing.TB, r *http.Request, a answer, isJSON bool) {
	t.Helper()
	plain := r.Clone(r.Context())
	plain.URL.Path = strings.TrimPrefix(plain.URL.Path, "/api")
	plain.URL.RawPath = strings.TrimPrefix(plain.URL.RawPath, "/api")
	if older, ok := strings.CutSuffix(plain.URL.Path, "/recording/film"); ok { // it still works, and is not documented
		plain.URL.Path = older + "/recording/video"
	}
	plain.URL.Host, plain.URL.Scheme, plain.Body = "", "", nil
	route, params, err := c.router.FindRoute(plain)
	if err != nil {
		if a.status < 400 && !strings.HasSuffix(plain.URL.Path, "/recording/film") { // a former path, kept for clients
			t.Errorf("%s %s is not in the document and answers %s", r.Method, r.URL.Path, a)
		}
		return
	}
	if !isJSON && route.Operation.Responses.Status(a.status) == nil {
		t.Errorf("%s %s: the document knows no answer %d", r.Method, r.URL.Path, a.status)
		return
	}
	in := &openapi3filter.ResponseValidationInput{RequestValidationInput: &openapi3filter.RequestValidationInput{
		Request: plain, PathParams: params, Route: route},
		Status: a.status, Header: a.header, Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true,
			ExcludeResponseBody: true}}
	err = openapi3filter.ValidateResponse(r.Context(), in)
	if err == nil && isJSON {
		err = c.body(r.Method, route.Path, a)
	}
	if err != nil {
		t.Errorf("%s %s: the answer is not what the document promises: %v\n%s", r.Method, r.URL.Path, err, a)
	}
}

// body validates the JSON of a response against its schema, which is compiled once: the library would do it for each
// response.
func (c *contract) body(method, path string, a answer) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.body))
	if err != nil {
		return err
	}
	s, err := c.schema(method, path, a.status)
	if err != nil || s == nil {
		return err
	}
	return s.Validate(v)
}

// schema finds the schema of a JSON response; a response that can be any file has none.
func (c *contract) schema(method, path string, status int) (*jsonschema.Schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	place := fmt.Sprintf("#/paths/%s/%s/responses/%d", strings.NewReplacer("~", "~0", "/", "~1").Replace(path),
		strings.ToLower(method), status)
	if s := c.schemas[place]; s != nil {
		return s, nil
	}
	at, components := place, map[string]any{}
	if all, ok := c.document["components"].(map[string]any); ok {
		components, _ = all["responses"].(map[string]any)
	}
	paths, _ := c.document["paths"].(map[string]any)
	operations, _ := paths[path].(map[string]any)
	operation, _ := operations[strings.ToLower(method)].(map[string]any)
	answers, _ := operation["responses"].(map[string]any)
	one, _ := answers[strconv.Itoa(status)].(map[string]any)
	if ref, ok := one["$ref"].(string); ok {
		at = ref
		one, _ = components[ref[strings.LastIndex(ref, "/")+1:]].(map[string]any)
	}
	kinds, _ := one["content"].(map[string]any)
	if kinds["application/json"] == nil && kinds["*/*"] != nil {
		return nil, nil
	}
	s, err := c.compiler.Compile("openapi.json" + at + "/content/application~1json/schema")
	c.schemas[place] = s
	return s, err
}

// TestContract: responses that the document does not describe are detected, by their status and their body.
func TestContract(t *testing.T) {
	t.Parallel()
	c := newLab(t, 0).says
	for body, good := range map[string]bool{`[]`: true, `{}`: false, `[{"id": "SIM1"}]`: false, `nothing`: false} {
		err := c.body(http.MethodGet, "/devices", answer{status: http.StatusOK, body: []byte(body)})
		if (err == nil) != good {
			t.Errorf("%s: %v", body, err)
		}
	}
	for body, good := range map[string]bool{`{"error": "not_found", "message": "none"}`: true,
		`{"error": 1, "message": "none"}`: false, `{}`: false} {
		err := c.body(http.MethodGet, "/devices/{id}", answer{status: http.StatusNotFound, body: []byte(body)})
		if (err == nil) != good {
			t.Errorf("%s: %v", body, err)
		}
	}
	if err := c.body(http.MethodGet, "/devices", answer{status: http.StatusTeapot, body: []byte(`[]`)}); err == nil {
		t.Error("a status that the document does not know")
	}
}
