// Package order contains the messages about runs between clients, hubs and hosts, as JSON, and the subjects of those
// between hosts and hubs. The code is in runner/internal/order; this is what other folders need of it.
package order
