package ops

import (
	"context"
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/server/service"
)

// adminProjects is the command that lists projects with their ids.
func adminProjects(env *process.Env,
	add func(string, string, int, func(context.Context, *service.Service, []string) error) *cobra.Command) {
	var account string
	var asJSON bool
	cmd := add("projects", "list the projects with their ids, which other commands take", 0,
		func(ctx context.Context, s *service.Service, _ []string) error {
			list, err := s.Operator().Projects(ctx, account)
			if err != nil {
				return err
			}
			if asJSON {
				out := []map[string]any{}
				for _, p := range list {
					out = append(out, map[string]any{"id": p.ID, "name": p.Name, "owner": p.Owner, "email": p.Email,
						"created": p.Created})
				}
				e := json.NewEncoder(env.Stdout)
				e.SetIndent("", "  ")
				return e.Encode(out)
			}
			w := tabwriter.NewWriter(env.Stdout, 0, 4, 2, ' ', 0)
			fmt.Fprintln(w, "PROJECT\tOWNER\tCREATED\tNAME")
			for _, p := range list {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", p.ID, p.Email, formatTime(p.Created), p.Name)
			}
			return w.Flush()
		})
	cmd.Flags().StringVar(&account, "account", "", "only the projects of `ACCOUNT`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
}
