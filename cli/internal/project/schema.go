package project

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/dsl"
)

func SchemaCommand(env *process.Env) *cobra.Command {
	var out string
	var suite bool
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "print the JSON Schema of test files, for editors",
		Long: "schema prints a JSON Schema (2020-12) of test files. An editor with a YAML language server completes and " +
			"checks\n" +
			"with it: save it, and start a test file with\n\n  # yaml-language-server: $schema=taproot.schema.json\n\n" +
			"--config prints the schema of a suite's taproot.yaml.",
		Example: "  taproot schema -o taproot.schema.json\n  taproot schema --config -o taproot-config.schema.json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			schema := dsl.Schema()
			if suite {
				schema = dsl.ConfigSchema()
			}
			data, err := json.Marshal(schema)
			if err != nil {
				return err
			}
			return writeOut(env, out, append(data, '\n'))
		},
	}
	cmd.Flags().BoolVar(&suite, "config", false, "print the schema of taproot.yaml")
	cmd.Flags().StringVarP(&out, "output", "o", "", "write to this file")
	return cmd
}

// writeOut writes to the file, or to the standard output if the name is empty.
func writeOut(env *process.Env, file string, data []byte) error {
	if file == "" {
		_, err := env.Stdout.Write(data)
		return err
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(env.Dir, file)
	}
	return os.WriteFile(file, data, 0o644)
}
