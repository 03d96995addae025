package inspector

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/taproot-dev/taproot/internal/phrase"
)

// group holds what scripts keep alive on a page, so that it can be let go at once.
const group = "taproot"

// Thrown is an error that a script threw on the page.
type Thrown struct{ Text string }

func (e *Thrown) Error() string { return e.Text }

// remote is a value of the page.
type remote struct {
	Result struct {
		Value       json.RawMessage `json:"value"`
		Object      string          `json:"objectId"`
		Description string          `json:"description"`
	} `json:"result"`
	Thrown bool `json:"wasThrown"`
}

func (r *remote) err() error {
	if !r.Thrown {
		return nil
	}
	line, _, _ := strings.Cut(cmp.Or(r.Result.Description, string(r.Result.Value), "a script failed"), "\n")
	return &Thrown{phrase.LimitBytes(line, 200)}
}

// Handle runs an expression in a context, 0 for that of the page itself, and returns a handle of the object that it
// makes.
func (s *Connection) Handle(ctx context.Context, expression string, in int) (string, error) {
	r, err := s.evaluate(ctx, expression, in, false)
	if err != nil {
		return "", err
	}
	return r.Result.Object, nil
}

// Value runs an expression in a context, 0 for that of the page itself, and returns its value as JSON.
func (s *Connection) Value(ctx context.Context, expression string, in int) (json.RawMessage, error) {
	r, err := s.evaluate(ctx, expression, in, true)
	if err != nil {
		return nil, err
	}
	return r.Result.Value, nil
}

func (s *Connection) evaluate(ctx context.Context, expression string, in int, value bool) (*remote, error) {
	params := map[string]any{"expression": expression, "objectGroup": group, "returnByValue": value,
		"doNotPauseOnExceptionsAndMuteConsole": true}
	if in != 0 {
		params["contextId"] = in
	}
	var r remote
	if err := s.Call(ctx, "Runtime.evaluate", params, &r); err != nil {
		return nil, err
	}
	return &r, r.err()
}

// CallOn calls a function, as JavaScript, on the object of a handle, and returns its value as JSON.
func (s *Connection) CallOn(ctx context.Context, handle, function string, arguments ...any) (json.RawMessage, error) {
	list := []any{}
	for _, a := range arguments {
		list = append(list, map[string]any{"value": a})
	}
	var r remote
	err := s.Call(ctx, "Runtime.callFunctionOn", map[string]any{"objectId": handle, "functionDeclaration": function,
		"arguments":     list,
		"returnByValue": true, "doNotPauseOnExceptionsAndMuteConsole": true}, &r)
	if err != nil {
		return nil, err
	}
	return r.Result.Value, r.err()
}
