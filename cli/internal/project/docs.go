package project

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/docs"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/plan"
)

// DocsCommand returns the command that prints the documentation.
func DocsCommand(env *process.Env) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "docs [ACTION|PAGE]",
		Short: "print the reference, one action of it, or a page of the documentation",
		Long: "docs prints the reference in Markdown: every action with its arguments and an example. With an argument it " +
			"prints\n" +
			"one action, one of selectors, options, test, device, taproot.yaml, or a page of the documentation. If an action " +
			"has\n" +
			"the same name as a page, write PAGE.md for the page.\n\n" +
			"Pages: " + strings.Join(docsPages(), " "),
		Example: "  taproot docs tap\n  taproot docs troubleshooting | less\n  taproot docs -o docs/reference.md",
		Args:    cobra.MaximumNArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return docsNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return writeOut(env, out, []byte(dsl.Reference()))
			}
			text, err := document(cmd.Root(), args[0])
			if err != nil {
				return err
			}
			return writeOut(env, out, []byte(text))
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "write to this `FILE`")
	return cmd
}

// document returns the part of the reference with that name, or else the page.
func document(root *cobra.Command, name string) (string, error) {
	if page := strings.TrimSuffix(name, ".md"); page == name {
		if text, known := dsl.ReferenceOf(name); known {
			return text, nil
		}
	} else {
		name = page
	}
	if name == llmsPage {
		return docs.LLMs("https://github.com/taproot-dev/taproot/blob/main/docs/"), nil
	}
	// Always of this program, not as it was when the pages were written.
	switch variables, commands := configuration(root); name {
	case configurationPage:
		return variables, nil
	case commandsPage:
		return commands, nil
	}
	data, err := fs.ReadFile(docs.Files, name+".md")
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		return "", &plan.Usage{
			Msg: fmt.Sprintf("there is no action and no page %q", name) + process.Meant(name, docsNames()),
		}
	}
	return string(data), err
}

// llmsPage is the list of pages for AI assistants.
const llmsPage = "llms.txt"

// docsPages returns the names of the pages, sorted.
func docsPages() []string {
	var names []string
	for _, pattern := range []string{"*.md", "ci/*.md"} {
		files, _ := fs.Glob(docs.Files, pattern) // an error means a malformed pattern
		for _, file := range files {
			if path.Base(file) != "README.md" {
				names = append(names, strings.TrimSuffix(file, ".md"))
			}
		}
	}
	slices.Sort(names)
	return names
}

// docsNames returns all arguments of docs.
func docsNames() []string {
	names := append(docsPages(), append(dsl.Topics(), llmsPage)...)
	slices.Sort(names)
	return slices.Compact(names)
}
