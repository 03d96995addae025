// Package broker gives a hub its NATS: an embedded server with a folder for JetStream, whose hosts come over TLS, or a
// connection to a server or cluster that somebody else runs. It makes the credentials by which hosts connect.
//
//	b, err := broker.Open(broker.Options{Dir: "taproot-data/farm", Listen: ":4222"})
//	defer b.Close()
//	nc := b.Conn()             // may use all subjects
//	js, err := b.JetStream()   // every write is on the disk before it is acknowledged
//
// A host makes a key and keeps it; the hub signs a credential for its public half, which may use the subjects of this
// one host (wire.Allowed) and no others:
//
//	seed, public, err := broker.NewKey()
//	text, err := b.Credential("host-a", public, 24*time.Hour)
//	nc, err := broker.Connect(broker.Login{Host: "host-a", Address: b.Address(), Seed: seed, Credential: func() string { return text }})
//
// The connection comes back by itself, for ever. Revoke ends a key at once.
package broker
