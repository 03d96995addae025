// Package metrics counts, and writes the counts in the text format of Prometheus.
package metrics
