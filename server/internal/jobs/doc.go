// Package jobs runs tests for clients that do not wait. A Request starts a run; its Record changes until the run has
// ended, and its events can be followed.
package jobs
