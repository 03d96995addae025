package inspect

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/drivertest"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/pool"
	"github.com/taproot-dev/taproot/runner/run"
)

// ErrLiveFailed ends `taproot doctor --live` with exit code 1, after the failures were printed.
var ErrLiveFailed = errors.New("the device failed a check")

// liveTimeout limits each wait on the device.
const liveTimeout = time.Minute

// liveReport is the result of the checks of one device. It names the kind of device, but does not identify it.
type liveReport struct {
	Taproot string              `json:"taproot"`
	Device  drivers.Info        `json:"device"`
	App     string              `json:"app"`
	Results []drivertest.Result `json:"results"`
}

// runLive leases a real device and checks it against the contract of drivers.
func (f *doctorFlags) runLive(ctx context.Context, env *process.Env) (err error) {
	if len(f.platforms) != 1 || f.platforms[0] != string(dsl.Android) && f.platforms[0] != string(dsl.IOS) {
		return &plan.Usage{Msg: "--live: write --platform android or --platform ios"}
	}
	platform := dsl.Platform(f.platforms[0])
	conf, err := run.FromEnv(env.Dir, env.LookupEnv)
	if err != nil {
		return err
	}
	var driver drivers.Driver
	for _, d := range run.Drivers(conf) {
		if d.Platform() == platform {
			driver = d
			continue
		}
		if err := d.Close(); err != nil {
			return err
		}
	}
	leases := pool.New([]drivers.Driver{driver}, conf.PoolOptions())
	defer func() { err = errors.Join(err, leases.Close()) }()
	info, err := liveDevice(ctx, driver, cmp.Or(f.device, conf.Device))
	if err != nil {
		return err
	}
	lease, err := leases.Take(ctx, info.ID, "taproot doctor --live")
	if err != nil {
		return err
	}
	defer lease.Release()
	return f.report(ctx, env, driver, info)
}

// report runs the checks and prints their results.
func (f *doctorFlags) report(ctx context.Context, env *process.Env, driver drivers.Driver, info drivers.Info) (
	err error) {
	report := liveReport{
		Taproot: process.ThisBuild().Version + " on " + process.ThisBuild().Platform,
		Device:  info,
		App:     f.app,
	}
	if report.App == "" {
		report.App = map[dsl.Platform]string{dsl.Android: "com.android.settings",
			dsl.IOS: "com.apple.Preferences"}[info.Platform]
	}
	out := env.Stdout
	if f.asJSON {
		out = io.Discard
	}
	writeLiveHead(out, report)
	report.Results = checkLive(ctx, driver, report, func(r drivertest.Result) { writeLiveResult(out, r) })
	if f.asJSON {
		report.Device.ID = ""
		enc := json.NewEncoder(env.Stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		err = enc.Encode(report)
	}
	failed := writeLiveSum(out, report.Results)
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err == nil && failed {
		err = ErrLiveFailed
	}
	return err
}

// liveDevice returns the device: the one of --device, else the only ready one.
func liveDevice(ctx context.Context, driver drivers.Driver, id string) (drivers.Info, error) {
	infos, err := driver.Devices(ctx)
	if err != nil {
		return drivers.Info{}, err
	}
	var ready []drivers.Info
	var others []string
	for _, i := range infos {
		switch {
		case i.State != drivers.Ready:
			others = append(others, fmt.Sprintf("%s is %s: %s", i.ID, i.State, i.Problem))
		case id == "" || i.ID == id:
			ready = append(ready, i)
		}
	}
	switch {
	case len(ready) == 1:
		return ready[0], nil
	case len(ready) > 1:
		return drivers.Info{},
			&plan.Usage{Msg: fmt.Sprintf("%d devices are ready: choose one with --device, such as --device %s", len(ready),
				ready[0].ID)}
	case id != "":
		return drivers.Info{}, fmt.Errorf("device %s is not ready: %s", id,
			strings.Join(append(others, "taproot devices lists what is attached"), "; "))
	}
	return drivers.Info{}, fmt.Errorf("no device is ready: %s",
		strings.Join(append(others, "taproot devices lists what is attached"), "; "))
}

// sharedDriver is a driver that stays open although each part of the checks closes it, so that they share what it
// started on the device.
type sharedDriver struct{ drivers.Driver }

// Close leaves the driver open.
func (sharedDriver) Close() error { return nil }

// checkLive runs the checks that work with any app; with the sample login app also all checks of the simulated devices.
func checkLive(ctx context.Context, driver drivers.Driver, r liveReport, told func(drivertest.Result)) (
	results []drivertest.Result) {
	login := false
	subject := drivertest.Subject[*drivertest.Check]{ID: r.Device.ID, Patience: liveTimeout,
		Driver: func(*drivertest.Check) drivers.Driver { return sharedDriver{driver} },
		Login: func(ctx context.Context, dev drivers.Device) error {
			apps, ok := dev.(drivers.Apps)
			if !ok {
				return drivers.ErrUnsupported
			}
			return apps.Launch(ctx, r.App, true)
		}}
	check := drivertest.NewCheck(ctx, func(one drivertest.Result) {
		one = anonymous(one, r.Device.ID)
		results = append(results, one)
		told(one)
	})
	check.Run("the app is the sample login, or another one", func(c *drivertest.Check) {
		login = hasLogin(c, subject)
		if !login {
			c.Logf("another one: checks that need the fields E-mail and Password and the button Sign in are left out")
		}
	})
	if login {
		drivertest.Run(check, subject)
		drivertest.RunBeside(check, subject)
	} else {
		drivertest.RunAny(check, subject)
	}
	return results
}

// anonymous removes the device's serial or UDID from a text.
func anonymous(r drivertest.Result, id string) drivertest.Result {
	without := func(texts []string) (out []string) {
		for _, text := range texts {
			out = append(out, strings.ReplaceAll(text, id, "ID"))
		}
		return out
	}
	r.Failures, r.Notes, r.Lacks = without(r.Failures), without(r.Notes), strings.ReplaceAll(r.Lacks, id, "ID")
	return r
}

// hasLogin reports whether the app shows the sample login.
func hasLogin(c *drivertest.Check, s drivertest.Subject[*drivertest.Check]) bool {
	dev, err := s.Driver(c).Open(c.Context(), s.ID)
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() { _ = dev.Close() })
	if err := s.Login(c.Context(), dev); err != nil {
		c.Fatal(err)
	}
	for end := time.Now().Add(loginTimeout); time.Now().Before(end); {
		tree, err := dev.Tree(c.Context())
		if err != nil {
			if errors.Is(err, drivers.ErrNotReady) {
				continue
			}
			c.Fatal(err)
		}
		found, err := tree.Find(screen.Query{Selector: dsl.Selector{Label: "Sign in"}})
		if err == nil && len(found) > 0 {
			return true
		}
	}
	return false
}

