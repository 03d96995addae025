package host

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/farm/broker"
	"github.com/taproot-dev/taproot/farm/wire"
)

// ErrNoToken means that a host has not joined yet, and has no token to do so.
var ErrNoToken = errors.New("this host has not joined the hub yet: give it a token with --token; taproot admin host-token makes one on the hub")

// ErrHub means that the address of the hub is none that a host can join.
var ErrHub = errors.New("the hub cannot be joined")

// RefusedError is why the hub does not let a host in.
type RefusedError struct {
	Status  int
	Message string
}

func (e *RefusedError) Error() string { return "the hub refuses this host: " + e.Message }

// membership is what a host keeps of its hub, beside its key.
type membership struct {
	Hub    string `json:"hub"`
	Token  string `json:"token"` // its SHA-256: the same one is not sent twice
	Joined wire.Joined
}

// Files of the data folder, for the owner's eyes.
const (
	keyFile    = "host.key"
	memberFile = "host.json"
	joinLimit  = 30 * time.Second
	maxAnswer  = 1 << 20
)

// join gives the host's key and membership: those that it has, or new ones for a token that it has not used yet.
func (o Options) join(ctx context.Context) (seed []byte, m membership, err error) {
	if _, err := o.hubURL(); err != nil {
		return nil, m, err
	}
	m, known, err := readMembership(o.Dir)
	if err != nil {
		return nil, m, err
	}
	if known && m.Hub == o.Hub && (o.Token == "" || m.Token == digest(o.Token)) {
		seed, err = os.ReadFile(filepath.Join(o.Dir, keyFile))
		return seed, m, err
	}
	if o.Token == "" {
		return nil, m, ErrNoToken
	}
	seed, public, err := o.newKey(known)
	if err != nil {
		return nil, m, err
	}
	m = membership{Hub: o.Hub, Token: digest(o.Token)}
	if m.Joined, err = o.exchange(ctx, "api/farm/join", wire.Join{Token: o.Token, Key: public, Protocol: wire.Version, Version: o.Version, Name: o.Name}); err != nil {
		return nil, m, err
	}
	return seed, m, m.keep(o.Dir)
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
		return m, false, fmt.Errorf("what this host knows of its hub: %w", err)
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

// newKey makes a key and keeps it before it is sent: if the answer is lost, the same key with the same token is let in.
func (o Options) newKey(another bool) (seed []byte, public string, err error) {
	file := filepath.Join(o.Dir, keyFile)
	if seed, err = os.ReadFile(file); err == nil && !another {
		public, err = broker.PublicOf(seed)
		return seed, public, err
	}
	if seed, public, err = broker.NewKey(); err != nil {
		return nil, "", err
	}
	return seed, public, writePrivate(o.Dir, keyFile, seed)
}

// writePrivate writes a file that only its owner may read, as a whole or not at all.
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
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }} // a token goes to the hub that was named
	a, err := client.Do(r)
	if err != nil {
		return out, fmt.Errorf("the hub cannot be reached: %w", err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(io.LimitReader(a.Body, maxAnswer))
	if err != nil {
		return out, fmt.Errorf("the hub's answer: %w", err)
	}
	if a.StatusCode != http.StatusOK {
		said := struct{ Message string }{}
		if json.Unmarshal(text, &said) != nil || said.Message == "" {
			said.Message = a.Status + "; is it a hub (taproot serve --service --farm)?"
		}
		return out, &RefusedError{a.StatusCode, said.Message}
	}
	if err := json.Unmarshal(text, &out); err != nil || !wire.IsName(out.Host) || out.Credential == "" || out.NATS == "" {
		return out, errors.New("the hub's answer makes no sense; is it of the same version?")
	}
	return out, nil
}

// hubURL refuses to send tokens and get certificates where others can read and change them.
func (o Options) hubURL() (*url.URL, error) {
	u, err := url.Parse(o.Hub)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("%w: %q must be an address such as https://hub.example.com", ErrHub, o.Hub)
	}
	if u.Scheme == "http" && !o.AllowHTTP && !isLocal(u.Hostname()) {
		return nil, fmt.Errorf("%w: %s has no TLS: others could read the token and give this host a hub of their own; use https://, or --allow-http in a network that you trust", ErrHub, o.Hub)
	}
	return u, nil
}

func isLocal(name string) bool {
	ip, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && ip.IsLoopback()
}

// natsAddress is that of NATS; without a host it is that of the hub.
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
