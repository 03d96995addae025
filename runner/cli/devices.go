package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/runner"
	"github.com/taproot-dev/taproot/runner/plan"
)

func newDevicesCommand(env *Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "devices",
		Short: "list phones and browsers",
		Long:  "devices lists what tests can run on, and what to do about a device that cannot be used.",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return listDevices(cmd.Context(), env, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func listDevices(ctx context.Context, env *Env, asJSON bool) error {
	conf, err := runner.FromEnv(env.Dir, env.LookupEnv)
	if err != nil {
		return &plan.Usage{Msg: err.Error()}
	}
	all := []drivers.Info{}
	for _, d := range runner.Drivers(conf) {
		infos, err := d.Devices(ctx)
		if err != nil {
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
	if asJSON {
		out := json.NewEncoder(env.Stdout)
		out.SetIndent("", "  ")
		return out.Encode(all)
	}
	table := tabwriter.NewWriter(env.Stdout, 0, 0, 2, ' ', 0)
	for _, i := range all {
		what := strings.TrimSpace(i.Manufacturer + " " + i.Model)
		if i.State != drivers.Ready {
			what = i.Problem
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", i.ID, i.Platform, i.State, what)
	}
	return table.Flush()
}
