package vision

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// Endpoints that call themselves compatible with OpenAI's answer in many forms: an error object with status 200, an
// event stream that was not requested, content as a list of parts, a web page. normalize turns each of them into the
// form that the client library decodes, or into an error that quotes the endpoint.

// chatReply is a chat completion with its contents in the one form that the client library decodes.
type chatReply struct {
	Model   string          `json:"model,omitempty"`
	Choices []chatChoice    `json:"choices"`
	Usage   json.RawMessage `json:"usage,omitempty"`
}

type chatChoice struct {
	Index   int         `json:"index"`
	Finish  string      `json:"finish_reason"`
	Message chatMessage `json:"message"`
}

type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
	Refusal string `json:"refusal,omitempty"`
}

// foreignReply is a chat completion, or one event of a stream, as endpoints send it.
type foreignReply struct {
	Model   string          `json:"model"`
	Usage   json.RawMessage `json:"usage"`
	Choices []struct {
		Index   int             `json:"index"`
		Finish  *string         `json:"finish_reason"`
		Message *foreignMessage `json:"message"`
		Delta   *foreignMessage `json:"delta"`
		Error   json.RawMessage `json:"error"`
	} `json:"choices"`
}

type foreignMessage struct {
	Content json.RawMessage `json:"content"` // a text, a list of parts, or null
	Refusal string          `json:"refusal"`
}

// text returns the message's text. Parts that hold the model's reasoning are left out.
func (m *foreignMessage) text() (string, error) {
	if m == nil || len(m.Content) == 0 || string(m.Content) == "null" {
		return "", nil
	}
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		return text, nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(m.Content, &parts); err != nil {
		return "", fmt.Errorf("%w has a content of an unknown form: %s", errFinal, excerpt(m.Content))
	}
	for _, p := range parts {
		if p.Type == "text" || p.Type == "output_text" || p.Type == "" {
			text += p.Text
		}
	}
	return text, nil
}

// normalize rewrites the body of an answer with status 200. An error object becomes an answer with the status that the
// object names, 502 where it names none, so that the caller decides about it as about any other status.
func normalize(a *http.Response, body []byte) ([]byte, error) {
	if a.StatusCode != http.StatusOK {
		return body, nil
	}
	kind, _, _ := mime.ParseMediaType(a.Header.Get("Content-Type"))
	trimmed := bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
	if kind == "text/event-stream" || bytes.HasPrefix(trimmed, []byte("data:")) || bytes.HasPrefix(trimmed, []byte(":")) {
		return joinStream(a, trimmed)
	}
	switch {
	case len(trimmed) == 0:
		return nil, fmt.Errorf("%w is empty (status %s)", errFinal, a.Status)
	case trimmed[0] == '<':
		return nil, fmt.Errorf("%w is a web page, not JSON (is OPENAI_BASE_URL right? It mostly ends with /v1): %s", errFinal,
			excerpt(trimmed))
	case trimmed[0] != '{':
		return nil, fmt.Errorf("%w is not a JSON object: %s", errFinal, excerpt(trimmed))
	}
	var f foreignReply
	if err := json.Unmarshal(trimmed, &f); err != nil {
		return nil, fmt.Errorf("%w cannot be read (%w): %s", errFinal, err, excerpt(trimmed))
	}
	if problem := errorOf(trimmed); problem != nil && (len(f.Choices) == 0 || problem.named) {
		return problem.into(a), nil
	}
	if f.Choices == nil {
		return nil, fmt.Errorf("%w has no choices: %s", errFinal, excerpt(trimmed))
	}
	return f.rewrite(a)
}

// rewrite returns a reply in the form that the client library decodes.
func (f *foreignReply) rewrite(a *http.Response) ([]byte, error) {
	out := chatReply{Model: f.Model, Usage: usage(f.Usage), Choices: []chatChoice{}}
	for _, c := range f.Choices {
		if problem := readError(c.Error); problem != nil {
			return problem.into(a), nil
		}
		text, err := c.Message.text()
		if err != nil {
			return nil, err
		}
		choice := chatChoice{Index: c.Index, Message: chatMessage{Role: "assistant", Content: text}}
		if c.Message != nil {
			choice.Message.Refusal = c.Message.Refusal
		}
		if c.Finish != nil {
			choice.Finish = *c.Finish
		}
		out.Choices = append(out.Choices, choice)
	}
	return json.Marshal(out)
}

// usage returns the counts of tokens if they are ones; an endpoint that counts in another way costs no answer.
func usage(raw json.RawMessage) json.RawMessage {
	var counts struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
	}
	if json.Unmarshal(raw, &counts) != nil {
		return nil
	}
	out, _ := json.Marshal(counts) // two numbers
	return out
}

