package ops

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/server/service"
)

// adminKey is the command that creates a key without the console: for a first trial, and for scripts that set up
// servers.
func adminKey(env *process.Env,
	add func(string, string, int, func(context.Context, *service.Service, []string) error) *cobra.Command) {
	var name, project string
	var scopes []string
	cmd := add("key ACCOUNT", "create an API key for a project of an account, and print it once", 1,
		func(ctx context.Context, s *service.Service, args []string) error {
			made, err := s.Operator().CreateKey(ctx, args[0], project, service.NewKey{Name: name, Scopes: scopes})
			var known *service.Error
			if errors.As(err, &known) {
				return &plan.Usage{Msg: strings.Replace(known.Message, "body.scopes", "--scopes", 1)}
			}
			if err == nil {
				fmt.Fprintln(env.Stdout, made.Secret)
			}
			return err
		})
	flags := cmd.Flags()
	flags.StringVar(&name, "name", "command line", "`NAME` of the key in the console")
	flags.StringVar(&project, "project", "",
		"create the key for the project with this `ID` (default: the first project of the account)")
	flags.StringSliceVar(&scopes, "scopes", []string{service.ScopeAll}, "what the key may do, `SCOPE,…`: "+
		strings.Join(service.Scopes(), " "))
}

// adminMetrics are the commands for the keys of GET /metrics.
func adminMetrics(env *process.Env,
	add func(string, string, int, func(context.Context, *service.Service, []string) error) *cobra.Command) {
	var name string
	cmd := add("metrics-key", "create a key for Prometheus that reads only GET /metrics, and print it once",
		0, func(ctx context.Context, s *service.Service, _ []string) error {
			secret, err := s.Operator().CreateMetricsKey(ctx, name)
			if err == nil {
				fmt.Fprintln(env.Stdout, secret)
			}
			return err
		})
	cmd.Flags().StringVar(&name, "name", "Prometheus", "`NAME` of the key in the list")
	add("metrics-keys", "list the keys for GET /metrics", 0, func(ctx context.Context, s *service.Service,
		_ []string) error {
		list, err := s.Operator().MetricsKeys(ctx)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(env.Stdout, 0, 4, 2, ' ', 0)
		fmt.Fprintln(w, "KEY\tNAME\tMADE\tUSED\tREVOKED")
		for _, k := range list {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", k.ID, k.Name, formatTime(k.Created), formatTime(k.Used),
				formatTime(k.Revoked))
		}
		return w.Flush()
	})
	add("metrics-revoke KEY", "revoke a key for GET /metrics, by its id", 1, func(ctx context.Context, s *service.Service,
		args []string) error {
		return s.Operator().RevokeMetricsKey(ctx, args[0])
	})
}
