package inspect

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/client"
	"github.com/taproot-dev/taproot/runner/plan"
)

// exitAmbiguous is the exit code of `taproot find` when several elements match.
const exitAmbiguous = 4

// finding are the flags of `taproot find`.
type finding struct {
	device, tree, screenshot string
	asJSON                   bool
}

func FindCommand(env *process.Env) *cobra.Command {
	var f finding
	cmd := &cobra.Command{
		Use:   "find SELECTOR",
		Short: "show which element a selector matches, and why; with '' list all elements of the screen",
		Long: "find shows which element a step with this selector would use, how its label matched, where it would be " +
			"tapped,\n" +
			"what covers it, and what an assertion with it sees: on a phone, or in a saved tree (a dump of uiautomator, a " +
			"source\n" +
			"of WebDriverAgent, artifacts/tree-NN.json of a report). SELECTOR is a label, or YAML as in a test. An empty one " +
			"('')\n" +
			"lists the elements of the screen, with a selector for each.\n\n" +
			"Exit codes: 0 one element; 1 none; 4 several; 2 wrong usage or an unreadable file; 3 no device.",
		Example: "  taproot find ''\n" +
			"  taproot find 'Sign in'\n" +
			"  taproot find '{id: email, below: E-mail}' --tree window_dump.xml\n" +
			"  taproot find Pay --tree tests/reports/2026-01-31T09-00-00/pay/artifacts/tree-04.json --json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &plan.Usage{Msg: fmt.Sprintf("find takes one selector, not %d: put it in quotes", len(args))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), env, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.device, "device", "", "search on this device (default: the only attached one)")
	flags.StringVar(&f.tree, "tree", "", "search in this file, or - for standard input, instead of on a device")
	flags.StringVar(&f.screenshot, "screenshot", "", "the PNG of --tree, for the size of the screen")
	flags.BoolVar(&f.asJSON, "json", false, "print JSON")
	return cmd
}

func (f finding) run(ctx context.Context, env *process.Env, text string) error {
	all := strings.TrimSpace(text) == ""
	var sel dsl.Selector
	if !all {
		var err error
		if sel, err = dsl.ParseSelector("selector", text); err != nil {
			return &plan.Usage{Msg: err.Error()}
		}
	}
	if what := client.Unfindable(sel); what != "" {
		return &plan.Usage{Msg: what}
	}
	if f.tree != "" && f.device != "" {
		return &plan.Usage{Msg: "--device and --tree are mutually exclusive"}
	}
	if f.screenshot != "" && f.tree == "" {
		return &plan.Usage{Msg: "--screenshot needs --tree: a device has its own screenshot"}
	}
	var tree *screen.Tree
	var err error
	if f.tree != "" {
		tree, err = readTreeFile(env, f.tree, f.screenshot)
	} else {
		tree, err = f.live(ctx, env)
	}
	if err != nil {
		return err
	}
	if all {
		return f.list(env, tree)
	}
	found := client.Find(tree, sel)
	if f.asJSON {
		err = writeJSON(env.Stdout, found)
	} else {
		_, err = io.WriteString(env.Stdout, found.Text(sel, tree))
	}
	if err != nil {
		return err
	}
	switch found.Result {
	case client.ResultNone:
		return process.Exit(1)
	case client.ResultAmbiguous:
		return process.Exit(exitAmbiguous)
	}
	return nil
}

// list prints the elements of the screen.
func (f finding) list(env *process.Env, tree *screen.Tree) error {
	things := client.List(tree)
	if f.asJSON {
		return writeJSON(env.Stdout, things)
	}
	_, err := io.WriteString(env.Stdout, things.Text())
	return err
}

func writeJSON(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(v)
}
