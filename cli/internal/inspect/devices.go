package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
)

func DevicesCommand(env *process.Env) *cobra.Command {
	var asJSON, watch bool
	var boot, remote string
	cmd := &cobra.Command{
		Use:   "devices",
		Short: "list phones and browsers",
		Long:  "devices lists the devices that tests can run on, and how to fix those that cannot be used.",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if remote != "" {
				return listRemote(cmd.Context(), env, remote, asJSON)
			}
			if watch {
				return watchDevices(cmd.Context(), env, asJSON)
			}
			return listDevices(cmd.Context(), env, boot, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON; with --watch one line per change")
	cmd.Flags().StringVar(&boot, "boot", "", "start the iOS simulator with this `NAME` or UDID first")
	cmd.Flags().BoolVar(&watch, "watch", false,
		"continue, and print phones that are added, removed or changed, until Ctrl-C")
	cmd.Flags().StringVar(&remote, "remote", "",
		"list the devices of a WebDriver server, the `NAME` of one under remotes in taproot.yaml; no session is opened")
	cmd.MarkFlagsMutuallyExclusive("boot", "watch", "remote")
	return cmd
}

func listDevices(ctx context.Context, env *process.Env, boot string, asJSON bool) error {
	conf, err := run.FromEnv(env.Dir, env.LookupEnv)
	if err != nil {
		return &plan.Usage{Msg: err.Error()}
	}
	conf.Boot, conf.KeepBooted = boot, true
	process.EndSessions(ctx, env, conf)
	all := []drivers.Info{}
	for _, d := range run.Drivers(conf) {
		infos, err := d.Devices(ctx)
		if err != nil && boot != "" && d.Platform() == dsl.IOS {
			return errors.Join(err, d.Close())
		}
		if err != nil && !drivers.UsuallyMissing(err) {
			fmt.Fprintf(env.Stderr, "%s: %v\n", d.Platform(), err)
		}
		if err == nil && len(infos) == 0 {
			fmt.Fprintf(env.Stderr, "%s: none attached\n", d.Platform())
		}
		all = append(all, infos...)
		if err := d.Close(); err != nil {
			fmt.Fprintf(env.Stderr, "%s: %v\n", d.Platform(), err)
		}
	}
	return printDevices(env, all, asJSON)
}

// listRemote lists the devices of a remote.
func listRemote(ctx context.Context, env *process.Env, name string, asJSON bool) error {
	conf, err := remoteConfig(env, name)
	if err != nil {
		return err
	}
	process.EndSessions(ctx, env, conf)
	var all []drivers.Info
	for _, d := range run.Drivers(conf) {
		infos, err := d.Devices(ctx)
		if err = errors.Join(err, d.Close()); err != nil {
			return err
		}
		all = append(all, infos...)
	}
	return printDevices(env, all, asJSON)
}

func printDevices(env *process.Env, all []drivers.Info, asJSON bool) error {
	if asJSON {
		out := json.NewEncoder(env.Stdout)
		out.SetIndent("", "  ")
		return out.Encode(all)
	}
	table := tabwriter.NewWriter(env.Stdout, 0, 0, 2, ' ', 0)
	for _, i := range all {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", i.ID, i.Platform, i.State, whatIs(i))
	}
	return table.Flush()
}

// whatIs describes a device, or how to fix it.
func whatIs(i drivers.Info) string {
	if i.State != drivers.Ready {
		return i.Problem
	}
	return strings.TrimSpace(i.Manufacturer + " " + i.Model)
}
