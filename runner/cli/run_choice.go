package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/taproot-dev/taproot/runner"
	"github.com/taproot-dev/taproot/runner/plan"
)

// choosing adds the flags that say which tests are run, how often and in which order.
func (f *runFlags) choosing(flags *pflag.FlagSet) {
	flags.StringVar(&f.shard, "shard", "", "run one of several parts of the tests, `I/N`: 1/3, 2/3 and 3/3 together are all")
	flags.StringVar(&f.rerunFailed, "rerun-failed", "", "run only what did not pass in the latest run, or in `RUN` (a name such as 2026-01-31T12-00-00, or a folder)")
	flags.Lookup("rerun-failed").NoOptDefVal = runner.LatestRun
	flags.IntVar(&f.repeat, "repeat", 1, "run each test `N` times")
	flags.BoolVar(&f.failFast, "fail-fast", false, "begin no test after the first one that does not pass")
	flags.BoolVar(&f.randomize, "randomize", false, "run the tests in a random order; the reports tell its seed")
	flags.Int64Var(&f.seed, "seed", 0, "run the tests in the random order of this seed, a whole `NUMBER`")
}

// choose takes over what these flags say.
func (f runFlags) choose(c *runner.Config) (err error) {
	if f.shard != "" {
		if c.Shard, err = plan.ParseShard(f.shard); err != nil {
			return fmt.Errorf("--%w", err)
		}
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

// givenFlags lists the flags that were given as they would be written again. The values of variables may be secrets: their names are all
// that is told.
func givenFlags(flags *pflag.FlagSet) []string {
	var list []string
	flags.Visit(func(f *pflag.Flag) {
		value := f.Value.String()
		if vars, ok := f.Value.(pflag.SliceValue); ok {
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
