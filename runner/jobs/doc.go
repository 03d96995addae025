// Package jobs runs tests for clients that do not wait: a Request goes in, a Record that changes until the run has
// ended comes out, and the events of the run can be followed.
package jobs
