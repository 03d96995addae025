package hub

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/farm/internal/broker"
	"github.com/taproot-dev/taproot/farm/internal/wire"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/store"
)

var (
	// ErrToken means that a token is invalid: it is wrong, was used, or has expired. The wrapping error explains which.
	ErrToken = errors.New("the token is not valid")
	// ErrRejoin means that a host cannot rejoin with its key.
	ErrRejoin = errors.New(
		"no host of this name and key has joined here: it needs a new token of taproot admin host-token")
	// ErrRevoked means that a host was revoked. It is sent with a proof.
	ErrRevoked = errors.New("this host was revoked: it needs a new token of taproot admin host-token")
	// ErrClock means that the clocks of hub and host differ too much.
	ErrClock = errors.New("the clocks of hub and host differ by more than an hour")
	// ErrNoHost means that no host has that name.
	ErrNoHost = errors.New("there is no host of this name")
)

const (
	tokenPrefix = "taph_"
	tokenDays   = 24 * time.Hour
	// clocks is how much the clocks of hub and host may differ when the host rejoins. This is generous since a replayed
	// request gains nothing: the response is useless without the private key.
	clocks = time.Hour
)

// HostPlacement is the pool, the labels and the project of a host's devices.
type HostPlacement struct {
	Pool    string
	Labels  map[string]string
	Project string // the only project that may use them; "": all projects
}

// Check returns an error for an invalid pool or label.
func (p HostPlacement) Check() error {
	if p.Pool != "" && !dsl.IsPool(p.Pool) {
		return fmt.Errorf("the pool %q: use at most 63 of the characters A-Z a-z 0-9 . _ -", p.Pool)
	}
	if len(p.Labels) > 32 {
		return errors.New("a host has at most 32 labels")
	}
	for k, v := range p.Labels {
		if !dsl.IsDeviceLabel(k + "=" + v) {
			return fmt.Errorf(
				"the label %s=%s: write NAME=VALUE, each at most 63 of the characters A-Z a-z 0-9 . _ -, and a comma between "+
					"several", k, v)
		}
	}
	return nil
}

// NewToken makes a token by which one host can join, within a day. Only its hash is stored.
func NewToken(ctx context.Context, db *store.DB, p HostPlacement) (string, error) {
	if err := p.Check(); err != nil {
		return "", err
	}
	if known, err := isProject(p.Project, func(query string, args []any, into ...any) error {
		return db.One(ctx, query, args, into...)
	}); err != nil {
		return "", err
	} else if !known {
		return "", fmt.Errorf("there is no project %s: taproot admin projects lists them", p.Project)
	}
	labels, err := json.Marshal(p.Labels)
	if err != nil {
		return "", err
	}
	token, now := tokenPrefix+strings.ToLower(rand.Text()), time.Now()
	_, err = db.Exec(ctx,
		"INSERT INTO farm_tokens (hash, pool, labels, project, created, expires) VALUES ($1, $2, $3, $4, $5, $6)",
		sum(token), p.Pool, string(labels), p.Project, store.Time(now), store.Time(now.Add(tokenDays)))
	return token, err
}

// isProject reports whether a project exists. "" means all projects.
func isProject(id string, one func(query string, args []any, into ...any) error) (bool, error) {
	if id == "" {
		return true, nil
	}
	err := one("SELECT id FROM projects WHERE id = $1", []any{id}, &id)
	if errors.Is(err, store.ErrNoRow) {
		return false, nil
	}
	return err == nil, err
}

// tokenError is an ErrToken with the reason and the remedy.
type tokenError struct{ why string }

func (e *tokenError) Error() string        { return e.why }
func (e *tokenError) Is(target error) bool { return target == ErrToken }

// badToken returns an ErrToken. The format must end so that the command for a new token can follow.
func badToken(format string, args ...any) error {
	return &tokenError{fmt.Sprintf(format, args...) + " taproot admin host-token on the hub"}
}

