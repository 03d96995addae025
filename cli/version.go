package cli

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
)

func newVersionCommand(env *process.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "print the version of Taproot",
		Long:  "version prints the module's version, its commit and date, and the Go version that built it.",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b := process.ThisBuild()
			if !asJSON {
				_, err := fmt.Fprintln(env.Stdout, b)
				return err
			}
			out := json.NewEncoder(env.Stdout)
			out.SetIndent("", "  ")
			return out.Encode(b)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
