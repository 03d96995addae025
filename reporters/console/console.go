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