var tokenForm = lazyregexp.New(`^` + tokenPrefix + `[a-z2-7]{26}$`)

// checkForm returns an error that explains why a text is not a token.
func checkForm(token string) error {
	switch {
	case tokenForm.MatchString(token):
		return nil
	case strings.HasPrefix(token, tokenPrefix):
		return badToken(
			"the token is incomplete, or contains something else: it is %s and 26 characters a-z or 2-7. Copy it again, or "+
				"make "+
				"a new one with", tokenPrefix)
	case strings.HasPrefix(token, "tap_"):
		return badToken("this is an API key, not a host token, which starts with %s: make one with", tokenPrefix)
	}
	return badToken("this is not a host token, which starts with %s: make one with", tokenPrefix)
}

// when formats a moment of the database for messages.
func when(moment int64) string { return store.Moment(moment).UTC().Format("2006-01-02 15:04 UTC") }

func sum(token string) string {
	s := sha256.Sum256([]byte(token))
	return hex.EncodeToString(s[:])
}

// Join adds a host that has a token. A repeated request with the same key and token succeeds: the first response may
// have been lost.
func (h *Hub) Join(ctx context.Context, j wire.Join) (wire.Joined, error) {
	if err := wire.Fits(j.Protocol); err != nil {
		return wire.Joined{}, err
	}
	if !broker.IsKey(j.Key) {
		return wire.Joined{}, errors.New("the key is not a host's public key")
	}
	if err := checkForm(j.Token); err != nil {
		return wire.Joined{}, err
	}
	var out wire.Joined
	var place HostPlacement
	err := h.o.DB.Write(ctx, func(t *store.Tx) error {
		var labels, by string
		var expires, used int64
		err := t.Lock("SELECT pool, labels, project, expires, used, host FROM farm_tokens WHERE hash = $1",
			[]any{sum(j.Token)}, &place.Pool, &labels, &place.Project, &expires, &used, &by)
		if errors.Is(err, store.ErrNoRow) {
			return badToken("this hub has made no such token; is it one of another hub? Make one here with")
		}
		if err == nil {
			err = json.Unmarshal([]byte(labels), &place.Labels)
		}
		if err != nil {
			return err
		}
		now := store.Time(time.Now())
		if used != 0 {
			out.Host = by
			return again(t, by, j.Key, used)
		}
		if expires <= now {
			return badToken("the token expired on %s, a day after it was made: make a new one with", when(expires))
		}
		if known, err := isProject(place.Project, t.One); err != nil {
			return err
		} else if !known {
			return badToken("the project of the token no longer exists: make a new one with")
		}
		if out.Host, err = freeName(t, j.Name); err != nil {
			return err
		}
		if _, err := t.Exec("UPDATE farm_tokens SET used = $1, host = $2 WHERE hash = $3", now, out.Host,
			sum(j.Token)); err != nil {
			return err
		}
		_, err = t.Exec(
			"INSERT INTO farm_hosts (id, public_key, pool, labels, project, version, joined, seen) VALUES ($1, $2, $3, $4, "+
				"$5, $6, $7, $7)",
			out.Host, j.Key, place.Pool, labels, place.Project, short(j.Version), now)
		return err
	})
	if err != nil {
		return wire.Joined{}, err
	}
	if out, err = h.joined(out.Host, j.Key, place); err != nil {
		return out, err
	}
	return out, h.reload(ctx)
}

// joined returns what a host needs to connect.
func (h *Hub) joined(host, key string, place HostPlacement) (out wire.Joined, err error) {
	out.Host, out.Pool, out.Labels = host, place.Pool, place.Labels
	if out.Credential, err = h.o.Broker.Credential(host, key, h.o.Life); err != nil {
		return wire.Joined{}, err
	}
	address := h.o.Broker.Address()
	out.NATS, out.Cert = address.URL, address.Cert
	return out, nil
}

