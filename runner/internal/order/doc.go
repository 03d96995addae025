// Package order contains the messages about runs between clients, hubs and hosts, as JSON, and the subjects of those
// between hosts and hubs.
package order
