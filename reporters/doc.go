// Package reporters turns the events of a run into report packs: events go in as they happen, are kept at once, and the
// readable files of specification §2.3 are derived from them alone.
package reporters
