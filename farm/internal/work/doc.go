// Package work runs cases on a host of a farm: jobs come from the stream, packs and events go to the hubs. A pack is
// kept until a hub has it, or responds that it is no longer needed.
package work
