package action

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/dsl/source"
)

// maxAnswer bounds the body that an http step reads.
const maxAnswer = 8 << 20

// call makes a request from this machine and saves {status, body, json}.
func call(ctx context.Context, s *Session, a dsl.HTTP) error {
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	request, err := newRequest(ctx, a)
	if err != nil {
		return err
	}
	answer, err := s.Client().Do(request)
	if err != nil {
		return &Failure{problem("%s %s: %v", request.Method, request.URL.Redacted(), err)}
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return &Failure{problem("%s %s: the answer broke off: %v", request.Method, request.URL.Redacted(), err)}
	case len(body) > maxAnswer:
		return &Failure{problem("%s %s: the answer is larger than %d bytes", request.Method, request.URL.Redacted(),
			maxAnswer)}
	}
	value := map[string]any{"status": answer.StatusCode, "body": string(body)}
	if parsed, err := source.ParseJSON(body); err == nil {
		value["json"] = parsed
	}
	s.Value = value
	s.note("%s %s: status %d, %d bytes", request.Method, request.URL.Redacted(), answer.StatusCode, len(body))
	return expected(a, answer.StatusCode, string(body))
}

// Client makes the connections that the session may make, for http steps and scripts. One that is its own goes through no proxy: what is dialed is
// what is asked for.
func (s *Session) Client() *http.Client {
	if s.Access.Dial == nil {
		return http.DefaultClient
	}
	return &http.Client{Transport: &http.Transport{DialContext: s.Access.Dial, DisableKeepAlives: true}}
}

func newRequest(ctx context.Context, a dsl.HTTP) (*http.Request, error) {
	var body io.Reader = strings.NewReader(a.Body)
	if a.JSON != nil {
		data, err := json.Marshal(a.JSON)
		if err != nil {
			return nil, &Failure{problem("the body cannot be written as JSON: %v", err)}
		}
		body = bytes.NewReader(data)
	}
	method := a.Method
	if method == "" {
		method = http.MethodGet
	}
	request, err := http.NewRequestWithContext(ctx, method, a.URL, body)
	if err != nil {
		return nil, &Failure{problem("%v", err)}
	}
	if a.JSON != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for name, value := range a.Headers {
		request.Header.Set(name, value)
	}
	return request, nil
}

func expected(a dsl.HTTP, status int, body string) error {
	p := problem("")
	switch {
	case a.Expect != nil && a.Expect.Status != 0 && status != a.Expect.Status:
		p.Expected = fmt.Sprintf("status %d", a.Expect.Status)
	case (a.Expect == nil || a.Expect.Status == 0) && status >= 400:
		p.Expected = "a status below 400"
	case a.Expect != nil && a.Expect.Contains != "" && !strings.Contains(body, a.Expect.Contains):
		p.Expected = "an answer that contains " + screen.Quote(a.Expect.Contains)
	default:
		return nil
	}
	p.Actual = fmt.Sprintf("status %d, %s", status, screen.Quote(body))
	p.Message = fmt.Sprintf("expected %s; got %s", p.Expected, p.Actual)
	return &Failure{p}
}
