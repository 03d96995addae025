package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/shorten"
	"github.com/taproot-dev/taproot/reporters/markdown"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/client"
)

// tool is one thing that a client can ask for.
type tool struct {
	name  string
	doc   string
	hints hints
	def   *dsl.Def // of an operation of the vocabulary; nil for a tool of the session
	args  any      // the zero value of the arguments of a tool of the session
	out   any      // the zero value of a structured result; nil: text and pictures
	own   bool     // takes no device
	names []string // of its arguments
	do    func(context.Context, *call) (*mcp.CallToolResult, error)
}

// hints tell a client what a tool does to the world.
type hints struct {
	readOnly, destructive, idempotent, openWorld bool
}

// call is one call of a tool.
type call struct {
	*Server
	tool   *tool
	req    *mcp.CallToolRequest
	device string        // as given; "" when it is not
	value  source.Value  // the rest of the arguments, a Map
	args   any           // of a tool of the session
	then   string        // what to show afterwards
	tab    *int          // that is meant
	listed *source.Value // the steps of run_test
}

const (
	stepsDoc  = "Steps of the language instead, on the open device, up to the first that fails: [{\"tap\": \"Edit\"}, …]."
	fieldsDoc = "Instead of text: several fields, by label, ref or CSS selector, with what each shall hold."
)

// parameters gives everything that the tool takes.
func (t *tool) parameters() []parameter {
	list := parameters(t.arguments())
	if t.def != nil {
		list = t.narrowed(list)
		list = append(list, parameter{"timeoutMs", schema{"type": "integer", "maximum": maxTimeout}, false})
	}
	if t.acts() {
		list = append(list, parameter{"then", schema{"type": "string", "enum": thens()}, false})
	}
	switch t.name {
	case "set_device", "close_browser":
		list = append(list, parameter{"tab", describe(schema{"type": "integer"}, "Number of a tab."), false})
	case "run_test":
		list = append(list, parameter{"steps", describe(schema{"type": "array", "items": schema{"type": "object"}}, stepsDoc), false})
	case "input":
		list = append(list, parameter{"fields", describe(schema{"type": "object", "additionalProperties": schema{"type": "string"}}, fieldsDoc), false})
	}
	if !t.own {
		list = append(list, parameter{"device", schema{"type": "string"}, false})
	}
	return list
}

// maxTimeout bounds timeoutMs: ten minutes.
const maxTimeout = 600_000

func (t *tool) arguments() any {
	if t.def != nil {
		return t.def.Args
	}
	return t.args
}

// narrowed adapts the arguments of an operation to clients: references where an element is meant, and nothing that no assistant needs.
func (t *tool) narrowed(list []parameter) []parameter {
	points := false
	for i, p := range list {
		if p.name == "selector" && t.takesRef() {
			list[i].required = false
		}
		points = points || p.name == "from"
	}
	if t.takesRef() {
		list = append(list, parameter{"ref", describe(schema{"type": "string"}, "Instead of selector: an element of the last snapshot, e12."), false})
	}
	if points {
		list = append(list, parameter{"scale", scaleSchema(), false})
	}
	return list
}

// takesRef tells whether the tool takes a reference in place of a selector of the page.
func (t *tool) takesRef() bool { return t.def != nil && t.def.OwnKey("selector") }

// touches tells whether the tool works on what is shown, so that a look at the screen explains its failures.
func (t *tool) touches() bool { return t.def == nil || t.def.Effect&dsl.Apart == 0 }

// definition is what tools/list says of the tool.
func (t *tool) definition() *mcp.Tool {
	h := t.hints
	d := &mcp.Tool{Name: t.name, Description: t.doc, InputSchema: object(t.parameters()),
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: h.readOnly, DestructiveHint: &h.destructive, IdempotentHint: h.idempotent, OpenWorldHint: &h.openWorld}}
	if t.out != nil {
		d.OutputSchema = output(reflect.TypeOf(t.out))
	}
	return d
}

