package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/server/service"
)

// adminKey is the command that makes a key without the console: for a first try, and for scripts that set a server up.
func adminKey(env *Env, add func(string, string, int, func(context.Context, *service.Service, []string) error) *cobra.Command) {
	var name, project string
	var scopes []string
	cmd := add("key ACCOUNT", "make an API key for a project of an account; it is shown this once", 1, func(ctx context.Context, s *service.Service, args []string) error {
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
	flags.StringVar(&name, "name", "command line", "the key is called `NAME` in the console")
	flags.StringVar(&project, "project", "", "the key is for the project with this `ID` (default: the first one of the account)")
	flags.StringSliceVar(&scopes, "scopes", []string{service.ScopeAll}, "what the key may do, `SCOPE,…`: "+strings.Join(service.Scopes(), " "))
}
