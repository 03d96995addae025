package guard

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/testutil"
)

func TestMain(m *testing.M) { testutil.NoLeaks(m) }

// resolver returns a resolver with a name server on loopback, which responds to each query with the next of the
// addresses.
func resolver(t *testing.T, addresses ...string) *net.Resolver {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go answerNames(conn, addresses)
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func answerNames(conn net.PacketConn, addresses []string) {
	buffer, queries := make([]byte, 1500), 0
	for {
		n, from, err := conn.ReadFrom(buffer)
		if err != nil {
			return
		}
		question := buffer[12:n]
		end := strings.IndexByte(string(question), 0) + 5 // the name, its type and class
		answer := append([]byte{buffer[0], buffer[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, question[:end]...)
		if question[end-3] == 1 { // type A
			for _, one := range strings.Split(addresses[min(queries, len(addresses)-1)], ",") {
				ip := netip.MustParseAddr(one).As4()
				answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ip[0], ip[1], ip[2], ip[3])
				answer[7]++
			}
			queries++
		}
		_, _ = conn.WriteTo(answer, from)
	}
}

func TestDialerRefuses(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	for _, host := range []string{"127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0",
		"0.0.0.0", "::1", "::",
		"::ffff:127.0.0.1", "::ffff:7f00:1", "0:0:0:0:0:ffff:7f00:0001", "LOCALHOST", "127.0.0.1.", "localhost."} {
		conn, err := NewDialer(Policy{}).DialContext(t.Context(), "tcp", net.JoinHostPort(host, port))
		if conn != nil {
			_ = conn.Close()
			t.Errorf("%s is reached", host)
		}
		if err == nil {
			t.Errorf("%s: no error", host)
		}
	}
	for host, spec := range map[string]Policy{"127.0.0.1": {AllowPrivate: true}, "localhost": Open()} {
		conn, err := NewDialer(spec).DialContext(t.Context(), "tcp", net.JoinHostPort(host, port))
		if err != nil {
			t.Errorf("%s, %+v: %v", host, spec, err)
			continue
		}
		_ = conn.Close()
	}
	if _, err := NewDialer(Open()).DialContext(t.Context(), "unix", "/tmp/socket"); err == nil {
		t.Error("a socket in the file system is reached")
	}
}

// TestRebinding uses a name that resolves to a public address first, and to loopback when the connection is made.
func TestRebinding(t *testing.T) {
	var reached atomic.Bool
	site := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }))
	defer site.Close()
	_, port, _ := net.SplitHostPort(site.Listener.Addr().String())
	d := NewDialer(Policy{})
	d.Resolver = resolver(t, "192.0.2.1", "127.0.0.1")
	if _, err := d.Resolver.LookupHost(t.Context(), "rebind.example."); err != nil {
		t.Fatal(err)
	}
	client := http.Client{Transport: d.Transport()}
	_, err := client.Get("http://rebind.example.:" + port)
	var refused *RefusedError
	if !errors.As(err, &refused) || refused.Host != "rebind.example." ||
		refused.Addr != netip.MustParseAddr("127.0.0.1") || reached.Load() {
		t.Errorf("%v, reached: %v", err, reached.Load())
	}
	d.Policy.AllowPrivate = true
	answer, err := client.Get("http://rebind.example.:" + port)
	if err != nil || !reached.Load() {
		t.Fatalf("allowed: %v", err)
	}
	_ = answer.Body.Close()
	client.CloseIdleConnections()
}

func TestOwnPublicAddress(t *testing.T) {
	d := NewDialer(Policy{})
	d.own = func() ([]net.Addr, error) {
		return []net.Addr{&net.IPNet{IP: net.ParseIP("93.184.216.34"), Mask: net.CIDRMask(24, 32)}}, nil
	}
	for address, ok := range map[string]bool{"93.184.216.34:80": false, "[64:ff9b::5db8:d822]:80": false,
		"93.184.216.35:80": true} {
		if err := d.check(address); (err == nil) != ok {
			t.Errorf("%s: %v", address, err)
		}
	}
	d.own = func() ([]net.Addr, error) { return nil, errors.New("no list") }
	if d.check("93.184.216.35:80") == nil {
		t.Error("without a list of own addresses everything is allowed")
	}
}

