package otlp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/runtest"
	"github.com/taproot-dev/taproot/internal/testutil"
)

func TestMain(m *testing.M) { testutil.NoLeaks(m) }

// collector takes traces as one of OpenTelemetry does, and refuses what is none.
type collector struct {
	*httptest.Server
	mu       sync.Mutex
	spans    map[string]span // by id
	order    []string
	requests int
	resource map[string]string
	answers  []func(w http.ResponseWriter) // before it takes any
	key      string
}

var hexOf = map[int]*regexp.Regexp{8: regexp.MustCompile(`^[0-9a-f]{16}$`), 16: regexp.MustCompile(`^[0-9a-f]{32}$`)}

func newCollector(t *testing.T) *collector {
	c := &collector{spans: map[string]span{}, resource: map[string]string{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.requests++
		body, err := io.ReadAll(r.Body)
		if len(c.answers) > 0 {
			answer := c.answers[0]
			c.answers = c.answers[1:]
			answer(w)
			return
		}
		if err == nil {
			err = c.take(r, body)
		}
		if err != nil {
			t.Error(err)
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		fmt.Fprint(w, `{"partialSuccess":{}}`)
	}))
	t.Cleanup(func() { c.Close(); http.DefaultTransport.(*http.Transport).CloseIdleConnections() })
	return c
}

func (c *collector) take(r *http.Request, body []byte) error {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/json" ||
		r.Header.Get("X-Key") != c.key {
		return fmt.Errorf("%s %s %v", r.Method, r.URL.Path, r.Header)
	}
	var req request
	in := json.NewDecoder(bytes.NewReader(body))
	in.DisallowUnknownFields()
	if err := in.Decode(&req); err != nil {
		return err
	}
	for _, of := range req.Resources {
		for _, a := range of.Resource.Attributes {
			c.resource[a.Key] = *a.Value.String
		}
		for _, scope := range of.Scopes {
			for _, s := range scope.Spans {
				if !hexOf[16].MatchString(s.TraceID) || !hexOf[8].MatchString(s.SpanID) || s.Parent != "" &&
					!hexOf[8].MatchString(s.Parent) || s.Name == "" {
					return fmt.Errorf("span %+v", s)
				}
				start, err := strconv.ParseInt(s.Start, 10, 64)
				end, err2 := strconv.ParseInt(s.End, 10, 64)
				if err != nil || err2 != nil || start <= 0 || end < start {
					return fmt.Errorf("%s lasts from %s to %s", s.Name, s.Start, s.End)
				}
				if _, twice := c.spans[s.SpanID]; twice {
					return fmt.Errorf("span %s comes twice", s.SpanID)
				}
				if s.Status.Code != failed && s.Status.Message != "" {
					return fmt.Errorf("%s is well, and says %q", s.Name, s.Status.Message)
				}
				c.spans[s.SpanID] = s
				c.order = append(c.order, s.SpanID)
			}
		}
	}
	return nil
}

func (c *collector) env(more map[string]string) func(string) string {
	env := map[string]string{envEndpoint: c.URL + "/"}
	maps.Copy(env, more)
	return func(name string) string { return env[name] }
}

func send(t *testing.T, getenv func(string) string, run *history.Run) error {
	t.Helper()
	target, err := FromEnv(getenv)
	if err != nil || target == nil {
		t.Fatal(target, err)
	}
	target.pause = time.Millisecond
	return target.Send(t.Context(), run)
}

func attribute(s span, key string) string {
	for _, a := range s.Attributes {
		if a.Key == key && a.Value.String != nil {
			return *a.Value.String
		} else if a.Key == key {
			return *a.Value.Int
		}
	}
	return ""
}

