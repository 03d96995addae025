// Package dispatch is a hub's part in runs: it gives cases that wait to free devices of hosts, sends them there, takes
// the packs, and tells the clients. SQL decides (package queue); what NATS loses or doubles is put right by asking SQL
// again.
package dispatch
