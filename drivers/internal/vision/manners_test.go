package vision_test

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/vision"
)

// looseEndpoint responds to every request that holds a question and a key, as endpoints do that only resemble OpenAI's.
type looseEndpoint struct {
	*httptest.Server
	mu       sync.Mutex
	requests []*http.Request
	bodies   []map[string]any
}

func newLooseEndpoint(t *testing.T, answer func(n int, w http.ResponseWriter, body map[string]any)) *looseEndpoint {
	t.Helper()
	e := &looseEndpoint{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		var body map[string]any
		if json.Unmarshal(data, &body) != nil || body["messages"] == nil {
			http.Error(w, "not a question", http.StatusBadRequest)
			return
		}
		e.mu.Lock()
		e.requests, e.bodies = append(e.requests, r), append(e.bodies, body)
		n := len(e.requests)
		e.mu.Unlock()
		answer(n, w, body)
	}))
	t.Cleanup(e.Close)
	return e
}

func (e *looseEndpoint) judge(ctx context.Context, env map[string]string) (drivers.Judgement, error) {
	models := vision.New(vision.Options{Timeout: 20 * time.Second, Getenv: func(name string) string {
		if v, ok := env[name]; ok {
			return v
		}
		return map[string]string{"OPENAI_API_KEY": key, "OPENAI_BASE_URL": e.URL + "/v1",
			"TAPROOT_AI_MODEL": "test-model"}[name]
	}})
	return models.Judge(ctx, image.NewGray(image.Rect(0, 0, 200, 400)), "paid", 1)
}

func jsonBody(text string) func(w http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, text)
	}
}

// stream sends a text in two events, with what ends it.
func stream(text, end string) func(w http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		_, _ = io.WriteString(w, ": keep-alive\n\n")
		for _, part := range []string{text[:20], text[20:]} {
			quoted, _ := json.Marshal(part)
			_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%s},\"finish_reason\":null}]}\n\n",
				quoted)
		}
		_, _ = io.WriteString(w, end)
	}
}

const finished = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"

