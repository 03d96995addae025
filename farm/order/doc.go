// Package order is what clients, hubs and hosts say to each other of runs: messages in JSON, and the subjects on which
// hosts and hubs send them.
package order
