// Package host is the part of a farm on the machine with the devices. It joins a hub with a token, keeps its key,
// reports its devices, and serves them over NATS without an open port. A Server handles the requests; package server
// has one.
package host
