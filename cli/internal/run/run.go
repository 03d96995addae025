// Package run is taproot run: flags become the runner's configuration, the cases run here or on a farm, and an exit
// code comes out.
package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/cli/internal/runpage"
	"github.com/taproot-dev/taproot/drivers/android"
	"github.com/taproot-dev/taproot/drivers/vision"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/reporters"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
)

// runFlags are the flags of run.
type runFlags struct {
	device, platform, labels, reports string
	browser, remote                   string
	vars                              []string
	parallel                          int
	timeout                           time.Duration
	requireDevices, allowEmpty        bool
	noVideo, quiet, verbose           bool
	video, trace, screenshots         string // on, off, failed
	environment                       string
	ai, agent                         string
	allowShell, allowExec             bool
	updateBaselines                   bool
	unmasked                          bool
	allowPrivate, noTrace, noDOM      bool
	noWeak                            bool
	boot, keepFrames, repair          string
	shard, shardBy, rerunFailed       string
	onlyChanged                       string
	maxTime                           time.Duration
	repeat                            int
	seed                              int64
	failFast, randomize               bool
	retryAt                           string
	reporters                         []string
	seeded                            bool     // --seed was given
	given                             []string // the flags that were, for the report
	tags                              []string
	retries                           int // notGiven: as the tests say
	failOnFlaky, headed, watch        bool
	includeTags, excludeTags          []string
	format, output                    string
	keep                              bool
	from                              string
	farm                              hubRun
	page                              pageFlags
	cases                             map[string]bool  // only these, of the page
	observer                          runpage.Observer // of the page; nil: there is none
}

