package host

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/farm/broker"
	"github.com/taproot-dev/taproot/farm/wire"
)

const (
	// renewAfter is how often a host asks for its next credential at least, beside at its start: sooner, when a third of what is left of it is over. When it gets
	// none, it asks again after renewAgain, or sooner, too.
	renewAfter = 12 * time.Hour
	renewAgain = time.Minute
	// returnAgain is how long a host whose credential is over rests between two tries to come back by its key.
	returnAgain = time.Minute
)

func signal(to chan struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// renewals asks for the next credential at the start, as a host may be restarted more often than it would ask otherwise, and from time to time.
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

// refresh connects anew with the newest credential, when the one with which the host is connected is half over and nobody uses its devices: NATS ends a connection
// with its credential, whoever uses it then.
func (m *Member) refresh() {
	m.mu.Lock()
	made, until := broker.Validity(m.m.Joined.Credential)
	due := m.idle && !m.used.IsZero() && made.After(m.used) && time.Since(m.used) > until.Sub(made)/2
	m.mu.Unlock()
	if due && m.nc.IsConnected() {
		_ = m.nc.ForceReconnect() // it is closed, or does so by itself
	}
}

// comeBack gets a credential by the host's key where the one that it has is over, before it connects: the address of NATS may be another one by now, too. A hub that
// cannot be reached is tried again later.
func (m *Member) comeBack(ctx context.Context) error {
	if _, until := broker.Validity(m.credential()); time.Now().Before(until) {
		return nil
	}
	err := m.rejoin(ctx)
	var refused *RefusedError
	if err == nil || errors.As(err, &refused) && refused.Status == http.StatusUnauthorized {
		return err
	}
	m.o.Log.Warn("the credential of this host is over, and the hub gives no new one yet", "error", err)
	return nil
}

// returns gets a credential by the host's key whenever NATS does not take the one that it has.
func (m *Member) returns(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-m.denied:
		}
		if err := m.rejoin(ctx); err != nil && ctx.Err() == nil {
			m.o.Log.Warn("NATS does not take the credential of this host, and the hub gives no new one", "error", err)
			if drivers.Pause(ctx, returnAgain) != nil {
				return
			}
		}
	}
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
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.m.Joined = next
	return m.m.keep(m.o.Dir)
}
