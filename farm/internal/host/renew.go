package host

import (
	"context"
	"errors"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/farm/internal/broker"
	"github.com/taproot-dev/taproot/farm/internal/wire"
)

const (
	// renewAfter is how often at least a host requests its next credential, in addition to its start; sooner when a third
	// of the remaining time has passed. After a failure it requests again after renewAgain, or sooner for the same reason.
	renewAfter = 12 * time.Hour
	renewAgain = time.Minute
	// returnAgain is the maximum pause of a host with a refused credential between two attempts to rejoin with its key.
	// The first pause is an eighth of Options.Every, each later one twice as long.
	returnAgain = time.Minute
)

func signal(to chan struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// renewals requests the next credential at the start, as a host may be restarted more often than the interval, and then
// regularly.
func (m *Member) renewals(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-m.contacted:
	}
	for {
		wait, err := renewAfter, m.renew(ctx)
		if err != nil && ctx.Err() == nil {
			wait = renewAgain
			m.o.Log.Warn("the hub returned no new credential; it is tried again", "error", err)
		}
		if _, until := broker.Validity(m.credential()); time.Now().Before(until) { // else it rejoins with its key
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

// refresh reconnects with the newest credential when half of the time of the current one has passed and no device is in
// use. NATS ends a connection when its credential expires, even if a device is in use then.
func (m *Member) refresh() {
	m.mu.Lock()
	made, until := broker.Validity(m.m.Joined.Credential)
	due := m.idle && !m.used.IsZero() && made.After(m.used) && time.Since(m.used) > until.Sub(made)/2
	m.mu.Unlock()
	if due && m.nc.IsConnected() {
		_ = m.nc.ForceReconnect() // fails if it is closed, or reconnecting already
	}
}

// comeBack obtains a credential with the host's key when the stored one has expired, before connecting: the address of
// NATS may have changed as well. If the hub cannot be reached, that is tried again later.
func (m *Member) comeBack(ctx context.Context) error {
	if _, until := broker.Validity(m.credential()); time.Now().Before(until) {
		return nil
	}
	err := m.rejoin(ctx)
	if err == nil || errors.Is(err, ErrRevoked) {
		return err
	}
	m.o.Log.Warn("the credential of this host has expired, and the hub returns no new one yet", "error", err)
	return nil
}

// returns obtains a credential with the host's key whenever NATS refuses the current one. It ends with the context, or
// with ErrRevoked.
func (m *Member) returns(ctx context.Context) error {
	first, tick := m.o.Every/8, time.NewTicker(m.o.Every)
	defer tick.Stop()
	for rest, ups := first, int64(0); ; {
		select {
		case <-ctx.Done():
			return nil
		case <-m.denied:
		case <-tick.C: // the library does not report each attempt
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
		switch err := m.obtainCredential(ctx); {
		case errors.Is(err, ErrRevoked):
			return err
		case err == nil:
			wait = max(rest, 2*m.o.Every) // the time to connect
		case ctx.Err() == nil:
			m.o.Log.Warn("this host cannot rejoin yet", "error", err)
		}
		if drivers.Pause(ctx, wait) != nil {
			return nil
		}
		rest = min(2*rest, returnAgain)
	}
}

// obtainCredential obtains what is needed to connect, with the host's key.
func (m *Member) obtainCredential(ctx context.Context) error {
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

// isRevoked reports whether a response of the hub is a signed revocation of this host.
func (m *Member) isRevoked(err error) bool {
	var proof []byte
	var refused *RefusedError
	var response *wire.RefusedError
	switch {
	case errors.As(err, &refused):
		proof = refused.proof
	case errors.As(err, &response):
		proof = response.Proof
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
	switch { // what the hub's pages say is used only if the hub's port for hosts can confirm it
	case next.Host != was.Host:
		return errors.New("the hub's response is not valid: it is for another host")
	case was.Cert != "" && next.Cert != was.Cert && !broker.Vouched(m.m.issuer(), next.Signs(r.Signature), next.Proof):
		return ErrCertificate
	case next.Cert != was.Cert:
		m.o.Log.Info("the hub has a new certificate, and has proven that it is the same hub", "host", next.Host)
	}
	m.m.Issuer, m.m.Joined = m.m.issuer(), next
	return m.m.keep(m.o.Dir)
}

// trusts stores the key that signed the credential of the current connection as the hub's: the server with the known
// certificate has accepted it.
func (m *Member) trusts() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.m.issuer() == m.signer {
		return
	}
	m.m.Issuer = m.signer
	if err := m.m.keep(m.o.Dir); err != nil {
		m.o.Log.Warn("the hub's new key could not be saved", "error", err)
	}
}
