package project

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/cli/internal/session"
	"github.com/taproot-dev/taproot/cli/internal/shell"
	"github.com/taproot-dev/taproot/docs"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/plan"
)

//go:embed guide/*.md
var guidePages embed.FS

// guideTopics are the pages after the first one.
func guideTopics() []string { return []string{"words", "selectors", "tests"} }

func GuideCommand(env *process.Env) *cobra.Command {
	var skill string
	cmd := &cobra.Command{
		Use:   "guide [TOPIC]",
		Short: "explain how to drive pages and phones from the shell, on one page",
		Long: "guide prints one page for users and AI assistants that drive pages and phones from the shell. " +
			"TOPIC is " + strings.Join(guideTopics(), ", ") + ".",
		Example:   "  taproot guide\n  taproot guide words\n  taproot guide --skill .claude/skills/taproot",
		GroupID:   process.GroupSession,
		ValidArgs: guideTopics(),
		Args:      cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if skill != "" {
				if len(args) > 0 {
					return &plan.Usage{Msg: "--skill writes all topics"}
				}
				return writeSkill(env, cmd.Root(), skill)
			}
			topic := "guide"
			if len(args) == 1 {
				if topic = args[0]; !slices.Contains(guideTopics(), topic) {
					return &plan.Usage{Msg: fmt.Sprintf("there is no topic %q; these are %s", topic,
						strings.Join(guideTopics(), ", ")) + process.Meant(topic, guideTopics())}
				}
			}
			text, err := guidePage(topic, session.HasCommand(cmd.Root()))
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(env.Stdout, text)
			return err
		},
	}
	cmd.Flags().StringVar(&skill, "skill", "",
		"write the guide into this `FOLDER` in the form of a skill for assistants: SKILL.md and its topics")
	return cmd
}

// guidePage returns a page, with the actions of the vocabulary in place of its placeholders.
func guidePage(topic string, taken func(string) bool) (string, error) {
	data, err := guidePages.ReadFile("guide/" + topic + ".md")
	if err != nil {
		return "", err
	}
	return strings.NewReplacer("{{names}}", actionNames(taken), "{{words}}", actionList(taken),
		"{{pages}}", pageList()).Replace(string(data)), nil
}

// pageList lists the pages of the documentation as llms.txt does, by the commands that print them.
func pageList() string {
	_, pages, _ := strings.Cut(docs.LLMs(""), "\n## ")
	var b strings.Builder
	for _, m := range regexp.MustCompile(`(?m)^- \[([^\]]+)\]\((.+)\.md\)`).FindAllStringSubmatch(pages, -1) {
		fmt.Fprintf(&b, "- `taproot docs %s`: %s\n", m[2], m[1])
	}
	return b.String()
}

// actionNames lists the actions, with a line for each group.
func actionNames(taken func(string) bool) string {
	var b strings.Builder
	for _, g := range [][2]string{{process.GroupTouch, "Touch and type"}, {process.GroupCheck, "Wait and check"},
		{process.GroupPage, "Pages"},
		{process.GroupDevice, "Apps and devices"}} {
		var names []string
		for _, def := range dsl.Vocabulary() {
			if def.Current == "" && session.IsActionCommand(def, taken) && session.GroupOf(def) == g[0] {
				names = append(names, shell.Kebab(def.Name))
			}
		}
		fmt.Fprintf(&b, "- %s: %s\n", g[1], strings.Join(names, ", "))
	}
	return b.String()
}

// actionList describes each action, with its main arguments.
func actionList(taken func(string) bool) string {
	var b strings.Builder
	for _, def := range dsl.Vocabulary() {
		if def.Current == "" && session.IsActionCommand(def, taken) {
			fmt.Fprintf(&b, "- `%s`: %s\n", session.ActionUse(def), def.Doc)
		}
	}
	return b.String()
}

// skillHead is the front matter of the first page as a skill.
const skillHead = `---
name: taproot
description: Drive and test browser pages and Android or iOS phones from the shell. Use it to open a page or an app, ` +
	`see its elements, tap, type, assert, and save what was done as a test.
---

`

func writeSkill(env *process.Env, root *cobra.Command, dir string) error {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(env.Dir, dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, topic := range append([]string{"guide"}, guideTopics()...) {
		text, err := guidePage(topic, session.HasCommand(root))
		if err != nil {
			return err
		}
		name := topic + ".md"
		if topic == "guide" {
			name, text = "SKILL.md", skillHead+text
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
		fmt.Fprintln(env.Stdout, filepath.Join(dir, name))
	}
	return nil
}
