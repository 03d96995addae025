package cli

import (
	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/dsl"
)

func newDocsCommand(env *Env) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:     "docs",
		Short:   "print the reference of all actions",
		Long:    "docs prints the reference of the language in Markdown: every action with its arguments and an example.",
		Example: "  taproot docs | less\n  taproot docs -o docs/reference.md",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return writeOut(env, out, []byte(dsl.Reference()))
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "write to this file")
	return cmd
}
