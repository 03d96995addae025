// Package event defines the events of a case and the Result that they add up to. A running case sends its events to a
// Sink; Fold turns them into a Result, from which every report is made. Secrets are removed here, before anything is
// written.
package event
