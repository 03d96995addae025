// Package archive carries what tests need to other machines: their folders and the files that their steps name become
// one archive, which its SHA-256 names; a host keeps archives as long as there is room, and lays one down for each run.
package archive
