package service

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/store"
)

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
func (s *Service) MetricsReader(ctx context.Context, h http.Header) (name string, err error) {
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
