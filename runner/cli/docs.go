package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/docs"
	"github.com/taproot-dev/taproot/docs/site"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/plan"
)

// docsSource is where the documents are in the repository.
const docsSource = "https://github.com/taproot-dev/taproot/blob/main/docs/"

func newDocsCommand(env *Env) *cobra.Command {
	var out, folder string
	cmd := &cobra.Command{
		Use:   "docs [ACTION|PAGE]",
		Short: "print the reference of an action or of all, or a page of the documents; make a site of them",
		Long: "docs prints, in Markdown, the reference of the language: every action with its arguments and an example. With the name of an\n" +
			"action it prints that action alone, with that of another section of the reference (selectors) that section, and with that of a\n" +
			"page of the documents that page; where an action has the same name, PAGE.md means the page.\n\n" +
			"Pages: " + strings.Join(docsPages(), " ") + "\n\n" +
			"--site makes a site of all documents that needs no server, with a search that works offline: open index.html.",
		Example: "  taproot docs tap\n  taproot docs troubleshooting | less\n  taproot docs -o docs/reference.md\n  taproot docs --site site",
		Args:    cobra.MaximumNArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return docsNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("site") {
				if len(args) > 0 || out != "" {
					return &plan.Usage{Msg: "--site makes a site of all documents: leave the name and --output out"}
				}
				return writeSite(env, folder)
			}
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
	cmd.Flags().StringVar(&folder, "site", "", "make a site of all documents in this `FOLDER`")
	return cmd
}

func writeSite(env *Env, folder string) error {
	if folder == "" {
		return &plan.Usage{Msg: "--site: name a folder"}
	}
	if err := site.Write(within(env.Dir, folder), site.Options{Files: docs.Files, Source: docsSource}); err != nil {
		return err
	}
	_, err := fmt.Fprintf(env.Stdout, "The documents are in %s; open %s\n", folder, path.Join(folder, "index.html"))
	return err
}

// document is the part of the reference, or else the page, of that name.
func document(root *cobra.Command, name string) (string, error) {
	if page := strings.TrimSuffix(name, ".md"); page == name {
		if text, ok := referenceSection(name); ok {
			return text, nil
		}
	} else {
		name = page
	}
	if name == configurationPage {
		return configuration(root), nil // of this program, not of the one whose documents were written last
	}
	data, err := fs.ReadFile(docs.Files, name+".md")
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		msg := fmt.Sprintf("there is no action and no page %q", name)
		if near := dsl.Suggest(name, docsNames()); near != "" {
			msg += fmt.Sprintf("; did you mean %q?", near)
		}
		return "", &plan.Usage{Msg: msg}
	}
	return string(data), err
}

// referenceSection cuts the section with that heading out of the reference.
func referenceSection(name string) (string, bool) {
	text := dsl.Reference()
	for _, mark := range []string{"### ", "## "} {
		for at := 0; ; {
			i := strings.Index(text[at:], "\n"+mark)
			if i < 0 {
				break
			}
			begin := at + i + 1
			line, rest, _ := strings.Cut(text[begin:], "\n")
			if !strings.EqualFold(strings.TrimPrefix(line, mark), name) {
				at = begin
				continue
			}
			for _, next := range []string{"\n## ", "\n### "}[:strings.Count(mark, "#")-1] {
				if end := strings.Index(rest, next); end >= 0 {
					rest = rest[:end]
				}
			}
			return "# " + strings.TrimPrefix(line, mark) + "\n" + strings.TrimRight(rest, "\n") + "\n", true
		}
	}
	return "", false
}

// docsPages are the names of the pages, sorted.
func docsPages() []string {
	var names []string
	for _, pattern := range []string{"*.md", "ci/*.md"} {
		files, _ := fs.Glob(docs.Files, pattern) // fails for malformed patterns only
		for _, file := range files {
			if path.Base(file) != "README.md" {
				names = append(names, strings.TrimSuffix(file, ".md"))
			}
		}
	}
	slices.Sort(names)
	return names
}

// docsNames is all that docs prints.
func docsNames() []string {
	names := docsPages()
	for _, d := range dsl.Vocabulary() {
		if d.Mouths&dsl.YAML != 0 {
			names = append(names, d.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
