// Package work runs cases on a host of a farm: jobs come out of the stream, packs and events go to the hubs. A pack is
// kept until a hub has it, or says that nobody wants it.
package work
