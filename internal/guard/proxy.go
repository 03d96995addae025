package guard

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"strings"
	"sync"
	"time"
)

const (
	headLimit = 15 * time.Second // for a request's head
	endLimit  = 2 * time.Second  // for running requests when the proxy is closed
	maxHead   = 256 << 10
)

// Proxy is an HTTP proxy on this machine's loopback address that connects through a Dialer. It requires credentials,
// which are made for each proxy. When a connection cannot be made, the browser's is closed without a response: the page
// then fails as it would without a proxy, and does not learn the reason.
type Proxy struct {
	dialer   *Dialer
	listener net.Listener
	server   *http.Server
	forward  *httputil.ReverseProxy
	user     string
	password string
	failed   func(host string, err error)

	work sync.WaitGroup
	mu   sync.Mutex
	ends map[io.Closer]bool // of tunnels; nil when the proxy is closed
}

// Serve starts a proxy. It calls failed, which may be nil, for each connection that could not be made, with the
// requested host and port. The error wraps a *RefusedError when the policy is the reason. Calls may be concurrent.
func Serve(d *Dialer, failed func(host string, err error)) (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the guarding proxy: %w", err)
	}
	p := &Proxy{dialer: d, listener: listener, user: "taproot", password: rand.Text(), failed: failed,
		ends: map[io.Closer]bool{}}
	transport := d.Transport()
	transport.DisableCompression = true // the response must be forwarded unchanged
	quiet := log.New(io.Discard, "", 0)
	p.forward = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.Out.Host = r.In.Host }, Transport: transport, ErrorHandler: p.fail,
		ErrorLog: quiet, FlushInterval: -1,
	}
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: headLimit, MaxHeaderBytes: maxHead, ErrorLog: quiet}
	p.work.Go(func() { _ = p.server.Serve(listener) })
	return p, nil
}

// Address returns where the proxy listens, such as "127.0.0.1:34567".
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Credentials returns what a browser must send to the proxy.
func (p *Proxy) Credentials() (user, password string) { return p.user, p.password }

// Close ends the proxy and every connection through it.
func (p *Proxy) Close() error {
	p.mu.Lock()
	ends := p.ends
	p.ends = nil
	p.mu.Unlock()
	err := p.server.Close()
	for end := range ends {
		_ = end.Close()
	}
	p.forward.Transport.(*http.Transport).CloseIdleConnections()
	done := make(chan struct{})
	go func() { defer close(done); p.work.Wait() }()
	timer := time.NewTimer(endLimit)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
	return err
}

// ServeHTTP handles a request of a browser.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !p.known(r.Header.Get("Proxy-Authorization")):
		w.Header().Set("Proxy-Authenticate", `Basic realm="taproot"`)
		http.Error(w, "this proxy belongs to one run of Taproot", http.StatusProxyAuthRequired)
	case r.Method == http.MethodConnect:
		p.connect(w, r)
	case r.URL.Scheme == "http" && r.URL.Host != "":
		_ = http.NewResponseController(w).EnableFullDuplex() // a site may respond before it has received the whole request
		p.forward.ServeHTTP(w, r)
	default:
		http.Error(w, "this is a proxy", http.StatusBadRequest)
	}
}

func (p *Proxy) known(authorization string) bool {
	scheme, encoded, _ := strings.Cut(authorization, " ")
	decoded, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
	return err == nil && strings.EqualFold(scheme, "Basic") &&
		subtle.ConstantTimeCompare(decoded, []byte(p.user+":"+p.password)) == 1
}

// connect makes a tunnel.
func (p *Proxy) connect(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), dialLimit)
	defer cancel()
	remote, err := p.dialer.DialContext(ctx, "tcp", r.Host)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	defer remote.Close()
	local, early, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, "no tunnel can be made", http.StatusInternalServerError)
		return
	}
	defer local.Close()
	release, ok := p.hold(local, remote)
	if !ok {
		return
	}
	defer release()
	_ = local.SetDeadline(time.Time{})
	if _, err := local.Write([]byte("HTTP/1.1 200 Connection established\r\n\r\n")); err != nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		pipe(remote, early.Reader) // may contain the first bytes of the client
	}()
	pipe(local, remote)
	<-done
}

// hold registers the ends of a tunnel so that Close can close them.
func (p *Proxy) hold(ends ...io.Closer) (release func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ends == nil {
		return nil, false
	}
	for _, end := range ends {
		p.ends[end] = true
	}
	p.work.Add(1)
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, end := range ends {
			delete(p.ends, end)
		}
		p.work.Done()
	}, true
}

// pipe copies until the sender ends, and closes the receiver for writing.
func pipe(to net.Conn, from io.Reader) {
	_, err := io.Copy(to, from)
	half, ok := to.(interface{ CloseWrite() error })
	if err != nil || !ok || half.CloseWrite() != nil {
		_ = to.Close() // ends the other direction as well
	}
}

// fail ends a request when the connection could not be made.
func (p *Proxy) fail(w http.ResponseWriter, r *http.Request, err error) {
	if p.failed != nil {
		p.failed(r.Host, err)
	}
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = conn.Close()
	}
}
