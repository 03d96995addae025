// Package history reads the runs of a project: from folders of packs it derives what ran, with which result, and what
// the results were before. It finalizes runs that died, merges shards and removes old runs.
package history