// TestMannersOfAnswering: an answer is understood in each form that endpoints give it, or the error quotes the
// endpoint. None becomes a pass that the model did not give.
func TestMannersOfAnswering(t *testing.T) {
	finish := func(reason any) func(w http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"index": 0, "finish_reason": reason,
				"message": map[string]any{"role": "assistant", "content": yes}}}})
		}
	}
	parts := func(list ...map[string]any) func(w http.ResponseWriter) {
		return func(w http.ResponseWriter) { sayAs(w, map[string]any{"content": list}, "stop") }
	}
	text := func(s string) func(w http.ResponseWriter) { return func(w http.ResponseWriter) { say(w, s) } }
	for name, c := range map[string]struct {
		answer func(w http.ResponseWriter)
		want   string // pass, fail, or what the error says
	}{
		"fenced":                   {text("```json\n" + yes + "\n```"), "pass"},
		"fenced in one line":       {text("```json " + yes + " ```"), "pass"},
		"fenced no":                {text("Sure!\n```\n" + no + "\n```\nAnything else?"), "fail"},
		"after a sentence":         {text("Here is the answer: " + yes), "pass"},
		"after thoughts":           {text("<think>If it said {\"passed\":true} I would…\n</think>\n" + no), "fail"},
		"after thoughts unopened":  {text("The label says Unpaid.</think>" + no), "fail"},
		"only thoughts":            {text("<think>" + yes), "thoughts"},
		"further properties":       {text(strings.Replace(yes, "{", `{"confidence":0.9,"notes":{"a":[1]},`, 1)), "pass"},
		"properties that disagree": {text(strings.Replace(yes, "{", `{"result":"fail",`, 1)), "result"},
		"a failure beside a yes":   {text(strings.Replace(yes, "{", `{"failed":true,`, 1)), "failed"},
		"numbers with a point":     {text(strings.Replace(yes, "[10,20,110,60]", "[10.0,20.0,110.0,60.0]", 1)), "pass"},
		"a byte order mark":        {text("\ufeff" + yes), "pass"},
		"the same twice":           {text(yes + "\n\n" + yes), "pass"},
		"no, then yes":             {text(no + "\nOn second thought:\n" + yes), "several"},
		"yes within a wrapper":     {text(`{"draft":` + yes + `}`), "no JSON object"},
		"yes in a broken object":   {text(`{"passed":false,"why":` + yes), "mid-sentence"},
		"Python":                   {text(`{'passed': True, 'reason': 'x', 'evidence': []}`), "no JSON object"},
		"content as parts":         {parts(map[string]any{"type": "text", "text": yes}), "pass"},
		"a part of reasoning": {parts(map[string]any{"type": "thinking", "text": yes},
			map[string]any{"type": "text", "text": no}),
			"fail"},
		"eos_token":              {finish("eos_token"), "pass"},
		"STOP":                   {finish("STOP"), "pass"},
		"end_turn":               {finish("end_turn"), "pass"},
		"no finish reason":       {finish(nil), "pass"},
		"MAX_TOKENS":             {finish("MAX_TOKENS"), "cut off"},
		"SAFETY":                 {finish("SAFETY"), "filter"},
		"another finish":         {finish("banana"), "banana"},
		"a stream":               {stream(yes, finished+"data: [DONE]\n\n"), "pass"},
		"a stream without DONE":  {stream(yes, finished), "pass"},
		"a stream of no":         {stream(no, "data: [DONE]\n\n"), "fail"},
		"a stream cut off":       {stream(yes, ""), "cut off"},
		"a stream with an error": {stream(yes, "data: {\"error\":{\"message\":\"model crashed\"}}\n\n"), "model crashed"},
		"a stream of nothing":    {func(w http.ResponseWriter) { stream(yes+yes, "")(discard{w}) }, "without an answer"},
		"an error object":        {jsonBody(`{"error":{"message":"no such model: test-model"}}`), "no such model"},
		"an error as text":       {jsonBody(`{"error":"model not loaded"}`), "model not loaded"},
		"an error of vLLM":       {jsonBody(`{"object":"error","message":"too many images","code":400}`), "too many images"},
		"an error as detail":     {jsonBody(`{"detail":[{"loc":["body"],"msg":"bad image"}]}`), "bad image"},
		"an error beside a yes": {jsonBody(`{"error":{"message":"partial"},"choices":[{"message":{"content":` + quote(yes) +
			`},"finish_reason":"stop"}]}`), "partial"},
		"an error in the choice": {
			jsonBody(`{"choices":[{"finish_reason":"error","error":{"message":"upstream died","code":400}}]}`), "upstream died"},
		"a web page": {func(w http.ResponseWriter) { _, _ = io.WriteString(w, "<html><title>Sign in</title>") },
			"web page"},
		"plain text":  {func(w http.ResponseWriter) { _, _ = io.WriteString(w, "It works!") }, "It works!"},
		"another API": {jsonBody(`{"response":"yes","done":true}`), "no choices"},
		"usage in words": {jsonBody(`{"usage":"free","choices":[{"message":{"content":` + quote(yes) +
			`},"finish_reason":"stop"}]}`), "pass"},
		"a status page": {func(w http.ResponseWriter) {
			w.WriteHeader(403)
			_,
				_ = io.WriteString(w, "<h1>Blocked by proxy</h1>")
		}, "Blocked by proxy"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newLooseEndpoint(t, func(_ int, w http.ResponseWriter, _ map[string]any) { c.answer(w) })
			said, err := e.judge(t.Context(), nil)
			switch {
			case c.want == "pass" || c.want == "fail":
				if err != nil || said.Passed != (c.want == "pass") {
					t.Errorf("passed %v, %v, want %s", said.Passed, err, c.want)
				}
			case err == nil || said.Passed || !strings.Contains(err.Error(), c.want):
				t.Errorf("passed %v, %v, want an error with %q", said.Passed, err, c.want)
			case drivers.AppIsWrong(err):
				t.Errorf("the app is blamed: %v", err)
			case len(e.requests) != 1:
				t.Errorf("%d requests", len(e.requests))
			}
		})
	}
}

