// Package remote runs cases of this machine on the devices of a hub: it implements run.RemoteRunner over HTTP. The
// code is in runner/internal/remote; this is what other folders need of it.
package remote
