// Package ctrf turns a run into ctrf.json, a report in the Common Test Report Format. The code is in
// reporters/internal/ctrf; this is what other folders need of it.
package ctrf
