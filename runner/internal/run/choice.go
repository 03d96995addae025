package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/internal/toolchain"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// LatestRun selects the newest run that has ended, as the value of Config.RerunFailed.
const LatestRun = "latest"

// Plan builds the cases that the configuration selects.
func (c Config) Plan(args ...string) (*plan.Plan, error) {
	o := c.planning()
	o.Args, o.Files = slices.Clone(args), c.FilesMustBe
	var err error
	if o.Choice, err = c.chosen(); err != nil {
		return nil, err
	}
	p, err := plan.Build(o)
	if err == nil {
		err = oneDevice(c, p.Cases)
	}
	return p, err
}

// PlanSent builds the cases of tests that were named by id, and of uploaded sources: all of them, once.
func (c Config) PlanSent(ids []string, sources ...plan.Source) (*plan.Plan, error) {
	o := c.planning()
	o.IDs, o.Inline = ids, sources
	p, err := plan.Build(o)
	if err == nil {
		err = oneDevice(c, p.Cases)
	}
	return p, err
}

func (c Config) planning() plan.Options {
	var browsers []string
	if c.Browser == plan.AllBrowsers {
		browsers = c.installedBrowsers()
	}
	return plan.Options{Dir: c.Dir, Platform: c.Platform, Browser: c.Browser, Browsers: browsers, Labels: c.Labels,
		IncludeTags: c.IncludeTags, ExcludeTags: c.ExcludeTags, Vars: c.Vars, Environment: c.Environment,
		Env: c.LookupEnv, Retries: c.Retries,
		Reads: c.Reads, Today: c.Today(), Actions: c.Actions, Remote: c.Remote}
}

// installedBrowsers lists the browsers of this machine that tests can run in: Chromium always, so that a machine
// without it says what is missing.
func (c Config) installedBrowsers() []string {
	list := []string{dsl.Chromium}
	host := toolchain.NewHost(c.Getenv, os.Environ())
	for _, other := range []struct {
		name  string
		tools []string
	}{
		{dsl.Firefox, []string{toolchain.Firefox}},
		{dsl.WebKit, []string{toolchain.MiniBrowser, toolchain.WebKitDriver, toolchain.Xvfb}},
	} {
		missing := slices.ContainsFunc(other.tools, func(tool string) bool {
			found, err := toolchain.Find(context.Background(), host, tool)
			return err != nil || !found.OK()
		})
		if !missing {
			list = append(list, other.name)
		}
	}
	return list
}

// OwnActions are the own actions that tests in a folder can use, as their files are now.
func (c Config) OwnActions(dir string) *dsl.Own {
	return plan.OwnActions(plan.Options{Dir: c.Dir, Actions: c.Actions}, dir)
}

// chosen is the choice in the form that the plan needs.
func (c Config) chosen() (plan.Choice, error) {
	o := plan.Choice{Shard: c.Shard, Repeat: c.Repeat}
	if c.Repeat < 0 || c.Repeat > plan.MaxRepeat {
		return o, &plan.Usage{Msg: fmt.Sprintf("repeat %d: a test can be run 1 to %d times", c.Repeat, plan.MaxRepeat)}
	}
	if c.OnlyChanged != "" {
		var err error
		if o.Changed, err = c.changed(); err != nil {
			return o, err
		}
	}
	if c.ShardBy != "" && c.Shard.Count > 1 {
		var err error
		if o.Times, err = c.times(); err != nil {
			return o, err
		}
	}
	if c.Seed != nil {
		o.Random, o.Seed = true, *c.Seed
	}
	if c.RerunFailed == "" {
		o.Only = c.Cases
		return o, nil
	}
	run, err := c.Earlier()
	if err != nil {
		return o, err
	}
	o.Only = map[string]bool{}
	for _, name := range run.Failed() {
		o.Only[name] = c.Cases == nil || c.Cases[name]
	}
	return o, nil
}

// shardByTime is the start of Config.ShardBy; a report may follow.
const shardByTime = "time"

// SetShardBy sets how shards are made: "time" by the run history, "time=REPORT" by a report; empty by count.
func (c *Config) SetShardBy(by string) error {
	kind, report, named := strings.Cut(by, "=")
	if by != "" && (kind != shardByTime || named && report == "") {
		return &plan.Usage{
			Msg: fmt.Sprintf("shard-by %q: write time, or time=REPORT with the folder of a run or its run.json", by)}
	}
	c.ShardBy = by
	return nil
}

// times are the durations by which shards are made.
func (c Config) times() (map[string]time.Duration, error) {
	_, report, named := strings.Cut(c.ShardBy, "=")
	var times map[string]time.Duration
	var err error
	if named {
		if !filepath.IsAbs(report) {
			report = filepath.Join(c.Dir, report)
		}
		times, err = history.DurationsOf(report)
	} else {
		times, err = history.Durations(c.Reports)
	}
	if named && errors.Is(err, fs.ErrNotExist) {
		err = errors.New("there is no such report: name the folder of a run, or its run.json")
	}
	if err != nil {
		return nil, &plan.Usage{Msg: fmt.Sprintf("shard-by %s: %v", c.ShardBy, err)}
	}
	if times == nil {
		times = map[string]time.Duration{}
	}
	return times, nil
}

