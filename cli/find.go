package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/client"
	"github.com/taproot-dev/taproot/runner/plan"
)

// exitAmbiguous ends `taproot find` when the selector does not decide between elements.
const exitAmbiguous = 4

// finding are the flags of `taproot find`.
type finding struct {
	device, tree, screenshot string
	asJSON                   bool
}

func newFindCommand(env *Env) *cobra.Command {
	var f finding
	cmd := &cobra.Command{
		Use:   "find SELECTOR",
		Short: "show which element a selector picks, and why; with '' list what is on the screen",
		Long: "find shows which element a step with this selector would act on, how its label fitted, where it would be " +
			"tapped, what\n" +
			"covers it, and what an assertion with it sees: on a phone, or on a saved tree (a dump of uiautomator, a source " +
			"of\n" +
			"WebDriverAgent, artifacts/tree-NN.json of a report). SELECTOR is a label, or YAML as in a test. An empty one " +
			"('') lists\n" +
			"what is on the screen, with a selector for each.\n\n" +
			"Exit code: 0 one element, 1 none, 4 several; 2 wrong usage or an unreadable file, 3 no device.",
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
	flags.StringVar(&f.device, "device", "", "look at this device (default: the one that is attached)")
	flags.StringVar(&f.tree, "tree", "", "look into this file, - for standard input, instead of at a device")
	flags.StringVar(&f.screenshot, "screenshot", "", "the PNG that belongs to --tree: gives the size of the screen")
	flags.BoolVar(&f.asJSON, "json", false, "print JSON")
	return cmd
}

func (f finding) run(ctx context.Context, env *Env, text string) error {
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
		return &plan.Usage{Msg: "--device and --tree exclude each other"}
	}
	if f.screenshot != "" && f.tree == "" {
		return &plan.Usage{Msg: "--screenshot belongs to --tree: a device gives its own"}
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
	switch found.Verdict {
	case client.VerdictNone:
		return exit(1)
	case client.VerdictAmbiguous:
		return exit(exitAmbiguous)
	}
	return nil
}

// list prints what is on the screen.
func (f finding) list(env *Env, tree *screen.Tree) error {
	things := client.List(tree)
	if f.asJSON {
		return writeJSON(env.Stdout, things)
	}
	_, err := io.WriteString(env.Stdout, client.ListText(things))
	return err
}

func writeJSON(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(v)
}
