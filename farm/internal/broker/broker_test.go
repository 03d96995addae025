package broker

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/farm/internal/wire"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// TestCertificateIsCopied checks that a hub that was restored from its keys alone keeps the certificate that hosts
// trust, also one that an older version wrote.
func TestCertificateIsCopied(t *testing.T) {
	t.Parallel()
	dir, back := t.TempDir(), t.TempDir()
	_, before, err := certificate(dir)
	if err == nil { // where older versions wrote it
		err = os.Rename(filepath.Join(dir, "keys", "cert.pem"), filepath.Join(dir, "cert.pem"))
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, now, err := certificate(dir); err != nil || now != before {
		t.Errorf("%s, %v", now, err)
	}
	if err := os.CopyFS(filepath.Join(back, "keys"), os.DirFS(filepath.Join(dir, "keys"))); err != nil {
		t.Fatal(err)
	}
	if _, now, err := certificate(back); err != nil || now != before {
		t.Errorf("%s, %v", now, err)
	}
}

// TestPublicAddress checks that hosts receive TLS for the embedded server, and the hub's own scheme for an external
// one.
func TestPublicAddress(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{{"a:1", "tls", "tls://a:1"}, {"a:1, b:2", "nats", "nats://a:1,nats://b:2"},
		{"tls://a:1,b:2", "nats", "tls://a:1,nats://b:2"}} {
		if got := withScheme(c[0], c[1]); got != c[2] {
			t.Errorf("%s: %s, want %s", c[0], got, c[2])
		}
	}
}

func TestMain(m *testing.M) { testutil.NoLeaks(m) }

func open(t *testing.T, o Options) *Broker {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	b, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// guest is a host's connection, with the errors that NATS reports to it.
type guest struct {
	*nats.Conn
	public  string
	refused chan error
	login   Login
}

func join(t *testing.T, b *Broker, host string) *guest {
	t.Helper()
	seed, public, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	text, err := b.Credential(host, public, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	g := &guest{public: public, refused: make(chan error, 100), login: Login{Host: host, Address: near(b), Seed: seed,
		Credential: func() string { return text }}}
	if g.Conn, err = Connect(g.login); err != nil {
		t.Fatal(err)
	}
	g.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { g.refused <- err })
	t.Cleanup(g.Close)
	await(t, "the connection of "+host, g.IsConnected)
	return g
}

// near returns the address of a broker on this machine.
func near(b *Broker) Address {
	a := b.Address()
	a.URL = strings.Replace(a.URL, "//:", "//127.0.0.1:", 1)
	return a
}

func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for until := time.Now().Add(30 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("%s: timeout", what)
		}
	}
}

// TestHostsReachTheHub makes a wire connection through TLS, and sends work over the stream.
func TestHostsReachTheHub(t *testing.T) {
	b := open(t, Options{Listen: "127.0.0.1:0"})
	g := join(t, b, "a")
	l, err := wire.Listen(g.Conn, "a")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := wire.Dial(t.Context(), b.Conn(), "a")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	far, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(far, far); _ = far.Close() }()
	text := strings.Repeat("taproot", 100_000)
	go func() { _, _ = c.Write([]byte(text)); _ = c.CloseWrite() }()
	if got, err := io.ReadAll(c); err != nil || string(got) != text {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	work(t, b, g)
}

