package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/drivers/web"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
)

// ErrRemote ends `taproot doctor --remote` with exit code 1, after what is wrong was printed.
var ErrRemote = errors.New("the remote cannot be used")

// remoteConfig is the configuration of a run on a remote of this folder.
func remoteConfig(env *process.Env, name string) (run.Config, error) {
	conf, err := run.FromEnv(env.Dir, env.LookupEnv)
	if err != nil {
		return conf, &plan.Usage{Msg: err.Error()}
	}
	conf.Remote, err = conf.Sessions().Remote(name)
	return conf, err
}

// checkRemote opens a session at a remote, reads in it, ends it, and prints how long each call took.
func checkRemote(ctx context.Context, env *process.Env, name string, asJSON bool) error {
	conf, err := remoteConfig(env, name)
	if err != nil {
		return err
	}
	process.EndSessions(ctx, env, conf)
	calls, what := conf.Sessions().Check(ctx)
	bad := false
	for _, c := range calls {
		bad = bad || c.Err != nil
	}
	report := remoteReport{OK: !bad, Remote: name, Calls: calls}
	if report.Browser = what; conf.Remote.Platform != dsl.Web {
		report.Browser, report.Device = "", what
	}
	if err := writeCalls(env, report, asJSON); err != nil {
		return err
	}
	if bad {
		return ErrRemote
	}
	return nil
}

// remoteReport is what came of a check.
type remoteReport struct {
	OK      bool             `json:"ok"`
	Remote  string           `json:"remote"`
	Browser string           `json:"browser,omitempty"`
	Device  string           `json:"device,omitempty"`
	Calls   []web.RemoteCall `json:"calls"`
}

func writeCalls(env *process.Env, r remoteReport, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(env.Stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(r)
	}
	table := tabwriter.NewWriter(env.Stdout, 0, 0, 2, ' ', 0)
	for _, c := range r.Calls {
		state := "ok"
		if c.Err != nil {
			state = "failed"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", state, c.Name, c.Took.Round(time.Millisecond), c.Said)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if r.OK {
		_, err := fmt.Fprintf(env.Stdout, "\nthe remote %s can be used: %s\n", r.Remote, r.Browser+r.Device)
		return err
	}
	return nil
}
