package host

import (
	"context"
	"errors"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/farm/broker"
	"github.com/taproot-dev/taproot/farm/wire"
)

const (
	// renewAfter is how often a host asks for its next credential at least, beside at its start: sooner, when a third of
	// what is left of it is over. When it gets none, it asks again after renewAgain, or sooner, too.
	renewAfter = 12 * time.Hour
	renewAgain = time.Minute
	// returnAgain is how long a host whose credential is not taken rests at most between two tries to come back by its
	// key; the first rest is an eighth of Options.Every, each later one twice as long.
	returnAgain = time.Minute
)

func signal(to chan struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// renewals asks for the next credential at the start, as a host may be restarted more often than it would ask
// otherwise, and from time to time.
func (m *Member) renewals(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-m.heard:
	}
	for {
		wait, err := renewAfter, m.renew(ctx)
		if err != nil && ctx.Err() == nil {
			wait = renewAgain
			m.o.Log.Warn("the hub gave no new credential; it is asked again", "error", err)
		}
		if _, until := broker.Validity(m.credential()); time.Now().Before(until) { // else it comes back by its key
			wait = min(wait, max(time.Until(until)/3, 100*time.Millisecond))
		}
		if drivers.Pause(ctx, wait) != nil {
			return
		}
		m.refresh()
	}
}

func (m *Member) credential() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.m.Joined.Credential
}

func (m *Member) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, joinLimit)
	defer cancel()
	var next wire.Renewed
	if err := wire.Ask(ctx, m.nc, wire.ToHub(m.ID(), "renew"), struct{}{}, &next); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.m.Joined.Credential = next.Credential
	return m.m.keep(m.o.Dir)
}

// refresh connects anew with the newest credential, when the one with which the host is connected is half over and
// nobody uses its devices: NATS ends a connection with its credential, whoever uses it then.
func (m *Member) refresh() {
	m.mu.Lock()
	made, until := broker.Validity(m.m.Joined.Credential)
	due := m.idle && !m.used.IsZero() && made.After(m.used) && time.Since(m.used) > until.Sub(made)/2
	m.mu.Unlock()
	if due && m.nc.IsConnected() {
		_ = m.nc.ForceReconnect() // it is closed, or does so by itself
	}
}

// comeBack gets a credential by the host's key where the one that it has is over, before it connects: the address of
// NATS may be another one by now, too. A hub that cannot be reached is tried again later.
func (m *Member) comeBack(ctx context.Context) error {
	if _, until := broker.Validity(m.credential()); time.Now().Before(until) {
		return nil
	}
	err := m.rejoin(ctx)
	if err == nil || errors.Is(err, ErrRevoked) {
		return err
	}
	m.o.Log.Warn("the credential of this host is over, and the hub gives no new one yet", "error", err)
	return nil
}

// returns gets a credential by the host's key whenever NATS does not take the one that it has. It ends with the
// context, or with ErrRevoked.
func (m *Member) returns(ctx context.Context) error {
	first, tick := m.o.Every/8, time.NewTicker(m.o.Every)
	defer tick.Stop()
	for rest, ups := first, int64(0); ; {
		select {
		case <-ctx.Done():
			return nil
		case <-m.denied:
		case <-tick.C: // the library tells not of every try
			why := m.nc.LastError()
			if !broker.Foreign(why) && !broker.Denied(why) {
				continue
			}
			m.foreign.Store(broker.Foreign(why))
		}
		if n := m.ups.Load(); n != ups {
			rest, ups = first, n
		}
		if m.nc.IsConnected() {
			continue
		}
		wait := rest
		switch err := m.askAgain(ctx); {
		case errors.Is(err, ErrRevoked):
			return err
		case err == nil:
			wait = max(rest, 2*m.o.Every) // in which it connects
		case ctx.Err() == nil:
			m.o.Log.Warn("this host cannot come back yet", "error", err)
		}
		if drivers.Pause(ctx, wait) != nil {
			return nil
		}
		rest = min(2*rest, returnAgain)
	}
}

// askAgain gets what it takes to connect by the host's key.
func (m *Member) askAgain(ctx context.Context) error {
	m.mu.Lock()
	before := m.m.Joined.Cert
	m.mu.Unlock()
	if err := m.rejoin(ctx); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.m.Joined.Cert == before && m.foreign.Load() {
		return errOther
	}
	return nil
}

func (m *Member) issuer() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.m.issuer()
}

// isRevoked tells whether an answer of the hub says, with its signature, that this host was revoked.
func (m *Member) isRevoked(err error) bool {
	var proof []byte
	var refused *RefusedError
	var said *wire.RefusedError
	switch {
	case errors.As(err, &refused):
		proof = refused.proof
	case errors.As(err, &said):
		proof = said.Proof
	}
	public, bad := broker.PublicOf(m.seed)
	return bad == nil && len(proof) > 0 && broker.Vouched(m.issuer(), wire.Revoked(m.ID(), public), proof)
}

// rejoin proves to the hub, over HTTPS, that this is the host that joined.
func (m *Member) rejoin(ctx context.Context) error {
	public, err := broker.PublicOf(m.seed)
	if err != nil {
		return err
	}
	r := wire.Rejoin{Host: m.ID(), Key: public, At: time.Now().UTC(), Protocol: wire.Version, Version: m.o.Version}
	if r.Signature, err = broker.Sign(m.seed, r.Signs()); err != nil {
		return err
	}
	next, err := m.o.exchange(ctx, "api/farm/rejoin", r)
	if m.isRevoked(err) {
		return ErrRevoked
	}
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	was := m.m.Joined
	switch { // what the hub's pages say is believed as far as its port for hosts can be held against it
	case next.Host != was.Host:
		return errors.New("the hub's answer makes no sense: it is for another host")
	case was.Cert != "" && next.Cert != was.Cert && !broker.Vouched(m.m.issuer(), next.Signs(r.Signature), next.Proof):
		return ErrCertificate
	case next.Cert != was.Cert:
		m.o.Log.Info("the hub has a new certificate, and has proven that it is the same hub", "host", next.Host)
	}
	m.m.Issuer, m.m.Joined = m.m.issuer(), next
	return m.m.keep(m.o.Dir)
}

// trusts makes the key the hub's that has signed the credential with which the host is connected now: the server whose
// certificate it knows has taken it.
func (m *Member) trusts() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.m.issuer() == m.signer {
		return
	}
	m.m.Issuer = m.signer
	if err := m.m.keep(m.o.Dir); err != nil {
		m.o.Log.Warn("the hub's new key could not be kept", "error", err)
	}
}