// Rejoin lets a host that has joined and was not revoked come back, however long it was away. The signature proves that
// it has the key.
func (h *Hub) Rejoin(ctx context.Context, r wire.Rejoin) (wire.Joined, error) {
	if err := wire.Fits(r.Protocol); err != nil {
		return wire.Joined{}, err
	}
	var place HostPlacement
	var labels string
	var revoked int64
	err := h.o.DB.One(ctx, "SELECT pool, labels, project, revoked FROM farm_hosts WHERE id = $1 AND public_key = $2",
		[]any{r.Host, r.Key}, &place.Pool, &labels, &place.Project, &revoked)
	if errors.Is(err, store.ErrNoRow) || err == nil && !broker.Signed(r.Key, r.Signs(), r.Signature) {
		return wire.Joined{}, ErrRejoin
	}
	if err == nil && revoked != 0 {
		err = h.revoked(r.Host, r.Key)
	}
	if err == nil {
		err = json.Unmarshal([]byte(labels), &place.Labels)
	}
	if err == nil && time.Since(r.At).Abs() > clocks {
		err = ErrClock
	}
	if err != nil {
		return wire.Joined{}, err
	}
	out, err := h.joined(r.Host, r.Key, place)
	if err == nil {
		out.Proof, err = h.o.Broker.Vouch(out.Signs(r.Signature))
	}
	return out, err
}

// revoked returns the signed error for a host that was revoked.
func (h *Hub) revoked(host, key string) error {
	proof, err := h.o.Broker.Vouch(wire.Revoked(host, key))
	if err != nil {
		return err
	}
	return &wire.ProvenError{Err: ErrRevoked, Proof: proof}
}

// again returns an error unless the host that used the token has this key and was not revoked.
func again(t *store.Tx, host, key string, used int64) error {
	var revoked int64
	err := t.One("SELECT revoked FROM farm_hosts WHERE id = $1 AND public_key = $2", []any{host, key}, &revoked)
	switch {
	case errors.Is(err, store.ErrNoRow):
		return badToken("the token was used by another host (%s, on %s), and is valid for one host: make a new one with",
			host,
			when(used))
	case err == nil && revoked != 0:
		return badToken("this host, %s, has joined with the token and was revoked on %s: make a new one with", host,
			when(revoked))
	}
	return err
}

var notName = lazyregexp.New(`[^a-z0-9-]+`)

// freeName derives an unused id from the name that a host would like to have. Ids are never reused.
func freeName(t *store.Tx, wanted string) (string, error) {
	base := strings.Trim(notName.ReplaceAllString(strings.ToLower(wanted), "-"), "-")
	if base = strings.Trim(base[:min(len(base), 40)], "-"); base == "" {
		base = "host"
	}
	for n := 1; ; n++ {
		name := base
		if n > 1 {
			name = fmt.Sprintf("%s-%d", base, n)
		}
		var id string
		err := t.One("SELECT id FROM farm_hosts WHERE id = $1", []any{name}, &id)
		if errors.Is(err, store.ErrNoRow) {
			return name, nil
		}
		if err != nil {
			return "", err
		}
	}
}

func short(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), 100)], "?")
}

// RevokedKeys returns the public keys of revoked hosts.
func RevokedKeys(ctx context.Context, db *store.DB) (keys []string, err error) {
	err = db.Each(ctx, "SELECT public_key FROM farm_hosts WHERE revoked <> 0", nil, func(scan func(...any) error) error {
		var key string
		err := scan(&key)
		keys = append(keys, key)
		return err
	})
	return keys, err
}

// Revoke revokes a host. Running hubs notice within two seconds and end its connections.
func Revoke(ctx context.Context, db *store.DB, host string) error {
	n, err := db.Exec(ctx, "UPDATE farm_hosts SET revoked = $1 WHERE id = $2 AND revoked = 0",
		store.Time(time.Now()), host)
	if err == nil && n == 0 {
		err = ErrNoHost
	}
	return err
}
