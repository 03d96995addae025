package service

import (
	"context"
	"crypto/cipher"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
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
type Service struct {
	o      Options
	db     *store.DB
	log    *slog.Logger
	seal   cipher.AEAD
	hashes chan struct{}
	cost   hashCost
	dummy  string // the hash of a random password, for unknown accounts
	post   chan mailMessage
	posted sync.WaitGroup
	swept  sync.WaitGroup
	ended  context.CancelFunc // ends the sweeping
	signer signer

	refused  chan Entry // lines about refusals
	refusals refusals
}

// Open connects to the database, brings its schema up to date, and adds what a new database needs. Close ends it.
func Open(ctx context.Context, o Options) (*Service, error) {
	o.defaults()
	if o.WebhookSecret != "" && len(o.WebhookSecret) < secretLength {
		return nil, fmt.Errorf("TAPROOT_WEBHOOK_SECRET has fewer than %d characters; make one with: openssl rand -hex 32",
			secretLength)
	}
	s := &Service{o: o, log: o.Log, cost: costOf(o), hashes: make(chan struct{}, o.Hashes),
		post:    make(chan mailMessage, 100),
		refused: make(chan Entry, 100), refusals: refusals{last: map[[2]string]refusal{}}}
	var err error
	if s.db, err = store.Open(ctx, o.Database); err != nil {
		return nil, err
	}
	if err = s.begin(ctx); err != nil {
		return nil, errors.Join(err, s.db.Close())
	}
	s.posted.Go(s.deliver)
	sweeping, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.ended = cancel
	s.swept.Go(func() { s.sweepAlways(sweeping) })
	s.swept.Go(func() { s.noteRefused(sweeping) })
	return s, nil
}

func (s *Service) begin(ctx context.Context) error {
	from, to, err := s.db.Migrate(ctx)
	if err != nil {
		return err
	}
	if from != to {
		s.log.InfoContext(ctx, "the schema of the database was changed", "from", from, "to", to)
	}
	if s.seal, err = s.newCipher(); err != nil {
		return err
	}
	// made without hashing, since no password must match it
	s.dummy = s.cost.text(randomBytes(hashSalt), randomBytes(hashLength))
	return s.checkSeal(ctx)
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
	s.swept.Wait()
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
func (s *Service) OpenRegistration() bool { return s.o.OpenRegistration }

// SendsMail reports whether e-mails are sent; otherwise the operator confirms addresses.
func (s *Service) SendsMail() bool { return s.o.Mail != nil }

// PublicURL returns where users reach the service.
func (s *Service) PublicURL() string { return s.o.PublicURL }

// Secure reports whether cookies may be sent over TLS only.
func (s *Service) Secure() bool {
	u, err := url.Parse(s.o.PublicURL)
	return err == nil && u.Scheme == "https"
}

// now returns the time in whole microseconds, as tables store it.
func (s *Service) now() time.Time { return s.o.Now().UTC().Truncate(time.Microsecond) }

const secretLength = 32

// secret returns the secret of the options, or of the file next to the SQLite database.
func (s *Service) secret() (string, error) {
	if s.o.Secret != "" {
		if len(s.o.Secret) < secretLength {
			return "", fmt.Errorf("TAPROOT_SERVICE_SECRET has fewer than %d characters; make one with: openssl rand -hex 32",
				secretLength)
		}
		return s.o.Secret, nil
	}
	if s.db.Kind() != "sqlite" {
		return "", errors.New("set TAPROOT_SERVICE_SECRET, the same for every replica; make one with: openssl rand -hex 32")
	}
	return secretFile(filepath.Join(filepath.Dir(strings.TrimPrefix(s.o.Database, "sqlite:")), "service.key"))
}

// secretFile reads the secret, or makes one that no other user can read.
func secretFile(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_, err = f.WriteString(randomText(40) + "\n")
		if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
			return "", fmt.Errorf("make %s: %w", path, err)
		}
	}
	data, err := os.ReadFile(path)
	if text := strings.TrimSpace(string(data)); err == nil && len(text) >= secretLength {
		return text, nil
	}
	return "", fmt.Errorf("read the secret of the service from %s: %w", path,
		errors.Join(err, errors.New("it is too short or cannot be read")))
}

// DB returns the database, for packages with tables of their own.
func (s *Service) DB() *store.DB { return s.db }
