package host

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/farm/internal/broker"
	"github.com/taproot-dev/taproot/farm/internal/wire"
	"github.com/taproot-dev/taproot/internal/guard"
	"github.com/taproot-dev/taproot/internal/reach"
)

// ErrNoToken means that a host has not joined yet, and has no token.
var ErrNoToken = errors.New(
	"this host has not joined the hub yet: use --token TOKEN; taproot admin host-token makes a token on the hub")

// ErrHub means that the URL of the hub cannot be used.
var ErrHub = errors.New("the hub cannot be joined")

// ErrCertificate means that the hub reports another certificate than the one with which the host has joined, without a
// proof that it is the same hub.
var ErrCertificate = errors.New(
	"the hub's certificate is not the one with which this host has joined, and nothing proves that it is the same hub: " +
		"if its keys were replaced, too, join again with --token TOKEN (taproot admin host-token makes one on the hub)")

// errOther means that another server listens at the hub's port for hosts.
var errOther = errors.New(
	"the hub still has the certificate with which this host has joined, and the server at its port for hosts has " +
		"another one: is a proxy that inspects TLS in between, or does the hub's --farm-public name another server?")

// RefusedError is the reason why the hub refuses a host.
type RefusedError struct {
	Status  int
	Message string
	proof   []byte // the hub's signature of the reason
}

// ErrRevoked means that the hub has revoked the host, with a proof that it is this hub.
var ErrRevoked = errors.New(
	"this host was revoked on its hub, and may not come back: ask there for a new token (taproot admin host-token), and " +
		"start it with --token TOKEN")

func (e *RefusedError) Error() string { return "the hub refuses this host: " + e.Message }

// membership is what a host stores about its hub, next to its key.
type membership struct {
	Hub   string `json:"hub"`
	Token string `json:"token"`         // its SHA-256: the same one is not sent twice
	Key   string `json:"key,omitempty"` // the public one
	// the hub's key, which verifies its signatures; "": that which signed the credential
	Issuer string `json:"issuer,omitempty"`
	Joined wire.Joined
}

func (m membership) issuer() string {
	if m.Issuer != "" {
		return m.Issuer
	}
	return broker.Issuer(m.Joined.Credential)
}

// The files in the data folder, readable by their owner only.
const (
	keyFile     = "host.key"
	nextKeyFile = "host.key.next" // the key of a join that no hub has accepted yet
	memberFile  = "host.json"
	joinLimit   = 30 * time.Second
	// joinPatience is how long a host that has not joined yet waits for the hub, with an attempt every joinAgain.
	joinPatience = 10 * time.Second
	joinAgain    = 200 * time.Millisecond
	maxAnswer    = 1 << 20
)

// join returns the host's key and membership: the stored ones, or new ones for a token that was not used yet.
func (o Options) join(ctx context.Context) (seed []byte, m membership, err error) {
	u, err := o.hubURL()
	if err != nil {
		return nil, m, err
	}
	m, known, err := readMembership(o.Dir)
	if err != nil {
		return nil, m, err
	}
	same := known && sameHub(m.Hub, u)
	if same && (o.Token == "" || m.Token == digest(o.Token)) {
		m.Hub = o.Hub
		seed, err = m.seed(o.Dir)
		return seed, m, err
	}
	if o.Token == "" && known {
		return nil, m, fmt.Errorf("this host has joined the hub at %s, not %s: %w", m.Hub, o.Hub, ErrNoToken)
	}
	if o.Token == "" {
		return nil, m, ErrNoToken
	}
	file := keyFile
	if known { // the old key stays until a hub has accepted the new one
		file = nextKeyFile
	}
	_, public, err := o.newKey(file)
	if err != nil {
		return nil, m, err
	}
	m = membership{Hub: o.Hub, Token: digest(o.Token), Key: public}
	if m.Joined, err = o.firstJoin(ctx, wire.Join{Token: o.Token, Key: public, Protocol: wire.Version, Version: o.Version,
		Name: o.Name}); err != nil {
		return nil, m, err
	}
	if err := m.keep(o.Dir); err != nil {
		return nil, m, err
	}
	seed, err = m.seed(o.Dir)
	return seed, m, err
}

// firstJoin sends a token. It retries while the hub does not respond, since both may have been started together.
func (o Options) firstJoin(ctx context.Context, j wire.Join) (out wire.Joined, err error) {
	for began, warned := time.Now(), false; ; {
		out, err = o.exchange(ctx, "api/farm/join", j)
		var unreached *reach.Error
		if !errors.As(err, &unreached) || unreached.Lasting || time.Since(began) > joinPatience {
			return out, err
		}
		if !warned {
			warned = true
			o.Log.Warn(err.Error() + "; it is tried again for ten seconds")
		}
		if drivers.Pause(ctx, joinAgain) != nil {
			return out, err
		}
	}
}

// sameHub reports whether a URL is that of the hub which the host has joined. A slash at the end makes no difference.
func sameHub(joined string, u *url.URL) bool {
	was, err := url.Parse(joined)
	return err == nil && was.Scheme == u.Scheme && strings.EqualFold(was.Host, u.Host) &&
		strings.Trim(was.Path, "/") == strings.Trim(u.Path, "/")
}

