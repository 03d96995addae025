package broker

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"

	"github.com/taproot-dev/taproot/farm/internal/wire"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// Cluster describes an external NATS cluster for the hubs of a farm.
type Cluster struct {
	Servers []string // their host names, by which they reach each other; a single one makes no cluster
	Store   string   // the folder of JetStream on each of them
	// the folder of tls.crt and tls.key on each of them, for hosts that connect over untrusted networks; "": no TLS
	TLS string
}

var serverName = lazyregexp.New(`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$`)

// NewCluster makes the configuration that all servers of a cluster share (each is started with its own name:
// nats-server -c nats.conf -n NAME), with new keys, and the seed of the farm's account, which the hubs need as
// Options.Account. The keys that sign accounts are discarded, so no further accounts can be made.
func NewCluster(c Cluster) (config, account string, err error) {
	if len(c.Servers) == 0 {
		return "", "", errors.New("name the servers")
	}
	for _, name := range c.Servers {
		if !serverName.MatchString(name) {
			return "", "", fmt.Errorf("%q is not a server name: use that of its machine or container, without a port", name)
		}
	}
	for _, dir := range []string{c.Store, c.TLS} {
		if strings.ContainsAny(dir, "\"\\\n") {
			return "", "", fmt.Errorf("%q cannot be a folder in the configuration: leave out quotes and backslashes", dir)
		}
	}
	k, err := newKeys()
	if err != nil {
		return "", "", err
	}
	operator, accounts, err := k.trust()
	if err != nil {
		return "", "", err
	}
	seed, err := k.farm.Seed()
	if err != nil {
		return "", "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b,
		"# The NATS servers of a Taproot farm. Start each with its own name: nats-server -c nats.conf -n NAME\nlisten: "+
			"0.0.0.0:4222\nmax_payload: %d\nping_interval: 5s\n", wire.MaxMessage)
	fmt.Fprintf(&b, "jetstream {\n  store_dir: %q\n  sync_interval: always\n}\n", c.Store)
	if c.TLS != "" {
		fmt.Fprintf(&b, "tls {\n  cert_file: %q\n  key_file: %q\n}\n", c.TLS+"/tls.crt", c.TLS+"/tls.key")
	}
	if len(c.Servers) > 1 {
		password := rand.Text()
		fmt.Fprintf(&b,
			"cluster {\n  name: taproot\n  listen: 0.0.0.0:6222\n  authorization { user: route, password: %q, timeout: 5 }\n  "+
				"routes: [\n", password)
		for _, name := range c.Servers {
			fmt.Fprintf(&b, "    nats://route:%s@%s:6222\n", password, name)
		}
		b.WriteString("  ]\n}\n")
	}
	fmt.Fprintf(&b, "operator: %s\nsystem_account: %s\nresolver: MEMORY\nresolver_preload: {\n", operator, accounts[0].id)
	for _, a := range accounts {
		fmt.Fprintf(&b, "  %s: %s\n", a.id, a.token)
	}
	b.WriteString("}\n")
	return b.String(), string(seed), nil
}

// newKeys makes keys that are not stored.
func newKeys() (k keys, err error) {
	if k.operator, err = nkeys.CreateOperator(); err != nil {
		return k, err
	}
	if k.system, err = nkeys.CreateAccount(); err != nil {
		return k, err
	}
	k.farm, err = nkeys.CreateAccount()
	return k, err
}

// signed is an account with its token, which the operator key has signed.
type signed struct{ id, token string }

// trust returns the operator's own token, and those of the accounts: the system's first, then the farm's.
func (k keys) trust() (operator string, accounts []signed, err error) {
	id, err := k.operator.PublicKey()
	if err != nil {
		return "", nil, err
	}
	system, err := k.system.PublicKey()
	if err != nil {
		return "", nil, err
	}
	farm, err := k.farm.PublicKey()
	if err != nil {
		return "", nil, err
	}
	of := jwt.NewOperatorClaims(id)
	of.Name, of.SystemAccount = "taproot", system
	if operator, err = of.Encode(k.operator); err != nil {
		return "", nil, err
	}
	for _, claims := range []*jwt.AccountClaims{jwt.NewAccountClaims(system), farmClaims(farm)} {
		token, err := claims.Encode(k.operator)
		if err != nil {
			return "", nil, err
		}
		accounts = append(accounts, signed{claims.Subject, token})
	}
	return operator, accounts, nil
}

// farmClaims returns the claims of the farm's account: it may store as much as the disk has space for.
func farmClaims(id string) *jwt.AccountClaims {
	c := jwt.NewAccountClaims(id)
	c.Name = "farm"
	c.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: jwt.NoLimit, DiskStorage: jwt.NoLimit,
		Streams: jwt.NoLimit, Consumer: jwt.NoLimit}
	return c
}

// Copies returns how many servers store a message: three, if the cluster has as many.
func (b *Broker) Copies() int {
	if b.server == nil && len(b.nc.Servers()) >= 3 {
		return 3
	}
	return 1
}
