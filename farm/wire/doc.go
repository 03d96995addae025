// Package wire is the communication of the hubs and hosts of a farm over NATS: names of subjects, the version of the
// protocol, requests with responses, and connections. The code is in farm/internal/wire; this is what other folders
// need of it.
package wire
