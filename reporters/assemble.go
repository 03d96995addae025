// Package reporters ends a run: from the packs in its directory it makes all reports of the run as a whole.
//
// Events go in as they happen (event) and are written at once to a pack for each case (pack). The readable files of
// specification §2.3 are derived from them alone (markdown, html, junit, ctrf, github). Package history has the data of
// a whole run, and of the runs before it.
package reporters

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/format"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/reporters/internal/ctrf"
	"github.com/taproot-dev/taproot/reporters/internal/github"
	"github.com/taproot-dev/taproot/reporters/internal/html"
	"github.com/taproot-dev/taproot/reporters/internal/junit"
	"github.com/taproot-dev/taproot/reporters/internal/otlp"
	"github.com/taproot-dev/taproot/reporters/internal/webhook"
)

// The names of the files of a run that people and CI systems read.
const (
	RunFile     = "run.json"
	SummaryFile = "summary.md"
	NotifyFile  = "notify.json"
)

// Options configure the end of a run. The zero value writes the files and sends no notifications.
type Options struct {
	// GITHUB_*, REPORT_MAX_*, SLACK_WEBHOOK_URL, FEISHU_WEBHOOK_URL, NOTIFY_URLS, TAPROOT_REPORT_URL, OTEL_*
	Getenv  func(string) string
	Stdout  io.Writer        // for GitHub's annotations
	Now     func() time.Time // default: time.Now
	Dir     string           // base of the places in the run
	Project string           // its root, which may contain .env

	// Pages makes the pages for people, of the pack directories and of the run; nil: none.
	Pages func(runDir string) error
	// Notify sends chat messages with these options; nil: with the defaults.
	Notify *webhook.Options
	// Quiet writes the files of this run only, for a run that is assembled again: it sends no notifications and removes
	// no other run.
	Quiet bool
}

// Finish makes these from the run directory: junit.xml, ctrf.json, run.json, the run's lines of history.jsonl, the
// pages, summary.md, the pointer latest, GitHub's annotations and summary in GitHub Actions, and one message per chat
// when tests failed. It removes the runs that are beyond the limits. It may be called again for the same run. An error
// in one part does not stop the others and does not change the run's result: all errors are returned as one, which
// contains *Unwritten when files could not be written. The run is nil only when its directory cannot be read.
func Finish(ctx context.Context, runDir string, o Options) (*history.Run, error) {
	o.defaults()
	run, err := history.LoadRun(runDir)
	if err != nil {
		return nil, &Unwritten{Err: err}
	}
	files := []error{machines(run), unwrittenFile(filepath.Dir(run.Dir), "history.jsonl", history.AppendHistory(run))}
	var errs []error
	if !o.Quiet {
		errs = append(errs, o.retain(run))
	}
	// Make the pages after retention: they must not link to runs that were removed.
	if o.Pages != nil {
		if err := o.Pages(run.Dir); err != nil {
			files = append(files, fmt.Errorf("make the pages: %w", unwrittenFile(run.Dir, html.IndexFile, err)))
		}
		if again, err := history.LoadRun(runDir); err == nil {
			run = again // it includes the pages now
		}
	}
	files = append(files,
		filetree.WriteFile(run.Dir, RunFile, history.RunJSON(run)),
		filetree.WriteFile(run.Dir, SummaryFile, history.RunSummary(run, history.PageOptions{})))
	errs = append(errs, history.PointLatest(run.Dir))
	if !o.Quiet {
		errs = append(errs, o.actions(run), o.notify(ctx, run), o.trace(ctx, run))
	}
	return run, errors.Join(append([]error{unwritten(files...)}, errs...)...)
}

// FinishFinalized assembles the runs of the packs that history.Seal completed: if they were assembled before, these
// packs were incomplete.
func FinishFinalized(ctx context.Context, sealed []history.Finalized, o Options) error {
	o.Quiet = true
	var errs []error
	done := map[string]bool{}
	for _, s := range sealed {
		dir := filepath.Dir(s.Dir)
		if done[dir] {
			continue
		}
		done[dir] = true
		if _, err := Finish(ctx, dir, o); err != nil {
			errs = append(errs, fmt.Errorf("assemble run %s: %w", filepath.Base(dir), err))
		}
	}
	return errors.Join(errs...)
}

