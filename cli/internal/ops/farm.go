package ops

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/farm/broker"
	"github.com/taproot-dev/taproot/farm/dispatch"
	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/farm/queue"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/runner/plan"
	farmremote "github.com/taproot-dev/taproot/runner/remote"
	"github.com/taproot-dev/taproot/runner/run"
	"github.com/taproot-dev/taproot/server"
	"github.com/taproot-dev/taproot/server/service"
)

// farmFlags are the flags of taproot serve as the hub of a farm.
type farmFlags struct {
	on             bool
	listen, public string
}

func (f *farmFlags) register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.on, "farm", false,
		"with --service: be the hub of a farm, which uses the devices of its hosts (taproot host) (TAPROOT_FARM)")
	flags.StringVar(&f.listen, "farm-listen", ":4222",
		"with --farm: accept hosts on `HOST:PORT`, over TLS (TAPROOT_FARM_LISTEN)")
	flags.StringVar(&f.public, "farm-public", "",
		"with --farm: the public `HOST:PORT` of that, or NATS servers of your own, separated by commas "+
			"(TAPROOT_FARM_PUBLIC;\n"+
			"default: the hub's name and the port)")
}

// open starts the hub; closed stops it, after the server.
func (f *farmFlags) open(ctx context.Context, set process.Settings, so *server.Options, data string) (
	closed func() error, err error) {
	s, log := so.Service, so.Log
	if s == nil {
		return nil, &plan.Usage{Msg: "--farm needs --service, which stores the hosts in its database"}
	}
	c, err := dispatch.OpenCenter(ctx, dispatch.CenterOptions{DB: s.DB(), Dir: filepath.Join(data, "farm"),
		Bucket: so.Bucket, Seal: s, Keep: keepTests(s), Version: process.ThisBuild().Version, Log: log,
		NATS: broker.Options{Listen: f.listen, Public: f.public, URL: set.Get("TAPROOT_NATS_URL"),
			Account: set.Get("TAPROOT_NATS_ACCOUNT")},
		Refused: func(r hub.Refusal) {
			s.Refused(service.Entry{Actor: r.Actor, Action: r.Action, Target: r.Target, Address: r.Address})
		}})
	if err != nil {
		if op := (*net.OpError)(nil); errors.As(err, &op) && op.Op == "listen" {
			err = fmt.Errorf("%w; choose another port with --farm-listen HOST:PORT", err)
		}
		return nil, &plan.Usage{Msg: "--farm: " + err.Error()}
	}
	serveFarm(so, c)
	return c.Close, nil
}

// serveFarm lets clients of a server run cases on the farm.
func serveFarm(so *server.Options, c *dispatch.Center) {
	d := c.Dispatcher
	so.Farm, so.FarmRunning, so.FarmQueue, so.FarmMetrics = c.Hub, farmRunning(c.Queue), farmQueue(d, c.Queue),
		d.WriteMetrics
	so.FarmRuns = func(project func(*http.Request) string) http.Handler { return d.Handler(project) }
	so.FarmCases = func(project string) func(*run.Config, server.FarmPlacement) server.FarmOpening {
		h := d.Handler(func(*http.Request) string { return project })
		return func(conf *run.Config, at server.FarmPlacement) server.FarmOpening {
			return farmCases(h, so.Log, conf, at)
		}
	}
}

// farmCases runs the cases of a run on the hub's own farm, in the same way as taproot run --hub.
func farmCases(hub http.Handler, log *slog.Logger, conf *run.Config, at server.FarmPlacement) server.FarmOpening {
	inputs := farmremote.NoteInputs(conf)
	return func(ctx context.Context, conf run.Config, p *plan.Plan) (server.FarmRunner, error) {
		farm, err := farmremote.Open(ctx, farmremote.Options{Hub: farmremote.Inside(hub), Config: conf, Plan: p,
			Inputs: inputs, Pool: at.Pool, Labels: at.Labels, Priority: at.Priority, Log: log})
		if err != nil {
			return nil, err
		}
		return farm, nil
	}
}

// keepTests is how long unused archives of tests are kept: as long as the project's reports. Those of a deleted project
// are removed.
func keepTests(s *service.Service) func(context.Context, string) (time.Duration, error) {
	return func(ctx context.Context, project string) (time.Duration, error) {
		p, err := s.Operator().Project(ctx, project)
		if errors.Is(err, service.ErrNotFound) {
			return 0, nil
		}
		return time.Duration(p.ReportDays) * 24 * time.Hour, err
	}
}