// work sends a case to a host over the stream. Only the hub may create streams and consumers.
func work(t *testing.T, b *Broker, g *guest) {
	t.Helper()
	js, err := b.JetStream()
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if _, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: wire.Stream, Subjects: []string{"runs.>"},
		Retention: jetstream.WorkQueuePolicy}); err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"a", "b"} {
		if _, err := js.CreateConsumer(ctx, wire.Stream, jetstream.ConsumerConfig{Durable: wire.Consumer(host),
			FilterSubject: wire.Work(host), AckPolicy: jetstream.AckExplicitPolicy}); err != nil {
			t.Fatal(err)
		}
		if _, err := js.Publish(ctx, wire.Work(host), []byte("case")); err != nil {
			t.Fatal(err)
		}
	}
	own, err := jetstream.New(g.Conn, jetstream.WithDefaultTimeout(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	cons, err := own.Consumer(ctx, wire.Stream, wire.Consumer("a"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := cons.Next()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(m.InProgress(), m.DoubleAck(ctx)); err != nil {
		t.Error(err)
	}
	short, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	if _, err := own.Consumer(short, wire.Stream, wire.Consumer("b")); err == nil {
		t.Error("a host sees another one's consumer")
	}
}

// TestHostsAreKeptApart checks that a host can neither subscribe nor publish to another one's subjects.
func TestHostsAreKeptApart(t *testing.T) {
	b := open(t, Options{Listen: "127.0.0.1:0"})
	liar, honest := join(t, b, "liar"), join(t, b, "honest")
	messages, err := b.Conn().SubscribeSync(">")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Conn().Flush(); err != nil {
		t.Fatal(err)
	}
	for _, subject := range []string{"hub.honest.beat", "host.honest.up.x", "host.honest.down.x", "host.liar.down.x",
		"runs.liar", "runs.honest", "_INBOX.x", "$JS.API.STREAM.DELETE.RUNS", "$JS.API.STREAM.CREATE.RUNS",
		"$JS.API.CONSUMER.DELETE.RUNS.liar", "$JS.ACK.RUNS.honest.1.1.1.1.1", "$SYS.REQ.SERVER.PING", "anything"} {
		if err := errors.Join(liar.Publish(subject, []byte("x")), liar.Flush()); err != nil {
			t.Fatal(err)
		}
		if err := <-liar.refused; !errors.Is(err, nats.ErrPermissionViolation) {
			t.Errorf("%s: %v", subject, err)
		}
	}
	for _, subject := range []string{">", "host.>", "host.*.dial", "host.honest.dial", "hub.>", "hub.liar.beat",
		"_INBOX.>", "$SYS.>", "runs.liar"} {
		s, err := liar.SubscribeSync(subject)
		if err != nil {
			t.Fatal(err)
		}
		if err := liar.Flush(); err != nil {
			t.Fatal(err)
		}
		if err := <-liar.refused; !errors.Is(err, nats.ErrPermissionViolation) {
			t.Errorf("%s: %v", subject, err)
		}
		_ = s.Unsubscribe()
	}
	if err := errors.Join(honest.Publish("hub.honest.beat", []byte("x")), honest.Flush()); err != nil {
		t.Fatal(err)
	}
	if m, err := messages.NextMsg(10 * time.Second); err != nil || m.Subject != "hub.honest.beat" {
		t.Errorf("%v, %v", m, err)
	}
}

// TestStrangersAreRefused connects without a credential, with that of another key, with an expired one, and to a server
// with another certificate.
func TestStrangersAreRefused(t *testing.T) {
	b := open(t, Options{Listen: "127.0.0.1:0"})
	seed, public, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	good, err := b.Credential("a", public, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	past, err := b.Credential("a", public, -time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := open(t, Options{}).Credential("a", public, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := near(b)
	elsewhere.Cert = open(t, Options{Listen: "127.0.0.1:0"}).Address().Cert
	for what, l := range map[string]Login{
		"no credential":         {Seed: seed, Address: near(b), Credential: func() string { return "" }},
		"another key":           {Seed: other, Address: near(b), Credential: func() string { return good }},
		"one that has expired":  {Seed: seed, Address: near(b), Credential: func() string { return past }},
		"one of another farm":   {Seed: seed, Address: near(b), Credential: func() string { return foreign }},
		"another farm's server": {Seed: seed, Address: elsewhere, Credential: func() string { return good }},
		"a machine's own trust": {Seed: seed, Address: Address{URL: near(b).URL}, Credential: func() string { return good }},
		"a server without a TLS": {Seed: seed, Address: Address{URL: strings.Replace(near(b).URL, "tls:", "nats:", 1)},
			Credential: func() string { return good }},
	} {
		l.Host = "a"
		if nc, err := l.connect(func() (string, error) { return l.Credential(), nil }); err == nil {
			t.Errorf("%s: it may connect", what)
			nc.Close()
		}
	}
	if nc, err := nats.Connect(near(b).URL, nats.Secure(), nats.RootCAs(filepath.Join(t.TempDir(), "none"))); err == nil {
		nc.Close()
		t.Error("a valid credential is refused")
	}
	for _, bad := range [][2]string{{"a.b", public}, {"", public}, {">", public}, {"a", "x"}, {"a", string(seed)}} {
		if _, err := b.Credential(bad[0], bad[1], time.Hour); err == nil {
			t.Errorf("%q receives a credential", bad)
		}
	}
}

// TestRefusalsAreTold checks that refusals are reported with the key and the IP address of the client, and that the
// name of a client cannot forge a line of the log.
func TestRefusalsAreTold(t *testing.T) {
	b := open(t, Options{Listen: "127.0.0.1:0"})
	refusals := make(chan Refusal, 10)
	b.OnRefused(func(r Refusal) { refusals <- r })
	seed, public, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	text, err := b.Credential("liar", public, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	_, victim, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	login := Login{Host: "liar", Address: near(b), Seed: seed}
	name := nats.Name(`x" - "AAAA/jwt:` + victim + `" - Publish Violation - Subject "made.up`)
	liar, err := login.connect(func() (string, error) { return text, nil }, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(liar.Close)
	if _, err := liar.SubscribeSync("hub.>"); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(liar.Publish("hub.honest.beat", nil), liar.Flush()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"subscribe to hub.>", "publish to hub.honest.beat"} {
		if r := <-refusals; r != (Refusal{Key: public, Address: "127.0.0.1", What: want}) {
			t.Errorf("%+v, not %s", r, want)
		}
	}
	login.Seed, _, err = NewKey()
	if err != nil {
		t.Fatal(err)
	}
	for _, credential := range []string{"", text} { // none, and that of another key
		if nc, err := login.connect(func() (string, error) { return credential, nil }, name); err == nil {
			nc.Close()
			t.Error("a stranger can connect")
		}
		if r := <-refusals; r != (Refusal{Address: "127.0.0.1", What: "connect"}) {
			t.Errorf("%+v", r)
		}
	}
}

// TestRevoke checks that a revoked host is disconnected and cannot connect, also after a restart; others stay
// connected.
func TestRevoke(t *testing.T) {
	dir := t.TempDir()
	b := open(t, Options{Dir: dir, Listen: "127.0.0.1:0"})
	bad, good := join(t, b, "bad"), join(t, b, "good")
	if err := b.Revoke(bad.public); err != nil {
		t.Fatal(err)
	}
	await(t, "the end of the revoked host's connection", func() bool { return !bad.IsConnected() })
	if nc, err := bad.login.connect(func() (string, error) { return bad.login.Credential(), nil }); err == nil {
		t.Error("the revoked host can connect again")
		nc.Close()
	}
	if err := good.Flush(); err != nil || !good.IsConnected() {
		t.Errorf("the other host: %v", err)
	}
	_ = b.Close()
	b = open(t, Options{Dir: dir, Listen: "127.0.0.1:0", Revoked: []string{bad.public}})
	bad.login.Address = near(b)
	if nc, err := bad.login.connect(func() (string, error) { return bad.login.Credential(), nil }); err == nil {
		t.Error("the revoked host can connect after a restart")
		nc.Close()
	}
}

// TestRestart checks that hosts reconnect and listen again, and that stored messages survive.
func TestRestart(t *testing.T) {
	dir := t.TempDir()
	ports, err := drivers.FreePorts(1) // not used by other programs while the server is down
	if err != nil {
		t.Fatal(err)
	}
	listen := "127.0.0.1:" + ports[0]
	b := open(t, Options{Dir: dir, Listen: listen})
	g := join(t, b, "a")
	l, err := wire.Listen(g.Conn, "a")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	js, err := b.JetStream()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: wire.Stream,
		Subjects: []string{"runs.>"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), wire.Work("a"), []byte("case")); err != nil {
		t.Fatal(err)
	}
	_ = b.Close()
	b = open(t, Options{Dir: dir, Listen: listen})
	await(t, "a connection to the host", func() bool {
		c, err := wire.Dial(t.Context(), b.Conn(), "a")
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	if js, err = b.JetStream(); err != nil {
		t.Fatal(err)
	}
	s, err := js.Stream(t.Context(), wire.Stream)
	if err != nil || s.CachedInfo().State.Msgs != 1 {
		t.Errorf("%v: %v", s, err)
	}
}

// TestKeysArePrivate checks that other users of the machine cannot read the keys.
func TestKeysArePrivate(t *testing.T) {
	dir := t.TempDir()
	open(t, Options{Dir: dir, Listen: "127.0.0.1:0"})
	files, err := filepath.Glob(filepath.Join(dir, "keys", "*"))
	if err != nil || len(files) != 5 { // including the certificate
		t.Fatal(files, err)
	}
	for _, f := range files {
		if info, err := os.Stat(f); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", f, info.Mode(), err)
		}
	}
}

// TestAServerOfSomebodyElse uses an external server, with the account key from its operator.
func TestAServerOfSomebodyElse(t *testing.T) {
	o := Options{Dir: t.TempDir(), Listen: "127.0.0.1:0"}
	owner := &Broker{}
	var err error
	if owner.keys, err = loadKeys(filepath.Join(o.Dir, "keys")); err != nil {
		t.Fatal(err)
	}
	start := func(most int32) string {
		so, err := owner.serverOptions(Options{Dir: t.TempDir(), Listen: o.Listen})
		if err != nil {
			t.Fatal(err)
		}
		so.TLSConfig, so.NoLog, so.MaxPayload = nil, true, most
		s, err := server.NewServer(so)
		if err != nil {
			t.Fatal(err)
		}
		s.Start()
		t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
		if !s.ReadyForConnections(time.Minute) {
			t.Fatal("the server does not start")
		}
		return s.ClientURL()
	}
	url := start(wire.MaxMessage)
	seed, err := owner.keys.farm.Seed()
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, Options{URL: url, Account: string(seed)})
	if b.Address().URL != url {
		t.Error(b.Address())
	}
	g := join(t, b, "a")
	if err := errors.Join(g.Publish("hub.b.beat", nil), g.Flush()); err != nil {
		t.Fatal(err)
	}
	if err := <-g.refused; !errors.Is(err, nats.ErrPermissionViolation) {
		t.Error(err)
	}
	for _, account := range []string{"", "SAX", string(g.login.Seed)} {
		if _, err := Open(Options{URL: url, Account: account}); err == nil {
			t.Errorf("%.3q signs", account)
		}
	}
	if _, err := Open(Options{URL: start(1 << 20), Account: string(seed)}); err == nil ||
		!strings.Contains(err.Error(), "max_payload") {
		t.Errorf("a server with a low max_payload: %v", err)
	}
}

// TestWrongAddresses checks that wrong addresses are reported at once.
func TestWrongAddresses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, o := range []Options{{Listen: "here"}, {Listen: taken.Addr().String()}, {Listen: "127.0.0.1:port"},
		{URL: "nats://127.0.0.1:1", Account: "x"}} {
		o.Dir = t.TempDir()
		if b, err := Open(o); err == nil {
			t.Errorf("%v is accepted", o)
			_ = b.Close()
		}
	}
}
