package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// handlerTransport lets a handler of this process handle requests. The response is streamed: it is read while the
// handler writes.
type handlerTransport struct{ of http.Handler }

func (t handlerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	in := r.Clone(r.Context())
	in.RequestURI, in.Host = r.URL.RequestURI(), r.URL.Host
	if in.Body == nil {
		in.Body = http.NoBody
	}
	from, to := io.Pipe()
	w := &insideAnswer{header: http.Header{}, to: to, began: make(chan struct{})}
	// When the client cancels, the handler's writes fail.
	stop := context.AfterFunc(r.Context(), func() { _ = to.CloseWithError(r.Context().Err()) })
	go func() {
		defer stop()
		defer func() {
			p := recover()
			err, _ := p.(error)
			if p != nil && err == nil {
				err = fmt.Errorf("%v", p)
			}
			if errors.Is(err, http.ErrAbortHandler) {
				err = io.ErrUnexpectedEOF
			}
			w.WriteHeader(http.StatusOK)
			_ = to.CloseWithError(err) // never fails
			_ = in.Body.Close()        // the handler has read what it needs
		}()
		t.of.ServeHTTP(w, in)
	}()
	select {
	case <-w.began:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	return &http.Response{StatusCode: w.code, Status: fmt.Sprintf("%d %s", w.code, http.StatusText(w.code)),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, Body: from, ContentLength: -1, Request: r}, nil
}

// insideAnswer is the http.ResponseWriter of such a response.
type insideAnswer struct {
	header, sent http.Header
	to           *io.PipeWriter
	once         sync.Once
	code         int
	began        chan struct{}
}

func (w *insideAnswer) Header() http.Header { return w.header }

func (w *insideAnswer) WriteHeader(code int) {
	w.once.Do(func() {
		w.code, w.sent = code, w.header.Clone()
		close(w.began)
	})
}

func (w *insideAnswer) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.to.Write(p)
}

// Flush does nothing: each write is read at once.
func (w *insideAnswer) Flush() { w.WriteHeader(http.StatusOK) }
