package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
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
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/markdown"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/client"
)

// tool is a tool of the MCP server.
type tool struct {
	name  string
	doc   string
	hints hints
	def   *dsl.Def // of an operation of the vocabulary; nil for a tool of the session
	args  any      // the zero value of the arguments of a tool of the session
	out   any      // the zero value of a structured result; nil: text and images
	own   bool     // needs no device
	names []string // of its arguments
	do    func(context.Context, *call) (*mcp.CallToolResult, error)
}

// hints are the protocol's annotations of a tool.
type hints struct {
	readOnly, destructive, idempotent, openWorld bool
}

// call is one call of a tool.
type call struct {
	*client.Call
	server *clientSession
	tool   *tool
	req    *mcp.CallToolRequest
	args   any // of a tool of the session
}

const (
	stepsDoc = "Instead: steps in the test syntax, on the open device, up to the first that fails: [{\"tap\": " +
		"\"Edit\"}, " +
		"…]."
	fieldsDoc = "Instead of text: several fields, by label, ref or CSS selector, each with its new value."
)

// parameters returns all arguments that the tool takes.
func (t *tool) parameters() []parameter {
	list := parameters(t.arguments())
	if t.def != nil {
		list = t.adapted(list)
		list = append(list, parameter{"timeoutMs", schema{"type": "integer", "maximum": maxTimeout}, false})
	}
	if t.acts() {
		list = append(list, parameter{"then", schema{"type": "string", "enum": client.FollowUps()}, false})
	}
	switch t.name {
	case "set_device", "close_browser":
		list = append(list, parameter{"tab", describe(schema{"type": "integer"}, "Number of a tab."), false})
	case "run_test":
		list = append(
			list,
			parameter{"steps", describe(schema{"type": "array", "items": schema{"type": "object"}}, stepsDoc),
				false},
		)
	case "input":
		list = append(
			list,
			parameter{
				"fields",
				describe(schema{"type": "object", "additionalProperties": schema{"type": "string"}}, fieldsDoc),
				false,
			},
		)
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

// adapted adapts the arguments of an operation to assistants: it adds references in the place of selectors.
func (t *tool) adapted(list []parameter) []parameter {
	points := false
	for i, p := range list {
		if p.name == "selector" && t.takesRef() {
			list[i].required = false
		}
		points = points || p.name == "from"
	}
	if t.takesRef() {
		list = append(
			list,
			parameter{
				"ref",
				describe(schema{"type": "string"}, "Instead of selector: an element of the last snapshot, e12."),
				false,
			},
		)
	}
	if points {
		list = append(list, parameter{"scale", scaleSchema(), false})
	}
	return list
}

// takesRef reports whether the tool takes a reference in place of a selector of the page.
func (t *tool) takesRef() bool { return t.def != nil && t.def.OwnKey("selector") }

// acts reports whether the tool changes what the screen shows, so that a snapshot can be part of the response.
func (t *tool) acts() bool {
	return t.name == "run_test" || t.def != nil && t.def.ChangesScreen()
}

// definition returns the tool's entry in tools/list.
func (t *tool) definition() *mcp.Tool {
	h := t.hints
	d := &mcp.Tool{Name: t.name, Description: t.doc, InputSchema: object(t.parameters()),
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: h.readOnly, DestructiveHint: &h.destructive,
			IdempotentHint: h.idempotent, OpenWorldHint: &h.openWorld}}
	if t.out != nil {
		d.OutputSchema = output(reflect.TypeOf(t.out))
	}
	return d
}

// serve handles one call. Every failure, a panic too, becomes a response that is marked as an error.
func (s *clientSession) serve(ctx context.Context, t *tool, req *mcp.CallToolRequest) (result *mcp.CallToolResult) {
	ctx, leave := s.withServerLimits(ctx)
	defer leave()
	defer func() {
		if p := recover(); p != nil {
			s.Log.Error("a tool panicked", "tool", t.name, "panic", p, "stack", string(debug.Stack()))
			result = s.refuse(&client.Refusal{What: action.NewPanic(p).Error(),
				Try: "the server continues; call list_devices to see the state of the devices"})
		}
	}()
	c, err := s.parse(t, req)
	if err == nil {
		stop := c.sendHeartbeats(ctx)
		defer stop()
		if t.def != nil {
			result, err = answered(c.Operate(ctx))
		} else {
			result, err = t.do(ctx, c)
		}
	}
	if err != nil {
		return s.refuse(s.Explain(ctx, err))
	}
	return s.masked(result)
}

// withServerLimits limits a call to the life of the server and to MaxCall.
func (s *clientSession) withServerLimits(ctx context.Context) (context.Context, func()) {
	ctx, leave := drivers.Bound(ctx, s.base)
	if s.conf.MaxCall == 0 {
		return ctx, leave
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.conf.MaxCall, client.ErrTooLong)
	return ctx, func() { cancel(); leave() }
}

// parse reads the arguments strictly. A key with null counts as absent.
func (s *clientSession) parse(t *tool, req *mcp.CallToolRequest) (*call, error) {
	c := &call{Call: &client.Call{Client: s.Client, Name: t.name, Def: t.def, Names: t.names, Value: source.Value{
		Kind: source.Map}}, server: s, tool: t, req: req}
	if raw := req.Params.Arguments; len(raw) > 0 && string(raw) != "null" {
		v, err := source.FromJSON(raw)
		if err != nil {
			return nil, &client.Refusal{What: err.Error()}
		}
		if v.Kind != source.Map {
			return nil, &client.Refusal{What: fmt.Sprintf("the arguments of %s must be an object", t.name)}
		}
		c.Value = withoutNulls(v)
	}
	if err := c.checkNames(); err != nil {
		return nil, err
	}
	if f, given := c.Value.Get("device"); given && !t.own {
		if f.Value.Kind == source.List || f.Value.Kind == source.Map || f.Value.Text == "" {
			return nil, &client.Refusal{What: `"device" must be the id of a device`, Try: "list_devices shows them"}
		}
		c.Device, c.Value = f.Value.Text, c.Value.Without("device")
	}
	if err := c.takeOwnArguments(); err != nil {
		return nil, err
	}
	if t.def != nil {
		return c, nil
	}
	def := dsl.Def{Name: t.name, Args: t.args}
	args, err := dsl.Decode(&def, c.Value)
	if err != nil {
		return nil, client.Plainly(err)
	}
	c.args = args
	return c, nil
}

// takeOwnArguments reads the arguments that only this package handles.
func (c *call) takeOwnArguments() error {
	if f, given := c.Value.Get("then"); given && c.tool.acts() {
		if c.Then = f.Value.Text; !slices.Contains(client.FollowUps(), c.Then) {
			return &client.Refusal{What: fmt.Sprintf("then cannot be %q", phrase.LimitRunes(c.Then, 40)),
				Try: strings.Join(client.FollowUps(), ", ")}
		}
		c.Value = c.Value.Without("then")
	}
	if f, given := c.Value.Get("tab"); given && slices.Contains([]string{"set_device", "close_browser"}, c.tool.name) {
		n, err := strconv.Atoi(f.Value.Text)
		if err != nil {
			return &client.Refusal{What: "tab must be the number of a tab", Try: "snapshot lists the tabs"}
		}
		c.Tab, c.Value = &n, c.Value.Without("tab")
	}
	if f, given := c.Value.Get("steps"); given && c.tool.name == "run_test" {
		c.Listed, c.Value = &f.Value, c.Value.Without("steps")
	}
	return nil
}

// checkNames rejects arguments that the tool does not have.
func (c *call) checkNames() error {
	names := c.tool.names
	for _, f := range c.Value.Fields {
		if slices.Contains(names, f.Key) {
			continue
		}
		try := "its arguments are " + strings.Join(names, ", ")
		if near := dsl.Suggest(f.Key, names); near != "" {
			try = fmt.Sprintf("did you mean %q?", near)
		} else if c.tool.def != nil && slices.Contains(dsl.Keys(c.tool.def.Args), f.Key) {
			try = fmt.Sprintf("run_test {steps: [{%s: {%s: …}}]} takes all keys of the test syntax", c.tool.def.Name, f.Key)
		}
		return &client.Refusal{
			What: fmt.Sprintf("%s has no argument %q", c.tool.name, phrase.LimitRunes(f.Key, 60)),
			Try:  try,
		}
	}
	return nil
}

func withoutNulls(v source.Value) source.Value {
	v.Fields = slices.DeleteFunc(
		slices.Clone(v.Fields),
		func(f source.Field) bool { return f.Value.Kind == source.Null },
	)
	for i := range v.Fields {
		v.Fields[i].Value = withoutNulls(v.Fields[i].Value)
	}
	return v
}

// heartbeat is the interval of progress notifications during a long call.
const heartbeat = 2 * time.Second

// sendHeartbeats sends progress notifications, if the client requested them, until the returned function is called.
func (c *call) sendHeartbeats(ctx context.Context) (stop func()) {
	if c.req.Params.GetProgressToken() == nil || c.tool.name == "run_test" || c.tool.name == "get_report" {
		return func() {} // these report their steps
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

// progress sends a progress notification, if the client requested them.
func (c *call) progress(ctx context.Context, at, of float64, message string) {
	token := c.req.Params.GetProgressToken()
	if token == nil || c.req.Session == nil {
		return
	}
	params := &mcp.ProgressNotificationParams{
		ProgressToken: token,
		Progress:      at,
		Total:         of,
		Message:       c.Mask.Text(message),
	}
	if err := c.req.Session.NotifyProgress(ctx, params); err != nil && ctx.Err() == nil {
		c.Log.Debug("a progress notification was not sent", "error", err)
	}
}

// answered converts a response of the session to one of the protocol.
func answered(a *client.Answer, err error) (*mcp.CallToolResult, error) {
	if err != nil {
		return nil, err
	}
	r := &mcp.CallToolResult{}
	for _, p := range a.Parts {
		if p.Data != nil {
			r.Content = append(r.Content, &mcp.ImageContent{Data: p.Data, MIMEType: p.Kind})
		} else {
			r.Content = append(r.Content, &mcp.TextContent{Text: p.Text})
		}
	}
	return r, nil
}

// text returns a result that consists of text.
func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}

// structured returns a result with structured content. The same JSON is its text, for clients that read only one of
// them.
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

// refuse returns an error result: text without control characters, which a terminal would interpret.
func (s *clientSession) refuse(r *client.Refusal) *mcp.CallToolResult {
	answer := text(markdown.VisibleLines(s.Mask.Text(r.Error()), client.MaxText))
	answer.IsError = true
	return answer
}

// masked removes secrets from a result.
func (s *clientSession) masked(r *mcp.CallToolResult) *mcp.CallToolResult {
	if s.Mask.Empty() {
		return r
	}
	for _, part := range r.Content {
		if t, ok := part.(*mcp.TextContent); ok {
			t.Text = s.Mask.Text(t.Text)
		}
	}
	if data, ok := r.StructuredContent.(json.RawMessage); ok {
		clean := json.RawMessage(s.Mask.Text(string(data)))
		if !json.Valid(clean) { // a secret that is a number was the value of a number
			r.StructuredContent, r.IsError = nil, true
			return r
		}
		r.StructuredContent = clean
	}
	return r
}
