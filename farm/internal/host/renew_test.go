package host

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/farm/internal/broker"
	"github.com/taproot-dev/taproot/farm/internal/hub"
	"github.com/taproot-dev/taproot/farm/internal/wire"
	"github.com/taproot-dev/taproot/internal/store/storetest"
)

// TestCredentialsAreShort checks that a host renews its credential in time, and stays connected when the first expires.
func TestCredentialsAreShort(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	l.close()
	l.life = 3 * time.Second
	l.open()
	r := l.must(Options{Token: l.token(hub.HostPlacement{}), Name: "a"}, phone("A"))
	first := l.kept(r)
	_, until := broker.Validity(first)
	await(t, "a credential that outlives the first", func() bool {
		_, now := broker.Validity(l.kept(r))
		return now.After(until.Add(time.Second))
	})
	await(t, "the host, after the first has expired", func() bool {
		return time.Now().After(until) &&
			l.uses("") == "A free"
	})
}

// kept returns the credential that a host has stored.
func (l *lab) kept(r *running) string {
	l.t.Helper()
	m, known, err := readMembership(r.o.Dir)
	if err != nil || !known {
		l.t.Fatal(known, err)
	}
	return m.Joined.Credential
}

// TestComeBackByKey checks that a host with an expired credential rejoins with its key, however long it was away, and
// that a revoked host, or one with another key, does not.
func TestComeBackByKey(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	r := l.must(Options{Token: l.token(hub.HostPlacement{Pool: "lab"}), Name: "a"}, phone("A"))
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	seed, err := os.ReadFile(filepath.Join(r.o.Dir, keyFile))
	if err != nil {
		t.Fatal(err)
	}
	public, err := broker.PublicOf(seed)
	if err != nil {
		t.Fatal(err)
	}
	l.spoil(r, -40*24*time.Hour)
	again := l.must(Options{Dir: r.o.Dir}, phone("A"))
	await(t, "the host is back", func() bool { return l.uses("") == "A free" })
	if err := again.stop(); err != nil {
		t.Fatal(err)
	}
	sign := func(key []byte, change func(*wire.Rejoin)) error {
		t.Helper()
		back := wire.Rejoin{Host: "a", Key: public, At: time.Now(), Protocol: wire.Version}
		change(&back)
		if back.Signature, err = broker.Sign(key, back.Signs()); err != nil {
			t.Fatal(err)
		}
		_, err := l.hub.Rejoin(t.Context(), back)
		return err
	}
	other, otherPublic, err := broker.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	if err := sign(seed, func(*wire.Rejoin) {}); err != nil {
		t.Errorf("with its key: %v", err)
	}
	for what, err := range map[string]error{"another key's signature": sign(other, func(*wire.Rejoin) {}),
		"another key":  sign(other, func(r *wire.Rejoin) { r.Key = otherPublic }),
		"another host": sign(seed, func(r *wire.Rejoin) { r.Host = "b" })} {
		if !errors.Is(err, hub.ErrRejoin) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := sign(seed, func(r *wire.Rejoin) { r.At = time.Now().Add(-2 * time.Hour) }); !errors.Is(err, hub.ErrClock) {
		t.Errorf("of two hours ago: %v", err)
	}
	var version *wire.VersionError
	if err := sign(seed, func(r *wire.Rejoin) { r.Protocol++ }); !errors.As(err, &version) {
		t.Errorf("another protocol: %v", err)
	}
	if err := hub.Revoke(t.Context(), l.db, "a"); err != nil {
		t.Fatal(err)
	}
	if err := sign(seed, func(*wire.Rejoin) {}); !errors.Is(err, hub.ErrRevoked) || wire.ProofOf(err) == "" {
		t.Errorf("a revoked host: %v", err)
	}
	if err := sign(other, func(*wire.Rejoin) {}); !errors.Is(err, hub.ErrRejoin) {
		t.Errorf("the response to another key: %v", err)
	}
}

// TestCredentialIsNotTaken checks that a host gets a new credential with its key while it runs, when NATS refuses the
// current one before it expires.
func TestCredentialIsNotTaken(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	r := l.must(Options{Token: l.token(hub.HostPlacement{}), Name: "a"}, phone("A"))
	await(t, "it", func() bool { return l.uses("") == "A free" })
	l.close()
	// the hub signs with other keys from now on
	if err := os.Remove(filepath.Join(l.dir, "keys", "farm.seed")); err != nil {
		t.Fatal(err)
	}
	l.open()
	await(t, "it again", func() bool { return l.uses("") == "A free" })
	_ = r
}
