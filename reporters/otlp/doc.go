// Package otlp sends a run as a trace of OpenTelemetry (OTLP over HTTP, JSON): a span for the run, below it one for
// each try of each case, below that one for each step. It is told where by the variables that OpenTelemetry itself
// names.
package otlp
