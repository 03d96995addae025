package service

import (
	"context"
	"crypto/rand"
	"errors"
	"hash/crc32"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/store"
)

// Key is an API key, without its secret.
type Key struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Project string    `json:"project"`
	Prefix  string    `json:"prefix" doc:"The start of the key, to recognize it."`
	Scopes  []string  `json:"scopes" nullable:"false"`
	By      string    `json:"by" doc:"Its maker, who limits its permissions. It ends when the maker leaves the project."`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expiresAt,omitzero"`
	Used    time.Time `json:"lastUsed,omitzero" doc:"To the minute."`
	Revoked time.Time `json:"revoked,omitzero"`
	OldEnds time.Time `json:"oldEnds,omitzero" doc:"After a rotation: until when the previous secret is valid."`
}

// NewKey describes a key to make.
type NewKey struct {
	Name    string
	Scopes  []string // "*": all
	Expires time.Time
}

// MadeKey is a new key with its secret, which cannot be read again.
type MadeKey struct {
	Key
	Secret string `json:"key" doc:"The key itself. It is shown only once."`
}

// ScopeAll covers every scope.
const ScopeAll = "*"

// Scopes lists the scopes that keys can have, in addition to "*".
func Scopes() []string {
	return []string{"devices:read", "devices:write", "runs:read", "runs:write", "reports:read", "reports:write",
		"usage:read"}
}

// scopes returns the scopes that a role covers.
func (r Role) scopes() []string {
	if r.covers(RoleMember) {
		return Scopes()
	}
	return slices.DeleteFunc(Scopes(), func(s string) bool { return strings.HasSuffix(s, ":write") })
}

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// The lengths of a key's parts: 43 characters of 62 contain 256 bits, 6 contain the checksum.
const (
	keyID     = 16
	keyRandom = 43
	keySum    = 6
)

func inBase62(n *big.Int, digits int) string {
	text := n.Text(62) // 0-9 a-z A-Z: another order of the same characters
	return strings.Repeat("0", max(0, digits-len(text))) + text
}

// newSecret makes the text of a key: tap_<environment>_<id>_<random><checksum>.
func (s *Accounts) newSecret(id string) string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails
	text := "tap_" + s.o.Environment + "_" + id + "_" + inBase62(new(big.Int).SetBytes(b), keyRandom)
	return text + checksum(text)
}

func checksum(text string) string {
	return inBase62(big.NewInt(int64(crc32.ChecksumIEEE([]byte(text)))), keySum)
}

// parseKey returns the id of a key with a valid form and checksum; others need no query.
func parseKey(text string) (id string, ok bool) {
	parts := strings.Split(text, "_")
	if len(text) > 200 || len(parts) != 4 || parts[0] != "tap" || len(parts[2]) != keyID ||
		len(parts[3]) != keyRandom+keySum {
		return "", false
	}
	body := text[:len(text)-keySum]
	return parts[2], same(checksum(body), text[len(text)-keySum:]) && !strings.ContainsFunc(parts[2]+parts[3],
		func(r rune) bool { return !strings.ContainsRune(base62, r) })
}

// goodScopes sorts scopes and removes duplicates.
func goodScopes(scopes []string) ([]string, error) {
	if len(scopes) == 0 {
		return nil, invalid("body.scopes: name one or more of %s, or *", strings.Join(Scopes(), " "))
	}
	for _, one := range scopes {
		if one != ScopeAll && !slices.Contains(Scopes(), one) {
			return nil, invalid("body.scopes: %.50q is not one of %s, or *", one, strings.Join(Scopes(), " "))
		}
	}
	scopes = slices.Sorted(slices.Values(scopes))
	return slices.Compact(scopes), nil
}

// maxKeys is how many keys that are not revoked a project can have.
const maxKeys = 200

