package server

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
	"time"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/shorten"
	"github.com/taproot-dev/taproot/runner/action"
)

// requestLog holds what the log line of a request says.
type requestLog struct {
	id    string
	route string
	who   string
}

type requestLogKey struct{}

func setLogRoute(ctx context.Context, pattern string) {
	if n, ok := ctx.Value(requestLogKey{}).(*requestLog); ok {
		n.route = pattern
	}
}

func setLogCaller(ctx context.Context, c caller) {
	if n, ok := ctx.Value(requestLogKey{}).(*requestLog); ok {
		n.who = c.who()
	}
}

// validRequestID matches request IDs of clients that are safe in logs.
var validRequestID = lazyregexp.New(`^[A-Za-z0-9._-]{1,64}$`)

// logRequest assigns each request an ID, responds with 500 when a handler panics, and writes a line to the log. Query
// strings, headers and bodies are not logged, because they may contain secrets.
func (s *Server) logRequest(next http.Handler) http.Handler {
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
		if s.o.Service != nil && s.o.Service.Secure() {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		out := &responseRecorder{ResponseWriter: w, writeTimeout: s.o.Patience}
		if r.ContentLength != 0 {
			s.limitRead(out) // also for rejected requests: net/http reads the rest of the body before it continues
		}
		started := time.Now()
		done := s.figures.start()
		defer func() {
			halfway := s.logPanic(out, r, recover())
			took := time.Since(started)
			done(n.route, r.Method, out.status, took)
			s.log.LogAttrs(r.Context(), level(out.status), "request", slog.String("id", n.id),
				slog.String("method", cut(r.Method, 16)),
				slog.String("path", cut(r.URL.Path, 200)), slog.Int("status", out.status), slog.Int64("bytes", out.bytes),
				slog.Duration("took", took),
				slog.String("from", s.client(r)), slog.String("who", n.who))
			if halfway {
				panic(http.ErrAbortHandler) // closes the connection: a partial response must not look complete
			}
		}()
		if fail := rejectAmbiguousLength(r); fail != nil {
			h.Set("Connection", "close")
			writeError(out, fail)
			return
		}
		next.ServeHTTP(out, r.WithContext(context.WithValue(r.Context(), requestLogKey{}, n)))
	})
}

// logPanic logs a panic of a handler and responds with 500, unless the response has already started. A client that
// disconnected is not logged. halfway reports whether the connection must be closed.
func (s *Server) logPanic(w *responseRecorder, r *http.Request, p any) (halfway bool) {
	if p == nil {
		return false
	}
	if p == http.ErrAbortHandler || r.Context().Err() != nil {
		return true
	}
	s.log.ErrorContext(r.Context(), s.mask.Text(action.NewPanic(p).Error()), "stack", string(debug.Stack()))
	if w.status != 0 {
		return true
	}
	writeError(w, fault(http.StatusInternalServerError, codeInternal,
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

// cut shortens text from a client so that it is safe in a log line.
func cut(text string, most int) string {
	return strings.ToValidUTF8(shorten.Bytes(text, most), "?")
}

// responseRecorder records the status and size of a response. Each part must be written within patience, so that a
// client that does not read cannot block the handler.
type responseRecorder struct {
	http.ResponseWriter
	writeTimeout time.Duration
	status       int
	bytes        int64
}

// maxWrite is how many bytes a client must read within patience.
const maxWrite = 64 << 10

func (c *responseRecorder) WriteHeader(status int) {
	if c.status == 0 {
		c.status = status
	}
	c.ResponseWriter.WriteHeader(status)
}

func (c *responseRecorder) Write(p []byte) (int, error) {
	if c.status == 0 {
		c.status = http.StatusOK
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
func (c *responseRecorder) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// writeError writes an error before huma handles the request.
func writeError(w http.ResponseWriter, e *Error) {
	for name, values := range e.headers {
		w.Header()[name] = values
	}
	writeJSON(w, e.status, e)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	var body bytes.Buffer
	if err := marshal(&body, v); err != nil {
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

// audit logs who did what to which target.
func (s *Server) audit(ctx context.Context, action, target string, status int) {
	c := callerOf(ctx)
	s.o.Audit.LogAttrs(ctx, slog.LevelInfo, "audit", slog.String("who", c.who()), slog.String("from", c.addr),
		slog.String("action", action),
		slog.String("target", cut(target, 200)), slog.Int("status", status), slog.String("id", requestID(ctx)))
}

func requestID(ctx context.Context) string {
	if n, ok := ctx.Value(requestLogKey{}).(*requestLog); ok {
		return n.id
	}
	return ""
}
