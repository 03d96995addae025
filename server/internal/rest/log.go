package rest

import (
	"bytes"
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/action"
)

// requestLog holds what the log line of a request says.
type requestLog struct {
	id    string
	route string
	who   string
}

type requestLogKey struct{}

// SetLogRoute names the route of a request in its log line.
func SetLogRoute(ctx context.Context, pattern string) {
	if n, ok := ctx.Value(requestLogKey{}).(*requestLog); ok {
		n.route = pattern
	}
}

// SetLogCaller names the caller of a request in its log line.
func SetLogCaller(ctx context.Context, c Caller) {
	if n, ok := ctx.Value(requestLogKey{}).(*requestLog); ok {
		n.who = c.Who()
	}
}

// validRequestID matches request IDs of clients that are safe in logs.
var validRequestID = lazyregexp.New(`^[A-Za-z0-9._-]{1,64}$`)

// AccessLog writes a line for each request.
type AccessLog struct {
	Log      *slog.Logger
	Mask     *event.Mask
	Secure   bool // the server is reached over TLS only
	Patience time.Duration
	Client   func(*http.Request) string // the client's address
	// Start counts a request that starts; done counts its end.
	Start func() (done func(route, method string, status int, took time.Duration))
}

// Handler assigns each request an ID, responds with 500 when a handler panics, and writes a line to the log. Query
// strings, headers and bodies are not logged, because they may contain secrets.
func (s *AccessLog) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := &requestLog{id: r.Header.Get("X-Request-Id")}
		if !validRequestID.MatchString(n.id) {
			n.id = rand.Text()[:16]
		}
		h := w.Header()
		h.Set("X-Request-Id", n.id)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		h.Set("Cache-Control", "no-store")
		if s.Secure {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		out := &Recorder{ResponseWriter: w, writeTimeout: s.Patience}
		if r.ContentLength != 0 {
			// also for rejected requests: net/http reads the rest of the body before it continues
			Uploads{Patience: s.Patience}.limitRead(out)
		}
		started := time.Now()
		done := s.Start()
		defer func() {
			halfway := s.logPanic(out, r, recover())
			took := time.Since(started)
			done(n.route, r.Method, out.Status, took)
			s.Log.LogAttrs(r.Context(), level(out.Status), "request", slog.String("id", n.id),
				slog.String("method", Cut(r.Method, 16)),
				slog.String("path", Cut(r.URL.Path, 200)), slog.Int("status", out.Status), slog.Int64("bytes", out.bytes),
				slog.Duration("took", took),
				slog.String("from", s.Client(r)), slog.String("who", n.who))
			if halfway {
				panic(http.ErrAbortHandler) // closes the connection: a partial response must not look complete
			}
		}()
		if fail := rejectAmbiguousLength(r); fail != nil {
			h.Set("Connection", "close")
			WriteError(out, fail)
			return
		}
		next.ServeHTTP(out, r.WithContext(context.WithValue(r.Context(), requestLogKey{}, n)))
	})
}

// logPanic logs a panic of a handler and responds with 500, unless the response has already started. A client that
// disconnected is not logged. halfway reports whether the connection must be closed.
func (s *AccessLog) logPanic(w *Recorder, r *http.Request, p any) (halfway bool) {
	if p == nil {
		return false
	}
	if p == http.ErrAbortHandler || r.Context().Err() != nil {
		return true
	}
	s.Log.ErrorContext(r.Context(), s.Mask.Text(action.NewPanic(p).Error()), "stack", string(debug.Stack()))
	if w.Status != 0 {
		return true
	}
	WriteError(w, Fault(http.StatusInternalServerError, CodeInternal,
		"something went wrong in the server; its log says more"))
	return false
}

func level(status int) slog.Level {
	switch {
	case status >= http.StatusInternalServerError:
		return slog.LevelWarn
	case status >= http.StatusBadRequest:
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

// Cut shortens text from a client so that it is safe in a log line.
func Cut(text string, most int) string {
	return strings.ToValidUTF8(phrase.LimitBytes(text, most), "?")
}

// Recorder records the status and size of a response. Each part must be written within patience, so that a
// client that does not read cannot block the handler.
type Recorder struct {
	http.ResponseWriter
	writeTimeout time.Duration
	Status       int // 0: the response has not started
	bytes        int64
}

// maxWrite is how many bytes a client must read within patience.
const maxWrite = 64 << 10

func (c *Recorder) WriteHeader(status int) {
	if c.Status == 0 {
		c.Status = status
	}
	c.ResponseWriter.WriteHeader(status)
}

func (c *Recorder) Write(p []byte) (int, error) {
	if c.Status == 0 {
		c.Status = http.StatusOK
	}
	n := 0
	for part := range slices.Chunk(p, maxWrite) {
		// fails in tests without a connection
		_ = http.NewResponseController(c.ResponseWriter).SetWriteDeadline(time.Now().Add(c.writeTimeout))
		m, err := c.ResponseWriter.Write(part)
		n += m
		c.bytes += int64(m)
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// Unwrap returns the underlying writer, for http.ResponseController.
func (c *Recorder) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// WriteError writes an error before huma handles the request.
func WriteError(w http.ResponseWriter, e *Error) {
	for name, values := range e.Headers {
		w.Header()[name] = values
	}
	WriteJSON(w, e.Status, e)
}

// WriteJSON writes a response.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	var body bytes.Buffer
	if err := Marshal(&body, v); err != nil {
		status = http.StatusInternalServerError
		body.Reset()
		body.WriteString(`{"error":"internal","message":"the answer cannot be written"}`)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // a client that disconnected reads nothing
}

// AuditLog has a line for each change.
type AuditLog struct{ *slog.Logger }

// Add logs who did what to which target.
func (a AuditLog) Add(ctx context.Context, action, target string, status int) {
	c := CallerOf(ctx)
	a.LogAttrs(ctx, slog.LevelInfo, "audit", slog.String("who", c.Who()), slog.String("from", c.Addr),
		slog.String("action", action),
		slog.String("target", Cut(target, 200)), slog.Int("status", status), slog.String("id", RequestID(ctx)))
}

// RequestID returns the ID of a request.
func RequestID(ctx context.Context) string {
	if n, ok := ctx.Value(requestLogKey{}).(*requestLog); ok {
		return n.id
	}
	return ""
}

// Busy counts the current requests of each caller.
type Busy struct {
	mu sync.Mutex
	n  map[string]int
}

func (b *Busy) Enter(name string, most int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.n == nil {
		b.n = map[string]int{}
	}
	if b.n[name] >= most {
		return false
	}
	b.n[name]++
	return true
}

func (b *Busy) Leave(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.n[name]--; b.n[name] == 0 {
		delete(b.n, name)
	}
}