// discard sends headers only.
type discard struct{ http.ResponseWriter }

func (d discard) Write(p []byte) (int, error) { return len(p), nil }

func quote(text string) string {
	out, _ := json.Marshal(text)
	return string(out)
}

// TestRefusedParameters: what an endpoint refuses is left out, once, and the rest of the request stays.
func TestRefusedParameters(t *testing.T) {
	for name, c := range map[string]struct {
		refuse func(w http.ResponseWriter, body map[string]any) bool
		gone   []string
	}{
		"temperature by param": {func(w http.ResponseWriter, body map[string]any) bool {
			if _, ok := body["temperature"]; ok {
				w.WriteHeader(400)
				_, _ = io.WriteString(w,
					`{"error":{"message":"Unsupported value: only the default (1) is supported.","param":"temperature"}}`)
			}
			return body["temperature"] != nil
		}, []string{"temperature"}},
		"seed by words": {func(w http.ResponseWriter, body map[string]any) bool {
			if body["seed"] != nil {
				w.WriteHeader(422)
				_, _ = io.WriteString(w,
					`{"detail":[{"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra inputs are not permitted"}]}`)
			}
			return body["seed"] != nil
		}, []string{"seed"}},
		"response_format with status 200": {func(w http.ResponseWriter, body map[string]any) bool {
			if body["response_format"] != nil {
				_, _ = io.WriteString(w, `{"error":{"message":"This model does not support response format json_schema."}}`)
			}
			return body["response_format"] != nil
		}, []string{"response_format"}},
		"one after the other": {func(w http.ResponseWriter, body map[string]any) bool {
			for _, name := range []string{"seed", "temperature", "max_completion_tokens", "response_format"} {
				if body[name] != nil {
					refuse(w, 400, "invalid_request_error", "Unrecognized request argument supplied: "+name)
					return true
				}
			}
			return false
		}, []string{"seed", "temperature", "max_completion_tokens", "response_format"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newLooseEndpoint(t, func(_ int, w http.ResponseWriter, body map[string]any) {
				if !c.refuse(w, body) {
					say(w, yes)
				}
			})
			said, err := e.judge(t.Context(), nil)
			if err != nil || !said.Passed || len(e.bodies) != 1+len(c.gone) {
				t.Fatalf("passed %v, %v after %d requests", said.Passed, err, len(e.bodies))
			}
			last := e.bodies[len(e.bodies)-1]
			for _, parameter := range []string{"seed", "temperature", "max_completion_tokens", "response_format", "model",
				"messages"} {
				if _, ok := last[parameter]; ok == slices.Contains(c.gone, parameter) {
					t.Errorf("%s was sent: %v", parameter, ok)
				}
			}
			system := last["messages"].([]any)[0].(map[string]any)["content"].(string)
			if strings.Contains(system, `"evidence"`) != slices.Contains(c.gone, "response_format") {
				t.Errorf("the schema is in the words exactly when it is not sent on its own: %s", system)
			}
			if slices.Contains(c.gone, "max_completion_tokens") && last["max_tokens"] == nil {
				t.Error("no limit of tokens")
			}
		})
	}
	t.Run("refused without it, too", func(t *testing.T) {
		e := newLooseEndpoint(t, func(_ int, w http.ResponseWriter, _ map[string]any) {
			refuse(w, 400, "invalid_request_error", "temperature is not allowed")
		})
		if said, err := e.judge(t.Context(), nil); err == nil || said.Passed || len(e.bodies) != 2 ||
			!strings.Contains(err.Error(), "temperature is not allowed") {
			t.Errorf("passed %v, %v after %d requests", said.Passed, err, len(e.bodies))
		}
	})
}