// TestTrace: a run is one span, each attempt of a case one below it, each step that was reached one below that.
func TestTrace(t *testing.T) {
	c := newCollector(t)
	c.key = "a=b"
	run := runtest.Recorded(t)
	err := send(t, c.env(map[string]string{envHeaders: "x-key=a%3Db", envService: "shop tests",
		envResource: "team=pay ments,stage=1"}), run)
	if err != nil {
		t.Fatal(err)
	}
	if c.resource["service.name"] != "shop tests" || c.resource["team"] != "pay ments" || c.resource["stage"] != "1" {
		t.Errorf("resource %v", c.resource)
	}
	top := c.spans[c.order[0]]
	if top.Parent != "" || attribute(top, "taproot.run") != run.Name || attribute(top, "taproot.cases") != strconv.Itoa(
		len(run.Cases)) || top.Status.Code != failed {
		t.Errorf("the run: %+v", top)
	}
	want, got := map[string]int{}, map[string]int{}
	for _, rc := range run.Cases {
		for _, try := range append(slices.Clone(rc.Attempts), history.Attempt{Pack: rc.Pack, CaseResult: rc.CaseResult}) {
			for _, s := range try.CaseResult.Steps {
				if !s.Started.IsZero() {
					want[fmt.Sprint(try.Pack, " ", s.N, " ", s.Result)]++
				}
			}
			if !try.CaseResult.Started.IsZero() {
				want[fmt.Sprint(try.Pack, " ", try.CaseResult.Result)]++
			}
		}
	}
	for _, id := range c.order[1:] {
		s := c.spans[id]
		if s.TraceID != top.TraceID {
			t.Errorf("%s is of another trace", s.Name)
		}
		parent, known := c.spans[s.Parent]
		switch {
		case !known:
			t.Errorf("%s has no parent", s.Name)
		case s.Parent == top.SpanID:
			got[fmt.Sprint(attribute(s, "taproot.pack"), " ", attribute(s, "taproot.result"))]++
		default:
			got[fmt.Sprint(attribute(parent, "taproot.pack"), " ", attribute(s, "taproot.step"), " ",
				attribute(s, "taproot.result"))]++
		}
	}
	if len(want) < 5 || !maps.Equal(want, got) {
		t.Errorf("spans %v\nwant %v", got, want)
	}
	failing := 0
	for _, s := range c.spans {
		if attribute(s, "taproot.result") == string(event.Fail) && s.Parent != "" {
			failing++
			if s.Status.Code != failed || s.Status.Message == "" || attribute(s, "error.type") == "" {
				t.Errorf("%s failed, and says %+v", s.Name, s)
			}
		}
	}
	if failing == 0 {
		t.Error("nothing failed")
	}
}

// TestParent: TRACEPARENT is what the run belongs to; one that is none is left out, as its specification wants.
func TestParent(t *testing.T) {
	for value, want := range map[string]Parent{
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01": {"0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"},
		"00-00000000000000000000000000000000-b7ad6b7169203331-01": {},
		"nonsense": {},
	} {
		c := newCollector(t)
		if err := send(t, c.env(map[string]string{"TRACEPARENT": value}), runtest.Recorded(t)); err != nil {
			t.Fatal(err)
		}
		top := c.spans[c.order[0]]
		if want.Trace != "" && top.TraceID != want.Trace || top.Parent != want.Span {
			t.Errorf("%s: %+v", value, top)
		}
	}
}

// TestLargeRun goes in several requests.
func TestLargeRun(t *testing.T) {
	c := newCollector(t)
	run := runtest.Synthetic(2500)
	run.Started = time.Unix(1e9, 0)
	run.Ended = run.Started.Add(time.Hour)
	for _, rc := range run.Cases {
		rc.CaseResult.Started = run.Started
		for i := range rc.CaseResult.Steps {
			rc.CaseResult.Steps[i].Started = run.Started
		}
	}
	if err := send(t, c.env(nil), run); err != nil {
		t.Fatal(err)
	}
	if len(c.spans) < 2500 || c.requests != (len(c.spans)+spansAtOnce-1)/spansAtOnce {
		t.Errorf("%d spans in %d requests", len(c.spans), c.requests)
	}
}

