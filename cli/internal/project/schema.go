package project

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/schemas"
	"github.com/taproot-dev/taproot/runner/plan"
)

func SchemaCommand(env *process.Env) *cobra.Command {
	var out string
	var suite bool
	cmd := &cobra.Command{
		Use:   "schema [FILE]",
		Short: "print the JSON Schema of test files, for editors, or of a file of reports",
		Long: "schema prints a JSON Schema (2020-12) of test files. An editor with a YAML language server completes and " +
			"checks\n" +
			"with it: save it, and start a test file with\n\n  # yaml-language-server: $schema=taproot.schema.json\n\n" +
			"It knows the own actions of this project (taproot docs own-actions): print it again when they change.\n" +
			"--config prints the schema of a suite's taproot.yaml.\n\n" +
			"With the name of a file that Taproot writes, it prints the schema of that file. Each of these files names its " +
			"format:\n\n" + schemas.List(),
		Example: "  taproot schema -o taproot.schema.json\n  taproot schema --config -o taproot-config.schema.json\n" +
			"  taproot schema summary",
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: schemas.Names(),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				return fileSchema(env, out, args[0], suite)
			}
			own := process.OwnActions(env)
			schema := dsl.Schema(own)
			if suite {
				schema = dsl.ConfigSchema(own)
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

// fileSchema prints the schema of a file that Taproot writes.
func fileSchema(env *process.Env, out, name string, suite bool) error {
	if suite {
		return &plan.Usage{Msg: fmt.Sprintf("--config is the schema of taproot.yaml: write it without %q", name)}
	}
	data, known := schemas.Of(name)
	if !known {
		return &plan.Usage{Msg: fmt.Sprintf("%q is not the name of a schema: there are %s%s", name,
			strings.Join(schemas.Names(), ", "), process.Meant(name, schemas.Names()))}
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, data, "", "  "); err != nil {
		return err
	}
	return writeOut(env, out, append(bytes.TrimSpace(pretty.Bytes()), '\n'))
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
