package run

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
)

// choosing adds the flags that select tests, their number of runs and their order.
func (f *runFlags) choosing(flags *pflag.FlagSet) {
	flags.StringVar(&f.shard, "shard", "",
		"run one of several parts of the tests, `I/N`: 1/3, 2/3 and 3/3 together are all tests")
	flags.StringVar(&f.shardBy, "shard-by", "",
		"with --shard: make parts that take equally long, `time` by the run history, or time=REPORT by the folder or the "+
			"run.json of a run")
	flags.StringVar(&f.onlyChanged, "only-changed", "",
		"run only the tests with changed files: the test, its blocks, data, baselines, needed tests and taproot.yaml; in "+
			"the working tree, or since the merge base with `REF`")
	flags.Lookup("only-changed").NoOptDefVal = "HEAD"
	process.TimeVar(flags, &f.maxTime, "max-time", 0,
		"start no test after this `TIME`, such as 20m; the exit code is then 3, unless a test failed")
	flags.StringVar(
		&f.rerunFailed,
		"rerun-failed",
		"",
		"run only the tests that did not pass in the last run, or in `RUN` (a name such as 2026-01-31T12-00-00, or a folder)",
	)
	flags.Lookup("rerun-failed").NoOptDefVal = run.LatestRun
	flags.IntVar(&f.repeat, "repeat", 1, "run each test `N` times")
	flags.BoolVar(&f.failFast, "fail-fast", false, "start no more tests after the first one that does not pass")
	flags.BoolVar(&f.randomize, "randomize", false, "run the tests in random order; the report contains the seed")
	flags.StringSliceVar(&f.tags, "tag", nil,
		"run the tests with this `TAG`, or one of several: --tag smoke,login; see also --label-filter")
	flags.IntVar(&f.retries, "retries", notGiven,
		"retry a failed test up to `N` times (default: retries of the test or of taproot.yaml)")
	flags.Lookup("retries").DefValue = "0" // hides notGiven in the help
	flags.StringVar(&f.retryAt, "retry-at", "",
		"when retries start, `WHEN`: now (at once, the default), or end (after all other tests, one at a time)")
	flags.BoolVar(&f.failOnFlaky, "fail-on-flaky", false,
		"exit with 1 if a test passed only in a later attempt (see --retries)")
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		switch name {
		case "workers":
			name = "parallel"
		case "test-output-dir":
			name = "reports"
		}
		return pflag.NormalizedName(name)
	})
	flags.Int64Var(&f.seed, "seed", 0, "run the tests in the random order of this seed, a whole `NUMBER`")
}

// choose applies these flags to the configuration.
func (f runFlags) choose(c *run.Config) (err error) {
	if f.shard != "" {
		if c.Shard, err = plan.ParseShard(f.shard); err != nil {
			return fmt.Errorf("--%w", err)
		}
	}
	if f.shardBy != "" {
		if f.shard == "" && c.Shard.Count == 0 {
			return &plan.Usage{Msg: "--shard-by needs --shard, such as --shard 1/4"}
		}
		if err := c.SetShardBy(f.shardBy); err != nil {
			return fmt.Errorf("--%w", err)
		}
	}
	if f.onlyChanged != "" {
		c.OnlyChanged = f.onlyChanged
	}
	if f.maxTime < 0 {
		return &plan.Usage{Msg: "--max-time cannot be negative"}
	} else if f.maxTime > 0 {
		c.MaxTime = f.maxTime
	}
	if f.rerunFailed != "" {
		c.RerunFailed = f.rerunFailed
	}
	switch {
	case f.repeat < 1 || f.repeat > plan.MaxRepeat:
		return &plan.Usage{Msg: fmt.Sprintf("--repeat %d: a test can be run 1 to %d times", f.repeat, plan.MaxRepeat)}
	case f.repeat > 1:
		c.Repeat = f.repeat
	}
	switch {
	case f.retries == notGiven:
	case f.retries < 0 || f.retries > maxRetries:
		return &plan.Usage{Msg: fmt.Sprintf("--retries %d: a test can be run again 0 to %d times", f.retries, maxRetries)}
	default:
		c.Retries = &f.retries
	}
	switch f.retryAt {
	case "", "now":
	case "end":
		c.RetryAtEnd = true
	default:
		return &plan.Usage{Msg: fmt.Sprintf("--retry-at %q: use now or end", f.retryAt)}
	}
	c.FailFast = f.failFast
	switch {
	case f.seeded:
		c.Seed = &f.seed
	case f.randomize:
		seed := time.Now().Unix()
		c.Seed = &seed
	}
	return c.Resolve()
}

// givenFlags lists the flags of the command line, as they would be written again. Only the names of variables are
// listed, because their values may be secrets.
func givenFlags(flags *pflag.FlagSet) []string {
	var list []string
	flags.Visit(func(f *pflag.Flag) {
		value := f.Value.String()
		if vars, ok := f.Value.(pflag.SliceValue); ok && f.Name == "var" {
			var names []string
			for _, v := range vars.GetSlice() {
				name, _, _ := strings.Cut(v, "=")
				names = append(names, name+"=…")
			}
			value = strings.Join(names, ",")
		}
		list = append(list, "--"+f.Name+"="+value)
	})
	return list
}

