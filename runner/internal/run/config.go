package run

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android"
	"github.com/taproot-dev/taproot/drivers/ios"
	"github.com/taproot-dev/taproot/drivers/vision"
	"github.com/taproot-dev/taproot/drivers/web"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/guard"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/internal/toolchain"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/engine"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/pool"
	"github.com/taproot-dev/taproot/runner/internal/replay"
	"github.com/taproot-dev/taproot/runner/internal/start"
)

// Config configures a run. The zero value of a field means its default.
type Config struct {
	Dir           string       // working folder; places in messages are relative to it
	Reports       string       // folder of the runs; default: tests/reports under the project's root
	Device        string       // only this device
	AndroidSerial string       // of the Android devices only this one; Device overrides it
	Platform      dsl.Platform // only this platform
	Browser       string       // for tests of pages that name none; default: chromium
	// Remote is the WebDriver server on which the tests run; nil: they run here. see Sessions.Remote.
	Remote *dsl.RemoteServer
	// Remotes are those of which a host of a farm offers the devices, in addition to its own.
	Remotes     []dsl.RemoteServer
	Labels      string   // Ginkgo label filter
	IncludeTags []string // only tests of folders with one of these tags
	ExcludeTags []string // no tests of folders with one of these
	Vars        map[string]string
	Environment string          // of the suite's taproot.yaml
	Cases       map[string]bool // only these, by the names of their packs; nil: all
	Shard       plan.Shard
	ShardBy     string        // empty, time or time=REPORT: see SetShardBy
	MaxTime     time.Duration // no case starts after it; 0: no limit
	// OnlyChanged is ChangedInTree, or a reference of git: only tests that depend on a change since; empty: all
	OnlyChanged string
	// RerunFailed is LatestRun, the name of a run or its folder: only the tests that did not pass there; empty: all
	RerunFailed string
	Repeat      int    // how often each case is run; default: once
	Seed        *int64 // of a random order; nil: that of the files
	// Retries is how often a test that fails is run again, overriding the test and its suite; nil: as they say
	Retries        *int
	RetryAtEnd     bool // retries wait until all other cases have ended, and run one at a time
	FailFast       bool // no case is started after the first one that did not pass
	Parallel       int  // cases at once; default: one per device
	Pages          int  // how many pages one case can have open at once, at least; see plan.Plan.Pages
	RequireDevices bool // a case without a device is an error, not skipped
	AllowEmpty     bool
	FilesMustBe    bool // a missing file that a step names is an error of planning, not of the step
	NoVideo        bool
	Evidence       Evidence      // recordings, traces and screenshots; NoVideo and NoTrace override it
	Headed         bool          // pages are opened in a browser window, overriding their steps
	NoTrace        bool          // of browsers
	NoDOM          bool          // no snapshots of the elements of pages
	Unmasked       bool          // tests with secrets are recorded and traced, too
	PublicOnly     bool          // tests reach public addresses only, not this machine or its networks
	Network        *guard.Policy // what tests reach; nil: as PublicOnly says
	NoFilePages    bool          // no page may be a file of this machine
	FilesBelow     string        // pages may be files below this folder only; empty: as Access says
	AllowShell     bool          // tests may run commands on the device
	Programs       Programs      // whether tests may run programs on this machine
	AllowStart     bool          // of a server: runs of its own project start the servers of the app
	// what to do after a case with the apps that it started or installed; default: nothing
	AfterUse action.AfterUse
	AI       vision.Mode // whether models may be used; default: the value of TAPROOT_AI, or live
	// auto, require or off: whether an agent reads the screens of Android phones; default: the value of TAPROOT_AGENT,
	// or auto
	Agent     string
	Baselines bool                        // assertScreenshot writes its baselines again
	Access    action.Access               // what tests may touch of this machine
	Timeout   time.Duration               // of a step that names none
	Getenv    func(string) string         // default: the process's own
	Now       func() time.Time            // the clock of reservations and of known failures; default: time.Now
	LookupEnv func(string) (string, bool) // for vars with a value that names an environment variable; nil: none
	// called with each file other than the tests' own that the planning reads; may be nil
	Reads      func(file string)
	Boot       string       // name or UDID of a simulator to start; empty: none
	KeepBooted bool         // it is not shut down at the end
	FFmpeg     string       // path; empty: no recordings
	Claim      pack.Claim   // of the names of runs, where other machines take names, too
	Log        *slog.Logger // default: none
	// Started are the values of the servers of the app that run, by their keys; StartServers sets them.
	Started map[string]map[string]any
	NoWeak  bool // weak assertions are not looked for at the end of a run
	// RepairSuggest: an action that does not find its element continues with the one that it used before; the result is
	// fail all the same.
	RepairSuggest bool
	// KeepFrames says which reports keep the frames that decisions rested on; default: passed.
	KeepFrames engine.KeepFrames
	Reporters  Reporters // programs that read the events of the run

	// Actions are own actions of a suite in Go, which GoCall runs.
	Actions []plan.GoAction
	GoCall  engine.GoCall

	servers *start.Shared // the servers of runs that overlap; nil: each run has its own
}