func Command(env *process.Env) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:     "run [ID|PATH …]",
		Aliases: []string{"run-test-pack"},
		Short:   "run tests",
		Long: "run runs YAML tests: files, folders, or test ids. Without arguments it runs the tests of the folder " +
			"suites.\n" +
			"Each test waits for a free device of its platform: a phone, a simulator or a browser. The report of the\n" +
			"run is written to tests/reports: index.html, junit.xml, and a folder per test with screenshots and a recording.\n" +
			"\n" +
			"Tests are selected in this order: --tag, --label-filter and --platform, then --rerun-failed, then --shard;\n" +
			"--repeat and --randomize come last.\n\n" +
			"Exit codes:\n" +
			"  0    all tests passed; also if a shard has no test, or if --rerun-failed finds no failed test\n" +
			"  1    a test failed\n" +
			"  2    wrong usage or invalid YAML; no test was run\n" +
			"  3    no test failed, but a test could not be executed, no test was run, or a report could not be written\n" +
			"  130  the run was interrupted",
		Example: "  taproot run login                        run the test with the id login\n" +
			"  taproot run suites/web --tag smoke       run the tests of a folder that have the tag smoke\n" +
			"  taproot run login --watch --headed       show the browser, and run again when a file is saved\n" +
			"  taproot run --ui                         choose and run tests on a page in your browser\n" +
			"  taproot run --device emulator-5554 --var USER=ada\n" +
			"  taproot run --shard 2/3 --rerun-failed   run the second third of the tests that failed last time",
		RunE: func(cmd *cobra.Command, args []string) error {
			f.seeded = cmd.Flags().Changed("seed")
			f.given = givenFlags(cmd.Flags())
			if (f.keep || f.from != "") && f.farm.address != "" {
				return &plan.Usage{Msg: "--keep and --from use a session on this machine and cannot be combined with --hub"}
			}
			f.page.portGiven = cmd.Flags().Changed("port")
			if err := f.checkPage(); err != nil {
				return err
			}
			if f.page.on {
				return runPage(cmd.Context(), env, f, args)
			}
			if f.keep || f.from != "" {
				return runInSession(cmd, env, f, args)
			}
			if f.watch {
				return runWatching(cmd.Context(), env, f, args)
			}
			return runTests(cmd.Context(), env, f, args)
		},
	}
	flags := cmd.Flags()
	f.choosing(flags)
	f.farm.register(flags)
	flags.StringVar(&f.device, "device", "", "use only the device with this `ID` (taproot devices lists them)")
	flags.StringVar(&f.platform, "platform", "",
		"run the tests only on this `PLATFORM`: android, ios, web, mobile (both phones), or several with commas")
	flags.StringVar(&f.browser, "browser", "",
		"browser of tests that do not set one, `NAME`: chromium, firefox, webkit, or all that are installed")
	flags.StringVar(&f.remote, "remote", "",
		"run the tests at a WebDriver or Appium server, the `NAME` of one under remotes in taproot.yaml")
	flags.StringVar(&f.labels, "label-filter", "", "run the tests with tags that match `EXPR`: 'smoke && !slow'")
	flags.StringArrayVarP(&f.vars, "var", "e", nil, "set a variable, `NAME=VALUE`; can be repeated")
	flags.StringSliceVar(&f.includeTags, "include-tags", nil,
		"in folders, run only tests and Maestro flows with this `TAG`, or one of several, comma separated")
	flags.StringSliceVar(&f.excludeTags, "exclude-tags", nil,
		"in folders, skip tests and Maestro flows with this `TAG`, or one of several, comma separated")
	flags.BoolVar(&f.keep, "keep", false,
		"run one test in the session of taproot open, without a report, and keep its page or app open at the end or at a "+
			"failed step")
	flags.StringVar(&f.from, "from", "",
		"continue a test in the session of --keep at `STEP`: the number of a step, or a line of the file such as :12")
	flags.StringVar(&f.format, "format", "",
		"also write the results to a file, as `FORMAT`: junit, allure, or noop for none")
	flags.StringVar(&f.output, "output", "",
		"the `FILE` of --format junit (default: report.xml), or the folder of --format allure (default: allure-results)")
	flags.IntVar(&f.parallel, "parallel", 0,
		"run at most `N` tests at once (default: one per device); alias: --workers")
	flags.BoolVar(&f.headed, "headed", false, "show the browser window, whatever the tests say")
	flags.BoolVar(&f.watch, "watch", false, "run again when a file in the folders of the tests is saved, until Ctrl-C")
	flags.BoolVar(&f.page.on, "ui", false,
		"open a page in your browser on which you choose, run and watch tests, and see their results, until Ctrl-C")
	flags.IntVar(&f.page.port, "port", 0, "with --ui: the `PORT` of the page (default: a free one)")
	flags.BoolVar(&f.page.noBrowser, "no-browser", false, "with --ui: print the page's URL and open no browser")
	flags.StringVar(&f.reports, "reports", "",
		"write reports to this `FOLDER` (default: tests/reports in the project's root); alias: --test-output-dir")
	process.TimeVar(flags, &f.timeout, "timeout", 0,
		"how long a step waits by default, a `TIME` such as 5s (default: 10s); timeout of a step overrides it")
	flags.BoolVar(&f.requireDevices, "require-devices", false, "a test without a device is an error instead of skipped")
	flags.BoolVar(&f.allowEmpty, "allow-empty", false, "exit with 0 if no test was run")
	flags.StringVar(&f.boot, "boot", "",
		"start the iOS simulator with this `NAME` or UDID, and shut it down at the end")
	flags.StringVar(&f.environment, "env", "", "use the values of the environment `NAME` in taproot.yaml")
	flags.BoolVar(&f.unmasked, "unmasked-evidence", false,
		"make recordings and traces of tests with secrets, too; the secrets are visible in them")
	flags.BoolVar(&f.allowShell, "allow-shell", false, "let tests run commands on the device (the action shell)")
	flags.BoolVar(&f.allowExec, "allow-exec", false,
		"let tests run programs on this machine (the action exec); the own configuration file can allow it, too")
	flags.BoolVar(&f.updateBaselines, "update-baselines", false,
		"save the current screenshots as the baselines of assertScreenshot")
	flags.BoolVar(&f.allowPrivate, "allow-private", true,
		"let pages and http steps reach this machine and private networks;\n=false limits them to public addresses")
	flags.BoolVar(&f.noDOM, "no-dom", false, "save no DOM snapshots of pages (artifacts/dom-NN.json.gz)")
	flags.BoolVar(&f.noTrace, "no-trace", false, "save no Playwright trace of pages: --trace off")
	flags.BoolVar(&f.noWeak, "no-weak", false, "do not mark weak assertions in the pages of the run (taproot weak)")
	flags.StringVar(&f.repair, "repair", "off",
		"what to do about actions that do not find their element, `MODE`: off (print what may be it), suggest (continue "+
			"with it; the test fails all the same)")
	flags.StringVar(&f.keepFrames, "keep-frames", "",
		"keep the frames that decisions rested on, for taproot replay, of `TESTS`: passed (all, at most 2 MB each), failed, "+
			"all (without a limit), off (default: TAPROOT_KEEP_FRAMES, or passed)")
	flags.StringVar(&f.ai, "ai", "",
		"use of AI models, `MODE`: live, replay (only recorded responses), off (default: TAPROOT_AI, or live)")
	flags.StringVar(
		&f.agent,
		"agent",
		"",
		"use of the helper app on Android phones that speeds tests up, `MODE`: auto, require, off (default: TAPROOT_AGENT, "+
			"or auto)",
	)
	flags.BoolVar(&f.noVideo, "no-video", false, "make no recording of the screen: --video off")
	const when = ", `WHEN`: on, off, or failed (thrown away when the attempt passes); default: evidence in " +
		"taproot.yaml, or on"
	flags.StringVar(&f.video, "video", "", "the recording of the screen, recording.mp4"+when)
	flags.StringVar(&f.trace, "trace", "", "the Playwright trace of pages, artifacts/trace.zip"+when)
	flags.StringVar(&f.screenshots, "screenshots", "", "the screenshots of the steps"+when)
	flags.StringArrayVar(&f.reporters, "reporter", nil,
		"start this `PROGRAM`, which reads the events of the run from its standard input, a line each (taproot schema "+
			"events); several with several flags")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print only failures and the totals")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "print every step")
	return cmd
}