// adminFarm are the commands for hosts.
func adminFarm(env *process.Env,
	add func(string, string, int, func(context.Context, *service.Service, []string) error) *cobra.Command) {
	var place hub.HostPlacement
	token := add("host-token", "create a token with which one host can join the farm within a day, and print it once", 0,
		func(ctx context.Context, s *service.Service, _ []string) error {
			text, err := hub.NewToken(ctx, s.DB(), place)
			if err != nil {
				return &plan.Usage{Msg: err.Error()}
			}
			fmt.Fprintln(env.Stdout, text)
			return s.Note(ctx, service.Entry{Actor: "operator", Action: "farm.token",
				Target: strings.TrimSpace(place.Pool + " " + place.Project)})
		})
	token.Flags().StringVar(&place.Pool, "pool", "", "add the host's devices to the pool `NAME`")
	token.Flags().StringToStringVar(&place.Labels, "labels", nil, "labels of the host's devices, `NAME=VALUE,…`")
	token.Flags().StringVar(&place.Project, "project", "", "only the project with this `ID` may use them")
	add("host-revoke HOST", "reject a host from now on, and end its connections", 1,
		func(ctx context.Context, s *service.Service, args []string) error {
			if err := hub.Revoke(ctx, s.DB(), args[0]); err != nil {
				return &plan.Usage{Msg: err.Error()}
			}
			return s.Note(ctx, service.Entry{Actor: "operator", Action: "farm.revoke", Target: args[0]})
		})
}

func FarmCommand(env *process.Env) *cobra.Command {
	cmd := &cobra.Command{Use: "farm", Short: "show a device farm: its hosts and their devices (taproot docs farm)"}
	var address string
	var asJSON bool
	status := &cobra.Command{
		Use: "status", Short: "list the hosts and devices of a farm that the key may use, and the waiting cases",
		Args:    cobra.NoArgs,
		Long:    "status queries the hub of --hub, or TAPROOT_HUB, with the key in TAPROOT_API_KEY.",
		Example: "  TAPROOT_API_KEY=tap_… taproot farm status --hub https://hub.example.com",
		RunE: func(cmd *cobra.Command, _ []string) error {
			ask, err := process.HubClient(env, address)
			if err != nil {
				return err
			}
			return farmStatus(cmd.Context(), env, ask, asJSON)
		}}
	status.Flags().StringVar(&address, "hub", "", "the `URL` of the hub (TAPROOT_HUB)")
	status.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(status, newNATSConfigCommand(env))
	return cmd
}

func farmStatus(ctx context.Context, env *process.Env, ask *farmremote.Client, asJSON bool) error {
	var state server.FarmState
	if err := process.QueryHub(ctx, ask, farmremote.Request{Method: http.MethodGet, Path: "farm",
		Into: &state}); err != nil {
		return err
	}
	if asJSON {
		e := json.NewEncoder(env.Stdout)
		e.SetIndent("", "  ")
		return e.Encode(state)
	}
	w := tabwriter.NewWriter(env.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "HOST\tSTATE\tPOOL\tLABELS\tDEVICES\tVERSION\tSEEN")
	for _, h := range state.Hosts {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\t%s\n", h.ID, h.State, dash(h.Pool), dash(labels(h.Labels)), h.Devices,
			h.Version, formatTime(h.Seen))
	}
	fmt.Fprintln(w, "\nDEVICE\tHOST\tPLATFORM\tMODEL\tSTATE\tSINCE\tHOLDER")
	for _, d := range state.Devices {
		since := ""
		if d.Since != nil {
			since = formatTime(*d.Since)
		}
		use := d.Use
		if d.Why != "" {
			use += ": " + d.Why
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", d.ID, dash(d.Host), d.Platform, dash(d.Model), use, dash(since),
			dash(d.Holder))
	}
	farmReserved(w, state.Devices)
	if len(state.Running) > 0 {
		fmt.Fprintln(w, "\nRUNNING\tDEVICE\tHOST\tSINCE")
	}
	for _, c := range state.Running {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", dash(c.Test), c.Device, c.Host, formatTime(c.Since))
	}
	if len(state.Queue) > 0 {
		fmt.Fprintln(w, "\nWAITING\tNEEDS\tWHY")
	}
	for _, l := range state.Queue {
		fmt.Fprintf(w, "%d\t%s\t%s\n", l.Waiting, l.Needs, l.Why)
	}
	if s := state.Share; s != nil {
		limit := "no limit"
		if s.Limit > 0 {
			limit = fmt.Sprintf("at most %d at once", s.Limit)
		}
		fmt.Fprintf(w, "\nthe project's cases: %d running, %d waiting; weight %d, %s\n", s.Running, s.Waiting,
			s.Weight, limit)
	}
	return w.Flush()
}