// SetAfterUse sets AfterUse to a policy by its name: nothing, stop or clear.
func (c *Config) SetAfterUse(name string) (err error) {
	c.AfterUse, err = action.ParseAfterUse(name)
	return err
}

// Replays evaluates the report packs of earlier runs, without a device.
func (c Config) Replays() replay.Reports { return replay.Reports{Dir: c.Dir} }

// SetKeepFrames sets KeepFrames to a policy by its name: passed, failed, all or off; "" is the default.
func (c *Config) SetKeepFrames(name string) (err error) {
	c.KeepFrames, err = engine.ParseKeepFrames(name)
	return err
}

func (c Config) getenv() func(string) string {
	if c.Getenv != nil {
		return c.Getenv
	}
	return os.Getenv
}

// Today is the current day in local time, as 2027-01-31.
func (c Config) Today() string {
	now := time.Now
	if c.Now != nil {
		now = c.Now
	}
	return now().Format(time.DateOnly)
}

// PoolOptions are the options of the run's pool of devices.
func (c Config) PoolOptions() pool.Options {
	return pool.Options{Device: c.Device, AndroidSerial: c.AndroidSerial, Getenv: c.getenv(), Now: c.Now,
		Log: c.logger()}
}

func (c Config) logger() *slog.Logger {
	if c.Log != nil {
		return c.Log
	}
	return slog.New(slog.DiscardHandler)
}

// FromEnv sets the fields from the process environment and the defaults.
func FromEnv(dir string, lookup func(string) (string, bool)) (Config, error) {
	get := func(name string) string { v, _ := lookup(name); return v }
	c := Config{Dir: dir, Environment: get("TAPROOT_ENV"), LookupEnv: lookup, Getenv: get, Device: get("TAPROOT_DEVICE"),
		AndroidSerial: get("ANDROID_SERIAL"), Platform: dsl.Platform(get("TAPROOT_PLATFORM")),
		Browser: get("TAPROOT_BROWSER"),
		Reports: get("TAPROOT_REPORTS_DIR"), Log: slog.New(slog.DiscardHandler)}
	private := true
	for _, b := range []struct {
		name string
		to   *bool
	}{{"TAPROOT_REQUIRE_DEVICES", &c.RequireDevices}, {"TAPROOT_NO_VIDEO", &c.NoVideo}, {"TAPROOT_NO_TRACE", &c.NoTrace},
		{"TAPROOT_NO_DOM", &c.NoDOM}, {"TAPROOT_NO_WEAK", &c.NoWeak},
		{"TAPROOT_ALLOW_PRIVATE", &private}, {"TAPROOT_ALLOW_SHELL", &c.AllowShell},
		{"TAPROOT_UNMASKED_EVIDENCE", &c.Unmasked}, {"TAPROOT_UPDATE_BASELINES", &c.Baselines}} {
		if v := get(b.name); v != "" {
			on, err := strconv.ParseBool(v)
			if err != nil {
				return c, fmt.Errorf("%s=%q: use true or false", b.name, v)
			}
			*b.to = on
		}
	}
	c.PublicOnly = !private
	if err := c.evidenceByEnv(get); err != nil {
		return c, err
	}
	if err := c.chosenByEnv(get); err != nil {
		return c, err
	}
	c.Reporters = reportersOf(get("TAPROOT_REPORTER"))
	if _, err := android.ParseAgentMode(get("TAPROOT_AGENT")); err != nil {
		return c, fmt.Errorf("TAPROOT_AGENT: %w", err)
	}
	if _, err := vision.ParseMode(get("TAPROOT_AI")); err != nil {
		return c, fmt.Errorf("TAPROOT_AI: %w", err)
	}
	if err := c.SetKeepFrames(get("TAPROOT_KEEP_FRAMES")); err != nil {
		return c, fmt.Errorf("TAPROOT_KEEP_FRAMES: %w", err)
	}
	if c.Reports == "" {
		c.Reports = filepath.Join(ProjectRoot(dir), "tests", "reports")
	} else if !filepath.IsAbs(c.Reports) {
		c.Reports = filepath.Join(dir, c.Reports)
	}
	return c, nil
}

