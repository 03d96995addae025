// Package remote runs cases of this machine on the devices of a hub: it implements run.RemoteRunner over HTTP. It
// uploads what the tests need once, submits cases as the run reaches them, and downloads their packs. It retries while
// the hub is unreachable.
package remote
