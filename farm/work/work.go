// Package work runs cases on a host of a farm: jobs come from the stream, packs and events go to the hubs. The code is
// in farm/internal/work; this is what other folders need of it.
package work

import (
	"github.com/taproot-dev/taproot/farm/internal/work"
)

// Options are the settings of a worker.
type Options = work.Options

// New makes a worker. It delivers packs that an earlier worker has left when it runs.
func New(o Options) (*work.Worker, error) {
	return work.New(o)
}

// TestsIn returns the folder, in that of a worker, which contains the tests of each run in a folder with an unguessable
// name.
func TestsIn(dir string) string {
	return work.TestsIn(dir)
}
