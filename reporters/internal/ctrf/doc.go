// Package ctrf turns a run into ctrf.json, a report in the Common Test Report Format.
package ctrf