// serve answers one call. Whatever goes wrong is an answer that says so.
func (s *Server) serve(ctx context.Context, t *tool, req *mcp.CallToolRequest) (result *mcp.CallToolResult) {
	ctx, leave := s.within(ctx)
	defer leave()
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("a tool broke down", "tool", t.name, "panic", p, "stack", string(debug.Stack()))
			result = s.refuse(&refusal{What: action.NewPanic(p).Error(), Try: "the server goes on; call list_devices to see where things stand"})
		}
	}()
	c, err := s.parse(t, req)
	if err == nil {
		stop := c.beat(ctx)
		defer stop()
		if t.def != nil {
			result, err = c.operate(ctx)
		} else {
			result, err = t.do(ctx, c)
		}
	}
	if err != nil {
		return s.refuse(explain(ctx, err))
	}
	return s.masked(result)
}

// within ends a call with the server.
func (s *Server) within(ctx context.Context) (context.Context, func()) {
	ctx, leave := drivers.Bound(ctx, s.base)
	if s.conf.MaxCall == 0 {
		return ctx, leave
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.conf.MaxCall, errTooLong)
	return ctx, func() { cancel(); leave() }
}

// errTooLong ends a call that takes longer than the server lets any.
var errTooLong = errors.New("the call took longer than this server lets any")

// parse reads the arguments strictly. A key with null counts as left out.
func (s *Server) parse(t *tool, req *mcp.CallToolRequest) (*call, error) {
	c := &call{Server: s, tool: t, req: req, value: source.Value{Kind: source.Map}}
	if raw := req.Params.Arguments; len(raw) > 0 && string(raw) != "null" {
		v, err := source.FromJSON(raw)
		if err != nil {
			return nil, &refusal{What: err.Error()}
		}
		if v.Kind != source.Map {
			return nil, &refusal{What: fmt.Sprintf("the arguments of %s must be an object", t.name)}
		}
		c.value = withoutNulls(v)
	}
	if err := c.known(); err != nil {
		return nil, err
	}
	if f, given := c.value.Get("device"); given && !t.own {
		if f.Value.Kind == source.List || f.Value.Kind == source.Map || f.Value.Text == "" {
			return nil, &refusal{What: `"device" must be the id of a device`, Try: "list_devices shows them"}
		}
		c.device, c.value = f.Value.Text, without(c.value, "device")
	}
	if err := c.take(); err != nil {
		return nil, err
	}
	if t.def != nil {
		return c, nil
	}
	def := dsl.Def{Name: t.name, Args: t.args}
	args, err := dsl.Decode(&def, c.value)
	if err != nil {
		return nil, plainly(err)
	}
	c.args = args
	return c, nil
}

// take reads the arguments that are ours alone.
func (c *call) take() error {
	if f, given := c.value.Get("then"); given && c.tool.acts() {
		if c.then = f.Value.Text; !slices.Contains(thens(), c.then) {
			return &refusal{What: fmt.Sprintf("then cannot be %q", shorten.Runes(c.then, 40)), Try: strings.Join(thens(), ", ")}
		}
		c.value = without(c.value, "then")
	}
	if f, given := c.value.Get("tab"); given && slices.Contains([]string{"set_device", "close_browser"}, c.tool.name) {
		n, err := strconv.Atoi(f.Value.Text)
		if err != nil {
			return &refusal{What: "tab must be the number of a tab", Try: "snapshot lists the tabs"}
		}
		c.tab, c.value = &n, without(c.value, "tab")
	}
	if f, given := c.value.Get("steps"); given && c.tool.name == "run_test" {
		c.listed, c.value = &f.Value, without(c.value, "steps")
	}
	return nil
}

// known refuses arguments that the tool does not have.
func (c *call) known() error {
	names := c.tool.names
	for _, f := range c.value.Fields {
		if slices.Contains(names, f.Key) {
			continue
		}
		try := "its arguments are " + strings.Join(names, ", ")
		if near := dsl.Suggest(f.Key, names); near != "" {
			try = fmt.Sprintf("did you mean %q?", near)
		}
		return &refusal{What: fmt.Sprintf("%s has no argument %q", c.tool.name, shorten.Runes(f.Key, 60)), Try: try}
	}
	return nil
}