// TestRefusalsAreRemembered: the second question goes out without what the first one learnt.
func TestRefusalsAreRemembered(t *testing.T) {
	e := newLooseEndpoint(t, func(_ int, w http.ResponseWriter, body map[string]any) {
		if body["seed"] != nil {
			refuse(w, 400, "invalid_request_error", "unknown field seed")
			return
		}
		say(w, yes)
	})
	models := vision.New(vision.Options{Getenv: func(name string) string {
		return map[string]string{"OPENAI_API_KEY": key, "OPENAI_BASE_URL": e.URL, "TAPROOT_AI_MODEL": "m"}[name]
	}})
	if said, err := models.Judge(t.Context(), smallScreen(0), "paid", 3); err != nil || !said.Passed ||
		len(e.bodies) != 3 {
		t.Errorf("passed %v, %v after %d requests, want 3: one refused and two votes", said.Passed, err, len(e.bodies))
	}
}

func TestEndpointSettings(t *testing.T) {
	for name, c := range map[string]struct {
		env   map[string]string // $URL is the endpoint's
		check func(r *http.Request) string
		says  string // the error, before any request
	}{
		"the whole path": {env: map[string]string{"OPENAI_BASE_URL": "$URL/v1/chat/completions/"},
			check: func(r *http.Request) string {
				return wantPath(r, "/v1/chat/completions", "")
			}},
		"a query": {env: map[string]string{"OPENAI_BASE_URL": "$URL/openai/deployments/d?api-version=2024-10-21"},
			check: func(r *http.Request) string {
				return wantPath(r, "/openai/deployments/d/chat/completions", "api-version=2024-10-21")
			}},
		"the whole path with a query": {
			env:   map[string]string{"OPENAI_BASE_URL": "$URL/v1/chat/completions?api-version=1&x=a%20b"},
			check: func(r *http.Request) string { return wantPath(r, "/v1/chat/completions", "api-version=1&x=a+b") }},
		"a key with a line break at its end": {env: map[string]string{"OPENAI_API_KEY": key + "\r\n"},
			check: func(r *http.Request) string {
				return wantHeader(r, "Authorization", "Bearer "+key)
			}},
		"a key with a line break in it": {env: map[string]string{"OPENAI_API_KEY": "sk-abc\ndef"},
			says: "OPENAI_API_KEY holds a line break"},
		"headers": {env: map[string]string{"TAPROOT_AI_HEADERS": "X-Team=shop, X-Title=Taproot%2C%20tests"},
			check: func(r *http.Request) string {
				return wantHeader(r, "X-Team", "shop") + wantHeader(r, "X-Title", "Taproot, tests") + wantHeader(r, "Authorization",
					"Bearer "+key)
			}},
		"another way to send the key": {env: map[string]string{"TAPROOT_AI_HEADERS": "Authorization=Basic%20abcd"},
			check: func(r *http.Request) string { return wantHeader(r, "Authorization", "Basic abcd") }},
		"headers that are none": {env: map[string]string{"TAPROOT_AI_HEADERS": "X-Team"}, says: "TAPROOT_AI_HEADERS"},
		"a header of two lines": {env: map[string]string{"TAPROOT_AI_HEADERS": "X-A=b%0d%0aX-C: d"},
			says: "TAPROOT_AI_HEADERS"},
		"a time that is not one": {env: map[string]string{"TAPROOT_AI_TIMEOUT": "long"}, says: "TAPROOT_AI_TIMEOUT"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newLooseEndpoint(t, func(_ int, w http.ResponseWriter, _ map[string]any) { say(w, yes) })
			for n, v := range c.env {
				c.env[n] = strings.ReplaceAll(v, "$URL", e.URL)
			}
			said, err := e.judge(t.Context(), c.env)
			if c.says != "" {
				if err == nil || !strings.Contains(err.Error(), c.says) || len(e.requests) != 0 {
					t.Errorf("%v after %d requests", err, len(e.requests))
				}
				return
			}
			if err != nil || !said.Passed {
				t.Fatalf("passed %v, %v", said.Passed, err)
			}
			if why := c.check(e.requests[0]); why != "" {
				t.Error(why)
			}
		})
	}
}

