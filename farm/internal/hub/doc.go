// Package hub is the part of a farm that clients talk to: it decides which hosts may join, tracks which are online, and
// connects to them. It takes a database of the service and a broker. From the beats of the hosts it makes one list of
// devices, and it forwards requests for a device over connections to its host.
//
//	h, err := hub.Open(ctx, hub.Options{DB: db, Broker: b, Version: "1.2.3"})
//	defer h.Close()
//	for _, d := range h.Devices(project) { … }
//	at, err := h.Find(project, "emulator-5554")
//	(&httputil.ReverseProxy{Transport: h.Transport(at.Host), …}).ServeHTTP(w, r)
//
// A host is trusted about its own devices only. NATS guarantees which host published to a subject.
package hub
