// Package dispatch runs cases on the hosts of a hub: it assigns waiting cases to free devices, sends them to the
// hosts, receives the packs, and informs the clients. The code is in farm/internal/dispatch; this is what other
// folders need of it.
package dispatch
