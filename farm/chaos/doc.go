// Package chaos holds the tests of a farm's runs as a whole: hubs, hosts and clients, in one process and as processes
// of their own that are killed and stopped, and a checker that reads what SQL, the packs and the devices say of it
// afterwards.
package chaos