// loginTimeout is how long the sample login may take to appear.
const loginTimeout = 5 * time.Second

func writeLiveHead(w io.Writer, r liveReport) {
	kind := "device"
	if r.Device.Emulator {
		kind = "emulator or simulator"
	}
	system := map[dsl.Platform]string{dsl.Android: "Android", dsl.IOS: "iOS"}[r.Device.Platform]
	fmt.Fprintf(w, "Taproot %s\nlive check of a %s: %s %s, %s %s\napp: %s\n\n", r.Taproot, kind, r.Device.Manufacturer,
		r.Device.Model, system, r.Device.OSVersion, r.App)
}

// liveState returns the word for a result.
func liveState(r drivertest.Result) string {
	switch {
	case len(r.Failures) > 0:
		return "FAILED"
	case r.Lacks != "":
		return "absent"
	}
	return "ok"
}

func writeLiveResult(w io.Writer, r drivertest.Result) {
	fmt.Fprintf(w, "%-10s %6.1f s  %s\n", liveState(r), r.Took.Seconds(), r.Part)
	lines := append(append([]string{}, r.Failures...), r.Notes...)
	if r.Lacks != "" {
		lines = append(lines, r.Lacks)
	}
	for _, text := range lines {
		fmt.Fprintf(w, "%21s%s\n", "", strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n"+strings.Repeat(" ", 21)))
	}
}

// writeLiveSum ends the report, and reports whether a check failed.
func writeLiveSum(w io.Writer, results []drivertest.Result) bool {
	n := map[string]int{}
	for _, r := range results {
		n[liveState(r)]++
	}
	fmt.Fprintf(w, "\n%d checks: %d ok, %d failed, %d of features that are absent\n", len(results), n["ok"], n["FAILED"],
		n["absent"])
	if len(results) > 0 {
		fmt.Fprint(w, "This report may contain texts of the screen: read it before you paste it into an issue.\n")
	}
	return n["FAILED"] > 0 || len(results) == 0
}