// config builds the runner's configuration from the environment and the flags. Flags take precedence.
func (f runFlags) config(env *process.Env, args []string) (run.Config, error) {
	c, err := run.FromEnv(env.Dir, env.LookupEnv)
	if err != nil {
		return c, &plan.Usage{Msg: err.Error()}
	}
	if f.device != "" {
		c.Device = f.device
	}
	if f.platform != "" {
		c.Platform = dsl.Platform(f.platform)
	}
	if f.browser != "" {
		c.Browser = f.browser
	}
	switch {
	case f.reports == "":
		c.TakeOutputDir(args)
	case filepath.IsAbs(f.reports):
		c.Reports = f.reports
	default:
		c.Reports = filepath.Join(env.Dir, f.reports)
	}
	if f.parallel < 0 || f.timeout < 0 {
		return c, &plan.Usage{Msg: "--parallel and --timeout cannot be negative"}
	}
	if f.quiet && f.verbose {
		return c, &plan.Usage{Msg: "--quiet and --verbose are mutually exclusive"}
	}
	if c.Labels, err = f.filter(); err != nil {
		return c, err
	}
	c.IncludeTags, c.ExcludeTags = f.includeTags, f.excludeTags
	if err := f.checkFormat(); err != nil {
		return c, err
	}
	c.Parallel, c.Timeout, c.AllowEmpty = f.parallel, f.timeout, f.allowEmpty
	c.RequireDevices = c.RequireDevices || f.requireDevices
	if f.noVideo && f.video != "" || f.noTrace && f.trace != "" {
		return c, &plan.Usage{
			Msg: "--no-video and --no-trace are spellings of --video off and --trace off: write one of them"}
	}
	if err := c.SetEvidence(f.video, f.trace, f.screenshots); err != nil {
		return c, &plan.Usage{Msg: "--" + err.Error()}
	}
	c.NoVideo = c.NoVideo || f.noVideo
	c.AllowShell = c.AllowShell || f.allowShell
	if err := f.allowPrograms(&c); err != nil {
		return c, err
	}
	c.Unmasked = c.Unmasked || f.unmasked
	c.NoTrace = c.NoTrace || f.noTrace
	c.NoDOM = c.NoDOM || f.noDOM
	c.NoWeak = c.NoWeak || f.noWeak
	c.PublicOnly = c.PublicOnly || !f.allowPrivate
	c.Baselines = c.Baselines || f.updateBaselines
	switch f.repair {
	case "suggest":
		c.RepairSuggest = true
	case "", "off":
	default:
		return c, &plan.Usage{Msg: fmt.Sprintf("--repair: unknown value %q: use off or suggest", f.repair)}
	}
	if f.keepFrames != "" {
		if err := c.SetKeepFrames(f.keepFrames); err != nil {
			return c, &plan.Usage{Msg: "--keep-frames: " + err.Error()}
		}
	}
	if f.ai != "" {
		if c.AI, err = vision.ParseMode(f.ai); err != nil {
			return c, &plan.Usage{Msg: "--ai: " + err.Error()}
		}
	}
	if _, err := android.ParseAgentMode(f.agent); err != nil {
		return c, &plan.Usage{Msg: "--agent: " + err.Error()}
	}
	c.Agent = f.agent
	c.Boot = f.boot
	if len(f.reporters) > 0 {
		c.Reporters = f.reporters
	}
	if c.Reporters, err = c.Reporters.Find(c.Dir); err != nil {
		return c, &plan.Usage{Msg: err.Error()}
	}
	c.Headed, c.FilesMustBe = f.headed, true
	if f.headed && !process.HasDisplay(env) {
		return c, &plan.Usage{
			Msg: "--headed: a browser window needs a display, and there is none; on a server: xvfb-run taproot run --headed"}
	}
	if f.environment != "" {
		c.Environment = f.environment
	}
	if c.Vars, err = process.ParseVars(f.vars); err != nil {
		return c, err
	}
	if f.remote != "" {
		if err := f.onRemote(&c, args); err != nil {
			return c, err
		}
	}
	if err := f.choose(&c); err != nil || f.cases == nil {
		return c, err
	}
	// the page has applied these when it listed the cases
	c.Cases, c.Shard, c.ShardBy, c.OnlyChanged, c.RerunFailed = f.cases, run.Config{}.Shard, "", "", ""
	return c, nil
}

