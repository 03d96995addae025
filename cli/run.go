package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/taproot-dev/taproot/drivers/android"
	"github.com/taproot-dev/taproot/drivers/vision"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters"
	"github.com/taproot-dev/taproot/reporters/console"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/reporters/history"
	"github.com/taproot-dev/taproot/reporters/pack"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
)

// runFlags are the flags of run.
type runFlags struct {
	device, platform, labels, reports string
	browser                           string
	vars                              []string
	parallel                          int
	timeout                           time.Duration
	requireDevices, allowEmpty        bool
	noVideo, quiet, verbose           bool
	environment                       string
	ai, agent                         string
	allowShell, updateBaselines       bool
	unmasked                          bool
	allowPrivate, noTrace, noDOM      bool
	boot                              string
	shard, rerunFailed                string
	repeat                            int
	seed                              int64
	failFast, randomize               bool
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
}

func newRunCommand(env *Env) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:     "run [ID|PATH …]",
		Aliases: []string{"run-test-pack"},
		Short:   "run tests",
		Long: "run runs tests: files, folders, or ids of tests; without any, those of the folder suites. Each test waits " +
			"for a free\n" +
			"device of its platform and leaves a report pack under tests/reports.\n\n" +
			"--tag, --label-filter and --platform choose first, then --rerun-failed, then --shard; --repeat and --randomize " +
			"come last.\n\n" +
			"Exit codes: 0 all passed; 1 a test failed; 2 wrong usage or invalid YAML, nothing was run; 3 errors only,\n" +
			"nothing ran, or the report could not be written; 130 interrupted. A shard that has no test, and --rerun-failed " +
			"when nothing had failed, are 0.",
		Example: "  taproot run login                        the test whose id is login\n" +
			"  taproot run suites/web --tag smoke       the tests of a folder that have the tag smoke\n" +
			"  taproot run login --watch --headed       again whenever a file is saved, in a browser window\n" +
			"  taproot run --device emulator-5554 --var USER=ada\n" +
			"  taproot run --shard 2/3 --rerun-failed   what failed last time, the second of three parts of it",
		RunE: func(cmd *cobra.Command, args []string) error {
			f.seeded = cmd.Flags().Changed("seed")
			f.given = givenFlags(cmd.Flags())
			if (f.keep || f.from != "") && f.farm.address != "" {
				return &plan.Usage{Msg: "--keep and --from are for a session on this machine, and --hub runs the test on others"}
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
	flags.StringVar(&f.device, "device", "", "use only the device with this `ID` (see taproot devices)")
	flags.StringVar(&f.platform, "platform", "", "run the cases of one `PLATFORM` only: android, ios, web")
	flags.StringVar(&f.browser, "browser", "",
		"open pages in this browser, `NAME`, where the test names none: chromium, firefox, webkit")
	flags.StringVar(&f.labels, "label-filter", "", "run the tests whose tags fit `EXPR`: 'smoke && !slow'")
	flags.StringArrayVarP(&f.vars, "var", "e", nil, "set a variable, `NAME=VALUE`; may be repeated")
	flags.StringSliceVar(&f.includeTags, "include-tags", nil,
		"of folders, run the tests and the flows of Maestro that have this `TAG`, or one of several")
	flags.StringSliceVar(&f.excludeTags, "exclude-tags", nil,
		"of folders, leave out those that have this `TAG`, or one of several")
	flags.BoolVar(&f.keep, "keep", false,
		"run one test in the session of the shell, and leave that open at the step that fails; no report is made")
	flags.StringVar(&f.from, "from", "",
		"go on in that session at `STEP`, the number of a step, or a line of the file, :12")
	flags.StringVar(&f.format, "format", "",
		"write the run, when it is over, to a file as `FORMAT` too: junit, or noop for none")
	flags.StringVar(&f.output, "output", "", "the `FILE` of --format (default: report.xml)")
	flags.IntVar(&f.parallel, "parallel", 0,
		"run at most `N` cases at once (default: one per device); --workers is the same")
	flags.BoolVar(&f.headed, "headed", false, "open pages in a browser window, whatever the tests say")
	flags.BoolVar(&f.watch, "watch", false, "run again whenever a file beside the tests is saved, until Ctrl-C")
	flags.StringVar(&f.reports, "reports", "",
		"`FOLDER` for report packs (default: tests/reports under the project's root); --test-output-dir is the same")
	flags.DurationVar(&f.timeout, "timeout", 0,
		"how long a step waits when it says nothing itself, a `TIME` such as 5s (default: 10s)")
	flags.BoolVar(&f.requireDevices, "require-devices", false, "a test without a device is an error, not skipped")
	flags.BoolVar(&f.allowEmpty, "allow-empty", false, "exit with 0 when nothing was run")
	flags.StringVar(&f.boot, "boot", "",
		"start the iOS simulator with this `NAME` or UDID for the run, and shut it down after it")
	flags.StringVar(&f.environment, "env", "", "use the values of this environment of the suite's taproot.yaml")
	flags.BoolVar(&f.unmasked, "unmasked-evidence", false,
		"film and trace tests with secrets, too; films and traces show the secrets")
	flags.BoolVar(&f.allowShell, "allow-shell", false, "let tests run commands on the device (the step shell)")
	flags.BoolVar(&f.updateBaselines, "update-baselines", false,
		"assertScreenshot takes what it sees as right and keeps it")
	flags.BoolVar(&f.allowPrivate, "allow-private", true,
		"let pages and http steps reach this machine and private networks;\n=false keeps them to public addresses")
	flags.BoolVar(&f.noDOM, "no-dom", false, "keep no snapshots of the elements of pages (artifacts/dom-NN.json.gz)")
	flags.BoolVar(&f.noTrace, "no-trace", false, "keep no Playwright trace (artifacts/trace.zip) of browsers")
	flags.StringVar(&f.ai, "ai", "",
		"whether AI models may be asked, `MODE`: live, replay (answers of earlier runs only), off (default: TAPROOT_AI, or "+
			"live)")
	flags.StringVar(&f.agent, "agent", "",
		"whether an agent on Android phones reads and touches their screens, `MODE`: auto, require, off (default: "+
			"TAPROOT_AGENT, or auto)")
	flags.BoolVar(&f.noVideo, "no-video", false, "make no recording.mp4")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print failures and the total only")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "print every step")
	return cmd
}

// config makes the runner's configuration of environment and flags; flags win.
func (f runFlags) config(env *Env, args []string) (run.Config, error) {
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
		return c, &plan.Usage{Msg: "--quiet and --verbose cannot stand together"}
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
	c.NoVideo = c.NoVideo || f.noVideo
	c.AllowShell = c.AllowShell || f.allowShell
	c.Unmasked = c.Unmasked || f.unmasked
	c.NoTrace = c.NoTrace || f.noTrace
	c.NoDOM = c.NoDOM || f.noDOM
	c.PublicOnly = c.PublicOnly || !f.allowPrivate
	c.Baselines = c.Baselines || f.updateBaselines
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
	c.Headed, c.FilesMustBe = f.headed, true
	if f.headed && !hasDisplay(env) {
		return c, &plan.Usage{
			Msg: "--headed: a browser window needs a display, and there is none; on a server: xvfb-run taproot run --headed"}
	}
	if f.environment != "" {
		c.Environment = f.environment
	}
	if c.Vars, err = f.variables(); err != nil {
		return c, err
	}
	return c, f.choose(&c)
}

// variables reads the --var flags.
func (f runFlags) variables() (map[string]string, error) {
	vars := map[string]string{}
	for _, v := range f.vars {
		name, value, ok := strings.Cut(v, "=")
		if !ok || name == "" {
			return nil, &plan.Usage{Msg: fmt.Sprintf("--var %q: write NAME=VALUE", v)}
		}
		vars[name] = value
	}
	return vars, nil
}

func runTests(ctx context.Context, env *Env, f runFlags, args []string) error {
	if slices.Contains(args, "") {
		// an unset variable of a shell must not mean "all"
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
		fmt.Fprintf(env.Stderr, "%s is named more than once and runs once; --repeat 2 runs tests again\n", arg)
	}
	hub, err := f.farm.note(env, &conf)
	if err != nil {
		return err
	}
	restore := relaxGC()
	p, err := conf.Plan(args...)
	restore()
	var usage *plan.Usage
	switch {
	case errors.As(err, &usage):
		return err
	case err != nil:
		fmt.Fprintf(env.Stderr, "%v\n\nnothing was run\n", err)
		return exit(run.ExitUsage)
	case len(p.Cases) == 0:
		return emptyRun(env, f, args, conf, p)
	}
	warnOfFlows(env, p)
	if hub == nil {
		conf.FFmpeg = run.FindFFmpeg(ctx, conf)
	}
	elsewhere, err := hub.open(ctx, conf, p)
	if err != nil {
		return err
	}
	run, sealed, err := run.Begin(conf, nil)
	for _, s := range sealed {
		fmt.Fprintf(env.Stderr, "sealed %s, which a run that died left behind: %s\n", s.Dir, s.Result.Verdict)
	}
	if run == nil {
		return err
	}
	if err != nil {
		fmt.Fprintf(env.Stderr, "taproot: packs of dead runs could not be sealed: %v\n", err)
	}
	warn(env, conf.ReportSealed(ctx, sealed))
	lost := warn(env, history.WriteChoice(run.Dir, conf.Choice()))
	run.NoteEnvironment(ctx, f.given)
	lost = warn(env, run.Announce(p.Cases)) || lost
	if elsewhere != nil {
		run.Remote = elsewhere
	}
	outcomes, renderErr := watch(ctx, env, f, run, p.Cases)
	warn(env, elsewhere.Close())
	lost = f.report(ctx, env, run) || lost
	warn(env, run.End())
	return cmp.Or(conclude(env, f, conf, outcomes), renderErr, incomplete(lost))
}

// report makes the files of the run, and says whether some could not be written.
func (f runFlags) report(ctx context.Context, env *Env, r *run.Runner) (lost bool) {
	err := r.Report(ctx, env.Stdout)
	warn(env, err)
	var unwritten *reporters.Unwritten
	lost = errors.As(err, &unwritten)
	return warn(env, f.writeOutput(env, r.Dir.Path())) || lost
}

// incomplete is the exit code of a run that passed and lacks files of its report.
func incomplete(lost bool) error {
	if lost {
		return exit(run.ExitError)
	}
	return nil
}

// warn prints an error outside of the tests, and reports whether there was one.
func warn(env *Env, err error) bool {
	if err != nil {
		fmt.Fprintf(env.Stderr, "taproot: %v\n", err)
	}
	return err != nil
}

// watch runs the cases and shows them; the error says that they could not be shown.
func watch(ctx context.Context, env *Env, f runFlags, run *run.Runner, cases []plan.Case) ([]run.Outcome, error) {
	screen := newConsole(env, f, len(cases))
	run.Observe, run.Warn = screen.Event, screen.Warn
	began := time.Now()
	run.Last = true
	outcomes := run.All(ctx, cases)
	for _, o := range outcomes {
		if o.Err != nil && o.Result != nil {
			screen.Correct(o.Result)
		}
	}
	return outcomes, screen.End(console.Run{Dir: run.Dir.Path(), Took: time.Since(began), Choice: run.Config.Choice(),
		Planned: len(cases)})
}

// conclude tells what the console could not know, and gives the exit code.
func conclude(env *Env, f runFlags, conf run.Config, outcomes []run.Outcome) error {
	skipped, waiting, full := 0, 0, false
	var flaky []string
	for _, o := range outcomes {
		if o.Err != nil {
			fmt.Fprintf(env.Stderr, "taproot: the report of %s is not whole: %v\n", o.Case.Pack, o.Err)
			full = full || errors.Is(o.Err, syscall.ENOSPC)
		}
		if o.Flaky() {
			flaky = append(flaky, o.Case.Pack)
		}
		switch {
		case o.Verdict() == event.Skipped:
			skipped++
		case o.Result == nil && o.Err == nil:
			waiting++
		}
	}
	if full {
		fmt.Fprintf(env.Stderr, "taproot: the disk that holds %s is full\n", conf.Reports)
	}
	code := run.ExitCode(outcomes, conf.AllowEmpty)
	if f.failOnFlaky && len(flaky) > 0 {
		fmt.Fprintf(env.Stderr, "taproot: passed only when tried again: %s (--fail-on-flaky)\n", strings.Join(flaky, ", "))
		if code == run.ExitPass {
			code = run.ExitFail
		}
	}
	if code == run.ExitPass {
		return nil
	}
	if code == run.ExitInterrupted {
		fmt.Fprintf(env.Stderr, "taproot: interrupted; %s\n", notBegun(waiting))
	}
	if skipped == len(outcomes) {
		fmt.Fprintf(env.Stderr,
			"taproot: every test was skipped, so nothing was tested: exit code %d (0 with --allow-empty)\n", code)
	}
	return exit(code)
}

func notBegun(n int) string {
	switch n {
	case 0:
		return "every test had begun"
	case 1:
		return "1 test was not begun"
	}
	return fmt.Sprintf("%d tests were not begun", n)
}

// emptyRun tells why there is nothing to run.
func emptyRun(env *Env, f runFlags, args []string, conf run.Config, p *plan.Plan) error {
	why, ok := conf.NothingToRun(p)
	why += strangeTags(f.tags, p)
	if p.Tests == 0 {
		why = nothingFound(env, args)
	}
	fmt.Fprintf(env.Stderr, "taproot: %s; nothing was run\n", why)
	if ok || conf.AllowEmpty {
		return nil
	}
	return exit(run.ExitError)
}

// newConsole suits the output to where it goes.
func newConsole(env *Env, f runFlags, total int) *console.Console {
	o := console.Options{Quiet: f.quiet, Verbose: f.verbose, Width: 100, Total: total,
		Groups: env.Getenv("GITHUB_ACTIONS") == "true"}
	if file, ok := env.Stdout.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		o.TTY = env.Getenv("TERM") != "dumb" // such a terminal moves no cursor and shows no colour
		o.Color = o.TTY && env.Getenv("NO_COLOR") == ""
		if w, _, err := term.GetSize(int(file.Fd())); err == nil && w > 0 {
			o.Width = w
		}
	}
	return console.New(env.Stdout, o)
}
