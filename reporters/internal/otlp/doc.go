// Package otlp sends a run as an OpenTelemetry trace (OTLP over HTTP, JSON): a span for the run, below it one for each
// attempt of each case, below that one for each step. The target is configured with OpenTelemetry's own variables.
package otlp
