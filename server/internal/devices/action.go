package devices

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/markdown"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/live"
	"github.com/taproot-dev/taproot/server/internal/rest"
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
	actionBodies   = sync.OnceValue(func() dsl.Bodies { return dsl.BodySchemas(dsl.REST, rest.SchemaPrefix) })
	actionExamples = sync.OnceValue(func() map[string]map[string]any {
		all := map[string]map[string]any{}
		for _, def := range dsl.Vocabulary() {
			all[def.Name] = def.ExampleBody()
		}
		return all
	})
)

// actionRoutes registers a path for every action that programs can request, of any device and of pages only.
func actionRoutes(api *rest.API, of func(context.Context) *Devices) {
	bodies := actionBodies()
	api.AddSchemas(bodies.Shared)
	for _, def := range dsl.Vocabulary() {
		body := bodies.Actions[def.Name]
		if body == nil {
			continue
		}
		path := Kebab(def.Name)
		if def.Was != "" {
			api.Moved("/devices/{id}/"+Kebab(def.Was), "/devices/{id}/"+path)
			api.Moved("/web/"+pageName(def.Was), "/web/"+pageName(def.Name))
		}
		api.Action(actionOp(def, "/devices/{id}/"+path, path), body, def.NeedsArgument(),
			func(w http.ResponseWriter, r *http.Request) error {
				s := of(r.Context())
				args, err := s.arguments(r, &def)
				if err != nil {
					return err
				}
				return s.perform(w, r, call{def: &def, device: r.PathValue("id"), args: args})
			})
		if def.On(dsl.Web) {
			pageAction(api, of, def, body)
		}
	}
}

// Kebab spells an action name in kebab case, as paths do.
func Kebab(name string) string {
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

func actionOp(def dsl.Def, path, id string) rest.Op {
	var on []string
	for _, p := range def.Platforms {
		on = append(on, string(p))
	}
	doc := def.Doc + " Works on: " + strings.Join(on, ", ") + "."
	if def.Saves != "" {
		doc += " value is " + def.Saves + "."
	}
	return rest.Op{Post: path, ID: id, Tag: "actions", Scope: rest.WriteDevices, Summary: firstSentence(def.Doc), Doc: doc,
		Codes: rest.DeviceCodes(), Answers: Outcome{}, Example: actionExamples()[def.Name]}
}

func firstSentence(doc string) string {
	text, _, _ := strings.Cut(doc, ". ")
	return strings.TrimSuffix(text, ".")
}

// arguments reads the body of an action. Of the options of steps, which are for tests, it accepts only timeout.
func (s *actor) arguments(r *http.Request, def *dsl.Def, more ...string) (source.Value, error) {
	v, err := readObject(r)
	if err != nil {
		return v, err
	}
	v = def.Named(v)
	return v, ownArguments(v, def, more...)
}

// ownArguments rejects keys that are not arguments of the action, except timeout and those in more.
func ownArguments(v source.Value, def *dsl.Def, more ...string) error {
	own := v
	own.Fields = slices.DeleteFunc(slices.Clone(v.Fields), func(f source.Field) bool {
		return !def.OwnKey(f.Key) && (f.Key == "timeout" || slices.Contains(more, f.Key))
	})
	for _, f := range own.Fields {
		if !def.OwnKey(f.Key) { // Decode lists the allowed keys in its error
			_, err := dsl.Decode(def, own)
			if err == nil {
				err = fmt.Errorf("unknown key %q", f.Key)
			}
			return rest.Invalid(markdown.VisibleLines(err.Error(), rest.MaxMessage))
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
		return v, rest.Invalid(markdown.Visible(err.Error(), rest.MaxMessage))
	}
	if v.Kind != source.Map {
		return v, rest.Invalid(`the body must be a JSON object, such as {"label": "Sign in"}`)
	}
	return v, nil
}

// actor performs actions on devices, and on the pages of browsers.
type actor struct{ *desk }

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
func (s *actor) perform(w http.ResponseWriter, r *http.Request, c call) error {
	out, err := s.do(r, c)
	if err != nil {
		return err
	}
	rest.WriteJSON(w, http.StatusOK, out)
	return nil
}

func (s *actor) do(r *http.Request, c call) (*Outcome, error) {
	if err := checkDeviceID(c.device); err != nil {
		return nil, err
	}
	ctx, cancel := s.deadline(r.Context())
	defer cancel()
	who := c.who
	if who == "" {
		who = s.leases.holder(c.device, rest.CallerOf(ctx))
	}
	a, err := s.devices.Call(ctx, live.Request{Device: c.device, Who: who, Def: c.def, Args: c.args})
	s.metrics.ObserveAction(c.def.Name, a.Took, err)
	if err != nil {
		return nil, rest.AsDeviceError(err)
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
		return nil, rest.Invalid(p.Message)
	case event.NoPage:
		return nil, rest.Fault(http.StatusConflict, rest.CodePage, p.Message+" (POST /web/launch)")
	}
	if p.Assertion {
		return &Outcome{Message: p.Message, Expected: p.Expected, Actual: p.Actual, Candidates: p.Candidates,
			Detail: a.Detail, DurationMS: a.Took.Milliseconds()}, nil
	}
	e := rest.Fault(http.StatusUnprocessableEntity, p.Kind, p.Message)
	switch p.Kind {
	case "":
		e.Code = rest.CodeFailed
	case event.Refused:
		e.Status = http.StatusForbidden
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
			return nil, rest.Fault(http.StatusBadGateway, rest.CodeDevice,
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

// ownAction returns the action that other tools call by a word; "": there is none.
func ownAction(word string) string {
	steps, _ := dsl.OwnSteps(source.Field{Key: word}, "")
	if len(steps) == 0 {
		return ""
	}
	return steps[0].Key
}

// OwnPath returns the path of an action for one with the name that another tool has for it; "": it has none.
func OwnPath(path string) string {
	folder, word := path[:strings.LastIndexByte(path, '/')+1], path[strings.LastIndexByte(path, '/')+1:]
	_, device := strings.CutPrefix(folder, "/devices/")
	if !device && folder != "/web/" {
		return ""
	}
	own := ownAction(word)
	if now := ownAction("web-" + word); !device && now != "" {
		own = now
	}
	def, known := dsl.Lookup(own)
	switch {
	case !known || def.Interfaces&dsl.REST == 0 || !device && !def.On(dsl.Web):
		return ""
	case device:
		return folder + Kebab(own)
	}
	return folder + pageName(own)
}