// farmReserved lists the reservations of devices.
func farmReserved(w io.Writer, devices []server.Device) {
	head := "\nRESERVED\tFROM\tUNTIL\tHOLDER\tWHY\tID\n"
	for _, d := range devices {
		for _, r := range d.Reservations {
			fmt.Fprintf(w, "%s%s\t%s\t%s\t%s\t%s\t%s\n", head, d.ID, formatTime(r.From), formatTime(r.Until), dash(r.Holder),
				dash(r.Why), dash(r.ID))
			head = ""
		}
	}
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func labels(of map[string]string) string { return strings.Join(phrase.Pairs(of), ",") }

// formatTime formats a time to the second, in UTC; "-" for none.
func formatTime(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.DateTime)
}

// newNATSConfigCommand writes the configuration of NATS servers.
func newNATSConfigCommand(env *process.Env) *cobra.Command {
	var c broker.Cluster
	var out string
	cmd := &cobra.Command{Use: "nats-config",
		Short: "write the configuration of NATS servers of your own, for several hubs", Args: cobra.NoArgs,
		Long: "nats-config writes one file for all servers, each of which is started with its own name (nats-server -c " +
			"nats.conf\n" +
			"-n NAME). It prints the seed of the account with which hubs sign for hosts: TAPROOT_NATS_ACCOUNT. The file " +
			"contains\n" +
			"a password with which the servers authenticate each other, and the seed gives access to them. Both are printed " +
			"only\n" +
			"once. If the account of a farm changes, its hosts must join again.",
		Example: "  taproot farm nats-config --servers nats-1,nats-2,nats-3 --output nats.conf",
		RunE: func(*cobra.Command, []string) error {
			config, account, err := broker.NewCluster(c)
			if err != nil {
				return &plan.Usage{Msg: "--servers, --store, --tls: " + err.Error()}
			}
			file, err := os.OpenFile(process.Within(env.Dir, out), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			if errors.Is(err, fs.ErrExist) {
				return &plan.Usage{Msg: out + " exists already, and hosts may use its account: move it away first"}
			}
			if err != nil {
				return err
			}
			_, err = file.WriteString(config)
			if err = errors.Join(err, file.Close()); err != nil {
				return err
			}
			fmt.Fprintf(env.Stdout, "TAPROOT_NATS_ACCOUNT=%s\n", account)
			return nil
		}}
	flags := cmd.Flags()
	flags.StringSliceVar(&c.Servers, "servers", nil,
		"the servers' names, with which they connect to each other: `NAME,NAME,NAME`")
	flags.StringVar(&c.Store, "store", "/data", "the `FOLDER` on each server for undelivered messages")
	flags.StringVar(&c.TLS, "tls", "",
		"the `FOLDER` on each server with tls.crt and tls.key, for hosts on other networks")
	flags.StringVarP(&out, "output", "o", "nats.conf", "the `FILE` to write")
	return cmd
}

// farmQueue prints the waiting cases of a project, with the reason.
func farmQueue(d *dispatch.Dispatcher, q *queue.Queue) func(context.Context, string) ([]server.FarmLine,
	server.FarmShare, error) {
	return func(ctx context.Context, project string) (list []server.FarmLine, share server.FarmShare, err error) {
		shares, err := q.Shares(ctx, project)
		if err != nil {
			return nil, share, err
		}
		for _, s := range shares {
			share = server.FarmShare{Weight: s.Weight, Limit: s.Limit, Running: s.Running, Waiting: s.Waiting}
		}
		waiting, err := d.Waiting(ctx, project)
		for _, l := range waiting {
			list = append(list, server.FarmLine{Needs: l.Needs.String(), Waiting: l.Waiting, Why: l.Why})
		}
		return list, share, err
	}
}

// farmRunning prints the running cases of a project.
func farmRunning(q *queue.Queue) func(context.Context, string) ([]server.FarmCase, error) {
	return func(ctx context.Context, project string) ([]server.FarmCase, error) {
		running, err := q.Running(ctx, project)
		if err != nil {
			return nil, err
		}
		var list []server.FarmCase
		for _, r := range running {
			var test plan.Ref // written by the client that sent it; an unreadable one has no name
			_ = json.Unmarshal(r.What, &test)
			list = append(list, server.FarmCase{Run: r.Run, Test: test.ID, Attempt: r.Attempt, Device: r.Device, Host: r.Host,
				Since: r.Since})
		}
		return list, nil
	}
}