func runTests(ctx context.Context, env *process.Env, f runFlags, args []string) error {
	if slices.Contains(args, "") {
		// an unset variable of a shell must not mean "all tests"
		return &plan.Usage{Msg: "one of the tests to run has an empty name"}
	}
	if i := slices.IndexFunc(args, pack.IsRunName); i >= 0 && f.rerunFailed == run.LatestRun {
		return &plan.Usage{Msg: fmt.Sprintf("%s is a run, not a test: write --rerun-failed=%s", args[i], args[i])}
	}
	conf, err := f.config(env, args)
	if err != nil {
		return err
	}
	for _, arg := range plan.Repeated(conf.Dir, args) {
		fmt.Fprintf(env.Stderr, "%s is named more than once, but runs once; --repeat 2 runs tests twice\n", arg)
	}
	hub, err := f.farm.note(env, &conf, f.allowExec)
	if err != nil {
		return err
	}
	restoreGC := process.DelayGC()
	p, err := conf.Plan(args...)
	restoreGC()
	var usage *plan.Usage
	switch {
	case errors.As(err, &usage):
		return err
	case err != nil:
		fmt.Fprintf(env.Stderr, "%v\n\nnothing was run\n", err)
		return process.Exit(run.ExitUsage)
	case len(p.Cases) == 0:
		return emptyRun(env, f, args, conf, p)
	}
	warnOfFlows(env, p)
	for _, note := range []string{conf.ChangedNote(p), conf.SplitNote(p)} {
		if note != "" {
			fmt.Fprintln(env.Stderr, note)
		}
	}
	conf.Pages = p.Pages()
	if hub == nil {
		conf.FFmpeg = run.FindFFmpeg(ctx, conf)
	}
	run, sealed, err := run.Start(conf, nil)
	for _, s := range sealed {
		fmt.Fprintf(env.Stderr, "completed the report of %s, which a killed run left unfinished: %s\n", s.Dir,
			s.CaseResult.Result)
	}
	if run == nil {
		return err
	}
	if err != nil {
		fmt.Fprintf(env.Stderr, "taproot: unfinished reports of killed runs could not be completed: %v\n", err)
	}
	warn(env, conf.ReportFinalized(ctx, sealed))
	f.planned(run.Dir.Path(), p.Cases)
	lost := warn(env, history.WriteChoice(run.Dir, conf.Choice()))
	run.NoteEnvironment(ctx, f.given)
	reapServers(env)
	process.EndSessions(ctx, env, conf)
	failed := run.StartServers(ctx, p.Cases)
	elsewhere, err := hub.open(ctx, run.Config, p, failed)
	if err == nil {
		err = run.Reporting.Start(run, env.Stderr)
	}
	if err != nil {
		return errors.Join(err, run.End(), os.RemoveAll(run.Dir.Path()))
	}
	lost = warn(env, run.Announce(p.Cases)) || lost
	if elsewhere != nil {
		run.Remote = elsewhere
	}
	var renderErr error
	outcomes := notServed(ctx, env, run, p.Cases, failed)
	if failed == nil {
		outcomes, renderErr = watch(ctx, env, f, run, p.Cases)
		run.StopServers()
	}
	warn(env, elsewhere.Close())
	lost = f.report(ctx, env, run) || lost
	for _, text := range run.Reporting.End() {
		fmt.Fprintf(env.Stderr, "taproot: warning: %s\n", text)
	}
	warn(env, run.End())
	return cmp.Or(conclude(env, f, conf, outcomes), renderErr, incomplete(lost))
}

