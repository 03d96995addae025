package server

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/danielgtaylor/huma/v2"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/reporters/markdown"
	"github.com/taproot-dev/taproot/runner/live"
)

// Outcome is the result of an action.
type Outcome struct {
	Passed     bool          `json:"passed" doc:"False: an assertion does not hold. Other failures are errors."`
	Message    string        `json:"message,omitempty" doc:"Why it does not hold."`
	Expected   string        `json:"expected,omitempty"`
	Actual     string        `json:"actual,omitempty" doc:"What was there instead."`
	Candidates []string      `json:"candidates,omitempty" nullable:"false" doc:"Elements that were near, best first."`
	Detail     *event.Detail `json:"detail,omitempty" doc:"The proof: what was matched, how, and where it was touched."`
	Value      any           `json:"value,omitempty" doc:"What the action returns: a text, a number, a map."`
	Files      []OutcomeFile `json:"files,omitempty" nullable:"false" doc:"What the action leaves, such as a download."`
	DurationMS int64         `json:"duration_ms"`
	Page       string        `json:"page,omitempty" doc:"Under /web: the page that was used."`
	ID         string        `json:"id,omitempty" doc:"Of /web/launch: the page that was opened."`
}

// OutcomeFile is a file that an action created.
type OutcomeFile struct {
	Name string `json:"name"`
	Type string `json:"type" example:"image/png"`
	Size int64  `json:"size"`
	Data []byte `json:"data" contentEncoding:"base64" doc:"Its bytes, in base64."`
}

const (
	maxFile      = 16 << 20 // bytes in one response
	pageArgument = "page"
)

// actionBodies are the schemas of the actions' bodies, and actionExamples their examples by action name. A process that
// serves many projects has a server for each, so they are created once, and are only read.
var (
	actionBodies   = sync.OnceValue(func() dsl.Bodies { return dsl.BodySchemas(dsl.REST, schemaPrefix) })
	actionExamples = sync.OnceValue(func() map[string]map[string]any {
		all := map[string]map[string]any{}
		for _, def := range dsl.Vocabulary() {
			all[def.Name] = def.ExampleBody()
		}
		return all
	})
)

// actions registers a path for every action that programs can request, of any device and of pages only.
func (s *Server) actions() {
	bodies := actionBodies()
	components := s.api.OpenAPI().Components.Schemas.Map()
	for name, shared := range bodies.Shared {
		components[name] = &huma.Schema{Extensions: shared}
	}
	for _, def := range dsl.Vocabulary() {
		body := bodies.Actions[def.Name]
		if body == nil {
			continue
		}
		path := kebab(def.Name)
		s.action(actionOp(def, "/devices/{id}/"+path, path), body, def.NeedsArgument(),
			func(w http.ResponseWriter, r *http.Request) error {
				args, err := s.arguments(r, &def)
				if err != nil {
					return err
				}
				return s.perform(w, r, call{def: &def, device: r.PathValue("id"), args: args})
			})
		if def.On(dsl.Web) {
			s.pageAction(def, body)
		}
	}
}

// kebab spells an action name in kebab case, as paths do.
func kebab(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('-')
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}

func actionOp(def dsl.Def, path, id string) op {
	var on []string
	for _, p := range def.Platforms {
		on = append(on, string(p))
	}
	doc := def.Doc + " Works on: " + strings.Join(on, ", ") + "."
	if def.Saves != "" {
		doc += " value is " + def.Saves + "."
	}
	return op{Post: path, ID: id, Tag: "actions", Scope: writeDevices, Summary: firstSentence(def.Doc), Doc: doc,
		Codes: deviceCodes(), Answers: Outcome{}, Example: actionExamples()[def.Name]}
}

func firstSentence(doc string) string {
	text, _, _ := strings.Cut(doc, ". ")
	return strings.TrimSuffix(text, ".")
}

// action registers an operation. Its body is an object with a derived schema.
func (s *Server) action(o op, body map[string]any, needed bool, handle func(http.ResponseWriter, *http.Request) error) {
	h := s.describe(o)
	if strings.Contains(o.Post, "{id}") {
		h.Parameters = []*huma.Param{{Name: "id", In: "path", Required: true, Description: "The device.",
			Example: pathExample(o.Post, "id"), Schema: &huma.Schema{Type: huma.TypeString}}}
	}
	name := strings.ReplaceAll(o.ID, "-", "") + "Body"
	s.api.OpenAPI().Components.Schemas.Map()[name] = &huma.Schema{Extensions: body}
	h.RequestBody = &huma.RequestBody{Required: needed, Content: map[string]*huma.MediaType{
		"application/json": {Schema: &huma.Schema{Ref: schemaPrefix + name}, Example: o.Example}}}
	h.Responses[strconv.Itoa(http.StatusOK)] = s.success(o)
	s.handle(h, func(w http.ResponseWriter, r *http.Request) error {
		if fail := knownQuery(r, nil); fail != nil {
			return fail
		}
		return handle(w, r)
	})
}

