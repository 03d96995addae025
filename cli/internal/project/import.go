package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/runner/maestro"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
)

func ImportCommand(env *process.Env) *cobra.Command {
	cmd := &cobra.Command{Use: "import", Short: "convert tests of other tools to tests of Taproot"}
	cmd.AddCommand(newImportMaestroCommand(env))
	return cmd
}

func newImportMaestroCommand(env *process.Env) *cobra.Command {
	var out string
	var ios bool
	cmd := &cobra.Command{
		Use:   "maestro DIR",
		Short: "convert Maestro flows to tests of Taproot",
		Long: "maestro converts all flows of a folder to test files, with their comments; a flow that other flows call " +
			"becomes a\n" +
			"block for run:. A command without an equivalent is printed with its place, becomes a comment, and makes the " +
			"exit\n" +
			"code 1. Flows also run unchanged: taproot run DIR; and run: may name a flow that is not imported yet.",
		Example: "  taproot import maestro .maestro --out suites/app",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := process.Within(env.Dir, args[0])
			if info, err := os.Stat(dir); err != nil || !info.IsDir() {
				return &plan.Usage{Msg: fmt.Sprintf("%s is not a folder", args[0])}
			}
			if out == "" {
				out = strings.TrimRight(args[0], `/\`) + "-taproot"
			}
			i := importing{env: env, from: dir, to: process.Within(env.Dir, out), platform: dsl.Android}
			if ios {
				i.platform = dsl.IOS
			}
			return i.all()
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "the `FOLDER` for the tests (default: DIR-taproot)")
	cmd.Flags().BoolVar(&ios, "ios", false, "convert flows of apps to tests for iOS instead of Android")
	return cmd
}

// importing is the import of one folder of flows.
type importing struct {
	env      *process.Env
	from, to string
	platform dsl.Platform

	flows  []*maestro.Flow
	called map[string]bool // by the path of the file
	broken int
	lost   int
}

// diskFiles are the files that flows refer to.
type diskFiles struct{}

func (diskFiles) Read(name string) ([]byte, error) {
	info, err := os.Stat(filepath.FromSlash(name))
	if err == nil && (!info.Mode().IsRegular() || info.Size() > dsl.MaxFileSize) {
		return nil, errors.New("it is not a file of a test")
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.FromSlash(name))
}

func (diskFiles) Has(name string) bool {
	_, err := os.Stat(filepath.FromSlash(name))
	return err == nil
}

func (i *importing) all() error {
	if err := i.read(); err != nil {
		return err
	}
	if len(i.flows) == 0 && i.broken == 0 {
		return &plan.Usage{
			Msg: fmt.Sprintf("%s contains no Maestro flow: a file with appId or url, a line ---, and commands",
				i.from),
		}
	}
	i.called = map[string]bool{}
	for _, f := range i.flows {
		calledBy(f, i.called)
	}
	table := tabwriter.NewWriter(i.env.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "file\tas\tsteps\twithout an equivalent")
	commands := 0
	for _, f := range i.flows {
		n, err := i.write(f, table)
		if err != nil {
			return err
		}
		commands += n
	}
	if err := errors.Join(table.Flush(), i.exclude()); err != nil {
		return err
	}
	fmt.Fprintf(i.env.Stdout, "%d flows, %d steps, %d without an equivalent, %d files that could not be read\n",
		len(i.flows), commands, i.lost, i.broken)
	if i.lost+i.broken > 0 {
		return process.Exit(run.ExitFail)
	}
	return nil
}

// read parses all flows of the folder, in order.
func (i *importing) read() error {
	return filepath.WalkDir(i.from, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || p != i.from && strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case d.IsDir() || !plan.YAMLFile(d.Name()):
			return nil
		}
		src, err := diskFiles{}.Read(p)
		if err != nil {
			return nil
		}
		if maestro.IsWorkspace(d.Name(), src) || !maestro.Is(src) {
			if maestro.IsConfigName(d.Name()) {
				fmt.Fprintf(i.env.Stderr,
					"%s: Taproot selects flows by folders, --include-tags and --exclude-tags, and orders them by order: in "+
						"taproot.yaml\n", p)
			}
			return nil
		}
		f, err := maestro.Parse(filepath.ToSlash(p), src, diskFiles{})
		if err != nil {
			i.broken++
			fmt.Fprintf(i.env.Stderr, "%v\n\n", err)
			return nil
		}
		i.flows = append(i.flows, f)
		return nil
	})
}

// calledBy marks the files that a flow calls.
func calledBy(f *maestro.Flow, called map[string]bool) {
	for _, list := range []dsl.Steps{f.Start, f.Steps, f.Complete} {
		for s := range list.All {
			c, is := s.Foreign().(*maestro.Command)
			if !is {
				continue
			}
			switch do := c.Do.(type) {
			case maestro.RunFlow:
				if do.Flow != nil {
					called[do.Flow.File] = true
				}
			case maestro.Retry:
				if do.Flow != nil {
					called[do.Flow.File] = true
				}
			}
		}
	}
}

var notInID = lazyregexp.New(`[^A-Za-z0-9._]+`)

// write writes one flow and its row of the table.
func (i *importing) write(f *maestro.Flow, table *tabwriter.Writer) (steps int, err error) {
	rel, err := filepath.Rel(i.from, filepath.FromSlash(f.File))
	if err != nil {
		return 0, err
	}
	target := filepath.Join(i.to, rel)
	o := maestro.NativeOptions{
		ID: strings.Trim(notInID.ReplaceAllString(strings.TrimSuffix(filepath.ToSlash(rel), filepath.Ext(rel)), "-"),
			"-._"),
		Block: i.called[f.File], Platform: i.platform, Rel: func(name string) string { return i.relative(target, name) }}
	n := maestro.ToNative(f, o)
	as := "test"
	if o.Block {
		as = "block"
		_, err = dsl.ParseBlock(filepath.ToSlash(rel), n.Text, i.platform)
	} else {
		_, err = dsl.Parse(filepath.ToSlash(rel), n.Text)
	}
	if err != nil { // a value that Maestro accepts and Taproot does not
		fmt.Fprintf(i.env.Stderr, "as a Taproot test:\n%v\n\n", err)
		i.lost++
	}
	for _, l := range n.Lost {
		fmt.Fprintf(i.env.Stderr, "%v\n\n", l)
	}
	i.lost += len(n.Lost)
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return 0, err
	}
	if err := os.WriteFile(target, n.Text, 0o644); err != nil {
		return 0, err
	}
	fmt.Fprintf(table, "%s\t%s\t%d\t%d\n", filepath.ToSlash(rel), as, n.Steps, len(n.Lost))
	return n.Steps, nil
}

// exclude writes a taproot.yaml that excludes blocks from the tests, if there is none.
func (i *importing) exclude() error {
	var list []string
	for _, f := range i.flows {
		if rel, err := filepath.Rel(i.from, filepath.FromSlash(f.File)); err == nil && i.called[f.File] {
			list = append(list, filepath.ToSlash(rel))
		}
	}
	if len(list) == 0 {
		return nil
	}
	file := filepath.Join(i.to, plan.ConfigName)
	if _, err := os.Stat(file); err == nil {
		fmt.Fprintf(i.env.Stderr, "%s exists already; add the blocks to its exclude: %s\n", file,
			strings.Join(list, ", "))
		return nil
	}
	var b strings.Builder
	b.WriteString("# These are blocks that tests run.\nexclude:\n")
	for _, name := range list {
		fmt.Fprintf(&b, "  - %q\n", name)
	}
	return os.WriteFile(file, []byte(b.String()), 0o644)
}

// relative returns a path as the new file refers to it: a flow at its new place, any other file at its old place.
func (i *importing) relative(target, name string) string {
	path := filepath.FromSlash(name)
	isFlow := slices.ContainsFunc(i.flows, func(f *maestro.Flow) bool { return f.File == name })
	if isFlow {
		if rel, err := filepath.Rel(i.from, path); err == nil {
			path = filepath.Join(i.to, rel)
		}
	}
	if rel, err := filepath.Rel(filepath.Dir(target), path); err == nil {
		return filepath.ToSlash(rel)
	}
	return name
}
