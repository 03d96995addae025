// Package broker provides NATS for a hub: an embedded server with a folder for JetStream, to which hosts connect over
// TLS, or a connection to an external server or cluster. The code is in farm/internal/broker; this is what other
// folders need of it.
package broker