// arguments reads the body of an action. Of the options of steps, which are for tests, it accepts only timeoutMs.
func (s *Server) arguments(r *http.Request, def *dsl.Def, more ...string) (source.Value, error) {
	v, err := readObject(r)
	if err != nil {
		return v, err
	}
	return v, ownArguments(v, def, more...)
}

// ownArguments rejects keys that are not arguments of the action, except timeoutMs and those in more.
func ownArguments(v source.Value, def *dsl.Def, more ...string) error {
	own := v
	own.Fields = slices.DeleteFunc(slices.Clone(v.Fields), func(f source.Field) bool {
		return !def.OwnKey(f.Key) && (f.Key == "timeoutMs" || slices.Contains(more, f.Key))
	})
	for _, f := range own.Fields {
		if !def.OwnKey(f.Key) { // Decode lists the allowed keys in its error
			_, err := dsl.Decode(def, own)
			if err == nil {
				err = fmt.Errorf("unknown key %q", f.Key)
			}
			return invalid(markdown.VisibleLines(err.Error(), maxMessage))
		}
	}
	return nil
}

// readObject reads a JSON object; an empty body is an empty object.
func readObject(r *http.Request) (source.Value, error) {
	data, err := io.ReadAll(r.Body) // already in memory
	if err != nil {
		return source.Value{}, err
	}
	if len(data) == 0 {
		return source.Value{Kind: source.Map}, nil
	}
	v, err := source.FromJSON(data)
	if err != nil {
		return v, invalid(markdown.Visible(err.Error(), maxMessage))
	}
	if v.Kind != source.Map {
		return v, invalid(`the body must be a JSON object, such as {"label": "Sign in"}`)
	}
	return v, nil
}

// call is one action on one device.
type call struct {
	def    *dsl.Def
	device string
	args   source.Value
	page   string // in the response
	launch bool
	who    string // by which the device is leased; "": the caller of the request
}

// perform performs the action and writes the response.
func (s *Server) perform(w http.ResponseWriter, r *http.Request, c call) error {
	out, err := s.do(r, c)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, out)
	return nil
}

func (s *Server) do(r *http.Request, c call) (*Outcome, error) {
	if err := checkDeviceID(c.device); err != nil {
		return nil, err
	}
	ctx, cancel := s.deadline(r.Context())
	defer cancel()
	who := c.who
	if who == "" {
		who = s.leases.holder(c.device, callerOf(ctx))
	}
	a, err := s.devices.Call(ctx, live.Request{Device: c.device, Who: who, Def: c.def, Args: c.args})
	s.figures.observeAction(c.def.Name, a.Took, err)
	if err != nil {
		return nil, asDeviceError(err)
	}
	if a.Result != event.Pass {
		return failed(a)
	}
	out := &Outcome{Passed: true, Detail: a.Detail, Value: a.Value, DurationMS: a.Took.Milliseconds(), Page: c.page}
	if c.launch {
		out.ID = c.device
	}
	if out.Files, err = filesOf(a.Files); err != nil {
		return nil, err
	}
	return out, nil
}

// failed returns the outcome of an action that failed because of the app or the arguments.
func failed(a live.Answer) (*Outcome, error) {
	p := a.Problem
	switch p.Kind {
	case event.BadFile:
		return nil, invalid(p.Message)
	case event.NoPage:
		return nil, fault(http.StatusConflict, codePage, p.Message+" (POST /web/launch)")
	}
	if p.Assertion {
		return &Outcome{Message: p.Message, Expected: p.Expected, Actual: p.Actual, Candidates: p.Candidates,
			Detail: a.Detail, DurationMS: a.Took.Milliseconds()}, nil
	}
	e := fault(http.StatusUnprocessableEntity, p.Kind, p.Message)
	switch p.Kind {
	case "":
		e.Code = codeFailed
	case event.Refused:
		e.status = http.StatusForbidden
	}
	e.Candidates = p.Candidates
	return nil, e
}

// filesOf reads the files that an action created.
func filesOf(list []live.File) ([]OutcomeFile, error) {
	var files []OutcomeFile
	left := int64(maxFile)
	for _, f := range list {
		info, err := os.Lstat(f.Path)
		if err != nil {
			return nil, fmt.Errorf("read what an action left: %w", err)
		}
		if left -= info.Size(); !info.Mode().IsRegular() || left < 0 {
			return nil, fault(http.StatusBadGateway, codeDevice,
				fmt.Sprintf("the action left more than %d bytes of files, which an answer cannot hold; run it as a test", maxFile))
		}
		data, err := os.ReadFile(f.Path)
		if err != nil {
			return nil, fmt.Errorf("read what an action left: %w", err)
		}
		kind := mime.TypeByExtension(filepath.Ext(f.Name))
		if kind == "" {
			kind = "application/octet-stream"
		}
		files = append(files, OutcomeFile{Name: f.Name, Type: kind, Size: int64(len(data)), Data: data})
	}
	return files, nil
}
