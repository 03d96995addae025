package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/allure"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/reporters/ctrf"
	"github.com/taproot-dev/taproot/reporters/github"
	"github.com/taproot-dev/taproot/reporters/junit"
	"github.com/taproot-dev/taproot/runner/plan"
)

func newExportCommand(env *process.Env, at locator) *cobra.Command {
	var format, out string
	cmd := &cobra.Command{
		Use:   "export --format FORMAT [RUN]",
		Short: "write a run as junit, ctrf, github, summary, json or allure",
		Long: "export writes one of the files that every run leaves in its folder, also for an older run: junit " +
			"(junit.xml),\n" +
			"ctrf (ctrf.json), github (annotations, which GitHub Actions shows at the lines of the YAML), summary " +
			"(Markdown),\n" +
			"json (run.json). allure writes results for Allure 2 and 3 into the folder --out (default: allure-results); " +
			"those of\n" +
			"other runs in it stay.",
		Example: "  taproot report export --format junit > junit.xml\n" +
			"  taproot report export --format ctrf --out ctrf.json 2026-03-04T05-06-07\n" +
			"  taproot report export --format allure && npx allure generate allure-results",
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := at()
			if err != nil {
				return err
			}
			write, err := exporter(env, format)
			if err != nil && format != "allure" {
				return err
			}
			dir, err := p.run(strings.Join(args, ""))
			if err != nil {
				return err
			}
			run, err := history.LoadRun(dir)
			if err != nil {
				return err
			}
			if format == "allure" {
				return p.results(run, out)
			}
			data, err := write(run)
			if err != nil {
				return err
			}
			return p.deliver(data, out)
		},
	}
	cmd.Flags().StringVar(&format, "format", "", "junit, ctrf, github, summary, json or allure")
	cmd.Flags().StringVarP(&out, "out", "o", "", "file to write (default: standard output); folder of allure")
	return cmd
}

func exporter(env *process.Env, format string) (func(*history.Run) ([]byte, error), error) {
	switch format {
	case "junit":
		return junit.Write, nil
	case "ctrf":
		return ctrf.Write, nil
	case "json":
		return func(r *history.Run) ([]byte, error) { return history.RunJSON(r), nil }, nil
	case "summary":
		return func(r *history.Run) ([]byte, error) { return history.RunSummary(r, history.PageOptions{}), nil }, nil
	case "github":
		return func(r *history.Run) ([]byte, error) {
			var b bytes.Buffer
			err := github.Annotate(&b, r, github.Places{Dir: env.Dir, Workspace: env.Getenv("GITHUB_WORKSPACE")})
			return b.Bytes(), err
		}, nil
	case "":
		return nil, &plan.Usage{Msg: "--format is required: junit, ctrf, github, summary, json or allure"}
	}
	return nil, &plan.Usage{
		Msg: fmt.Sprintf("unknown format %q: use junit, ctrf, github, summary, json or allure", format)}
}

// results writes Allure results into a folder.
func (p reportsDir) results(run *history.Run, out string) error {
	if out == "-" {
		return &plan.Usage{Msg: "--format allure writes several files: name a folder with --out"}
	}
	to := p.path(cmp.Or(out, allure.Folder))
	if info, err := os.Stat(to); err == nil && !info.IsDir() {
		return &plan.Usage{Msg: fmt.Sprintf("--out %s is a file: --format allure writes several files into a folder", out)}
	}
	n, err := allure.Write(run, to)
	if err != nil {
		return fmt.Errorf("write Allure results: %w", err)
	}
	fmt.Fprintf(p.env.Stdout, "%s in %s\n", phrase.Plural(n, "result"), to)
	return nil
}

// deliver writes a complete file, or to standard output.
func (p reportsDir) deliver(data []byte, out string) error {
	if out == "" || out == "-" {
		_, err := p.env.Stdout.Write(data)
		return err
	}
	to := p.path(out)
	if info, err := os.Stat(to); err == nil && info.IsDir() {
		return &plan.Usage{Msg: fmt.Sprintf("--out %s is a folder: name a file", out)}
	}
	return filetree.WriteFile(filepath.Dir(to), filepath.Base(to), data)
}

func indented(data []byte) []byte {
	var b bytes.Buffer
	if err := json.Indent(&b, data, "", "  "); err != nil {
		return data
	}
	return b.Bytes()
}