func TestSettings(t *testing.T) {
	env := func(pairs ...string) func(string) string {
		return func(name string) string {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1]
				}
			}
			return ""
		}
	}
	for name, getenv := range map[string]func(string) string{"nothing": env(),
		"disabled": env(envEndpoint, "http://c:4318", envDisabled, "true"), "none": env(envEndpoint, "http://c:4318",
			envExporter, "none")} {
		if target, err := FromEnv(getenv); target != nil || err != nil {
			t.Errorf("%s: %+v, %v", name, target, err)
		}
	}
	target, err := FromEnv(env(envTracesEndpoint, "https://c.example/otlp", envEndpoint, "http://other", envTimeout,
		"250"))
	if err != nil || target.URL != "https://c.example/otlp" || target.Timeout != 250*time.Millisecond ||
		target.Service != "taproot" {
		t.Errorf("%+v, %v", target, err)
	}
	for name, c := range map[string]struct {
		getenv func(string) string
		says   string
	}{
		"no address":    {env(envEndpoint, "collector:4318"), "OTEL_EXPORTER_OTLP_ENDPOINT is not a URL"},
		"no headers":    {env(envEndpoint, "http://c", envHeaders, "s3cret"), "OTEL_EXPORTER_OTLP_HEADERS is not a list"},
		"no time limit": {env(envEndpoint, "http://c", envTimeout, "soon"), "milliseconds"},
	} {
		if _, err := FromEnv(c.getenv); err == nil || !strings.Contains(err.Error(), c.says) ||
			strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCollectorsThatRefuse: a request that is refused temporarily is sent again, with the same ids; other errors are
// returned, without the key.
func TestCollectorsThatRefuse(t *testing.T) {
	say := func(code int, text string, header ...string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			for i := 0; i+1 < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(code)
			fmt.Fprint(w, text)
		}
	}
	for name, c := range map[string]struct {
		answers  []func(http.ResponseWriter)
		says     string // "": it works
		requests int
	}{
		"busy for a moment": {[]func(http.ResponseWriter){say(503, ""), say(429, "", "Retry-After", "0")}, "", 3},
		"wrong key":         {[]func(http.ResponseWriter){say(401, "who are you\x1b[31m?")}, "0 of", 1},
		"elsewhere":         {[]func(http.ResponseWriter){say(302, "", "Location", "http://192.0.2.1/")}, "302 Found", 1},
		"a part": {
			[]func(http.ResponseWriter){say(200, `{"partialSuccess":{"rejectedSpans":"7","errorMessage":"too old"}}`)},
			"refused 7 spans: too old", 1},
		"other words": {[]func(http.ResponseWriter){say(200, "OK")}, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			col := newCollector(t)
			col.answers, col.key = c.answers, "k3y"
			err := send(t, col.env(map[string]string{envTracesHeaders: "x-key=k3y"}), runtest.Recorded(t))
			if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("%v", err)
			}
			if err != nil && (strings.Contains(err.Error(), "k3y") || strings.Contains(err.Error(), "\x1b") ||
				strings.Contains(err.Error(), col.URL)) {
				t.Errorf("the error tells too much: %v", err)
			}
			if col.requests != c.requests {
				t.Errorf("%d requests", col.requests)
			}
		})
	}
}

// TestCollectorThatHangs costs its time limit.
func TestCollectorThatHangs(t *testing.T) {
	over := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-over }))
	defer s.Close()
	defer close(over)
	target, err := FromEnv(func(name string) string {
		return map[string]string{envEndpoint: s.URL, envTimeout: "20"}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	target.pause = time.Millisecond
	if err := target.Send(t.Context(), runtest.Recorded(t)); err == nil || !strings.Contains(err.Error(), "0 of") {
		t.Error(err)
	}
}
