// Package dispatch runs cases on the hosts of a hub: it assigns waiting cases to free devices, sends them to the hosts,
// receives the packs, and informs the clients. The database is the source of truth (package queue): messages that NATS
// loses or duplicates are corrected by comparing with it regularly.
package dispatch
