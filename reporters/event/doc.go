// Package event is what a case tells while it runs: events go into a Sink as they happen, and are folded into a Result,
// of which every report is made. Secrets are taken out here, before anything is written.
package event
