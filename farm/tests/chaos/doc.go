// Package chaos holds tests only, of a farm as a whole: hubs, hosts and clients, in one process, and as separate
// processes that are killed and suspended. A checker compares the database, the packs and the logs of the devices
// afterwards.
package chaos