// TakeOutputDir sets the folder of the runs from the config.yaml of one of these folders of Maestro flows
// (testOutputDir), unless the environment sets it.
func (c *Config) TakeOutputDir(args []string) {
	if c.getenv()("TAPROOT_REPORTS_DIR") != "" {
		return
	}
	if dir := plan.OutputDir(c.Dir, args); dir != "" {
		c.Reports = dir
	}
}

// ProjectRoot returns the nearest folder upward that holds go.mod or .git, or dir itself when there is none.
func ProjectRoot(dir string) string { return cmp.Or(filetree.Project(dir, "go.mod", ".git"), dir) }

// Drivers lists all drivers, those of offered remotes last; that of a remote on which the tests run is the only one.
func Drivers(c Config) []drivers.Driver {
	if c.Remote != nil {
		return c.Sessions().drivers()
	}
	return append([]drivers.Driver{
		android.New(android.Options{Getenv: c.Getenv, Agent: c.Agent}),
		ios.New(ios.Options{Getenv: c.Getenv, Boot: c.Boot, KeepBooted: c.KeepBooted}),
		Browsers(c),
	}, c.Sessions().offers()...)
}

// Browsers returns only the driver of pages.
func Browsers(c Config) drivers.Driver { return web.New(c.web()) }

// web returns the options of the browser driver.
func (c Config) web() web.Options {
	o := web.Options{Slots: max(c.Parallel, DefaultPages, c.Pages), Browser: c.Browser}
	if o.Browser == plan.AllBrowsers {
		o.Browser = "" // each case names its own
	}
	if c.PublicOnly {
		o.Policy = &guard.Policy{}
	}
	if c.Network != nil {
		o.Policy = c.Network
	}
	o.NoFiles, o.FilesBelow = c.NoFilePages, c.FilesBelow
	if c.Access.Root != nil {
		o.FilesBelow = c.Access.Root.Name()
	}
	return o
}

// access is what steps may access on this machine.
func (c Config) access() action.Access {
	reach := c.Access
	if c.Network != nil && reach.Dial == nil {
		reach.Dial = guard.NewDialer(*c.Network).DialContext
	}
	if c.PublicOnly && reach.Dial == nil {
		reach.Dial = guard.NewDialer(guard.Policy{}).DialContext
	}
	return reach
}

// DefaultPages is the default of how many browser pages run at once.
const DefaultPages = 2

// FindFFmpeg returns the path of ffmpeg, "" without one.
func FindFFmpeg(ctx context.Context, c Config) string {
	found, err := toolchain.Find(ctx, toolchain.NewHost(c.Getenv, os.Environ()), toolchain.FFmpeg)
	if err != nil {
		return ""
	}
	return found.Path
}
