package host

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/farm/internal/broker"
	"github.com/taproot-dev/taproot/farm/internal/hub"
	"github.com/taproot-dev/taproot/internal/store/storetest"
)

// cert returns the certificate that a host trusts.
func (l *lab) cert(r *running) string {
	l.t.Helper()
	m, known, err := readMembership(r.o.Dir)
	if err != nil || !known {
		l.t.Fatal(known, err)
	}
	return m.Joined.Cert
}

// TestCertificateIsReplaced checks that hosts rejoin a hub with a replaced certificate without a token, also a host
// that was off meanwhile.
func TestCertificateIsReplaced(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	on := l.must(Options{Token: l.token(hub.HostPlacement{}), Name: "on"}, phone("A"))
	off := l.must(Options{Token: l.token(hub.HostPlacement{}), Name: "off"}, phone("B"))
	await(t, "both", func() bool { return l.uses("") == "A free, B free" })
	before := l.cert(on)
	if err := off.stop(); err != nil {
		t.Fatal(err)
	}
	l.close()
	for _, file := range []string{"cert.pem", "cert.key"} {
		if err := os.Remove(filepath.Join(l.dir, "keys", file)); err != nil {
			t.Fatal(err)
		}
	}
	l.open()
	l.must(Options{Dir: off.o.Dir}, phone("B"))
	await(t, "both again", func() bool { return l.uses("") == "A free, B free" })
	if now := l.cert(on); now == before || now != l.broker.Address().Cert || l.cert(off) != now {
		t.Errorf("%s, then %s", before, now)
	}
}

// TestForeignHub checks that a hub with other keys and another certificate, which may be an attacker's, causes a
// message in the log with the remedy, changes nothing, and does not end the host.
func TestForeignHub(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	var log lockedText
	r := l.must(Options{Token: l.token(hub.HostPlacement{}), Name: "a", Log: slog.New(slog.NewTextHandler(&log, nil))},
		phone("A"))
	await(t, "it", func() bool { return l.uses("") == "A free" })
	before := l.cert(r)
	l.close()
	keys, aside := filepath.Join(l.dir, "keys"), filepath.Join(l.dir, "aside")
	if err := os.Rename(keys, aside); err != nil {
		t.Fatal(err)
	}
	l.open()
	await(t, "a message about it", func() bool {
		return strings.Contains(log.String(), "not the one with which this host has joined") &&
			strings.Contains(log.String(), "join again with --token TOKEN")
	})
	if l.cert(r) != before {
		t.Error("the host trusts the foreign hub")
	}
	l.close()
	if err := os.RemoveAll(keys); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(aside, keys); err != nil {
		t.Fatal(err)
	}
	l.open()
	await(t, "it again", func() bool { return l.uses("") == "A free" })
}

// TestStrangerAtThePort checks the message when the server at the hub's port for hosts has another certificate than the
// hub reports.
func TestStrangerAtThePort(t *testing.T) {
	t.Parallel()
	stranger, err := broker.Open(broker.Options{Dir: t.TempDir(), Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	l := newLab(t, storetest.SQLite(t))
	l.public = strings.Replace(stranger.Address().URL, "tls://", "127.0.0.1", 1)
	l.close()
	l.open()
	var log lockedText
	r := l.launch(Options{Token: l.token(hub.HostPlacement{}), Name: "a", Log: slog.New(slog.NewTextHandler(&log, nil))},
		phone("A"))
	await(t, "a message about it",
		func() bool { return strings.Contains(log.String(), "is a proxy that inspects TLS in between") })
	if err := r.stop(); err != nil {
		t.Error(err)
	}
}