func (o *Options) defaults() {
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	if o.Stdout == nil {
		o.Stdout = io.Discard
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Notify == nil {
		o.Notify = &webhook.Options{}
	}
}

func machines(run *history.Run) error {
	var errs []error
	for name, write := range map[string]func(*history.Run) ([]byte, error){junit.FileName: junit.Write,
		ctrf.FileName: ctrf.Write} {
		data, err := write(run)
		if err == nil {
			err = filetree.WriteFile(run.Dir, name, data)
		}
		errs = append(errs, unwrittenFile(run.Dir, name, err))
	}
	return errors.Join(errs...)
}

func (o *Options) retain(run *history.Run) error {
	if !pack.IsRunName(run.Name) {
		return nil // it is not in a run
	}
	limits, err := history.LimitsFromEnv(o.Getenv, o.Project)
	if err != nil {
		return err
	}
	limits.Keep = []string{run.Name}
	_, err = history.Prune(filepath.Dir(run.Dir), limits, o.Now(), false)
	return err
}

// actions reports to GitHub, in GitHub Actions.
func (o *Options) actions(run *history.Run) error {
	link, err := ReportURL(o.Getenv, run.Name)
	errs := []error{err}
	if o.Getenv("GITHUB_ACTIONS") == "true" {
		errs = append(errs,
			github.Annotate(o.Stdout, run, github.Places{Dir: o.Dir, Workspace: o.Getenv("GITHUB_WORKSPACE")}))
	}
	if file := o.Getenv("GITHUB_STEP_SUMMARY"); file != "" {
		errs = append(errs, github.AppendSummary(file, run, github.Address{Link: link, Base: folderOf(o.Getenv, link)}))
	}
	return errors.Join(errs...)
}

// notify sends the digest, and records the results.
func (o *Options) notify(ctx context.Context, run *history.Run) error {
	targets, errs := webhook.Targets(o.Getenv)
	if len(targets) == 0 || !webhook.Wanted(run) {
		return errors.Join(errs...)
	}
	link, _ := ReportURL(o.Getenv, run.Name) // actions returned its error
	sent := webhook.Send(ctx, targets, webhook.NewDigest(run, link), *o.Notify)
	for _, s := range sent {
		if !s.OK {
			errs = append(errs, fmt.Errorf("the message to %s (%s) failed: %s", s.Product, s.From, s.Why))
		}
	}
	data, err := json.MarshalIndent(struct {
		Format string         `json:"format"`
		Run    string         `json:"run"`
		Sent   []webhook.Sent `json:"sent"`
	}{format.Notify, run.Name, sent}, "", "  ")
	if err == nil {
		err = filetree.WriteFile(run.Dir, NotifyFile, append(data, '\n'))
	}
	return errors.Join(append(errs, err)...)
}

// trace sends the run to an OpenTelemetry collector, if there is one.
func (o *Options) trace(ctx context.Context, run *history.Run) error {
	target, err := otlp.FromEnv(o.Getenv)
	if target == nil {
		return err
	}
	return target.Send(ctx, run)
}

// ReportURL is the URL of a run, from TAPROOT_REPORT_URL: {run} in it becomes the run's name; without {run} it is used
// as it is. It is empty when the variable is not set.
func ReportURL(getenv func(string) string, run string) (string, error) {
	address := getenv("TAPROOT_REPORT_URL")
	if address == "" {
		return "", nil
	}
	u, err := url.Parse(replaceRun(address, run))
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", errors.New("TAPROOT_REPORT_URL is not a URL: it must start with https://")
	}
	return u.String(), nil
}

// folderOf is the URL of the run's folder, if the URL of its report contains it: that has {run} in it, and ends there
// or with a page of the folder.
func folderOf(getenv func(string) string, link string) string {
	if !strings.Contains(getenv("TAPROOT_REPORT_URL"), "{run}") {
		return ""
	}
	if strings.HasSuffix(link, ".html") {
		return link[:strings.LastIndexByte(link, '/')+1]
	}
	return link
}

func replaceRun(address, run string) string {
	return strings.ReplaceAll(address, "{run}", url.PathEscape(run))
}
