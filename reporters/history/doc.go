// Package history reads the runs of a project: folders of packs go in; what ran, how it went and how it went before
// come out. It seals runs that died, merges shards and removes old runs.
package history
