package rest

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
)

// StrictListener accepts connections that keep the bytes of requests as they arrived. net/http accepts a request with
// both Content-Length and Transfer-Encoding and drops the first header. A proxy in front of the server may use it
// instead, and then treat a part of the body as another request (request smuggling).
type StrictListener struct{ net.Listener }

// Accept implements net.Listener.
func (l StrictListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &strictConn{Conn: c}, nil
}

// strictConn keeps the bytes that arrived last: at least the headers of the current request.
type strictConn struct {
	net.Conn
	mu   sync.Mutex
	last []byte
}

const (
	readAhead  = 4 << 10              // what net/http may have read of the next request
	MaxHeaders = 64 << 10             // of a request
	maxSeen    = MaxHeaders + 4<<10*3 // net/http reads somewhat more than its limit
	plainError = "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"
)

// Read implements net.Conn.
func (c *strictConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last = append(c.last, p[:n]...); len(c.last) > 2*maxSeen {
		c.last = append([]byte(nil), c.last[len(c.last)-maxSeen:]...)
	}
	return n, err
}

// idle drops the requests that were answered. A part of the next one may have arrived already.
func (c *strictConn) idle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = append([]byte(nil), c.last[max(0, len(c.last)-readAhead):]...)
}

// Write replaces the plain-text errors of net/http for malformed requests by the JSON form of this API.
func (c *strictConn) Write(p []byte) (int, error) {
	head, text, plain := strings.Cut(string(p[:min(len(p), 1<<10)]), plainError)
	status, ok := strings.CutPrefix(head, "HTTP/1.1 ")
	if !plain || !ok || strings.Contains(status, "\r\n") {
		return c.Conn.Write(p)
	}
	number, words, _ := strings.Cut(status, " ")
	if _, reason, more := strings.Cut(text, ": "); more {
		words = reason
	}
	e := Invalid("the request cannot be read: " + strings.ToLower(words))
	if number == "431" {
		e = Fault(http.StatusRequestHeaderFieldsTooLarge, CodeTooLarge, "the headers of a request have at most 64 KB")
	}
	var body bytes.Buffer
	if err := Marshal(&body, e); err != nil {
		return c.Conn.Write(p)
	}
	answer := "HTTP/1.1 " + status +
		"\r\nContent-Type: application/json\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\nConnection: " +
		"close\r\n" +
		"\r\n" + body.String()
	if _, err := c.Conn.Write([]byte(answer)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// CloseWrite closes the sending half, which net/http does before it closes the connection.
func (c *strictConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

type connKey struct{}

// WithConn puts the connection into the context of handlers.
func WithConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// ConnState resets a connection between two requests.
func ConnState(c net.Conn, state http.ConnState) {
	if own, ok := c.(*strictConn); ok && state == http.StateIdle {
		own.idle()
	}
}

// rejectAmbiguousLength rejects a request that has two lengths. net/http has dropped one of the headers already, so the
// raw bytes are searched for the request line, and each header block after one is checked. A body may contain the same
// line: such a request is rejected, too, because it cannot be distinguished from a second request.
func rejectAmbiguousLength(r *http.Request) *Error {
	c, ok := r.Context().Value(connKey{}).(*strictConn)
	if !ok || r.ProtoMajor != 1 {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	first := []byte(r.Method + " " + r.RequestURI + " " + r.Proto)
	for rest := c.last; ; {
		at := bytes.Index(rest, first)
		if at < 0 {
			return nil
		}
		rest = rest[at+len(first):]
		header := rest
		for _, end := range []string{"\r\n\r\n", "\n\n", "\n\r\n"} { // net/http accepts a bare LF as the end of a line
			if i := bytes.Index(header, []byte(end)); i >= 0 {
				header = header[:i]
			}
		}
		if header = bytes.ToLower(header); bytes.Contains(header, []byte("\ncontent-length:")) &&
			bytes.Contains(header, []byte("\ntransfer-encoding:")) {
			return Invalid("the request has both Content-Length and Transfer-Encoding: send one of them")
		}
	}
}