// CreateKey makes a key. Members may, with the scopes of their role.
func (p *Project) CreateKey(ctx context.Context, k NewKey) (made MadeKey, err error) {
	name, err := goodName(k.Name)
	if err != nil {
		return made, err
	}
	scopes, err := goodScopes(k.Scopes)
	if err != nil {
		return made, err
	}
	now := p.s.now()
	if !k.Expires.IsZero() && !k.Expires.After(now) {
		return made, invalid("body.expiresAt: the time is past")
	}
	id := strings.ToLower(rand.Text()[:keyID])
	made = MadeKey{Key: Key{ID: id, Name: name, Project: p.ID, Prefix: "tap_" + p.s.o.Environment + "_" + id,
		Scopes: scopes, By: p.account, Created: now, Expires: k.Expires.UTC().Truncate(time.Microsecond)},
		Secret: p.s.newSecret(id)}
	err = p.change(ctx, RoleMember, func(t *store.Tx) error {
		var n int
		if err := t.One("SELECT COUNT(*) FROM api_keys WHERE project = $1 AND revoked = 0", []any{p.ID}, &n); err != nil {
			return err
		}
		if n >= maxKeys {
			return forbidden("the project has %d keys; revoke some", maxKeys)
		}
		if _, err := t.Exec(
			"INSERT INTO api_keys (id, project, author, name, scopes, hash, created, expires) VALUES ($1, $2, $3, $4, $5, $6, "+
				"$7, $8)",
			id, p.ID, p.account, name, strings.Join(scopes, " "), digest(made.Secret), store.Time(now),
			store.Time(made.Expires)); err != nil {
			return err
		}
		return p.note(t, "key.create", id)
	})
	if err != nil {
		return MadeKey{}, err
	}
	return made, nil
}

const keyColumns = "id, project, author, name, scopes, created, expires, used, revoked, old_ends"

func (p *Project) scanKey(scan func(...any) error) (k Key, err error) {
	var scopes string
	var created, expires, used, revoked, oldEnds int64
	err = scan(&k.ID, &k.Project, &k.By, &k.Name, &scopes, &created, &expires, &used, &revoked, &oldEnds)
	k.Scopes, k.Prefix = strings.Fields(scopes), "tap_"+p.s.o.Environment+"_"+k.ID
	k.Created, k.Expires, k.Used, k.Revoked, k.OldEnds = store.Moment(created), store.Moment(expires), store.Moment(used),
		store.Moment(revoked), store.Moment(oldEnds)
	return k, err
}

// Keys lists the keys of the project, including revoked ones, newest first.
func (p *Project) Keys(ctx context.Context) (list []Key, err error) {
	if err := p.need(RoleViewer); err != nil {
		return nil, err
	}
	err = p.s.db.Each(ctx, "SELECT "+keyColumns+" FROM api_keys WHERE project = $1 ORDER BY created DESC, id", []any{p.ID},
		func(scan func(...any) error) error {
			k, err := p.scanKey(scan)
			list = append(list, k)
			return err
		})
	return list, err
}

// Graces returns the possible times for which the previous secret stays valid after a rotation.
func Graces() map[string]time.Duration {
	return map[string]time.Duration{"now": 0, "1h": time.Hour, "24h": 24 * time.Hour, "7d": 7 * 24 * time.Hour}
}

// ownKey returns an error for a key of another person, unless the caller is an admin.
func (p *Project) ownKey(t *store.Tx, id string) (k Key, err error) {
	k, err = p.scanKey(func(into ...any) error {
		return t.Lock("SELECT "+keyColumns+" FROM api_keys WHERE id = $1 AND project = $2 AND revoked = 0", []any{id, p.ID},
			into...)
	})
	if errors.Is(err, store.ErrNoRow) {
		return k, ErrNotFound
	}
	if err == nil && k.By != p.account && !p.Role.covers(RoleAdmin) {
		return k, forbidden("the key was made by another person; an admin of the project can change it")
	}
	return k, err
}

// RotateKey replaces the secret of a key. The previous one is valid until the grace has passed: now, 1h, 24h or 7d. A
// key that an admin has rotated has the admin as its maker from then on.
func (p *Project) RotateKey(ctx context.Context, id, grace string) (made MadeKey, err error) {
	wait, ok := Graces()[grace]
	if !ok {
		return made, invalid("body.grace: now, 1h, 24h or 7d")
	}
	now := p.s.now()
	err = p.change(ctx, RoleMember, func(t *store.Tx) error {
		if made.Key, err = p.ownKey(t, id); err != nil {
			return err
		}
		if !made.Expires.IsZero() && !made.Expires.After(now) {
			return conflict("the key has expired; make a new one")
		}
		made.Secret, made.OldEnds, made.By = p.s.newSecret(id), now.Add(wait), p.account
		if _, err := t.Exec("UPDATE api_keys SET old_hash = hash, old_ends = $1, hash = $2, author = $3 WHERE id = $4",
			store.Time(made.OldEnds), digest(made.Secret), p.account, id); err != nil {
			return err
		}
		return p.note(t, "key.rotate", id)
	})
	if err != nil {
		return MadeKey{}, err
	}
	return made, nil
}

