// Package console turns the events of many cases, as they happen, into the output on a terminal. The code is in
// reporters/internal/console; this is what other folders need of it.
package console

import (
	"io"

	"github.com/taproot-dev/taproot/reporters/internal/console"
)

// Options configure the output. Quiet leaves out everything before the failures; Verbose adds a line per step.
type Options = console.Options

// Console shows one run. It is safe for concurrent use. End must be called.
type Console = console.Console

// New starts to show a run.
func New(w io.Writer, o Options) *Console {
	return console.New(w, o)
}

// Run is what End shows of the run as a whole.
type Run = console.Run