// joinStream joins the events of a stream. One that ends without "[DONE]" and without a finish reason was cut off.
func joinStream(a *http.Response, body []byte) ([]byte, error) {
	out := chatReply{Choices: []chatChoice{}}
	choice := chatChoice{Message: chatMessage{Role: "assistant"}}
	ended, chosen := false, false
	for line := range bytes.Lines(body) {
		data, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data:"))
		data = bytes.TrimSpace(data)
		switch {
		case !ok || len(data) == 0:
			continue
		case string(data) == "[DONE]":
			ended = true
			continue
		}
		var event foreignReply
		if err := json.Unmarshal(data, &event); err != nil {
			return nil, fmt.Errorf("%w is an event stream that cannot be read (%w): %s", errFinal, err, excerpt(data))
		}
		if problem := errorOf(data); problem != nil && len(event.Choices) == 0 {
			return problem.into(a), nil
		}
		if event.Model != "" {
			out.Model = event.Model
		}
		if u := usage(event.Usage); u != nil && string(event.Usage) != "null" {
			out.Usage = u
		}
		for _, c := range event.Choices {
			if c.Index != 0 {
				return nil, fmt.Errorf("%w is a stream of several responses", errFinal)
			}
			if problem := readError(c.Error); problem != nil {
				return problem.into(a), nil
			}
			message := c.Delta
			if message == nil {
				message = c.Message
			}
			text, err := message.text()
			if err != nil {
				return nil, err
			}
			choice.Message.Content += text
			if message != nil {
				choice.Message.Refusal += message.Refusal
			}
			if c.Finish != nil && *c.Finish != "" {
				choice.Finish, ended = *c.Finish, true
			}
			chosen = true
		}
	}
	switch {
	case !chosen:
		return nil, fmt.Errorf("%w is an event stream without an answer: %s", errFinal, excerpt(body))
	case !ended:
		choice.Finish = "length"
	}
	out.Choices = append(out.Choices, choice)
	return json.Marshal(out)
}

// endpointError is what an endpoint says of its own failure.
type endpointError struct {
	status  int // 0 when it names none
	message string
	param   string
	named   bool // the reply has a property "error" that is not null
}

// errorOf returns the error that a reply holds at its top: {"error": …}, {"object": "error", "message": …}, {"detail":
// …}; nil if none.
func errorOf(reply []byte) *endpointError {
	var top struct {
		Error   json.RawMessage `json:"error"`
		Object  string          `json:"object"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
		Code    json.RawMessage `json:"code"`
		Param   json.RawMessage `json:"param"`
	}
	if json.Unmarshal(reply, &top) != nil {
		return nil
	}
	if e := readError(top.Error); e != nil {
		e.named = true
		return e
	}
	if top.Object == "error" || top.Message != "" {
		e := &endpointError{message: top.Message, status: statusCode(top.Code)}
		_ = json.Unmarshal(top.Param, &e.param) // not a text: none
		return e
	}
	return readError(top.Detail)
}

// readError reads the value of "error" or "detail"; nil when there is none.
func readError(raw json.RawMessage) *endpointError {
	if len(raw) == 0 || string(raw) == "null" || string(raw) == "false" || string(raw) == `""` {
		return nil
	}
	var object struct {
		Message string          `json:"message"`
		Code    json.RawMessage `json:"code"`
		Status  json.RawMessage `json:"status"`
		Param   json.RawMessage `json:"param"`
	}
	if json.Unmarshal(raw, &object) == nil && object.Message != "" {
		e := &endpointError{message: object.Message, status: statusCode(object.Code)}
		if e.status == 0 {
			e.status = statusCode(object.Status)
		}
		_ = json.Unmarshal(object.Param, &e.param) // not a text: none
		return e
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return &endpointError{message: text}
	}
	return &endpointError{message: string(raw)}
}

// statusCode reads an HTTP status that is in a body as a number or as digits; 0 when it is neither.
func statusCode(raw json.RawMessage) int {
	text := strings.Trim(string(raw), `"`)
	if n, err := strconv.Atoi(text); err == nil && n >= 400 && n <= 599 {
		return n
	}
	return 0
}

// errorInside is the type of an error that came with status 200.
const errorInside = "error_with_status_200"

// into sets the error's status in a response and returns the body in the form that the client library decodes.
func (e *endpointError) into(a *http.Response) []byte {
	a.StatusCode = e.status
	if e.status == 0 {
		a.StatusCode = http.StatusBadRequest // the same question would get the same error
	}
	a.Status = fmt.Sprintf("%d %s", a.StatusCode, http.StatusText(a.StatusCode))
	body := map[string]any{"message": e.message, "type": errorInside}
	if e.param != "" {
		body["param"] = e.param
	}
	out, _ := json.Marshal(map[string]any{"error": body}) // texts only
	return out
}

// excerpt quotes the beginning of foreign bytes in one line.
func excerpt(data []byte) string {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(data[:min(len(data), 2000)]), "\ufffd")), " ")
	if r := []rune(text); len(r) > 200 {
		text = string(r[:200]) + "…"
	}
	return strconv.Quote(text)
}
