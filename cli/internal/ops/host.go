package ops

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/farm/host"
	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/farm/work"
	"github.com/taproot-dev/taproot/internal/guard"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/pool"
	"github.com/taproot-dev/taproot/runner/run"
	"github.com/taproot-dev/taproot/server"
)

// hostFlags are the flags of host.
type hostFlags struct {
	hub, token, name, pool, data        string
	labels                              map[string]string
	allowHTTP, allowPrivate, allowShell bool
	drain, verbose                      bool
	afterUse                            string
	remotes                             []string
	offered                             []dsl.RemoteServer // of these names
	clock                               host.Clock
	pages                               int
}

func HostCommand(env *process.Env) *cobra.Command {
	var f hostFlags
	cmd := &cobra.Command{
		Use: "host", Short: "add the devices of this machine to a farm (taproot serve --service --farm)", Args: cobra.NoArgs,
		Long: "host connects to the hub of a farm and serves the devices of this machine to its clients, until it is\n" +
			"interrupted. It opens no port.\n\n" +
			"The first time it needs a token, which taproot admin host-token creates on the hub; it is valid once. With it " +
			"the\n" +
			"host receives a key of its own, which is stored in the data folder and never leaves it. From then on host " +
			"connects\n" +
			"without a token, also after the hub was offline.\n\n" +
			"--remote also offers the browsers or phones of remotes: WebDriver servers that taproot.yaml in this folder\n" +
			"names. Their URLs, users and keys stay on this machine.\n\n" +
			"--drain makes the host on this machine accept no new work, and end when no client uses its devices.",
		Example: "  taproot host --hub https://hub.example.com --token taph_…\n" +
			"  taproot host --hub https://hub.example.com --pool pixels --labels room=3,desk=west\n" +
			"  taproot host --remote grid,cloud\n" +
			"  taproot host --drain",
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), env) }}
	flags := cmd.Flags()
	flags.StringVar(&f.hub, "hub", "", "the `URL` of the hub (TAPROOT_HUB)")
	flags.StringVar(&f.token, "token", "", "the `TOKEN` to join with, the first time (TAPROOT_HOST_TOKEN)")
	flags.StringVar(&f.name, "name", "", "preferred `NAME` of the host (default: the machine's name)")
	flags.StringVar(&f.pool, "pool", "", "add the devices to the pool `NAME`, unless the token sets another one")
	flags.StringToStringVar(&f.labels, "labels", nil,
		"labels of the devices, `NAME=VALUE,…`, in addition to those of the token")
	flags.StringVar(&f.data, "data", "taproot-host", "`FOLDER` for the key and the files of projects")
	flags.BoolVar(&f.allowHTTP, "allow-http", false, "join a hub without TLS, in a network that you trust")
	flags.BoolVar(&f.allowPrivate, "allow-private", false,
		"let clients reach this machine and private networks with pages, http steps and links")
	flags.BoolVar(&f.allowShell, "allow-shell", false, "let clients run commands on devices")
	flags.BoolVar(&f.drain, "drain", false, "end the host on this machine when no client uses its devices")
	flags.StringVar(&f.afterUse, "after-use", "nothing",
		"what to do at the end of a lease or case with the apps that it started or installed, `POLICY`:\n"+
			"nothing, stop, or clear (stop them and remove their data)")
	flags.StringSliceVar(&f.remotes, "remote", nil,
		"also offer the devices of a remote, `NAME` under remotes in taproot.yaml; repeatable, or separated by commas")
	flags.IntVar(&f.pages, "pages", 8, "open at most `N` browser pages at once for each project")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "log every request")
	return cmd
}

func (f *hostFlags) run(ctx context.Context, env *process.Env) error {
	set, err := process.NewSettings(env)
	if err != nil {
		return err
	}
	dir := process.Within(env.Dir, f.data)
	if f.drain {
		if err := host.Drain(dir); err != nil {
			return &plan.Usage{Msg: err.Error()}
		}
		fmt.Fprintln(env.Stdout, "the host ends when no client uses its devices")
		return nil
	}
	for name, to := range map[string]*string{"TAPROOT_HUB": &f.hub, "TAPROOT_HOST_TOKEN": &f.token} {
		if *to == "" {
			*to = set.Get(name)
		}
		*to = strings.TrimSpace(*to) // as pasted from a terminal
	}
	if err := f.findRemotes(ctx, env, set); err != nil {
		return err
	}
	if err := (hub.HostPlacement{Pool: f.pool, Labels: f.labels}).Check(); err != nil {
		return &plan.Usage{Msg: err.Error()}
	}
	if _, err := os.Stat(filepath.Join(dir, "service.db")); err == nil {
		return &plan.Usage{Msg: dir + " is the data folder of a hub; use another folder for the host with --data"}
	}
	wanted := f.name
	if f.name == "" {
		f.name, _ = os.Hostname() // without one the hub chooses a name
	}
	level := slog.LevelInfo
	if f.verbose {
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewTextHandler(env.Stderr, &slog.HandlerOptions{Level: level}))
	s, err := f.server(env, set, dir, log)
	if err != nil {
		return err
	}
	err = host.Run(ctx, host.Options{Hub: f.hub, Token: f.token, AllowHTTP: f.allowHTTP, Clock: &f.clock, Name: f.name,
		Dir: dir, Pool: f.pool, Labels: f.labels, Version: process.ThisBuild().Version, Log: log,
		Work: f.work(env, set, dir, log, s.Pool()),
		Ready: func(id string) {
			fmt.Fprintf(env.Stdout, "The host %s serves its devices to %s\n", id, f.hub)
			if wanted != "" && id != wanted {
				fmt.Fprintf(env.Stderr,
					"the hub calls this host %s: %q is the name of another host, or has other characters than a-z, 0-9 and "+
						"-\n", id, wanted)
			}
		}}, s)
	var refused *host.RefusedError
	if errors.As(err, &refused) || errors.Is(err, host.ErrNoToken) || errors.Is(err, host.ErrRevoked) ||
		errors.Is(err, host.ErrHub) {
		err = &plan.Usage{Msg: err.Error()}
	}
	return errors.Join(err, s.Close())
}

