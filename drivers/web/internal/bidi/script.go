package bidi

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
)

// call calls a function with texts in a window, and returns its text. An exception is a webdriver.ScriptFailed.
func (s *link) call(ctx context.Context, window, function string, args ...string) (string, error) {
	given := []any{}
	for _, a := range args {
		given = append(given, map[string]any{"type": "string", "value": a})
	}
	var got struct {
		Type             string
		Result           struct{ Value any }
		ExceptionDetails struct{ Text string }
	}
	const command = "script.callFunction"
	err := s.conn.Call(ctx, command, map[string]any{"functionDeclaration": function, "arguments": given,
		"awaitPromise": true, "target": map[string]any{"context": window}}, &got)
	switch {
	case webdriver.Is(err, webdriver.NoSuchFrame):
		return "", &webdriver.Error{Code: webdriver.NoSuchWindow, Command: command, Message: err.Error()}
	case webdriver.Is(err, webdriver.UnknownError) && isReplaced(err.Error()):
		return "", &webdriver.Error{Code: webdriver.NoSuchFrame, Command: command, Message: "the page was replaced"}
	case err != nil:
		return "", err
	case got.Type == "exception":
		return "", &webdriver.Error{Code: webdriver.ScriptFailed, Command: command, Message: got.ExceptionDetails.Text}
	}
	text, _ := got.Result.Value.(string)
	return text, nil
}

// isReplaced reports whether a message of Chromium is about a page that was replaced meanwhile.
func isReplaced(message string) bool {
	for _, part := range []string{"Cannot find context", "context was destroyed", "navigated or closed",
		"Promise was collected"} {
		if strings.Contains(message, part) {
			return true
		}
	}
	return false
}

// Evaluate runs the body of a function in a window, and returns its value as JSON.
func (s *link) Evaluate(ctx context.Context, window, script string, args []any) (json.RawMessage, error) {
	text, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	function := fmt.Sprintf(`async text => {
	const value = await (function() {
%s
	}).apply(null, JSON.parse(text));
	return value === undefined ? 'null' : JSON.stringify(value);
}`, script)
	value, err := s.call(ctx, window, function, string(text))
	return json.RawMessage(value), err
}
