// Package work runs cases on a host of a farm: jobs come from the stream, packs and events go to the hubs. The code is
// in farm/internal/work; this is what other folders need of it.
package work