// seed reads the key of the membership. When a new membership is saved, its key replaces the old one. This also
// completes a replacement that was interrupted by the end of the process.
func (m membership) seed(dir string) ([]byte, error) {
	next := filepath.Join(dir, nextKeyFile)
	if seed, err := os.ReadFile(next); err == nil && m.Key != "" {
		if public, err := broker.PublicOf(seed); err == nil && public == m.Key {
			return seed, os.Rename(next, filepath.Join(dir, keyFile))
		}
	}
	return os.ReadFile(filepath.Join(dir, keyFile))
}

func digest(token string) string {
	s := sha256.Sum256([]byte(token))
	return hex.EncodeToString(s[:])
}

func readMembership(dir string) (m membership, known bool, err error) {
	text, err := os.ReadFile(filepath.Join(dir, memberFile))
	if errors.Is(err, fs.ErrNotExist) {
		return m, false, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		return m, false, fmt.Errorf("read the membership of this host: %w", err)
	}
	return m, true, nil
}

func (m membership) keep(dir string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return writePrivate(dir, memberFile, text)
}

// newKey makes a key and stores it before it is sent: after a lost response, the hub accepts the same key and token
// again.
func (o Options) newKey(file string) (seed []byte, public string, err error) {
	if seed, err = os.ReadFile(filepath.Join(o.Dir, file)); err == nil {
		public, err = broker.PublicOf(seed)
		return seed, public, err
	}
	if seed, public, err = broker.NewKey(); err != nil {
		return nil, "", err
	}
	return seed, public, writePrivate(o.Dir, file, seed)
}

// writePrivate writes a file that only its owner may read, atomically.
func writePrivate(dir, name string, text []byte) error {
	f, err := os.CreateTemp(dir, "."+name+"-")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, name))
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// exchange sends a token, or a proof of the key, to the hub.
func (o Options) exchange(ctx context.Context, path string, j any) (out wire.Joined, err error) {
	u, err := o.hubURL()
	if err != nil {
		return out, err
	}
	body, err := json.Marshal(j)
	if err != nil {
		return out, err
	}
	ctx, cancel := context.WithTimeout(ctx, joinLimit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, u.JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return out, err
	}
	r.Header.Set("Content-Type", "application/json")
	// the token must not be sent to another server
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	a, err := client.Do(r)
	if err != nil {
		return out, fmt.Errorf("the hub cannot be reached: %w", reach.Why(u, err))
	}
	defer a.Body.Close()
	text, err := io.ReadAll(io.LimitReader(a.Body, maxAnswer))
	if err != nil {
		return out, fmt.Errorf("the hub's response: %w", err)
	}
	if a.StatusCode != http.StatusOK {
		body := struct{ Message string }{}
		_ = json.Unmarshal(text, &body) // without JSON there is no message
		switch elsewhere := reach.Elsewhere(a); {
		case elsewhere != "":
			body.Message = elsewhere
		case a.StatusCode == http.StatusNotFound, strings.HasPrefix(body.Message, "send a credential"):
			// the response of servers that have no endpoint for hosts
			body.Message = u.Redacted() +
				" is not a hub of a farm: was it started with taproot serve --service --farm, and is its URL right, without a " +
				"path such as /console?"
		case body.Message == "":
			body.Message = a.Status + "; is it a hub (taproot serve --service --farm)?"
		}
		proof, _ := base64.StdEncoding.DecodeString(a.Header.Get(wire.ProofHeader)) // empty without a proof
		return out, &RefusedError{a.StatusCode, body.Message, proof}
	}
	if err := json.Unmarshal(text, &out); err != nil || !wire.IsName(out.Host) || out.Credential == "" || out.NATS == "" {
		return out, errors.New("the hub's response is not valid; does it have the same version?")
	}
	return out, nil
}

// hubURL refuses URLs over which others could read the token or replace the certificate.
func (o Options) hubURL() (*url.URL, error) {
	if o.Hub == "" {
		return nil, fmt.Errorf("%w: name it with --hub URL, or in TAPROOT_HUB", ErrHub)
	}
	u, err := url.Parse(o.Hub)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("%w: %q must be a URL such as https://hub.example.com", ErrHub, o.Hub)
	}
	if u.Scheme == "http" && !o.AllowHTTP && !guard.IsLoopback(u.Hostname()) {
		return nil, fmt.Errorf(
			"%w: %s has no TLS: others could read the token and give this host a hub of their own; use https://, or "+
				"--allow-http in a network that you trust", ErrHub, o.Hub)
	}
	return u, nil
}

// natsAddress returns the address of NATS; without a host name it is that of the hub.
func (m membership) natsAddress() (broker.Address, error) {
	if !strings.Contains(m.Joined.NATS, "://:") {
		return broker.Address{URL: m.Joined.NATS, Cert: m.Joined.Cert}, nil
	}
	u, err := url.Parse(m.Hub)
	if err != nil {
		return broker.Address{}, err
	}
	scheme, port, _ := strings.Cut(m.Joined.NATS, "://:")
	return broker.Address{URL: scheme + "://" + net.JoinHostPort(u.Hostname(), port), Cert: m.Joined.Cert}, nil
}
