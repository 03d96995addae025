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

	"github.com/taproot-dev/taproot/farm/wire"
)

// keys sign: those of the operator and of the accounts of the embedded server, or the account's alone.
type keys struct{ operator, system, farm nkeys.KeyPair }

// loadKeys reads the keys of a folder; those that are not there are made.
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
		return nil, fmt.Errorf("%s holds no key: %w", file, err)
	}
	return pair, nil
}

// accountKey is the key of an account on somebody else's server.
func accountKey(seed string) (keys, error) {
	pair, err := nkeys.FromSeed([]byte(seed))
	if err == nil {
		var public string
		if public, err = pair.PublicKey(); err == nil && !nkeys.IsValidPublicAccountKey(public) {
			err = errors.New("it is the key of something else")
		}
	}
	if err != nil {
		return keys{},
			fmt.Errorf("a server of your own needs the seed of the farm's account there (SA…), which signs for hosts: %w", err)
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

// authorities tells the embedded server whom it trusts.
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

// hubClaims let a hub use all subjects, as long as its process lives: the key is in its memory only.
func hubClaims(public string) *jwt.UserClaims {
	c := jwt.NewUserClaims(public)
	c.Name = "hub"
	return c
}

// hostClaims let a host use its own subjects.
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

// NewKey makes the key of a host: its seed stays on the host.
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

// PublicOf is the public half of the key that a seed belongs to.
func PublicOf(seed []byte) (string, error) {
	pair, err := nkeys.FromSeed(seed)
	if err != nil {
		return "", fmt.Errorf("NATS: the key: %w", err)
	}
	return pair.PublicKey()
}

// Signed tells whether the holder of a key, whose public half is given, has signed a text.
func Signed(public string, text, signature []byte) bool {
	key, err := nkeys.FromPublicKey(public)
	return err == nil && IsKey(public) && key.Verify(text, signature) == nil
}

// Sign signs a text with the key that a seed belongs to.
func Sign(seed, text []byte) ([]byte, error) {
	pair, err := nkeys.FromSeed(seed)
	if err != nil {
		return nil, fmt.Errorf("NATS: the key: %w", err)
	}
	return pair.Sign(text)
}

// Vouch signs a text with the key that signs the credentials of hosts: who has such a credential knows by it that the
// word is the hub's.
func (b *Broker) Vouch(text []byte) ([]byte, error) {
	signature, err := b.keys.farm.Sign(text)
	if err != nil {
		return nil, fmt.Errorf("NATS: sign: %w", err)
	}
	return signature, nil
}

// Issuer is the public half of the key that has signed a credential, be it over or not; "": it cannot be read.
func Issuer(credential string) string {
	claims, err := jwt.DecodeUserClaims(credential)
	if err != nil {
		return ""
	}
	return claims.Issuer
}

// Vouched tells whether the hub of an Issuer has signed a text.
func Vouched(issuer string, text, signature []byte) bool {
	key, err := nkeys.FromPublicKey(issuer)
	return err == nil && nkeys.IsValidPublicAccountKey(issuer) && key.Verify(text, signature) == nil
}

// Validity is from when until when a credential is good; zero times when it cannot be read.
func Validity(credential string) (from, until time.Time) {
	claims, err := jwt.DecodeUserClaims(credential)
	if err != nil {
		return from, until
	}
	return time.Unix(claims.IssuedAt, 0), time.Unix(claims.Expires, 0)
}

// IsKey tells whether a text is the public half of a host's key.
func IsKey(public string) bool { return nkeys.IsValidPublicUserKey(public) }

func writePrivate(file string, text []byte) error { return os.WriteFile(file, text, 0o600) }
