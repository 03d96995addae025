package host

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/farm/internal/broker"
	"github.com/taproot-dev/taproot/farm/internal/hub"
	"github.com/taproot-dev/taproot/farm/internal/wire"
	"github.com/taproot-dev/taproot/internal/store/storetest"
)

// TestLiesEndNoHost checks that an attacker who responds in the hub's place, that a host was revoked or that the hub
// has another certificate, interrupts the host only while he is in between, even if the host has accepted his
// credential.
func TestLiesEndNoHost(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	r := l.must(Options{Token: l.token(hub.HostPlacement{}), Name: "a"}, phone("A"))
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	stranger, err := broker.Open(broker.Options{Dir: t.TempDir(), Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	before, _, err := readMembership(r.o.Dir)
	if err != nil {
		t.Fatal(err)
	}
	vouch := func(by *broker.Broker, text []byte) []byte {
		signature, err := by.Vouch(text)
		if err != nil {
			t.Error(err)
		}
		return signature
	}
	revoked := func(proof []byte) func(http.ResponseWriter, wire.Rejoin) {
		return func(w http.ResponseWriter, _ wire.Rejoin) {
			w.Header().Set(wire.ProofHeader, wire.ProofOf(&wire.ProvenError{Err: hub.ErrRevoked, Proof: proof}))
			w.WriteHeader(http.StatusUnauthorized)
		}
	}
	joined := func(cert string) func(http.ResponseWriter, wire.Rejoin) {
		return func(w http.ResponseWriter, q wire.Rejoin) {
			out := wire.Joined{Host: q.Host, NATS: before.Joined.NATS, Cert: cert}
			var err error
			if out.Credential, err = stranger.Credential(q.Host, q.Key, time.Hour); err != nil {
				t.Error(err)
			}
			out.Proof = vouch(stranger, out.Signs(q.Signature))
			_ = json.NewEncoder(w).Encode(out)
		}
	}
	ofMine := vouch(stranger, wire.Revoked("a", before.Key))
	lies := []func(http.ResponseWriter, wire.Rejoin){
		revoked(nil), revoked(vouch(l.broker, wire.Revoked("b", before.Key))),
		// the first of these must not validate the others
		joined(before.Joined.Cert), joined(stranger.Address().Cert), revoked(ofMine),
	}
	asked := make(chan wire.Rejoin)
	answered := make(chan struct{})
	l.between(func(w http.ResponseWriter, q *http.Request) {
		var back wire.Rejoin
		_ = json.NewDecoder(q.Body).Decode(&back)
		select {
		case asked <- back:
			lies[0](w, back)
			lies = lies[1:]
			answered <- struct{}{}
		case <-q.Context().Done():
		}
	})
	l.spoil(r, -time.Hour) // so that it must request a credential
	again := l.launch(Options{Dir: r.o.Dir}, phone("A"))
	for n := range len(lies) {
		select {
		case <-asked:
			<-answered
		case err := <-again.ended:
			t.Fatalf("after %d forged responses it ended with %v", n, err)
		}
	}
	l.between(nil)
	await(t, "the host is back", func() bool { return l.uses("") == "A free" })
	if now, _, err := readMembership(r.o.Dir); err != nil || now.Joined.Cert != before.Joined.Cert ||
		now.Issuer != broker.Issuer(before.Joined.Credential) {
		t.Errorf("the certificate that it trusts: %+v, %v", now, err)
	}
}
