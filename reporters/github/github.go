// Package github shows a run in GitHub Actions: annotations at the lines of the YAML files, and the job's summary
// page. The code is in reporters/internal/github; this is what other folders need of it.
package github

import (
	"io"

	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/reporters/internal/github"
)

// Places says where files are, so that an annotation finds its line.
type Places = github.Places

// Annotate writes a workflow command for each case that did not pass, and a warning for each that is flaky. GitHub
// shows ten of each type: the tenth says how many more there are.
func Annotate(w io.Writer, r *history.Run, p Places) error {
	return github.Annotate(w, r, p)
}