// RevokeKey revokes a key at once, on every replica: keys are not cached.
func (p *Project) RevokeKey(ctx context.Context, id string) error {
	return p.change(ctx, RoleMember, func(t *store.Tx) error {
		if _, err := p.ownKey(t, id); err != nil {
			return err
		}
		if _, err := t.Exec("UPDATE api_keys SET revoked = $1, hash = '', old_hash = '', old_ends = 0 WHERE id = $2",
			store.Time(p.s.now()), id); err != nil {
			return err
		}
		return p.note(t, "key.revoke", id)
	})
}

// MetricsKey is a key of the operator, which can read the metrics of the whole installation (GET /metrics) and nothing
// else.
type MetricsKey struct {
	ID      string
	Name    string
	Created time.Time
	Used    time.Time // to the minute
	Revoked time.Time
}

// CreateMetricsKey makes a key for metrics. Its secret cannot be read again.
func (o *Operator) CreateMetricsKey(ctx context.Context, name string) (secret string, err error) {
	if name, err = goodName(name); err != nil {
		return "", err
	}
	id := strings.ToLower(rand.Text()[:keyID])
	secret = o.s.newSecret(id)
	return secret, o.s.db.Write(ctx, func(t *store.Tx) error {
		if _, err := t.Exec("INSERT INTO figure_keys (id, name, hash, created) VALUES ($1, $2, $3, $4)", id, name,
			digest(secret), store.Time(o.s.now())); err != nil {
			return err
		}
		return o.note(t, "figures.key.create", id)
	})
}

// MetricsKeys lists the keys for metrics, including revoked ones, newest first.
func (o *Operator) MetricsKeys(ctx context.Context) (list []MetricsKey, err error) {
	err = o.s.db.Each(ctx, "SELECT id, name, created, used, revoked FROM figure_keys ORDER BY created DESC, id", nil,
		func(scan func(...any) error) error {
			var k MetricsKey
			var created, used, revoked int64
			err := scan(&k.ID, &k.Name, &created, &used, &revoked)
			k.Created, k.Used, k.Revoked = store.Moment(created), store.Moment(used), store.Moment(revoked)
			list = append(list, k)
			return err
		})
	return list, err
}

// RevokeMetricsKey revokes a key for metrics, from the next request on.
func (o *Operator) RevokeMetricsKey(ctx context.Context, id string) error {
	return o.s.db.Write(ctx, func(t *store.Tx) error {
		n, err := t.Exec("UPDATE figure_keys SET revoked = $1 WHERE id = $2 AND revoked = 0", store.Time(o.s.now()), id)
		if err == nil && n == 0 {
			err = ErrNotFound
		}
		if err != nil {
			return err
		}
		return o.note(t, "figures.key.revoke", id)
	})
}

// MetricsReader returns the name of the key for metrics in a request, as Identify does for other keys, or ErrInvalid
// without a valid one.
func (s *Credentials) MetricsReader(ctx context.Context, h http.Header) (name string, err error) {
	if len(h.Values("Authorization"))+len(h.Values("X-Api-Key")) != 1 {
		return "", ErrInvalid
	}
	text := h.Get("X-Api-Key")
	if scheme, credential, ok := strings.Cut(h.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		text = credential
	}
	text = strings.TrimSpace(text)
	id, ok := parseKey(text)
	if !ok {
		return "", ErrInvalid
	}
	var hash string
	var used, revoked int64
	err = s.db.One(ctx, "SELECT hash, used, revoked FROM figure_keys WHERE id = $1", []any{id}, &hash, &used, &revoked)
	if errors.Is(err, store.ErrNoRow) || err == nil && (revoked != 0 || !same(digest(text), hash)) {
		return "", ErrInvalid
	}
	if now := s.now(); err == nil && now.Sub(store.Moment(used)) > time.Minute {
		_, err = s.db.Exec(ctx, "UPDATE figure_keys SET used = $1 WHERE id = $2 AND used < $1", store.Time(now), id)
	}
	return "figures:" + id, err
}
