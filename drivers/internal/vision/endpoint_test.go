package vision_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/vision"
)

// endpoint is a server that speaks as OpenAI's API does, and refuses what that refuses.
type endpoint struct {
	*httptest.Server
	answer func(n int, w http.ResponseWriter, r chatRequest) // the nth request, from 1

	mu   sync.Mutex
	seen []chatRequest
	at   []time.Time
}

// chatRequest is a request as the API reads it; what it does not know it refuses.
type chatRequest struct {
	Model               string    `json:"model"`
	Messages            []message `json:"messages"`
	Temperature         *float64  `json:"temperature"`
	Seed                *int      `json:"seed"`
	MaxCompletionTokens *int      `json:"max_completion_tokens"`
	Stream              bool      `json:"stream"`
	ResponseFormat      *struct {
		Type       string `json:"type"`
		JSONSchema *struct {
			Name   string          `json:"name"`
			Strict bool            `json:"strict"`
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`

	body    []byte
	picture image.Image
}

type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

const key = "sk-test-0123456789abcdef"

func newEndpoint(t *testing.T, answer func(n int, w http.ResponseWriter, r chatRequest)) *endpoint {
	t.Helper()
	e := &endpoint{answer: answer}
	e.Server = httptest.NewServer(e)
	t.Cleanup(e.Close)
	return e
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var chat chatRequest
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(body))
		d.DisallowUnknownFields()
		err = d.Decode(&chat)
	}
	chat.body = body
	switch {
	case r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions":
		refuse(w, 404, "invalid_request_error", "Invalid URL ("+r.Method+" "+r.URL.Path+")")
		return
	case r.Header.Get("Authorization") != "Bearer "+key:
		refuse(w, 401, "invalid_api_key", "Incorrect API key provided: "+strings.TrimPrefix(r.Header.Get("Authorization"),
			"Bearer "))
		return
	case err != nil:
		refuse(w, 400, "invalid_request_error", "We could not parse the JSON body of your request: "+err.Error())
		return
	}
	if why := chat.wrong(); why != "" {
		refuse(w, 400, "invalid_request_error", why)
		return
	}
	e.mu.Lock()
	e.seen, e.at = append(e.seen, chat), append(e.at, time.Now())
	n := len(e.seen)
	e.mu.Unlock()
	e.answer(n, w, chat)
}

// wrong returns what the API would refuse of a request.
func (r *chatRequest) wrong() string {
	if r.Model == "" || len(r.Messages) == 0 {
		return "you must provide a model parameter and messages"
	}
	if r.Temperature == nil || *r.Temperature != 0 {
		return fmt.Sprintf("this test wants temperature 0, not %v", r.Temperature)
	}
	if r.Seed == nil || r.MaxCompletionTokens == nil || *r.MaxCompletionTokens < 1 || r.Stream {
		return "this test wants a seed, a bound of tokens, and no stream"
	}
	if r.ResponseFormat == nil || r.ResponseFormat.Type != "json_schema" || r.ResponseFormat.JSONSchema == nil ||
		!r.ResponseFormat.JSONSchema.Strict {
		return "Missing required parameter: 'response_format.json_schema'."
	}
	var schema map[string]any
	if err := json.Unmarshal(r.ResponseFormat.JSONSchema.Schema, &schema); err != nil {
		return "Invalid schema for response_format: " + err.Error()
	}
	if why := strictSchema(schema); why != "" {
		return "Invalid schema for response_format '" + r.ResponseFormat.JSONSchema.Name + "': " + why
	}
	if r.Messages[0].Role != "system" || len(r.Messages) != 2 || r.Messages[1].Role != "user" {
		return "this test wants a system and a user message"
	}
	return r.parts()
}

// parts reads the user's message: a text and an image.
func (r *chatRequest) parts() string {
	var parts []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		ImageURL *struct {
			URL    string `json:"url"`
			Detail string `json:"detail"`
		} `json:"image_url"`
	}
	if err := json.Unmarshal(r.Messages[1].Content, &parts); err != nil || len(parts) != 2 || parts[0].Type != "text" ||
		parts[1].Type != "image_url" {
		return "Invalid type for 'messages[1].content'"
	}
	data, ok := strings.CutPrefix(parts[1].ImageURL.URL, "data:image/png;base64,")
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil || !ok || !slices.Contains([]string{"low", "high", "auto"}, parts[1].ImageURL.Detail) {
		return "Invalid 'messages[1].content[1].image_url'."
	}
	if r.picture, err = png.Decode(bytes.NewReader(raw)); err != nil {
		return "You uploaded an unsupported image."
	}
	return ""
}

// strictSchema returns what strict structured outputs forbid: objects with optional or further properties, keywords
// that are not supported.
func strictSchema(s map[string]any) string {
	for k := range s {
		if !slices.Contains([]string{"type", "properties", "required", "additionalProperties", "items", "description",
			"enum"}, k) {
			return fmt.Sprintf("'%s' is not permitted", k)
		}
	}
	properties, _ := s["properties"].(map[string]any)
	if s["type"] == "object" {
		required, _ := s["required"].([]any)
		if s["additionalProperties"] != false || len(required) != len(properties) {
			return "'additionalProperties' is required to be false, and 'required' to include every key"
		}
	}
	for _, p := range properties {
		if why := strictSchema(p.(map[string]any)); why != "" {
			return why
		}
	}
	if items, ok := s["items"].(map[string]any); ok {
		return strictSchema(items)
	}
	return ""
}

func refuse(w http.ResponseWriter, status int, code, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": text, "type": code, "param": nil,
		"code": code}})
}

// say responds as a model does.
func say(w http.ResponseWriter, text string) { sayAs(w, map[string]any{"content": text}, "stop") }

func sayAs(w http.ResponseWriter, message map[string]any, finish string) {
	message["role"] = "assistant"
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"id": "chatcmpl-1", "object": "chat.completion", "created": 1,
		"model":   "gpt-4.1-mini-2025-04-14",
		"choices": []any{map[string]any{"index": 0, "finish_reason": finish, "message": message}},
		"usage":   map[string]any{"prompt_tokens": 812, "completion_tokens": 31, "total_tokens": 843}})
}

const yes = `{"passed":true,"reason":"The word Paid is green.","evidence":[{"text":"Paid","box":[10,20,110,60]}]}`
const no = `{"passed":false,"reason":"It says Unpaid.","evidence":[]}`

// models are those that ask the endpoint.
func (e *endpoint) models(o vision.Options, env map[string]string) *vision.Models {
	o.Getenv = func(name string) string {
		if v, ok := env[name]; ok {
			return v
		}
		return map[string]string{"OPENAI_API_KEY": key, "OPENAI_BASE_URL": e.URL + "/v1",
			"TAPROOT_AI_MODEL": "test-model"}[name]
	}
	return vision.New(o)
}

// randomScreen is an image of its own for each seed, as large as a phone's screen.
func randomScreen(seed int) *image.RGBA { return screenOf(1080, 2400, seed) }

// smallScreen is one for where the size is all the same: a ninth of the points to scale, pack and unpack.
func smallScreen(seed int) *image.RGBA { return screenOf(360, 800, seed) }

func screenOf(width, height, seed int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(100, 100+seed, 500, 300+seed), image.NewUniform(color.RGBA{0, 100, 0, 255}), image.Point{},
		draw.Src)
	return img
}

func TestJudge(t *testing.T) {
	e := newEndpoint(t, func(_ int, w http.ResponseWriter, _ chatRequest) { say(w, yes) })
	said, err := e.models(vision.Options{}, nil).Judge(t.Context(), randomScreen(0), "  the order is paid  ", 1)
	if err != nil {
		t.Fatal(err)
	}
	want := image.Rect(15, 30, 165, 90) // 720x1600 was sent
	if !said.Passed || said.For != 1 || said.Against != 0 || said.Reason != "The word Paid is green." ||
		said.Evidence[0].Bounds != want {
		t.Errorf("%+v", said)
	}
	sent := e.seen[0]
	if sent.picture.Bounds().Size() != image.Pt(720, 1600) || !strings.Contains(string(sent.Messages[0].Content),
		"720 pixels wide and 1600 high") {
		t.Errorf("sent a picture of %v, said %s", sent.picture.Bounds(), sent.Messages[0].Content)
	}
	if !strings.Contains(string(sent.Messages[1].Content), "the order is paid") || sent.Model != "test-model" ||
		*sent.Seed != 1 {
		t.Errorf("sent %s to %s with seed %d", sent.Messages[1].Content[:200], sent.Model, *sent.Seed)
	}
	a := said.Call
	if a == nil || a.Answers[0].Text != yes || a.Answers[0].PromptTokens != 812 || a.Answers[0].CompletionTokens != 31 ||
		len(a.Key) != 64 || a.Image.Bounds().Dx() != 720 || a.Prompt != "the order is paid" {
		t.Errorf("%+v", a)
	}
}

func TestJudgeByVotes(t *testing.T) {
	for _, c := range []struct {
		answers string // y, n, in order
		votes   int
		calls   int
		want    string // pass, fail, error
	}{
		{"y", 1, 1, "pass"}, {"n", 1, 1, "fail"}, {"yy", 3, 2, "pass"}, {"yny", 3, 3, "pass"}, {"nyn", 3, 3, "fail"},
		{"nn", 3, 2, "fail"},
		{"yn", 2, 2, "error"}, {"yynny", 5, 5, "pass"}, {"ynyn", 4, 4, "error"},
	} {
		e := newEndpoint(t, func(n int, w http.ResponseWriter, r chatRequest) {
			if *r.Seed != n {
				t.Errorf("vote %d has seed %d", n, *r.Seed)
			}
			say(w, map[byte]string{'y': yes, 'n': no}[c.answers[n-1]])
		})
		said, err := e.models(vision.Options{}, nil).Judge(t.Context(), smallScreen(0), "paid", c.votes)
		got := "fail"
		switch {
		case err != nil:
			got = "error"
		case said.Passed:
			got = "pass"
		}
		if got != c.want || len(e.seen) != c.calls {
			t.Errorf("%s of %d votes: %s after %d calls, want %s after %d; %v", c.answers, c.votes, got, len(e.seen), c.want,
				c.calls, err)
		}
		if err == nil && said.Passed != (said.Reason == "The word Paid is green.") {
			t.Errorf("%s: passed %v because %q", c.answers, said.Passed, said.Reason)
		}
	}
}

// TestNoAnswerIsNoPass is the table of responses that must never be taken for one.
func TestNoAnswerIsNoPass(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(w http.ResponseWriter)
		says   string
	}{
		"refusal": {func(w http.ResponseWriter) {
			sayAs(w, map[string]any{"content": nil, "refusal": "I cannot help with that."}, "stop")
		}, "refused"},
		"refusal beside a yes": {func(w http.ResponseWriter) {
			sayAs(w, map[string]any{"content": yes, "refusal": "no"},
				"stop")
		}, "refused"},
		"cut off": {func(w http.ResponseWriter) { sayAs(w, map[string]any{"content": yes[:40]}, "length") },
			"cut off"},
		"cut off after a yes": {func(w http.ResponseWriter) { sayAs(w, map[string]any{"content": yes}, "length") },
			"cut off"},
		"filtered": {func(w http.ResponseWriter) { sayAs(w, map[string]any{"content": ""}, "content_filter") },
			"filter"},
		"another end": {func(w http.ResponseWriter) { sayAs(w, map[string]any{"content": yes}, "tool_calls") },
			"finish reason"},
		"empty": {func(w http.ResponseWriter) { say(w, "  ") }, "empty"},
		"plain words": {func(w http.ResponseWriter) { say(w, "Yes, the test passed.") },
			"not what it was asked for"},
		"half of it":  {func(w http.ResponseWriter) { say(w, yes[:len(yes)-1]) }, "mid-sentence"},
		"two answers": {func(w http.ResponseWriter) { say(w, no+yes) }, "something follows"},
		"yes and no": {
			func(w http.ResponseWriter) { say(w, `{"passed":false,"passed":true,"reason":"x","evidence":[]}`) }, "twice"},
		"no and YES": {
			func(w http.ResponseWriter) { say(w, `{"passed":false,"Passed":true,"reason":"x","evidence":[]}`) }, "given twice"},
		"only YES": {func(w http.ResponseWriter) { say(w, strings.Replace(yes, "passed", "Passed", 1)) },
			"not a property"},
		"a word for true": {func(w http.ResponseWriter) { say(w, strings.Replace(yes, "true", `"true"`, 1)) },
			"not what it was asked for"},
		"one for true": {func(w http.ResponseWriter) { say(w, strings.Replace(yes, "true", `1`, 1)) },
			"not what it was asked for"},
		"null": {func(w http.ResponseWriter) { say(w, "null") }, "no JSON object"},
		"null for true": {func(w http.ResponseWriter) { say(w, strings.Replace(yes, "true", `null`, 1)) },
			"missing"},
		"a list": {func(w http.ResponseWriter) { say(w, "["+yes+"]") }, "not what it was asked for"},
		"no reason": {
			func(w http.ResponseWriter) { say(w, strings.Replace(yes, "The word Paid is green.", " ", 1)) }, "missing"},
		"yes without evidence": {
			func(w http.ResponseWriter) { say(w, `{"passed":true,"reason":"because","evidence":[]}`) }, "without any evidence"},
		"a property that says no": {
			func(w http.ResponseWriter) { say(w, strings.Replace(yes, "{", `{"verdict":"fail",`, 1)) }, "verdict"},
		"half a pixel": {func(w http.ResponseWriter) { say(w, strings.Replace(yes, "[10,", "[10.5,", 1)) },
			"fractions"},
		"evidence elsewhere": {
			func(w http.ResponseWriter) { say(w, strings.Replace(yes, "[10,20,110,60]", "[10,20,9000,60]", 1)) },
			"not on the screenshot"},
		"inverted box": {
			func(w http.ResponseWriter) { say(w, strings.Replace(yes, "[10,20,110,60]", "[110,60,10,20]", 1)) },
			"not on the screenshot"},
		"box of three": {
			func(w http.ResponseWriter) { say(w, strings.Replace(yes, "[10,20,110,60]", "[10,20,110]", 1)) }, "3 numbers"},
		"huge numbers": {
			func(w http.ResponseWriter) { say(w, strings.Replace(yes, "[10,20,110,60]", "[1e99,20,110,60]", 1)) },
			"not what it was asked for"},
		"no choices": {func(w http.ResponseWriter) { _, _ = io.WriteString(w, `{"choices":[]}`) }, "0 responses"},
		"two choices": {func(w http.ResponseWriter) {
			_, _ = io.WriteString(w,
				`{"choices":[{"message":{"content":"a"},"finish_reason":"stop"},`+
					`{"message":{"content":"b"},"finish_reason":"stop"}]}`)
		}, "2 responses"},
		"a page":      {func(w http.ResponseWriter) { _, _ = io.WriteString(w, "<html>sign in</html>") }, "ask the model"},
		"nothing":     {func(http.ResponseWriter) {}, "ask the model"},
		"bad request": {func(w http.ResponseWriter) { refuse(w, 400, "bad", "no such model") }, "no such model"},
		"wrong key": {
			func(w http.ResponseWriter) { refuse(w, 401, "invalid_api_key", "Incorrect API key provided: "+key) }, "•••"},
		"no money": {
			func(w http.ResponseWriter) { refuse(w, 429, "insufficient_quota", "You exceeded your current quota") }, "quota"},
		"no such place": {func(w http.ResponseWriter) { w.WriteHeader(404) }, "ends with /v1"},
		"moved": {
			func(w http.ResponseWriter) { w.Header().Set("Location", "https://example.com"); w.WriteHeader(307) }, "307"},
		"too long":       {func(w http.ResponseWriter) { _, _ = w.Write(bytes.Repeat([]byte(" "), 5<<20)) }, "too long"},
		"deep":           {func(w http.ResponseWriter) { say(w, strings.Repeat("[", 5000)) }, "not what it was asked for"},
		"connection cut": {func(w http.ResponseWriter) { panic(http.ErrAbortHandler) }, "ask the model"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEndpoint(t, func(_ int, w http.ResponseWriter, _ chatRequest) { c.answer(w) })
			models := e.models(vision.Options{Timeout: 20 * time.Second}, nil)
			// the image is all the same here
			said, err := models.Judge(t.Context(), image.NewGray(image.Rect(0, 0, 200, 400)), "paid", 1)
			if err == nil || said.Passed || !strings.Contains(err.Error(), c.says) {
				t.Errorf("passed %v, error %v, want %q", said.Passed, err, c.says)
			}
			if err != nil && strings.Contains(err.Error(), key) {
				t.Errorf("the error shows the key: %v", err)
			}
			if (name == "moved" || name == "too long") && len(e.seen) != 1 {
				t.Errorf("asked %d times", len(e.seen))
			}
			if said.Call == nil || said.Call.Problem == "" {
				t.Errorf("what was asked is not kept: %+v", said.Call)
			}
			if drivers.AppIsWrong(err) {
				t.Error("the app is blamed")
			}
		})
	}
}

// TestKeyIsNotKept: an endpoint that returns the key does not bring it into the report.
func TestKeyIsNotKept(t *testing.T) {
	e := newEndpoint(t, func(_ int, w http.ResponseWriter, _ chatRequest) {
		say(w, strings.Replace(yes, "The word Paid is green.", "You sent "+key, 1))
	})
	said, err := e.models(vision.Options{}, nil).Judge(t.Context(), smallScreen(0), "paid", 1)
	kept, jsonErr := json.Marshal(said)
	if err != nil || jsonErr != nil || strings.Contains(string(kept), key) || !strings.Contains(said.Reason, "•••") {
		t.Errorf("%s, %v, %v", kept, err, jsonErr)
	}
}

func TestAskAgain(t *testing.T) {
	for name, c := range map[string]struct {
		first func(w http.ResponseWriter)
		wait  time.Duration // at least
	}{
		"429 with seconds": {func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "1")
			refuse(w, 429, "rate_limit_exceeded", "slow down")
		}, time.Second},
		"429 with milliseconds": {func(w http.ResponseWriter) {
			w.Header().Set("Retry-After-Ms", "300")
			refuse(w, 429, "rate_limit_exceeded", "slow down")
		}, 300 * time.Millisecond},
		"503 with a date": {func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", time.Now().Add(2*time.Second).UTC().Format(http.TimeFormat))
			w.WriteHeader(503)
		}, 500 * time.Millisecond},
		"500": {func(w http.ResponseWriter) { refuse(w, 500, "server_error", "oops") }, 300 * time.Millisecond},
		"502 of a proxy": {func(w http.ResponseWriter) { w.WriteHeader(502); _, _ = io.WriteString(w, "<html>") },
			300 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEndpoint(t, func(n int, w http.ResponseWriter, _ chatRequest) {
				if n == 1 {
					c.first(w)
					return
				}
				say(w, yes)
			})
			said, err := e.models(vision.Options{}, nil).Judge(t.Context(), smallScreen(0), "paid", 1)
			if err != nil || !said.Passed || len(e.seen) != 2 {
				t.Fatalf("%+v after %d requests, %v", said, len(e.seen), err)
			}
			if waited := e.at[1].Sub(e.at[0]); waited < c.wait {
				t.Errorf("asked again after %s, want %s", waited, c.wait)
			}
			if !bytes.Equal(e.seen[0].body, e.seen[1].body) {
				t.Error("the second request is another one")
			}
		})
	}
}

func TestAskInVain(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, func(_ int, w http.ResponseWriter, _ chatRequest) {
		w.Header().Set("Retry-After-Ms", "10")
		refuse(w, 500, "server_error", "oops")
	})
	if _, err := e.models(vision.Options{}, nil).Judge(t.Context(), smallScreen(0), "paid", 1); err == nil ||
		len(e.seen) != 4 {
		t.Errorf("%d requests, %v", len(e.seen), err)
	}
	late := newEndpoint(t, func(_ int, w http.ResponseWriter, _ chatRequest) {
		w.Header().Set("Retry-After", "3600")
		refuse(w, 429, "rate_limit_exceeded", "later")
	})
	if _, err := late.models(vision.Options{}, nil).Judge(t.Context(), smallScreen(0), "paid", 1); err == nil ||
		len(late.seen) != 1 || !strings.Contains(err.Error(), "1h0m0s") {
		t.Errorf("%d requests, %v", len(late.seen), err)
	}
	release := make(chan struct{})
	slow := newEndpoint(t, func(int, http.ResponseWriter, chatRequest) { <-release })
	defer close(release)
	if _, err := slow.models(vision.Options{Timeout: 200 * time.Millisecond}, nil).Judge(t.Context(), smallScreen(0),
		"paid", 1); err == nil || !strings.Contains(err.Error(), "within 200ms") {
		t.Errorf("slow: %v", err)
	}
}
