package inspector

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// inspectedAnswer is how long a page of Chromium may take for a command.
const inspectedAnswer = 30 * time.Second

// command is one of WebKit's inspector protocol.
type command struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// serve performs the commands of an open page, one after the other.
func (p *inspected) serve() {
	for data := range p.queue {
		var c command
		if json.Unmarshal(data, &c) != nil {
			p.conn.refuse("data that is not a command: %.80q", data)
			continue
		}
		if p.tab.page.app.how().Silent {
			continue
		}
		p.perform(c)
	}
}

// refusal is what WebKit says when it does not do something.
type refusal string

func (r refusal) Error() string { return string(r) }

// protocolError is a refusal as WebKit's BackendDispatcher writes it.
func protocolError(id int, format string, args ...any) map[string]any {
	text := fmt.Sprintf(format, args...)
	return map[string]any{"id": id, "error": map[string]any{"code": -32000, "message": text,
		"data": []any{map[string]any{"code": -32000, "message": text}}}}
}

func (p *inspected) perform(c command) {
	if c.Method != "Target.sendMessageToTarget" {
		p.send(protocolError(c.ID, "'%s' was not found", c.Method)) // the page itself has no other domain
		return
	}
	var to struct {
		Target  string `json:"targetId"`
		Message string `json:"message"`
	}
	if json.Unmarshal(c.Params, &to) != nil || to.Target != p.tab.name(0) {
		p.send(protocolError(c.ID, "Missing target for given targetId"))
		return
	}
	p.send(map[string]any{"id": c.ID, "result": map[string]any{}})
	var inner command
	if json.Unmarshal([]byte(to.Message), &inner) != nil {
		return
	}
	result, err := p.inTarget(inner)
	switch {
	case to.Target != p.tab.name(0): // the target is gone, and its answer with it
	case err != nil:
		p.fromTarget(protocolError(inner.ID, "%v", err))
	default:
		p.fromTarget(map[string]any{"id": inner.ID, "result": result})
	}
}

// params are those of Runtime's commands that are known here.
func known(method string) []string {
	return map[string][]string{
		"Page.enable":    {},
		"Runtime.enable": {},
		"Runtime.evaluate": {"expression", "objectGroup", "returnByValue", "contextId",
			"doNotPauseOnExceptionsAndMuteConsole", "includeCommandLineAPI"},
		"Runtime.callFunctionOn": {"objectId", "functionDeclaration", "arguments", "returnByValue",
			"doNotPauseOnExceptionsAndMuteConsole"},
		"Runtime.releaseObjectGroup": {"objectGroup"},
	}[method]
}

// inTarget performs a command of a target with the Chromium in its place, and puts the response into WebKit's
// words. Handles belong to a target.
func (p *inspected) inTarget(c command) (any, error) {
	names := known(c.Method)
	if names == nil {
		return nil, fmt.Errorf("'%s' was not found", c.Method)
	}
	given := map[string]any{}
	if err := json.Unmarshal(c.Params, &given); err != nil {
		return nil, fmt.Errorf("some arguments of method '%s' can't be processed", c.Method)
	}
	for name := range given {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("'%s' has no argument %q", c.Method, name)
		}
	}
	delete(given, "doNotPauseOnExceptionsAndMuteConsole")
	if handle, ok := given["objectId"].(string); ok && p.tab.page.app.reused(handle) {
		made, err := p.inTarget(command{Method: "Runtime.evaluate",
			Params: json.RawMessage(`{"expression": "new Error()", "returnByValue": false}`)})
		if err != nil {
			return nil, err
		}
		data, _ := json.Marshal(made)
		var other struct{ Result struct{ ObjectID string } }
		_ = json.Unmarshal(data, &other)
		given["objectId"] = other.Result.ObjectID
	}
	target := p.tab.name(0) + "|"
	if handle, ok := given["objectId"].(string); ok {
		if given["objectId"], ok = strings.CutPrefix(handle, target); !ok {
			return nil, refusal("Missing injected script for given objectId")
		}
	}
	ctx, cancel := context.WithTimeout(p.tab.page.ctx, inspectedAnswer)
	defer cancel()
	if c.Method == "Page.enable" {
		p.conn.daemon.mu.Lock()
		defer p.conn.daemon.mu.Unlock()
		p.framed = true
		return map[string]any{}, nil
	}
	if c.Method == "Runtime.enable" {
		p.conn.daemon.mu.Lock()
		p.enabled = p.framed
		p.conn.daemon.mu.Unlock()
		_ = p.tab.page.client.Call(ctx, p.session, "Runtime.disable", nil, nil) // so that it reports all contexts again
	}
	var got struct {
		Result struct {
			Type        string          `json:"type"`
			Value       json.RawMessage `json:"value,omitempty"`
			Description string          `json:"description,omitempty"`
			Object      string          `json:"objectId,omitempty"`
		} `json:"result"`
		Exception *struct {
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	if err := p.tab.page.client.Call(ctx, p.session, c.Method, given, &got); err != nil {
		return nil, refusal("Missing injected script for given executionContextId (" + err.Error() + ")")
	}
	if got.Exception != nil {
		return map[string]any{"result": map[string]any{"type": "object", "subtype": "error",
			"description": got.Exception.Exception.Description}, "wasThrown": true}, nil
	}
	if got.Result.Object != "" {
		got.Result.Object = target + got.Result.Object
		p.tab.page.app.noteHandle(got.Result.Object)
	}
	return map[string]any{"result": got.Result, "wasThrown": false}, nil
}