// plainly tells the errors of arguments without the places of a file.
func plainly(err error) error {
	var all source.Errors
	var one *source.Error
	switch {
	case errors.As(err, &all):
	case errors.As(err, &one):
		all = source.Errors{one}
	default:
		return err
	}
	var what []string
	try := ""
	for _, e := range all {
		what = append(what, e.Msg)
		if try == "" {
			try = e.Hint
		}
	}
	if name, undefined := strings.CutPrefix(strings.Join(what, "; "), "the variable ${"); undefined {
		name, _, _ = strings.Cut(name, "}")
		try = fmt.Sprintf("the user can let you use it: taproot mcp --expose-env %s", shorten.Runes(name, 80))
	}
	return &refusal{What: strings.Join(what, "; "), Try: try, Err: err}
}

func withoutNulls(v source.Value) source.Value {
	v.Fields = slices.DeleteFunc(slices.Clone(v.Fields), func(f source.Field) bool { return f.Value.Kind == source.Null })
	for i := range v.Fields {
		v.Fields[i].Value = withoutNulls(v.Fields[i].Value)
	}
	return v
}

func without(v source.Value, key string) source.Value {
	v.Fields = slices.DeleteFunc(slices.Clone(v.Fields), func(f source.Field) bool { return f.Key == key })
	return v
}

// with replaces a field, or adds it.
func with(v source.Value, key string, value source.Value) source.Value {
	return client.With(v, key, value)
}

// heartbeat is how often a client that asked for progress hears of a call that takes its time.
const heartbeat = 2 * time.Second

// beat tells a client that wants to know that a call is under way, until the returned function is called.
func (c *call) beat(ctx context.Context) (stop func()) {
	if c.req.Params.GetProgressToken() == nil || c.tool.name == "run_test" || c.tool.name == "get_report" {
		return func() {} // these tell of their steps
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		began := time.Now()
		ticker := time.NewTicker(heartbeat)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				took := time.Since(began).Round(time.Second)
				c.progress(ctx, took.Seconds(), 0, fmt.Sprintf("%s: %s so far", c.tool.name, took))
			}
		}
	}()
	return func() { cancel(); <-done }
}

// progress tells the client how far the call is, if it wants to know.
func (c *call) progress(ctx context.Context, at, of float64, message string) {
	token := c.req.Params.GetProgressToken()
	if token == nil || c.req.Session == nil {
		return
	}
	params := &mcp.ProgressNotificationParams{ProgressToken: token, Progress: at, Total: of, Message: c.mask.Text(message)}
	if err := c.req.Session.NotifyProgress(ctx, params); err != nil && ctx.Err() == nil {
		c.log.Debug("progress was not told", "error", err)
	}
}

// text is an answer in words.
func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}

// structured is a small answer for programs; the same JSON is its text, for clients that look at one of the two only.
func structured(v any) (*mcp.CallToolResult, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	data := bytes.TrimSpace(b.Bytes())
	r := text(string(data))
	r.StructuredContent = json.RawMessage(data)
	return r, nil
}

// refuse makes an answer that is an error: words only, and none of them that a terminal would obey.
func (s *Server) refuse(r *refusal) *mcp.CallToolResult {
	answer := text(markdown.VisibleLines(s.mask.Text(r.Error()), client.MaxText))
	answer.IsError = true
	return answer
}

// masked takes secrets out of an answer.
func (s *Server) masked(r *mcp.CallToolResult) *mcp.CallToolResult {
	if s.mask.Empty() {
		return r
	}
	for _, part := range r.Content {
		if t, ok := part.(*mcp.TextContent); ok {
			t.Text = s.mask.Text(t.Text)
		}
	}
	if data, ok := r.StructuredContent.(json.RawMessage); ok {
		clean := json.RawMessage(s.mask.Text(string(data)))
		if !json.Valid(clean) { // a secret that is a number stood where a number must stand
			r.StructuredContent, r.IsError = nil, true
			return r
		}
		r.StructuredContent = clean
	}
	return r
}
