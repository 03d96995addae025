package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/plan"
	farmremote "github.com/taproot-dev/taproot/runner/remote"
	"github.com/taproot-dev/taproot/runner/run"
)

// hubRun are the flags of run for a farm.
type hubRun struct {
	address, pool string
	labels        []string
	priority      int
}

func (h *hubRun) register(flags *pflag.FlagSet) {
	flags.StringVar(&h.address, "hub", "",
		"run the tests on devices of the device farm at `URL`, with the API key in TAPROOT_API_KEY (default: TAPROOT_HUB)")
	flags.StringVar(&h.pool, "pool", "", "with --hub: only on devices of the device group (pool) `NAME`")
	flags.StringSliceVar(&h.labels, "labels", nil, "with --hub: only on devices with these labels, `NAME=VALUE,…`")
	flags.IntVar(
		&h.priority,
		"priority",
		0,
		"with --hub: `N` from -10 to 10; each level counts as ten minutes of waiting",
	)
}

// hubFarm is a run on a farm.
type hubFarm struct {
	o farmremote.Options
}

// note records files that the tests need during planning; nil: the tests run here.
func (h *hubRun) note(env *process.Env, conf *run.Config, exec bool) (*hubFarm, error) {
	set, err := process.NewSettings(env)
	if err != nil {
		return nil, err
	}
	address := h.address
	if address == "" {
		address = set.Get("TAPROOT_HUB")
	}
	if address == "" {
		if h.pool != "" || len(h.labels) > 0 || h.priority != 0 {
			return nil, &plan.Usage{Msg: "--pool, --labels and --priority select devices of a farm: set its URL with --hub"}
		}
		return nil, nil
	}
	if exec {
		return nil, &plan.Usage{Msg: "--allow-exec: the hosts of a farm run no programs of tests"}
	}
	for _, l := range h.labels {
		if !dsl.IsDeviceLabel(l) {
			return nil, &plan.Usage{
				Msg: fmt.Sprintf("--labels %q: write NAME=VALUE, and a comma between several, such as room=3,desk=west", l)}
		}
	}
	hub, err := farmremote.NewClient(address, set.Get("TAPROOT_API_KEY"))
	if err != nil {
		return nil, err
	}
	return &hubFarm{farmremote.Options{Hub: hub, Pool: h.pool, Labels: h.labels, Priority: h.priority,
		Inputs: farmremote.NoteInputs(conf),
		Away:   func(err error) { fmt.Fprintf(env.Stderr, "waiting for the hub: %v\n", err) }}}, nil
}

// open uploads the files that the tests need; nil: the tests run here, or not at all, because a server of the app
// failed.
func (h *hubFarm) open(ctx context.Context, conf run.Config, p *plan.Plan, failed error) (*farmremote.Farm, error) {
	if h == nil || failed != nil {
		return nil, nil
	}
	h.o.Config, h.o.Plan = conf, p
	farm, err := farmremote.Open(ctx, h.o)
	var usage *plan.Usage
	if err != nil && !errors.As(err, &usage) {
		err = &plan.Usage{Msg: err.Error() + "; nothing was run"}
	}
	return farm, err
}
