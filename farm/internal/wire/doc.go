// Package wire is the communication of the hubs and hosts of a farm over NATS: names of subjects, the version of the
// protocol, requests with responses, and connections. Dial returns a net.Conn and Listen a net.Listener, so HTTP and
// other TCP protocols work between a hub and a host that has no open port:
//
//	// on a host: its server, without a port
//	l, err := wire.Listen(nc, "host-a")
//	go http.Serve(l, handler)
//
//	// on a hub
//	conn, err := wire.Dial(ctx, nc, "host-a")
//
// A connection is two subjects, host.<id>.down.<conn> and host.<id>.up.<conn>. NATS drops what it cannot deliver,
// therefore every frame has a number, and a gap ends the connection. Each end announces how much the other may send
// (window), so a slow reader blocks the writer. An end that is silent for three beats counts as dead. A process that
// loses its connection to NATS loses all its connections.
//
// A host may publish below host.<id>.up, hub.<id> and its own consumer, and subscribe below host.<id>. NATS enforces
// this by the credentials that package broker makes, so a host cannot forge the id in a subject.
package wire
