package runs

import (
	"context"
	"log/slog"
	"time"

	"github.com/taproot-dev/taproot/internal/upload"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/reporters/received"
	"github.com/taproot-dev/taproot/runner/jobs"
	"github.com/taproot-dev/taproot/runner/run"
	"github.com/taproot-dev/taproot/server/internal/rest"
	"github.com/taproot-dev/taproot/server/internal/sandbox"
	"github.com/taproot-dev/taproot/server/shared"
)

// Options configure the runs of a project.
type Options struct {
	Sandbox  *sandbox.Sandbox
	Files    string // the folder that uploads of tests replace
	OwnFiles bool   // Files belongs to a project, so its members may replace it
	Limits   upload.Limits
	Uploads  rest.Uploads
	MaxCall  time.Duration // of one request
	Running  int           // runs at once
	// OnFarm runs the project's cases on the devices of the farm; nil: they run on this machine's.
	OnFarm func(*run.Config, jobs.Placement) jobs.Opening
	// Share connects the project with the bucket of several servers; nil: only this server has it.
	Share   func(*upload.Folder) *shared.Project
	Ended   func(jobs.Record) // is called for each run that has ended; may be nil
	Log     *slog.Logger
	Mask    *event.Mask
	Streams context.Context // ends streaming responses
}

// Runs are the tests, runs and reports of a project.
type Runs struct {
	*tests
	*reports
	o      Options
	jobs   *jobs.Manager
	store  *received.Store
	shared *shared.Project // nil: only this server has the project
}

// New creates the runs of a project, and continues those that an earlier process has queued.
func New(o Options) *Runs {
	folder := &upload.Folder{Dir: o.Files, Limits: o.Limits}
	var common *shared.Project
	if o.Share != nil {
		common = o.Share(folder)
		o.Sandbox.Config.Claim = common.Claim // so that names of runs are unique among servers
	}
	if o.Ended == nil {
		o.Ended = func(jobs.Record) {}
	}
	s := &Runs{tests: &tests{o: o, folder: folder, shared: common}, reports: &reports{o: o, shared: common}, o: o,
		shared: common}
	conf := o.Sandbox.Config
	s.jobs = jobs.New(jobs.Options{Config: o.Sandbox.RunConfig(), Running: o.Running, Log: o.Log, Ended: o.Ended,
		Keep: s.publishEnded, Again: s.runAgain, Remote: o.OnFarm})
	s.reports.jobs = s.jobs
	s.store = &received.Store{Reports: conf.Reports, Limits: o.Limits, Finish: s.received, Claim: conf.Claim}
	if err := upload.Sweep(conf.Reports); err != nil {
		o.Log.Warn("cannot remove incomplete uploads", "error", err)
	}
	return s
}

// Count returns the number of runs by state.
func (s *Runs) Count() map[jobs.State]int { return s.jobs.Count() }

// Close interrupts the runs.
func (s *Runs) Close() { s.jobs.Close() }
