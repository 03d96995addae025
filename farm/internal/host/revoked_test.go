package host

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/taproot-dev/taproot/farm/internal/broker"
	"github.com/taproot-dev/taproot/farm/internal/hub"
	"github.com/taproot-dev/taproot/farm/internal/wire"
	"github.com/taproot-dev/taproot/internal/store/storetest"
)

// TestRevokedHost checks that its devices disappear, its connection ends, and it stays out, also with a new hub.
func TestRevokedHost(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	r := l.must(Options{Token: l.token(hub.HostPlacement{}), Name: "bad"}, phone("A"))
	l.must(Options{Token: l.token(hub.HostPlacement{}), Name: "good"}, phone("B"))
	await(t, "both", func() bool { return l.uses("") == "A free, B free" })
	if err := hub.Revoke(t.Context(), l.db, "bad"); err != nil {
		t.Fatal(err)
	}
	if err := hub.Revoke(t.Context(), l.db, "bad"); !errors.Is(err, hub.ErrNoHost) {
		t.Errorf("twice: %v", err)
	}
	await(t, "its end", func() bool { return l.uses("") == "B free" })
	if _, ok, _ := l.hub.Find("", "A"); ok || l.hub.Transport("bad") != nil {
		t.Error("its device can still be found")
	}
	// as with a NATS server that does not know of the revocation yet
	if err := wire.Ask(t.Context(), l.broker.Conn(), wire.ToHub("bad", "beat"), wire.Beat{Protocol: wire.Version},
		nil); err == nil {
		t.Error("its beat is accepted")
	}
	if err := <-r.ended; !errors.Is(err, ErrRevoked) {
		t.Errorf("it ended with %v", err)
	}
	r.ended <- nil
	if _, err := l.start(Options{Dir: r.o.Dir}); !errors.Is(err, ErrRevoked) {
		t.Errorf("when it is started again: %v", err)
	}
	for _, what := range []string{"host bad farm.beat", "host (unknown) farm.connect"} {
		await(t, "it is logged: "+what, func() bool { _, ok := l.wasRefused(what); return ok })
	}
	l.close()
	l.open()
	await(t, "the good one", func() bool { return l.uses("") == "B free" })
	if all := l.hub.Hosts("", true); len(all) != 2 || all[0].State != hub.Revoked || all[1].State != hub.Online {
		t.Errorf("%+v", all)
	}
}

// TestRevokedHostComesBack checks that a host that was revoked while it was away ends with that error when it starts,
// with a valid or an expired credential, and joins again with a new token.
func TestRevokedHostComesBack(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	token := l.token(hub.HostPlacement{})
	r := l.must(Options{Token: token, Name: "a"}, phone("A"))
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	if err := hub.Revoke(t.Context(), l.db, "a"); err != nil {
		t.Fatal(err)
	}
	await(t, "the hub knows", func() bool { return l.hub.Hosts("", true)[0].State == hub.Revoked })
	if _, err := l.start(Options{Dir: r.o.Dir}, phone("A")); !errors.Is(err, ErrRevoked) {
		t.Errorf("with a valid credential: %v", err)
	}
	m, _, err := readMembership(r.o.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.hub.Join(t.Context(), wire.Join{Token: token, Key: m.Key, Protocol: wire.Version}); !errors.Is(err,
		hub.ErrToken) || !strings.Contains(err.Error(), "was revoked on 20") {
		t.Errorf("with the old token: %v", err)
	}
	l.spoil(r, -time.Hour)
	if _, err := l.start(Options{Dir: r.o.Dir}, phone("A")); !errors.Is(err, ErrRevoked) {
		t.Errorf("with an expired credential: %v", err)
	}
	if again := l.must(Options{Dir: r.o.Dir, Token: l.token(hub.HostPlacement{}), Name: "a"},
		phone("A")); again.id != "a-2" {
		t.Errorf("with a new token it is %s", again.id)
	}
}

// spoil replaces the credential of a stopped host by one with another validity.
func (l *lab) spoil(r *running, valid time.Duration) {
	l.t.Helper()
	m, _, err := readMembership(r.o.Dir)
	if err != nil {
		l.t.Fatal(err)
	}
	seed, err := os.ReadFile(filepath.Join(r.o.Dir, keyFile))
	if err != nil {
		l.t.Fatal(err)
	}
	public, err := broker.PublicOf(seed)
	if err != nil {
		l.t.Fatal(err)
	}
	if m.Joined.Credential, err = l.broker.Credential(m.Joined.Host, public, valid); err == nil {
		err = m.keep(r.o.Dir)
	}
	if err != nil {
		l.t.Fatal(err)
	}
}

// TestRevokedOnAServerOfOnesOwn checks that a revoked host ends with the hub's response, although an external NATS
// server accepts it until its credential expires.
func TestRevokedOnAServerOfOnesOwn(t *testing.T) {
	t.Parallel()
	config, account, err := broker.NewCluster(broker.Cluster{Servers: []string{"nats"}, Store: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "nats.conf")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := server.ProcessConfigFile(file)
	if err != nil {
		t.Fatal(err)
	}
	o.Host, o.Port, o.NoLog, o.NoSigs = "127.0.0.1", server.RANDOM_PORT, true, true
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("NATS does not start")
	}
	l := newLab(t, storetest.SQLite(t))
	l.close()
	l.url, l.account = s.ClientURL(), account
	l.open()
	r := l.must(Options{Token: l.token(hub.HostPlacement{}), Name: "a"}, phone("A"))
	if err := hub.Revoke(t.Context(), l.db, "a"); err != nil {
		t.Fatal(err)
	}
	if err := <-r.ended; !errors.Is(err, ErrRevoked) {
		t.Errorf("it ended with %v", err)
	}
	r.ended <- nil
}