// notGiven is the value of --retries when the flag is absent.
const notGiven = math.MinInt

// maxRetries is the maximum of `retries` of a test.
const maxRetries = 10

var tagForm = lazyregexp.New(`^[^&|!,()/:\s]+$`)

// filter combines --tag and --label-filter to one label filter.
func (f runFlags) filter() (string, error) {
	for _, tag := range f.tags {
		if !tagForm.MatchString(tag) {
			return "", &plan.Usage{
				Msg: fmt.Sprintf(
					"--tag %q: write one tag, or several as --tag smoke,login; for expressions use --label-filter "+
						"'%s'",
					tag,
					"smoke && !slow",
				)}
		}
	}
	tags := strings.Join(f.tags, " || ")
	switch {
	case tags == "":
		return f.labels, nil
	case f.labels == "":
		return tags, nil
	}
	return "(" + tags + ") && (" + f.labels + ")", nil
}

// emptyRun prints why there is no test to run.
func emptyRun(env *process.Env, f runFlags, args []string, conf run.Config, p *plan.Plan) error {
	why, ok := conf.NothingToRun(p)
	why += unknownTags(f.tags, p)
	if p.Tests == 0 {
		why = process.NothingFound(env, args)
	}
	fmt.Fprintf(env.Stderr, "taproot: %s; nothing was run\n", why)
	if ok || conf.AllowEmpty {
		return nil
	}
	return process.Exit(run.ExitError)
}

// unknownTags lists the wanted tags that no test has.
func unknownTags(wanted []string, p *plan.Plan) string {
	var known []string
	for _, c := range p.Left {
		known = append(known, c.Test.Tags...)
	}
	text := ""
	for _, tag := range wanted {
		if slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, tag) }) {
			continue
		}
		text += fmt.Sprintf("; no test has the tag %q", tag)
		if near := dsl.Suggest(tag, known); near != "" {
			text += fmt.Sprintf(", did you mean %q?", near)
		}
	}
	return text
}

// ForeignFlag returns how run does what a flag of other test runners does; "" if the flag is unknown.
func ForeignFlag(name string) string { return foreignFlags[name] }

// foreignFlags maps flags of other test runners to the way in which run does the same.
var foreignFlags = map[string]string{
	"grep":   "name the tests by id or file, or select them with --tag",
	"filter": "name the tests by id or file, or select them with --tag",
	"name":   "name the tests by id or file", "test": "name the tests by id or file",
	"k":    "name the tests by id or file, or select them with --tag",
	"tags": "write --tag", "label": "write --tag", "t": "write --tag, or -e NAME=VALUE for a variable",
	"file":   "name the file without a flag: taproot run suites/login.yaml",
	"f":      "name the file without a flag: taproot run suites/login.yaml",
	"path":   "name the folder without a flag: taproot run suites/web",
	"spec":   "name the file without a flag: taproot run suites/login.yaml",
	"config": "the settings are in taproot.yaml in the folder of the tests; --env selects an environment of it",
	"jobs":   "write --parallel", "j": "write --parallel", "procs": "write --parallel", "concurrency": "write --parallel",
	"n":    "write --parallel",
	"bail": "write --fail-fast", "max-failures": "write --fail-fast", "x": "write --fail-fast",
	"fail-fast-after": "write --fail-fast",
	"retry":           "write --retries", "flake-attempts": "write --retries", "reruns": "write --retries",
	"repeat-each": "write --repeat", "count": "write --repeat",
	"last-failed": "write --rerun-failed", "lf": "write --rerun-failed", "only-failures": "write --rerun-failed",
	"shuffle":          "write --randomize",
	"update-snapshots": "write --update-baselines", "u": "write --update-baselines", "variable": "write --var NAME=VALUE",
	"fail-on-flaky-tests": "write --fail-on-flaky", "w": "write --watch", "continuous": "write --watch",
	"c": "write --watch",
	"o": "write --reports", "output-dir": "write --reports",
	"debug":    "write --keep: the page or app stays open at the end or at a failed step",
	"headless": "browsers have no window unless --headed is given",
	"dry-run":  "write taproot validate", "list": "write taproot validate: it lists the tests",
	"collect-only": "write taproot validate: it lists the tests",
	"project":      "write --platform or --tag", "udid": "write --device", "serial": "write --device",
	"s":        "write --device",
	"reporter": "every run writes junit.xml, ctrf.json and summary.md; taproot report export prints them",
	"junit":    "every run writes junit.xml; taproot report export --format junit prints it",
}

// allowPrograms lets tests run programs on this machine where the user allows it.
func (f runFlags) allowPrograms(c *run.Config) error {
	if err := c.Programs.ByUser(c.Getenv, c.Dir); err != nil {
		return &plan.Usage{Msg: err.Error()}
	}
	c.Programs.Allowed = c.Programs.Allowed || f.allowExec
	return nil
}
