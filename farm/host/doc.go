// Package host is the part of a farm beside the devices: it joins a hub by a token, keeps its key, says which devices
// it has, and serves them over NATS. It has no port of its own. A Server answers for the devices; package server has
// one.
package host
