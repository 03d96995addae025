// Package upload takes report packs from strangers: the stream of a tar.gz goes in, a pack in a run directory of its
// own comes out, or nothing is left behind.
package upload