// drainTimeout is how long a drained host continues to deliver report packs to the hub.
const drainTimeout = time.Minute

// work runs the cases that the hub sends, on the devices of a pool.
func (f *hostFlags) work(env *process.Env, set process.Settings, dir string, log *slog.Logger,
	of *pool.Pool) func(context.Context, *host.Member) error {
	return func(ctx context.Context, m *host.Member) error {
		conf, err := f.config(env, set, dir, log)
		if err != nil {
			return err
		}
		conf.Parallel, conf.FFmpeg, conf.PublicOnly = f.pages, run.FindFFmpeg(ctx, conf), !f.allowPrivate
		runs := filepath.Join(dir, "runs")
		conf.FilesBelow = work.TestsIn(runs) // tests of a client read only the files that the client sent
		// pages of a client's tests may be files; other clients open no files as pages
		devices := of.WithDriver(run.Browsers(conf))
		w, err := work.New(work.Options{Host: m.ID(), Conn: m.Conn(), Dir: runs, Config: conf, Pool: devices, Log: log})
		if err != nil {
			return errors.Join(err, devices.Close())
		}
		m.Adds(w.AddTo)
		running, cancel := context.WithCancel(context.WithoutCancel(ctx))
		over := make(chan error, 1)
		go func() { over <- w.Run(running) }()
		select {
		case <-ctx.Done():
		case <-m.Drained():
			w.Refuse()
			<-ctx.Done()
			last, stop := context.WithTimeout(running, drainTimeout)
			_ = w.Drain(last) // the rest is delivered when the host runs again
			stop()
		}
		cancel()
		return errors.Join(<-over, devices.Close())
	}
}

// config is the configuration of everything that runs here.
func (f *hostFlags) config(env *process.Env, set process.Settings, dir string, log *slog.Logger) (run.Config, error) {
	conf, err := run.FromEnv(env.Dir, set.Lookup)
	if err != nil {
		return conf, &plan.Usage{Msg: err.Error()}
	}
	if err := conf.SetAfterUse(f.afterUse); err != nil {
		return conf, &plan.Usage{Msg: "--after-use: " + err.Error()}
	}
	conf.Reports, conf.AllowShell, conf.Log, conf.Baselines, conf.Now = filepath.Join(dir, "reports"), f.allowShell, log,
		false, f.clock.Now
	conf.Remotes = f.offered
	return conf, nil
}

// findRemotes reads the remotes that are to be offered. It ends the sessions that a killed process has left.
func (f *hostFlags) findRemotes(ctx context.Context, env *process.Env, set process.Settings) error {
	conf, err := run.FromEnv(env.Dir, set.Lookup)
	if err != nil {
		return &plan.Usage{Msg: err.Error()}
	}
	for _, name := range f.remotes {
		if slices.ContainsFunc(f.offered, func(r dsl.RemoteServer) bool { return r.Name == name }) {
			continue
		}
		r, err := conf.Sessions().Remote(name)
		if err != nil {
			return err
		}
		if err := f.mayOffer(ctx, *r); err != nil {
			return err
		}
		f.offered = append(f.offered, *r)
	}
	process.EndSessions(ctx, env, conf)
	return nil
}

// mayOffer refuses a remote of which the devices would have the ids of the host's own browsers, and browsers that lead
// clients into a private network.
func (f *hostFlags) mayOffer(ctx context.Context, r dsl.RemoteServer) error {
	if r.Name == string(dsl.Web) {
		return &plan.Usage{Msg: "--remote web: its devices would be called web-1, …, as the browsers of this machine; give " +
			"the remote another name in taproot.yaml"}
	}
	u, err := url.Parse(r.URL)
	if err != nil || r.Platform != dsl.Web || f.allowPrivate {
		return nil // its URL has been checked
	}
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname())
	if err != nil {
		return nil // it is listed as one that does not respond
	}
	for _, addr := range addrs {
		if (guard.Policy{}).Check(addr) != nil {
			return &plan.Usage{Msg: fmt.Sprintf("--remote %s: its browsers are in a private network (%s), and what they reach "+
				"there cannot be limited; add --allow-private to offer them all the same", r.Name, u.Hostname())}
		}
	}
	return nil
}

// server creates the server of the devices.
func (f *hostFlags) server(env *process.Env, set process.Settings, dir string, log *slog.Logger) (
	*server.Server, error) {
	conf, err := f.config(env, set, dir, log)
	if err != nil {
		return nil, err
	}
	o := server.Options{Config: conf, FarmHost: true, Files: filepath.Join(dir, "files"),
		Projects: filepath.Join(dir, "projects"), Pages: f.pages, Version: process.ThisBuild().Version, Log: log,
		Network: guard.Policy{AllowPrivate: f.allowPrivate}, MCP: assistants(log)}
	for _, folder := range []string{o.Files, o.Projects, conf.Reports} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, err
		}
	}
	return server.New(o)
}
