// Package hub is the part of a farm that clients talk to: which hosts may join, which are there, the devices that they
// have, and the way to them. A database of the service and a broker go in; what hosts say comes out as one list of
// devices, and requests for a device as connections with its host.
//
//	h, err := hub.Open(ctx, hub.Options{DB: db, Broker: b, Version: "1.2.3"})
//	defer h.Close()
//	for _, d := range h.Devices(project) { … }
//	at, err := h.Find(project, "emulator-5554")
//	(&httputil.ReverseProxy{Transport: h.Transport(at.Host), …}).ServeHTTP(w, r)
//
// What a host says is believed about its own devices only: the host is the one of the subject that NATS let it publish
// to.
package hub
