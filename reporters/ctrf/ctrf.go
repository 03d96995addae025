// Package ctrf turns a run into ctrf.json, a report in the Common Test Report Format. The code is in
// reporters/internal/ctrf; this is what other folders need of it.
package ctrf

import (
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/reporters/internal/ctrf"
)

// Write returns the bytes of ctrf.json. The format has no status for an error or an interrupted test: both are failed,
// and rawStatus distinguishes them.
func Write(r *history.Run) ([]byte, error) {
	return ctrf.Write(r)
}
