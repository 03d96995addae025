// Package runs is the part of the REST API that runs tests: tests, runs, reports and uploads of a project.
package runs

import (
	"context"
	"log/slog"
	"time"

	"net/http"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/upload"
	"github.com/taproot-dev/taproot/runner/run"
	"github.com/taproot-dev/taproot/server/internal/jobs"
	"github.com/taproot-dev/taproot/server/internal/received"
	"github.com/taproot-dev/taproot/server/internal/rest"
	"github.com/taproot-dev/taproot/server/internal/sandbox"
	"github.com/taproot-dev/taproot/server/internal/shared"
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

// Routes registers the operations on tests, runs and reports. of returns those of a request's project.
func Routes(api *rest.API, of func(context.Context) *Runs) {
	rest.Register(api, rest.Op{Get: "/tests", ID: "list-tests", Tag: "runs", Scope: rest.ReadRuns,
		Summary: "List the tests of the server",
		Codes:   []int{http.StatusUnprocessableEntity}}, rest.On(of, (*Runs).listTests))
	rest.Register(api, rest.Op{Post: "/tests/validate", ID: "validate-tests", Tag: "runs", Scope: rest.ReadRuns,
		Summary: "Validate tests without running them"}, rest.On(of, (*Runs).validateTests))
	api.Raw(rest.Op{Post: "/tests", ID: "upload-tests", Tag: "runs", Scope: rest.WriteRuns, Answers: UploadedTests{},
		Upload:  true,
		Part:    testsPart,
		Summary: "Replace the tests on the server", Doc: uploadTestsDoc, Codes: []int{413, 504}},
		rest.RawOn(of, (*Runs).uploadTests))
	rest.Register(api, rest.Op{Post: "/runs", ID: "start-run", Tag: "runs", Scope: rest.WriteRuns, Summary: "Run tests",
		Doc:    runDoc,
		Status: http.StatusAccepted, Also: []int{http.StatusOK}, Codes: []int{http.StatusUnprocessableEntity}},
		rest.On(of, (*Runs).startRun))
	rest.Register(api, rest.Op{Get: "/runs", ID: "list-runs", Tag: "runs", Scope: rest.ReadRuns,
		Summary: "List the runs, newest first"},
		rest.On(of, (*Runs).listRuns))
	rest.Register(api, rest.Op{Get: "/runs/{id}", ID: "get-run", Tag: "runs", Scope: rest.ReadRuns,
		Summary: "Show one run",
		Codes:   []int{404}}, rest.On(of, (*Runs).getRun))
	rest.Register(api, rest.Op{Delete: "/runs/{id}", ID: "cancel-run", Tag: "runs", Scope: rest.WriteRuns,
		Summary: "Cancel a run; its reports stay",
		Doc: "Responds when the run has ended and its reports are complete. " +
			"A run that has ended already does not change.",
		Codes: []int{404, 422, 504}}, rest.On(of, (*Runs).cancelRun))
	api.Raw(rest.Op{Get: "/runs/{id}/events", ID: "follow-run", Tag: "runs", Scope: rest.ReadRuns, Summary: "Follow a run",
		Doc: eventsDoc, Type: "text/event-stream",
		Codes: []int{404}, Stream: true}, rest.RawOn(of, (*Runs).followRun))
	rest.Register(api, rest.Op{Get: "/reports", ID: "list-reports", Tag: "reports", Scope: rest.ReadReports,
		Summary: "List the runs and their packs, newest first"}, rest.On(of, (*Runs).listReports))
	api.Raw(rest.Op{Get: "/reports/{run}/{name}", ID: "get-report", Tag: "reports", Scope: rest.ReadReports,
		Codes: []int{404, 416},
		Also:  rest.FileCodes(), Type: "application/octet-stream", AlsoType: "application/json",
		Summary: "List a pack's files; get a pack as NAME.tar.gz, or a file of the run", Doc: reportDoc},
		rest.RawOn(of, (*Runs).report))
	api.Raw(rest.Op{Get: "/reports/{run}/{name}/{path...}", ID: "get-report-file", Tag: "reports", Scope: rest.ReadReports,
		Codes: []int{404, 416}, Also: rest.FileCodes(), Type: "application/octet-stream",
		Summary: "Get a file of a pack"}, rest.RawOn(of, (*Runs).reportFile))
	api.Raw(rest.Op{Post: "/reports/upload", ID: "upload-report", Tag: "reports", Scope: rest.WriteReports,
		Status: http.StatusCreated,
		Also:   []int{http.StatusOK}, Answers: uploaded{}, Upload: true, Part: packPart,
		Summary: "Keep a report pack", Doc: uploadDoc, Codes: []int{413, 504}}, rest.RawOn(of, (*Runs).upload))
	rest.Register(api, rest.Op{Delete: "/reports/{run}", ID: "delete-report", Tag: "reports", Scope: rest.WriteReports,
		Summary: "Delete the reports of a run", Status: http.StatusNoContent,
		Doc:   "Deletes all packs of the run. Cancel a run that has not ended first, with DELETE /runs/{id}.",
		Codes: []int{404, 409}}, rest.On(of, (*Runs).deleteReport))
}
