package project

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
)

func ValidateCommand(env *process.Env) *cobra.Command {
	var format, environment string
	var vars []string
	cmd := &cobra.Command{
		Use:   "validate [PATH…]",
		Short: "find mistakes in tests without running them",
		Long: "validate reads the tests and prints all errors in them, without running them and without a device. Warnings " +
			"are\n" +
			"about steps that are allowed but probably a mistake. For each test it prints the sum of its time limits: the " +
			"test\n" +
			"takes no longer, except for a device call that is active when its step's limit ends.\n\n" +
			"Exit codes: 0 no error; 2 errors; 3 no test. --format github writes annotations for GitHub Actions.",
		Example: "  taproot validate\n  taproot validate suites/login.yaml --format json",
		RunE: func(_ *cobra.Command, args []string) error {
			if !slices.Contains([]string{"text", "json", "github"}, format) {
				return &plan.Usage{Msg: fmt.Sprintf("--format %q: write text, json or github", format)}
			}
			if slices.Contains(args, "") {
				return &plan.Usage{Msg: "one of the tests to validate has an empty name"}
			}
			given, err := process.ParseVars(vars)
			if err != nil {
				return err
			}
			defer process.DelayGC()()
			found, err := validate(plan.Options{Dir: env.Dir, Args: args, Vars: given, Environment: environment,
				Env: env.LookupEnv, Files: true, AllActions: true})
			if err != nil {
				return err
			}
			if found.none {
				found.add("error", []error{errors.New(process.NothingFound(env, args))})
			}
			if err := found.write(env.Stdout, format); err != nil {
				return err
			}
			switch {
			case found.none:
				return process.Exit(run.ExitError)
			case !found.Valid:
				return process.Exit(run.ExitUsage)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, json or github")
	cmd.Flags().StringVar(&environment, "env", "", "use the variables of this environment of taproot.yaml")
	cmd.Flags().StringArrayVar(&vars, "var", nil, "set a variable, `NAME=VALUE`; may be repeated")
	return cmd
}

// findings are the results of validate.
type findings struct {
	Valid    bool      `json:"valid"`
	Problems []problem `json:"problems"`
	Tests    []cost    `json:"tests"`

	none bool // no test was found
}

// problem is one error or warning.
type problem struct {
	Severity string `json:"severity"` // error or warning
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Width    int    `json:"width,omitempty"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
	Fix      string `json:"fix,omitempty"` // the step to write instead, for editors

	text string // in the format text
}

// cost is the maximum duration of a test, with all of its cases in sequence.
type cost struct {
	ID          string `json:"id"`
	Cases       int    `json:"cases"`
	WorstCaseMS int64  `json:"worst_case_ms"`
	AtLeast     bool   `json:"at_least,omitempty"` // the length of a loop is known only at run time
}

// validate plans the tests and checks them. The error is that of the arguments.
func validate(o plan.Options) (findings, error) {
	found := findings{Valid: true, Problems: []problem{}, Tests: []cost{}}
	p, err := plan.Build(o)
	var usage *plan.Usage
	switch {
	case errors.As(err, &usage):
		return found, err
	case err != nil:
		found.Valid = false
		found.add("error", flatten(err))
		return found, nil
	case p.Tests == 0:
		found.Valid, found.none = false, true
		return found, nil
	}
	said := map[string]bool{}
	for _, c := range p.Cases {
		var warnings []error
		for _, w := range dsl.Lint(c.Test) {
			if text := w.Error(); !said[text] {
				said[text] = true
				warnings = append(warnings, w)
			}
		}
		found.add("warning", warnings)
		scope, err := p.PlannedScope(c)
		if err != nil {
			return found, err
		}
		found.cost(c.Test.ID, dsl.WorstCase(c.Test, scope, dsl.StepTimeout))
	}
	return found, nil
}

// cost adds a case to the time of its test.
func (f *findings) cost(id string, worst dsl.Cost) {
	i := len(f.Tests) - 1
	if i < 0 || f.Tests[i].ID != id { // the cases of a test follow one another
		i++
		f.Tests = append(f.Tests, cost{ID: id})
	}
	f.Tests[i].Cases++
	f.Tests[i].WorstCaseMS += worst.Time.Milliseconds()
	f.Tests[i].AtLeast = f.Tests[i].AtLeast || worst.AtMin
}

func (f *findings) add(severity string, errs []error) {
	for _, err := range errs {
		p := problem{Severity: severity, Message: err.Error(), text: err.Error()}
		var placed *source.Error
		if errors.As(err, &placed) {
			p.File, p.Line, p.Column, p.Width = placed.Pos.File, placed.Pos.Line, placed.Pos.Col, placed.Width
			p.Message, p.Hint, p.Fix = placed.Msg, placed.Hint, placed.Fix
			if severity == "warning" {
				marked := *placed
				marked.Msg = "warning: " + placed.Msg
				p.text = marked.Error()
			}
		}
		f.Problems = append(f.Problems, p)
	}
}

// flatten splits joined errors.
func flatten(err error) []error {
	several, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range several.Unwrap() {
		all = append(all, flatten(e)...)
	}
	return all
}

func (f findings) write(w io.Writer, format string) error {
	switch format {
	case "json":
		out := json.NewEncoder(w)
		out.SetEscapeHTML(false)
		out.SetIndent("", "  ")
		return out.Encode(f)
	case "github":
		return f.annotate(w)
	default:
		return f.print(w)
	}
}

// print writes the findings as text.
func (f findings) print(w io.Writer) error {
	var b strings.Builder
	errs := 0
	for _, p := range f.Problems {
		b.WriteString(p.text + "\n\n")
		if p.Severity == "error" {
			errs++
		}
	}
	if !f.Valid {
		fmt.Fprintf(&b, "%s\n", phrase.Plural(errs, "error"))
		_, err := io.WriteString(w, b.String())
		return err
	}
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, c := range f.Tests {
		least := ""
		if c.AtLeast {
			least = "at least "
		}
		fmt.Fprintf(table, "%s%s\t  %s\n", least, time.Duration(c.WorstCaseMS)*time.Millisecond, c.ID)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	summary := fmt.Sprintf("%s, no error; each with the sum of its time limits\n", phrase.Plural(len(f.Tests), "test"))
	if n := len(f.Problems); n > 0 {
		summary = strings.Replace(summary, "no error", "no error, "+phrase.Plural(n, "warning"), 1)
	}
	_, err := io.WriteString(w, b.String()+summary)
	return err
}

// annotate writes GitHub's workflow commands.
func (f findings) annotate(w io.Writer) error {
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	message := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	for _, p := range f.Problems {
		where := ""
		if p.File != "" {
			where = fmt.Sprintf(" file=%s,line=%d,col=%d,endColumn=%d", property.Replace(p.File), p.Line, p.Column,
				p.Column+max(p.Width, 1))
		}
		text := p.Message
		if p.Hint != "" {
			text += "\n" + p.Hint
		}
		if _, err := fmt.Fprintf(w, "::%s%s::%s\n", p.Severity, where, message.Replace(text)); err != nil {
			return err
		}
	}
	return nil
}
