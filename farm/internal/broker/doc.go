// Package broker provides NATS for a hub: an embedded server with a folder for JetStream, to which hosts connect over
// TLS, or a connection to an external server or cluster. It makes the credentials with which hosts connect.
//
//	b, err := broker.Open(broker.Options{Dir: "taproot-data/farm", Listen: ":4222"})
//	defer b.Close()
//	nc := b.Conn()             // may use all subjects
//	js, err := b.JetStream()   // every write is on the disk before it is acknowledged
//
// A host makes a key and keeps it. The hub signs a credential for the public key, with permission for the subjects of
// this one host only (wire.Allowed):
//
//	seed, public, err := broker.NewKey()
//	text, err := b.Credential("host-a", public, 24*time.Hour)
//	nc, err := broker.Connect(broker.Login{Host: "host-a", Address: b.Address(), Seed: seed,
//		Credential: func() string { return text }})
//
// The connection reconnects by itself, without a limit. Revoke disconnects a key at once.
package broker
