package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/pool"
	"github.com/taproot-dev/taproot/runner/run"
)

// busyLimit is how long find waits for a leased device.
const busyLimit = 3 * time.Second

var errBusy = errors.New("the device is in use")

// live leases a phone and reads its tree.
func (f finding) live(ctx context.Context, env *process.Env) (tree *screen.Tree, err error) {
	conf, err := run.FromEnv(env.Dir, env.LookupEnv)
	if err != nil {
		return nil, &plan.Usage{Msg: err.Error()}
	}
	phones := slices.DeleteFunc(run.Drivers(conf), func(d drivers.Driver) bool { return d.Platform() == dsl.Web })
	info, err := ChoosePhone(ctx, phones, cmp.Or(f.device, conf.Device, conf.AndroidSerial))
	if err != nil {
		return nil, err
	}
	conf.Device = info.ID
	pool := pool.New(phones, conf.PoolOptions())
	defer func() { err = errors.Join(err, pool.Close()) }()
	wait, cancel := context.WithTimeoutCause(ctx, busyLimit, errBusy)
	defer cancel()
	lease, err := pool.Lease(wait, info.Platform, "taproot find")
	if errors.Is(err, errBusy) {
		holder, _ := pool.Holder(info.ID)
		return nil, fmt.Errorf("device %s is used by %s (process %d): wait until that is done", info.ID, holder.What,
			holder.PID)
	}
	if err != nil {
		return nil, err
	}
	defer lease.Release()
	dev, err := lease.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	return dev.Tree(ctx)
}

// ChoosePhone returns the phone of --device, or the only usable one.
func ChoosePhone(ctx context.Context, phones []drivers.Driver, want string) (drivers.Info, error) {
	var usable []drivers.Info
	var why, others []string
	for _, d := range phones {
		infos, err := d.Devices(ctx)
		if err != nil && !drivers.UsuallyMissing(err) {
			why = append(why, fmt.Sprintf("%s: %v", d.Platform(), err))
		}
		for _, info := range infos {
			switch {
			case want != "" && info.ID != want:
				others = append(others, strings.TrimSpace(fmt.Sprintf("%s %s", info.ID, info.Model)))
			case info.State == drivers.Ready:
				usable = append(usable, info)
			default:
				why = append(why, fmt.Sprintf("%s is %s: %s", info.ID, info.State, info.Problem))
			}
		}
	}
	switch {
	case len(usable) == 1:
		return usable[0], nil
	case len(usable) > 1:
		return drivers.Info{}, &plan.Usage{Msg: "several devices are attached, choose one with --device: " +
			strings.Join(ids(usable), ", ")}
	case len(why) > 0:
		return drivers.Info{}, errors.New(strings.Join(why, "; "))
	case want != "" && len(others) > 0:
		return drivers.Info{}, fmt.Errorf("the device %s is not attached; attached: %s", want, strings.Join(others, ", "))
	case want != "":
		return drivers.Info{}, fmt.Errorf("the device %s is not attached, and no other one is", want)
	}
	return drivers.Info{},
		errors.New("no phone is attached: connect one with USB debugging on, or use a saved tree with --tree")
}

func ids(infos []drivers.Info) []string {
	list := make([]string, len(infos))
	for i, info := range infos {
		list[i] = info.ID
	}
	return list
}