// SplitNote says how the shard was made by time; "" when that was not requested.
func (c Config) SplitNote(p *plan.Plan) string {
	if c.ShardBy == "" || c.Shard.Count < 2 {
		return ""
	}
	_, report, named := strings.Cut(c.ShardBy, "=")
	from := "the run history"
	if named {
		from = report
	}
	if p.Split == nil {
		return fmt.Sprintf("shard %s: %s has no time of these tests, so the shards have equal counts", c.Shard, from)
	}
	round := func(d time.Duration) string { return phrase.Duration(d.Round(100 * time.Millisecond)) }
	note := fmt.Sprintf("shard %s by time, from %s: about %s of %s, the longest shard takes %s", c.Shard, from,
		round(p.Split.Parts[c.Shard.Index-1]), round(sum(p.Split.Parts)), round(slices.Max(p.Split.Parts)))
	if missing := p.Split.Of - p.Split.Known; missing > 0 {
		note += fmt.Sprintf("; %s without a time count as the median", phrase.Plural(missing, "test"))
	}
	return note
}

func sum(list []time.Duration) (all time.Duration) {
	for _, d := range list {
		all += d
	}
	return all
}

// Earlier loads the run with the failures to run again: the newest one, one by its name, or the folder of one.
func (c Config) Earlier() (*history.Run, error) {
	usage := func(err error) error {
		return &plan.Usage{
			Msg: fmt.Sprintf("the failures cannot be run again: %v; name a run, or its folder: "+
				"--rerun-failed=2026-01-31T12-00-00", err)}
	}
	if c.RerunFailed == LatestRun {
		run, err := history.LastRun(c.Reports, time.Now())
		if err != nil {
			return nil, usage(err)
		}
		return run, nil
	}
	dir := filepath.Join(c.Reports, c.RerunFailed)
	if !pack.IsRunName(c.RerunFailed) {
		if dir = c.RerunFailed; !filepath.IsAbs(dir) {
			dir = filepath.Join(c.Dir, dir)
		}
	}
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return nil, usage(fmt.Errorf("there is no run %s", c.RerunFailed))
	}
	run, err := history.LoadRun(dir)
	if err == nil && len(run.Cases) == 0 {
		err = fmt.Errorf("%s has no test", c.RerunFailed)
	}
	if err != nil {
		return nil, usage(err)
	}
	return run, nil
}

// Resolve replaces "latest" by the name of that run, so that later calls use the same run.
func (c *Config) Resolve() error {
	if c.RerunFailed != LatestRun {
		return nil
	}
	run, err := c.Earlier()
	if err == nil {
		c.RerunFailed = run.Name
	}
	return err
}

// Choice is the choice for the reports.
func (c Config) Choice() history.Choice {
	choice := history.Choice{Labels: c.Labels, Platform: string(c.Platform), Browser: c.Browser, Shard: c.Shard.String(),
		Seed: c.Seed, FailFast: c.FailFast}
	if c.Repeat > 1 {
		choice.Repeat = c.Repeat
	}
	if c.RerunFailed != "" {
		choice.RerunOf = filepath.Base(c.RerunFailed)
	}
	return choice
}

// NothingToRun says why a plan has no cases. ok means that this is not a failure: the shard is empty because there are
// more shards than cases, or nothing failed in the run to repeat.
func (c Config) NothingToRun(p *plan.Plan) (why string, ok bool) {
	switch {
	case p.Tests == 0:
		return "no tests were found", false
	case p.Matched == 0:
		return fmt.Sprintf("none of the %d tests fits the filters", p.Tests), false
	case c.Cases != nil && p.Again == 0:
		return "none of the chosen tests is there any more", false
	case c.OnlyChanged != "" && p.Again == 0 && c.RerunFailed == "":
		return fmt.Sprintf("none of the %d tests depends on a changed file, so there is nothing to run", p.Matched), true
	case p.Again > 0:
		return fmt.Sprintf("shard %s has none of the %d cases, because there are more shards than cases", c.Shard, p.Again),
			true
	}
	run, err := c.Earlier()
	switch {
	case err != nil:
		return err.Error(), false
	case len(run.Failed()) == 0:
		return fmt.Sprintf("nothing failed in the run %s, so there is nothing to run again", run.Name), true
	}
	return fmt.Sprintf("the failures of run %s are not among the named tests: %s", run.Name,
		strings.Join(run.Failed(), ", ")), false
}

// chosenByEnv reads TAPROOT_SHARD, TAPROOT_REPEAT and TAPROOT_RERUN_FAILED.
func (c *Config) chosenByEnv(get func(string) string) (err error) {
	if v := get("TAPROOT_SHARD"); v != "" {
		if c.Shard, err = plan.ParseShard(v); err != nil {
			return fmt.Errorf("TAPROOT_SHARD: %w", err)
		}
	}
	if err := c.SetShardBy(get("TAPROOT_SHARD_BY")); err != nil {
		return fmt.Errorf("TAPROOT_SHARD_BY: %w", err)
	}
	c.OnlyChanged = get("TAPROOT_ONLY_CHANGED")
	if on, err := strconv.ParseBool(c.OnlyChanged); err == nil {
		if c.OnlyChanged = ""; on {
			c.OnlyChanged = ChangedInTree
		}
	}
	if v := get("TAPROOT_MAX_TIME"); v != "" {
		if c.MaxTime, err = time.ParseDuration(v); err != nil || c.MaxTime < 0 {
			return fmt.Errorf("TAPROOT_MAX_TIME=%q: write a time such as 20m, or 0 for no limit", v)
		}
	}
	if v := get("TAPROOT_REPEAT"); v != "" {
		if c.Repeat, err = strconv.Atoi(v); err != nil || c.Repeat < 1 || c.Repeat > plan.MaxRepeat {
			return fmt.Errorf("TAPROOT_REPEAT=%q: write how often each test is run, 1 to %d", v, plan.MaxRepeat)
		}
	}
	v := get("TAPROOT_RERUN_FAILED")
	if on, err := strconv.ParseBool(v); err == nil {
		if v = ""; on {
			v = LatestRun
		}
	}
	c.RerunFailed = v
	return nil
}