func wantPath(r *http.Request, path, query string) string {
	if r.URL.Path != path || r.URL.RawQuery != query {
		return fmt.Sprintf("the request went to %s?%s", r.URL.Path, r.URL.RawQuery)
	}
	return ""
}

func wantHeader(r *http.Request, name, value string) string {
	if got := r.Header.Values(name); !slices.Equal(got, []string{value}) {
		return fmt.Sprintf("%s: %q, want %q. ", name, got, value)
	}
	return ""
}

// TestAzureKey: Azure's hosts get the key in their own header, and no bearer.
func TestAzureKey(t *testing.T) {
	e := newLooseEndpoint(t, func(_ int, w http.ResponseWriter, _ map[string]any) { say(w, yes) })
	target, err := url.Parse(e.URL)
	if err != nil {
		t.Fatal(err)
	}
	toEndpoint := &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		r.URL.Scheme, r.URL.Host = target.Scheme, target.Host
		return http.DefaultTransport.RoundTrip(r)
	})}
	models := vision.New(vision.Options{Client: toEndpoint, Getenv: func(name string) string {
		return map[string]string{"OPENAI_API_KEY": key, "TAPROOT_AI_MODEL": "m",
			"OPENAI_BASE_URL": "https://shop.openai.azure.com/openai/deployments/m?api-version=2024-10-21"}[name]
	}})
	if _, err := models.Judge(t.Context(), smallScreen(0), "paid", 1); err != nil {
		t.Fatal(err)
	}
	r := e.requests[0]
	if why := wantHeader(r, "Api-Key", key) + wantPath(r, "/openai/deployments/m/chat/completions",
		"api-version=2024-10-21"); why != "" {
		t.Error(why)
	}
	if r.Header.Get("Authorization") != "" {
		t.Error("the key went out as a bearer, too")
	}
}

type roundTripper func(r *http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestOverloadedEndpoints: statuses that mean "later", in the head or in the body, get the same question again.
func TestOverloadedEndpoints(t *testing.T) {
	for name, first := range map[string]func(w http.ResponseWriter){
		"529": func(w http.ResponseWriter) {
			w.WriteHeader(529)
			_, _ = io.WriteString(w, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)
		},
		"522 of a proxy": func(w http.ResponseWriter) { w.WriteHeader(522); _, _ = io.WriteString(w, "<html>") },
		"502 inside 200": jsonBody(`{"error":{"message":"Provider returned error","code":502}}`),
		"429 inside 200": jsonBody(`{"error":{"message":"slow down","code":"429"}}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newLooseEndpoint(t, func(n int, w http.ResponseWriter, _ map[string]any) {
				if n == 1 {
					first(w)
					return
				}
				say(w, yes)
			})
			if said, err := e.judge(t.Context(), nil); err != nil || !said.Passed || len(e.requests) != 2 {
				t.Errorf("passed %v, %v after %d requests", said.Passed, err, len(e.requests))
			}
		})
	}
}

// TestModelHasTheTimeOfTheStep: a step with more time than the setting waits that long; one with less leaves the model
// its minute.
func TestModelHasTheTimeOfTheStep(t *testing.T) {
	release := make(chan struct{})
	e := newLooseEndpoint(t, func(_ int, w http.ResponseWriter, _ map[string]any) {
		<-release
		say(w, yes)
	})
	defer close(release)
	env := map[string]string{}
	for _, limit := range []string{"100ms", "100"} {
		env["TAPROOT_AI_TIMEOUT"] = limit
		if _, err := e.judge(t.Context(), env); err == nil || !strings.Contains(err.Error(), "within 100ms") {
			t.Errorf("the setting %s: %v", limit, err)
		}
	}
	ctx := drivers.WithStepDeadline(t.Context(), time.Now().Add(300*time.Millisecond))
	if _, err := e.judge(ctx, env); err == nil || strings.Contains(err.Error(), "within 100ms") ||
		!strings.Contains(err.Error(), "TAPROOT_AI_TIMEOUT") {
		t.Errorf("the step: %v", err)
	}
}