// TestTransportChecksRedirects checks that a redirect and a second connection are checked like the first one.
func TestTransportChecksRedirects(t *testing.T) {
	inner := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the redirect was followed")
	}))
	defer inner.Close()
	d := NewDialer(Policy{AllowPrivate: true})
	outer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.Policy.AllowPrivate = false
		http.Redirect(w, r, inner.URL, http.StatusFound)
	}))
	defer outer.Close()
	client := http.Client{Transport: d.Transport()}
	defer client.CloseIdleConnections()
	var refused *RefusedError
	if _, err := client.Get(outer.URL); !errors.As(err, &refused) {
		t.Errorf("%v", err)
	}
}

// note records what a proxy could not connect to.
type note struct {
	mu    sync.Mutex
	hosts []string
	errs  []error
}

func (n *note) add(host string, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.hosts, n.errs = append(n.hosts, host), append(n.errs, err)
}

func serve(t *testing.T, p Policy) (*Proxy, *http.Client, *note) {
	t.Helper()
	n := &note{}
	proxy, err := Serve(NewDialer(p), n.add)
	if err != nil {
		t.Fatal(err)
	}
	user, password := proxy.Credentials()
	address := &url.URL{Scheme: "http", Host: proxy.Address(), User: url.UserPassword(user, password)}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = func(*http.Request) (*url.URL, error) { return address, nil }
	t.Cleanup(func() { transport.CloseIdleConnections(); _ = proxy.Close() })
	return proxy, &http.Client{Transport: transport, Timeout: time.Minute}, n
}

func TestProxy(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name := range r.Header {
			if strings.HasPrefix(name, "Proxy-") || strings.HasPrefix(name, "X-Forwarded") || name == "Via" {
				t.Errorf("the site sees %s", name)
			}
		}
		_ = http.NewResponseController(w).EnableFullDuplex() // it responds while it still receives
		_, _ = io.Copy(w, r.Body)
	})
	plain, encrypted := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	defer plain.Close()
	defer encrypted.Close()
	_, client, _ := serve(t, Policy{AllowPrivate: true})
	client.Transport.(*http.Transport).TLSClientConfig = encrypted.Client().Transport.(*http.Transport).TLSClientConfig
	for _, site := range []string{plain.URL, encrypted.URL} {
		text := strings.Repeat("some text ", 100_000)
		answer, err := client.Post(site+"/a?b=c", "text/plain", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || string(got) != text {
			t.Errorf("%s: %d bytes came back, %v", site, len(got), err)
		}
	}
}

func TestProxyRefuses(t *testing.T) {
	var reached atomic.Bool
	handler := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) })
	plain, encrypted := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	defer plain.Close()
	defer encrypted.Close()
	_, client, n := serve(t, Policy{})
	for _, site := range []string{plain.URL, encrypted.URL, "http://169.254.169.254/latest/meta-data"} {
		if answer, err := client.Get(site); err == nil {
			_ = answer.Body.Close()
			t.Errorf("%s responds with %s", site, answer.Status)
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if reached.Load() || len(n.errs) < 3 {
		t.Errorf("reached: %v, reported: %v", reached.Load(), n.errs)
	}
	for i, err := range n.errs {
		var refused *RefusedError
		if !errors.As(err, &refused) || !strings.HasPrefix(n.hosts[i], refused.Host) {
			t.Errorf("%s: %v", n.hosts[i], err)
		}
	}
}

func TestProxyTellsOfDeadServers(t *testing.T) {
	const dead = "http://127.0.0.1:1" // a free port could be used by another program a moment later
	_, client, n := serve(t, Policy{AllowPrivate: true})
	if answer, err := client.Get(dead); err == nil {
		_ = answer.Body.Close()
		t.Errorf("it responds with %s", answer.Status)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	var refused *RefusedError
	if len(n.errs) == 0 || errors.As(n.errs[0], &refused) {
		t.Errorf("reported: %v", n.errs)
	}
}

func TestProxyWantsItsCredentials(t *testing.T) {
	proxy, _, _ := serve(t, Open())
	other, _, _ := serve(t, Open())
	user, password := other.Credentials()
	for _, who := range []*url.Userinfo{nil, url.User(user), url.UserPassword(user, ""),
		url.UserPassword(user, password)} {
		transport := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: proxy.Address(), User: who})}
		answer, err := (&http.Client{Transport: transport}).Get("http://" + other.Address())
		if err != nil || answer.StatusCode != http.StatusProxyAuthRequired || answer.Header.Get("Proxy-Authenticate") == "" {
			t.Errorf("%s: %v, %v", who, answer, err)
		}
		if err == nil {
			_ = answer.Body.Close()
		}
		transport.CloseIdleConnections()
	}
}

