package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/reporters/html"
	"github.com/taproot-dev/taproot/runner/plan"
)

// bundleWarnSize is the size, in bytes, above which bundle prints a warning: mail and chats refuse such files.
const bundleWarnSize = 10 << 20

func newBundleCommand(env *process.Env, at locator) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "bundle [RUN[/PACK] …]",
		Short: "write each report pack as one file, PACK.html, to send to others",
		Long: "bundle writes a page that needs no other file: images and the recording are in it. It prints a warning if " +
			"the\n" +
			"file is larger than 10 MB.",
		Example: "  taproot report bundle latest/login --out /tmp",
		RunE: at.withPacks(func(cmd *cobra.Command, p reportsDir, dirs []string) error {
			pages, err := bundlePages(p.path(out), dirs)
			if err != nil {
				return err
			}
			for i, dir := range dirs {
				if err := bundle(cmd, env, dir, pages[i]); err != nil {
					return err
				}
			}
			return nil
		}),
	}
	cmd.Flags().StringVarP(&out, "out", "o", ".",
		"`FOLDER` for the pages, which is created; or a file, NAME.html, for the page of one pack")
	return cmd
}

// bundlePages returns the file of each pack's page, and creates their folder.
func bundlePages(out string, dirs []string) ([]string, error) {
	folder, pages := out, make([]string, len(dirs))
	for i, dir := range dirs {
		pages[i] = filepath.Join(out, filepath.Base(dir)+".html")
	}
	if info, err := os.Stat(out); strings.EqualFold(filepath.Ext(out), ".html") && (err != nil || !info.IsDir()) {
		if len(dirs) > 1 {
			return nil, &plan.Usage{
				Msg: fmt.Sprintf("--out %s is one file, and there are %d packs: name a folder, or one pack, "+
					"RUN/PACK", out, len(dirs))}
		}
		folder, pages = filepath.Dir(out), []string{out}
	} else if err == nil && !info.IsDir() {
		return nil, &plan.Usage{Msg: fmt.Sprintf("--out %s is a file: name a folder, or a file NAME.html", out)}
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of --out: %w", err)
	}
	return pages, nil
}

// bundle writes a page to a temporary file and renames it, so that no incomplete file has the final name.
func bundle(cmd *cobra.Command, env *process.Env, dir, to string) error {
	f, err := os.CreateTemp(filepath.Dir(to), ".bundle-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // does nothing after the rename
	size, left, err := html.Bundle(cmd.Context(), f, dir)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), to)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(env.Stdout, to)
	if len(left) > 0 {
		fmt.Fprintf(env.Stderr, "taproot: %s does not contain %s, which cannot be read or are too large\n", to,
			strings.Join(left, ", "))
	}
	if size > bundleWarnSize {
		fmt.Fprintf(env.Stderr,
			"taproot: %s has %.1f MB; mail and chats may refuse it, report pack writes an archive "+
				"instead\n", to, float64(size)/1e6)
	}
	return nil
}
