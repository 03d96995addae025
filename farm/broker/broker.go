// Package broker provides NATS for a hub: an embedded server with a folder for JetStream, to which hosts connect over
// TLS, or a connection to an external server or cluster. The code is in farm/internal/broker; this is what other
// folders need of it.
package broker

import (
	"github.com/taproot-dev/taproot/farm/internal/broker"
)

// Options are the settings of a Broker.
type Options = broker.Options

// Broker is a connection to NATS. Close must be called in the end. Safe for concurrent use.
type Broker = broker.Broker

// Open starts the embedded server, or connects to the external one at o.URL.
func Open(o Options) (*Broker, error) {
	return broker.Open(o)
}

// Cluster describes an external NATS cluster for the hubs of a farm.
type Cluster = broker.Cluster

// NewCluster makes the configuration that all servers of a cluster share (each is started with its own name:
// nats-server -c nats.conf -n NAME), with new keys, and the seed of the farm's account, which the hubs need as
// Options.Account. The keys that sign accounts are discarded, so no further accounts can be made.
func NewCluster(c Cluster) (config string, account string, err error) {
	return broker.NewCluster(c)
}

// NewKey makes the key of a host: the seed stays on the host.
func NewKey() (seed []byte, public string, err error) {
	return broker.NewKey()
}