// tunnel opens a CONNECT tunnel by hand.
func tunnel(t *testing.T, proxy *Proxy, to, more string) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", proxy.Address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	request, _ := http.NewRequest(http.MethodConnect, "http://"+to, nil)
	request.SetBasicAuth(proxy.Credentials())
	head := "CONNECT " + to + " HTTP/1.1\r\nHost: " + to + "\r\nProxy-Authorization: " +
		request.Header.Get("Authorization") + "\r\n\r\n"
	if _, err := conn.Write([]byte(head + more)); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(conn)
	answer, err := http.ReadResponse(reader, request)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", answer, err)
	}
	return conn, reader
}

// TestTunnel checks that data that a client sends with its CONNECT arrives, that one direction may end before the
// other, and that Close closes the rest.
func TestTunnel(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(conn, conn); _ = conn.Close() }()
		}
	}()
	proxy, _, _ := serve(t, Open())
	conn, reader := tunnel(t, proxy, listener.Addr().String(), "early ")
	if _, err := conn.Write([]byte("late")); err != nil {
		t.Fatal(err)
	}
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(reader); string(got) != "early late" || err != nil {
		t.Errorf("%q came back, %v", got, err)
	}
	conn, reader = tunnel(t, proxy, listener.Addr().String(), "x")
	if got, err := reader.ReadByte(); got != 'x' || err != nil {
		t.Fatal(err)
	}
	if err := proxy.Close(); err != nil {
		t.Fatal(err)
	}
	_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := reader.ReadByte(); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the tunnel is still open: %v", err)
	}
}

func FuzzProxy(f *testing.F) {
	f.Add([]byte("GET http://127.0.0.1:1/ HTTP/1.1\r\nHost: a\r\n\r\n"))
	f.Add([]byte("CONNECT 127.0.0.1:1 HTTP/1.1\r\n\r\n"))
	f.Add([]byte("CONNECT / HTTP/1.0\r\nContent-Length: -1\r\n\r\n"))
	f.Add([]byte("\x16\x03\x01\x00"))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		f.Fatal(err)
	}
	defer listener.Close()
	reached := make(chan struct{}, 1)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
			reached <- struct{}{}
		}
	}()
	f.Fuzz(func(t *testing.T, head []byte) {
		// The requester has the credentials: only the policy protects the listener.
		proxy := &Proxy{dialer: NewDialer(Policy{}), user: "u", password: "p", ends: map[io.Closer]bool{}}
		request, err := http.ReadRequest(bufio.NewReader(strings.NewReader(
			strings.ReplaceAll(string(head), "127.0.0.1:1", listener.Addr().String()))))
		if err != nil {
			return
		}
		request.Header.Set("Proxy-Authorization", "Basic dTpw")
		if request.Method != http.MethodConnect {
			return
		}
		proxy.ServeHTTP(httptest.NewRecorder(), request)
		select {
		case <-reached:
			t.Fatalf("%q is forwarded", head)
		default:
		}
	})
}
