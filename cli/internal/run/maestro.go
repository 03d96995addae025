package run

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/internal/result/allure"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/plan"
)

// Flags that users of other runners have in their command lines: --format junit --output FILE, although every run
// writes that file.

func (f runFlags) checkFormat() error {
	switch strings.ToLower(f.format) {
	case "", "junit", "allure", "noop":
	default:
		return &plan.Usage{
			Msg: fmt.Sprintf("--format %q: use junit, allure or noop; the run's folder holds its report as HTML, CTRF, JSON "+
				"and Markdown, too", f.format)}
	}
	if f.output != "" && !strings.EqualFold(f.format, "junit") && !strings.EqualFold(f.format, "allure") {
		return &plan.Usage{Msg: "--output names the file of --format junit or the folder of --format allure; --reports " +
			"names the folder of all reports"}
	}
	return nil
}

// writeOutput copies the run's JUnit file to the file of --output, or writes Allure results into that folder.
func (f runFlags) writeOutput(env *process.Env, dir string) error {
	if strings.EqualFold(f.format, "allure") {
		run, err := history.LoadRun(dir)
		if err == nil {
			_, err = allure.Write(run, process.Within(env.Dir, cmp.Or(f.output, allure.Folder)))
		}
		if err != nil {
			return fmt.Errorf("write Allure results: %w", err)
		}
		return nil
	}
	if !strings.EqualFold(f.format, "junit") {
		return nil
	}
	name := f.output
	if name == "" {
		name = "report.xml"
	}
	data, err := os.ReadFile(filepath.Join(dir, "junit.xml"))
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	path := process.Within(env.Dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return os.WriteFile(path, data, 0o644)
}

// warnOfFlows prints a warning about parts of Maestro flows that Maestro ignores silently, once.
func warnOfFlows(env *process.Env, p *plan.Plan) {
	said := map[string]bool{}
	say := func(list []*source.Error) {
		for _, w := range list {
			warning := source.Error{Pos: w.Pos, Width: w.Width, Msg: "warning: " + w.Msg, Hint: w.Hint, Source: w.Source}
			if text := warning.Error(); !said[text] {
				said[text] = true
				fmt.Fprintln(env.Stderr, text)
			}
		}
	}
	say(p.Warnings)
	for _, c := range p.Cases {
		say(c.Test.Warnings)
	}
}
