package broker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/taproot-dev/taproot/farm/internal/wire"
)

// keys are the signing keys: those of the operator and the accounts of the embedded server, or that of the account
// alone.
type keys struct{ operator, system, farm nkeys.KeyPair }

// loadKeys reads the keys in a folder and creates the missing ones.
func loadKeys(dir string) (k keys, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return k, err
	}
	for _, one := range []struct {
		name string
		make func() (nkeys.KeyPair, error)
		to   *nkeys.KeyPair
	}{{"operator", nkeys.CreateOperator, &k.operator}, {"system", nkeys.CreateAccount, &k.system},
		{"farm", nkeys.CreateAccount, &k.farm}} {
		if *one.to, err = loadKey(filepath.Join(dir, one.name+".seed"), one.make); err != nil {
			return k, err
		}
	}
	return k, nil
}

func loadKey(file string, create func() (nkeys.KeyPair, error)) (nkeys.KeyPair, error) {
	seed, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		pair, err := create()
		if err != nil {
			return nil, err
		}
		if seed, err = pair.Seed(); err != nil {
			return nil, err
		}
		return pair, writePrivate(file, seed)
	}
	if err != nil {
		return nil, err
	}
	pair, err := nkeys.FromSeed(seed)
	if err != nil {
		return nil, fmt.Errorf("%s does not contain a key: %w", file, err)
	}
	return pair, nil
}

// accountKey returns the key of an account on an external server.
func accountKey(seed string) (keys, error) {
	pair, err := nkeys.FromSeed([]byte(seed))
	if err == nil {
		var public string
		if public, err = pair.PublicKey(); err == nil && !nkeys.IsValidPublicAccountKey(public) {
			err = errors.New("it is a key of another type")
		}
	}
	if err != nil {
		return keys{},
			fmt.Errorf("an external server needs the seed of the farm's account there (SA…), which signs for hosts: %w", err)
	}
	return keys{farm: pair}, nil
}

// sign makes a credential of the farm's account.
func (k keys) sign(claims *jwt.UserClaims) (string, error) {
	text, err := claims.Encode(k.farm)
	if err != nil {
		return "", fmt.Errorf("NATS: sign a credential: %w", err)
	}
	return text, nil
}

// authorities sets the keys that the embedded server trusts.
func (b *Broker) authorities(so *server.Options, revoked []string) error {
	system, err := b.keys.system.PublicKey()
	if err != nil {
		return err
	}
	farm, err := b.keys.farm.PublicKey()
	if err != nil {
		return err
	}
	operator, err := b.keys.operator.PublicKey()
	if err != nil {
		return err
	}
	of := jwt.NewOperatorClaims(operator)
	of.SystemAccount = system
	signed, err := of.Encode(b.keys.operator)
	if err != nil {
		return err
	}
	if of, err = jwt.DecodeOperatorClaims(signed); err != nil {
		return err
	}
	b.account = farmClaims(farm)
	for _, key := range revoked {
		b.account.RevokeAt(key, always)
	}
	resolver := &server.MemAccResolver{}
	for name, claims := range map[string]*jwt.AccountClaims{system: jwt.NewAccountClaims(system), farm: b.account} {
		text, err := claims.Encode(b.keys.operator)
		if err == nil {
			err = resolver.Store(name, text)
		}
		if err != nil {
			return err
		}
	}
	so.TrustedOperators, so.SystemAccount, so.AccountResolver = []*jwt.OperatorClaims{of}, system, resolver
	return nil
}

// hubClaims permit a hub to use all subjects. They do not expire: the key is only in the memory of its process.
func hubClaims(public string) *jwt.UserClaims {
	c := jwt.NewUserClaims(public)
	c.Name = "hub"
	return c
}

// hostClaims permit a host to use its own subjects.
func hostClaims(host, public string, valid time.Duration) *jwt.UserClaims {
	c := jwt.NewUserClaims(public)
	c.Name = host
	c.Expires = time.Now().Add(valid).Unix()
	publish, subscribe := wire.Allowed(host)
	c.Permissions = jwt.Permissions{Pub: jwt.Permission{Allow: publish}, Sub: jwt.Permission{Allow: subscribe},
		Resp: &jwt.ResponsePermission{MaxMsgs: 1, Expires: time.Minute}}
	c.Limits.Subs = 20_000
	c.AllowedConnectionTypes = jwt.StringList{jwt.ConnectionTypeStandard}
	return c
}

// NewKey makes the key of a host: the seed stays on the host.
func NewKey() (seed []byte, public string, err error) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return nil, "", fmt.Errorf("NATS: make a key: %w", err)
	}
	if public, err = pair.PublicKey(); err == nil {
		seed, err = pair.Seed()
	}
	return seed, public, err
}

// PublicOf returns the public key of a seed.
func PublicOf(seed []byte) (string, error) {
	pair, err := nkeys.FromSeed(seed)
	if err != nil {
		return "", fmt.Errorf("NATS: the key: %w", err)
	}
	return pair.PublicKey()
}

// Signed reports whether the owner of a public key has signed a text.
func Signed(public string, text, signature []byte) bool {
	key, err := nkeys.FromPublicKey(public)
	return err == nil && IsKey(public) && key.Verify(text, signature) == nil
}

// Sign signs a text with the key of a seed.
func Sign(seed, text []byte) ([]byte, error) {
	pair, err := nkeys.FromSeed(seed)
	if err != nil {
		return nil, fmt.Errorf("NATS: the key: %w", err)
	}
	return pair.Sign(text)
}

// Vouch signs a text with the key that signs the credentials of hosts. A host with such a credential can verify that
// the text is from the hub.
func (b *Broker) Vouch(text []byte) ([]byte, error) {
	signature, err := b.keys.farm.Sign(text)
	if err != nil {
		return nil, fmt.Errorf("NATS: sign: %w", err)
	}
	return signature, nil
}

// Issuer returns the public key that signed a credential, even an expired one, or "" if the credential is invalid.
func Issuer(credential string) string {
	claims, err := jwt.DecodeUserClaims(credential)
	if err != nil {
		return ""
	}
	return claims.Issuer
}

// Vouched reports whether the hub of an Issuer has signed a text.
func Vouched(issuer string, text, signature []byte) bool {
	key, err := nkeys.FromPublicKey(issuer)
	return err == nil && nkeys.IsValidPublicAccountKey(issuer) && key.Verify(text, signature) == nil
}

// Validity returns when a credential becomes valid and when it expires; zero times if it is invalid.
func Validity(credential string) (from, until time.Time) {
	claims, err := jwt.DecodeUserClaims(credential)
	if err != nil {
		return from, until
	}
	return time.Unix(claims.IssuedAt, 0), time.Unix(claims.Expires, 0)
}

// IsKey reports whether a text is the public key of a host.
func IsKey(public string) bool { return nkeys.IsValidPublicUserKey(public) }

func writePrivate(file string, text []byte) error { return os.WriteFile(file, text, 0o600) }
