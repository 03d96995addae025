// Package remote runs cases of this machine on the devices of a hub: it fulfils run.RemoteRunner over HTTP. What tests
// need is sent once, cases as the run comes to them, and their packs come home; a hub that is away for a while is
// waited for.
package remote
