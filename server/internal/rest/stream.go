package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// AppPart is the name of the part of an upload that contains an app.
const AppPart = "app"

func uploadBody(part string) *huma.RequestBody {
	file := &huma.Schema{Description: "The archive, tar.gz.", Extensions: map[string]any{
		"contentMediaType": "application/gzip"}}
	if part == AppPart {
		file = &huma.Schema{Description: "The app, .apk or .ipa.", Extensions: map[string]any{
			"contentMediaType": "application/octet-stream"}}
	}
	return &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"multipart/form-data": {Schema: &huma.Schema{Type: huma.TypeObject, Required: []string{part},
			Properties: map[string]*huma.Schema{part: file}}}}}
}

// Uploads limits the time in which clients must send files.
type Uploads struct {
	MaxSend  time.Duration // a whole upload
	Patience time.Duration // each part of one
}

// Timed returns the body of a request of which each part must arrive in time.
func (u Uploads) Timed(w http.ResponseWriter, body io.ReadCloser) io.ReadCloser {
	return &timedBody{timedReader{body, func() { u.limitRead(w) }}, body}
}

// Part passes the file in a part of the request to use, with the file name that the client sent.
func (u Uploads) Part(w http.ResponseWriter, r *http.Request, name string,
	use func(ctx context.Context, file string, in io.Reader) error) error {
	ctx, cancel := context.WithTimeoutCause(r.Context(), u.MaxSend, ErrTooLong)
	defer cancel()
	body := &timeoutBody{ReadCloser: r.Body}
	r.Body = body
	parts, err := r.MultipartReader()
	if err != nil {
		return Invalid("the body is not multipart/form-data: it has no boundary")
	}
	part, err := u.partOf(ctx, w, parts, name)
	if body.timedOut { // the multipart reader hides this reason, and net/http cancels the request's context then
		return ErrTooLong
	}
	if err != nil {
		return err
	}
	return use(ctx, part.FileName(), &timedReader{part, func() { u.limitRead(w) }})
}

const (
	maxParts = 16
	maxField = 64 << 10 // bytes of other parts
)

// partOf finds the part with the archive; it skips small other fields.
func (u Uploads) partOf(ctx context.Context, w http.ResponseWriter, parts *multipart.Reader, name string) (
	*multipart.Part, error) {
	for range maxParts {
		u.limitRead(w)
		part, err := parts.NextPart()
		switch {
		case errors.Is(err, io.EOF):
			return nil, Invalid(fmt.Sprintf("there is no part %q in the body", name))
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			return nil, Invalid("the body is cut off, or not multipart/form-data")
		case part.FormName() == name && part.FileName() == "":
			return nil, Invalid(fmt.Sprintf("the part %q is not a file: give it a filename", name))
		case part.FormName() == name:
			return part, nil
		}
		if n, err := io.Copy(io.Discard, io.LimitReader(part, maxField+1)); err != nil || n > maxField {
			return nil, Invalid(fmt.Sprintf("the part %.50q before the part %q is too large, or cut off", part.FormName(), name))
		}
	}
	return nil, Invalid(fmt.Sprintf("there is no part %q among the first %d", name, maxParts))
}

// limitRead limits the time for the next part of a request.
func (u Uploads) limitRead(w http.ResponseWriter) {
	// Fails in tests without a connection.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(u.Patience))
}

// timedReader reads an upload of which each part must arrive in time.
type timedReader struct {
	r     io.Reader
	await func()
}

func (m *timedReader) Read(p []byte) (int, error) {
	m.await()
	return m.r.Read(p)
}

// timeoutBody detects that a body did not arrive in time.
type timeoutBody struct {
	io.ReadCloser
	timedOut bool
}

func (b *timeoutBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.timedOut = b.timedOut || errors.Is(err, os.ErrDeadlineExceeded)
	return n, err
}

// timedBody is an upload of which each part must arrive in time while it is forwarded.
type timedBody struct {
	timedReader
	of interface{ Close() error }
}

func (b *timedBody) Close() error { return b.of.Close() }

// TimedResponse limits the time in which the client must read each part of a response.
type TimedResponse struct {
	http.ResponseWriter
	WriteTimeout time.Duration
}

// Unwrap returns the underlying writer, for http.ResponseController.
func (m *TimedResponse) Unwrap() http.ResponseWriter { return m.ResponseWriter }

func (m *TimedResponse) Write(p []byte) (int, error) {
	// Fails in tests without a connection.
	_ = http.NewResponseController(m.ResponseWriter).SetWriteDeadline(time.Now().Add(m.WriteTimeout))
	return m.ResponseWriter.Write(p)
}

// EventStream writes parts of a streaming response. It is safe for concurrent use.
type EventStream struct {
	W  http.ResponseWriter
	mu sync.Mutex
}

// Send sends a part at once, and fails when the client does not read it.
func (e *EventStream) Send(text string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, err := io.WriteString(e.W, text); err != nil {
		return err
	}
	return http.NewResponseController(e.W).Flush()
}

// Beat sends a comment regularly, so that proxies do not close an idle connection; stop waits until no more is sent.
func (e *EventStream) Beat(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(Heartbeat)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if e.Send(":\n\n") != nil {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { cancel(); <-done }
}

// Heartbeat is the interval of writes to a stream on which nothing happens.
const Heartbeat = 15 * time.Second
