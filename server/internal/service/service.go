package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/internal/store"
)

// Options are the settings of a service.
type Options struct {
	// Database is postgres://…, or the path of an SQLite file.
	Database string
	// Secret encrypts what must not be readable in the database: signing keys and second factors. Empty: it is stored in a
	// file next to the SQLite database; PostgreSQL requires one, the same for every replica.
	Secret string
	// Environment is a part of every API key: "live" by default.
	Environment string
	// OpenRegistration lets registered users log in without a confirmed address.
	OpenRegistration bool
	// PublicURL is where users reach the service: the start of links in e-mails, and the issuer of tokens.
	PublicURL string
	// WebhookSecret verifies changes of plans from a billing product; empty: none are accepted.
	WebhookSecret string
	// Mail sends e-mails; nil: the operator confirms addresses.
	Mail Mailer
	Log  *slog.Logger
	Now  func() time.Time // default: time.Now
	// Hashes is how many passwords are hashed at once; default: 4.
	Hashes int
	// CheapHashes reduces the cost of password hashes. It is for tests only.
	CheapHashes bool
}

// Mailer sends an e-mail of plain text.
type Mailer interface {
	Send(ctx context.Context, to, subject, text string) error
}

// Service is the users and credentials of a database. Safe for concurrent use; several processes may use one database.
// It is made of parts, each of which can be used alone.
type Service struct {
	*tables
	*Site
	*Audit
	*Accounts
	*Sessions
	*Issuer
	*Credentials
	*Limits
	*Hosts
	*Webhooks

	working sync.WaitGroup
	ended   context.CancelFunc // ends the background work
}

// tables is what every part needs: the database, the time and a log.
type tables struct {
	db    *store.DB
	clock func() time.Time
	log   *slog.Logger
}

// now returns the time in whole microseconds, as tables store it.
func (s *tables) now() time.Time { return s.clock().UTC().Truncate(time.Microsecond) }

// Site is the options that other packages may see.
type Site struct{ o Options }

// Open connects to the database, brings its schema up to date, and adds what a new database needs. Close ends it.
func Open(ctx context.Context, o Options) (*Service, error) {
	o.defaults()
	if o.WebhookSecret != "" && len(o.WebhookSecret) < secretLength {
		return nil, fmt.Errorf("TAPROOT_WEBHOOK_SECRET has fewer than %d characters; make one with: openssl rand -hex 32",
			secretLength)
	}
	db, err := store.Open(ctx, o.Database)
	if err != nil {
		return nil, err
	}
	s, err := newService(ctx, o, db)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	s.posted.Go(s.deliver)
	working, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.ended = cancel
	s.working.Go(func() { s.sweepAlways(working) })
	s.working.Go(func() { s.noteRefused(working) })
	return s, nil
}

// newService migrates the database and composes the parts.
func newService(ctx context.Context, o Options, db *store.DB) (*Service, error) {
	from, to, err := db.Migrate(ctx)
	if err != nil {
		return nil, err
	}
	if from != to {
		o.Log.InfoContext(ctx, "the schema of the database was changed", "from", from, "to", to)
	}
	secret, err := o.secret(db.Kind())
	if err != nil {
		return nil, err
	}
	seal, err := newBox(secret)
	if err != nil {
		return nil, err
	}
	base, site := &tables{db: db, clock: o.Now, log: o.Log}, &Site{o}
	audit := newAudit(base)
	accounts := &Accounts{tables: base, Site: site, Audit: audit, box: seal, passwords: newPasswords(o),
		postbox: &postbox{mailer: o.Mail, logger: o.Log, post: make(chan mailMessage, 100)}}
	sessions, keys := &Sessions{accounts}, &keyring{tables: base, box: seal}
	tokens := &Issuer{Accounts: accounts, keys: keys, sessions: sessions}
	return &Service{tables: base, Site: site, Audit: audit, Accounts: accounts, Sessions: sessions, Issuer: tokens,
		Credentials: &Credentials{Accounts: accounts, tokens: tokens}, Limits: &Limits{base}, Hosts: &Hosts{base},
		Webhooks: &Webhooks{accounts}}, keys.checkSeal(ctx)
}

func (o *Options) defaults() {
	if o.Environment == "" {
		o.Environment = "live"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Hashes == 0 {
		o.Hashes = 4
	}
	if o.PublicURL == "" {
		o.PublicURL = DefaultURL
	}
	o.PublicURL = strings.TrimRight(o.PublicURL, "/")
}

// Close sends pending e-mails, and closes the connections.
func (s *Service) Close() error {
	s.ended()
	close(s.post)
	s.posted.Wait()
	s.working.Wait()
	return s.db.Close()
}

// Ping returns an error if the database does not respond.
func (s *Service) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// Database returns "sqlite" or "postgres".
func (s *Service) Database() string { return s.db.Kind() }

// Backup writes a copy of an SQLite database into a new file, while the service runs.
func (s *Service) Backup(ctx context.Context, file string) error { return s.db.Backup(ctx, file) }

// DefaultURL is the PublicURL by default.
const DefaultURL = "http://localhost:3210"

// OpenRegistration reports whether users can log in without a confirmed address.
func (s *Site) OpenRegistration() bool { return s.o.OpenRegistration }

// SendsMail reports whether e-mails are sent; otherwise the operator confirms addresses.
func (s *Site) SendsMail() bool { return s.o.Mail != nil }

// PublicURL returns where users reach the service.
func (s *Site) PublicURL() string { return s.o.PublicURL }

// Secure reports whether cookies may be sent over TLS only.
func (s *Site) Secure() bool {
	u, err := url.Parse(s.o.PublicURL)
	return err == nil && u.Scheme == "https"
}

// DB returns the database, for packages with tables of their own.
func (s *Service) DB() *store.DB { return s.db }

const (
	sweepEvery = time.Hour
	namesKept  = 2 * 24 * time.Hour   // names of runs: only those of the last hour could be reused
	usageKept  = 400 * 24 * time.Hour // requests by day, key and path: a year and a month
)

// sweepAlways sweeps now and every hour. Several replicas may do so at once.
func (s *Service) sweepAlways(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		if err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "expired rows could not be removed", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Sweep removes rows that are no longer needed, so that the database does not grow with each address of a client:
// counts of past minutes, sessions and tokens that have ended, expired links of e-mails and invitations, and old usage
// by day.
func (s *Service) Sweep(ctx context.Context) error {
	now := s.now()
	for _, q := range []struct {
		query string
		from  any
	}{
		{"DELETE FROM limits WHERE used < $1", store.Time(now.Add(-2 * window))},
		{"DELETE FROM sessions WHERE expires < $1", store.Time(now)},
		{"DELETE FROM refresh_tokens WHERE expires < $1", store.Time(now)},
		{"DELETE FROM letters WHERE expires < $1", store.Time(now)},
		{"DELETE FROM invitations WHERE expires < $1", store.Time(now)},
		{"DELETE FROM hosts WHERE seen < $1", store.Time(now.Add(-hostsKept))},
		{"DELETE FROM run_names WHERE created < $1", store.Time(now.Add(-namesKept))},
		{"DELETE FROM usage_days WHERE day < $1", now.Add(-usageKept).Format(time.DateOnly)},
	} {
		if _, err := s.db.Exec(ctx, q.query, q.from); err != nil {
			return err
		}
	}
	return nil
}