// onRemote has the tests run on the remote that the user has named.
func (f runFlags) onRemote(c *run.Config, args []string) error {
	switch {
	case f.farm.address != "":
		return &plan.Usage{Msg: "--remote and --hub are mutually exclusive: the devices of a hub are its own"}
	case f.headed:
		return &plan.Usage{Msg: "--headed and --remote are mutually exclusive: the capabilities of the remote say whether " +
			"its browser has a window"}
	case f.device != "" && !strings.HasPrefix(f.device, f.remote+"-"):
		return &plan.Usage{Msg: fmt.Sprintf("--device %s is not one of the remote: its devices are %s-1, %s-2, …", f.device,
			f.remote, f.remote)}
	}
	var err error
	if c.Remote, err = c.Sessions().Remote(f.remote, args...); err != nil {
		return err
	}
	if c.Browser != "" && c.Browser != c.Remote.Browser() {
		return &plan.Usage{Msg: fmt.Sprintf("--browser %s: the capabilities of the remote %s say which browser it has",
			c.Browser, f.remote)}
	}
	return nil
}

// report writes the files of the run, and reports whether some could not be written.
func (f runFlags) report(ctx context.Context, env *process.Env, r *run.Runner) (lost bool) {
	err := r.Report(ctx, env.Stdout)
	warn(env, err)
	var unwritten *reporters.Unwritten
	lost = errors.As(err, &unwritten)
	return warn(env, f.writeOutput(env, r.Dir.Path())) || lost
}

// reapServers ends the servers of start that killed processes have left.
func reapServers(env *process.Env) {
	names, err := (run.Config{Getenv: env.Getenv}).ReapServers()
	if len(names) > 0 {
		fmt.Fprintf(env.Stderr, "ended what a killed run had left running: %s\n", strings.Join(names, ", "))
	}
	warn(env, err)
}

// notServed reports cases that do not run because a server of start failed; without an error it does nothing.
func notServed(ctx context.Context, env *process.Env, r *run.Runner, cases []plan.Case, failed error) []run.Outcome {
	if failed == nil {
		return nil
	}
	if ctx.Err() == nil {
		fmt.Fprintf(env.Stderr, "taproot: %v\n", failed)
	}
	outcomes := r.NotServed(ctx, cases, failed)
	fmt.Fprintf(env.Stdout, "no test was run\nreports: %s\n", r.Dir.Path())
	return outcomes
}

// incomplete is the exit code of a run that passed, but without some files of its report.
func incomplete(lost bool) error {
	if lost {
		return process.Exit(run.ExitError)
	}
	return nil
}

// warn prints an error outside of the tests, and reports whether there was one.
func warn(env *process.Env, err error) bool {
	if err != nil {
		fmt.Fprintf(env.Stderr, "taproot: %v\n", err)
	}
	return err != nil
}
