// Package wire is how the hubs and the hosts of a farm speak over NATS: names of subjects, the version of the protocol,
// questions with answers, and connections. Dial and Listen give a net.Conn and a net.Listener, so that HTTP and
// whatever else speaks over TCP works between a hub and a host that has no port of its own:
//
//	// on a host: its server, without a port
//	l, err := wire.Listen(nc, "host-a")
//	go http.Serve(l, handler)
//
//	// on a hub
//	conn, err := wire.Dial(ctx, nc, "host-a")
//
// A connection is two subjects, host.<id>.down.<conn> and host.<id>.up.<conn>. NATS loses what it cannot deliver,
// therefore every frame has a number, and a gap ends the connection. Each end lets the other send no more than it has
// room for (window), so a slow reader holds the writer back. Who is silent for three beats is dead; who lost its NATS
// connection has lost all its connections.
//
// A host may publish below host.<id>.up, hub.<id> and its own consumer, and subscribe below host.<id>: the id in a
// subject is the word of NATS, not of the host. The credentials that package broker makes say so.
package wire
