package project

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
)

func FmtCommand(env *process.Env) *cobra.Command {
	var list, write, words bool
	cmd := &cobra.Command{
		Use:   "fmt [PATH…]",
		Short: "format test files",
		Long: "fmt formats YAML files in one style: two spaces for each level, entries of lists below their key, no blanks " +
			"at the\n" +
			"ends of lines. Comments, quotes and the meaning of the files stay unchanged. Without a path it formats the " +
			"folder\n" +
			"suites; - reads from standard input and writes to standard output.\n\n" +
			"With -l it changes nothing, prints the names of the files that it would change, and exits with 1 if there are " +
			"any.\n\n" +
			"With --fix it replaces only words that tests refuse, those of Maestro, Playwright and other tools and old names " +
			"of\nactions: - tapOn: Sign in becomes - tap: Sign in. Every other line stays byte for byte. What it cannot " +
			"translate\nwith certainty it leaves and lists, and exits with 1.",
		Example: "  taproot fmt\n  taproot fmt -l suites\n  taproot fmt --fix suites",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == "-" {
				if words {
					return fixStdin(env)
				}
				return formatStdin(env)
			}
			files, err := yamlFiles(env.Dir, args)
			if err != nil {
				return err
			}
			if words {
				return fixFiles(env, files, list, write)
			}
			return formatFiles(env, files, list, write)
		},
	}
	cmd.Flags().BoolVarP(&list, "list", "l", false, "print the names of files that would change, and change nothing")
	cmd.Flags().BoolVar(&words, "fix", false, "replace the words of other tools and old names, and format nothing")
	cmd.Flags().BoolVarP(&write, "write", "w", true, "write the files; -w=false prints them instead")
	return cmd
}

func formatStdin(env *process.Env) error {
	src, err := io.ReadAll(io.LimitReader(env.Stdin, dsl.MaxFileSize+1))
	if err != nil {
		return fmt.Errorf("read the standard input: %w", err)
	}
	out, err := source.Format("-", src)
	if err != nil {
		fmt.Fprintln(env.Stderr, err)
		return process.Exit(run.ExitUsage)
	}
	_, err = env.Stdout.Write(out)
	return err
}

// formatFiles continues after a file that is not YAML, so that all errors are reported.
func formatFiles(env *process.Env, files []string, list, write bool) error {
	broken, different := false, false
	for _, file := range files {
		src, err := readFile(file)
		if err != nil {
			return err
		}
		name := process.ShownPath(env.Dir, file)
		out, err := source.Format(name, src)
		if err != nil {
			fmt.Fprintf(env.Stderr, "%v\n\n", err)
			broken = true
			continue
		}
		changed := !bytes.Equal(src, out)
		different = different || changed
		switch {
		case list && changed:
			fmt.Fprintln(env.Stdout, name)
		case list:
		case !write:
			if _, err := env.Stdout.Write(out); err != nil {
				return err
			}
		case changed:
			if err := replaceFile(file, out); err != nil {
				return err
			}
			fmt.Fprintln(env.Stdout, name)
		}
	}
	switch {
	case broken:
		return process.Exit(run.ExitUsage)
	case list && different:
		return process.Exit(1)
	}
	return nil
}

// yamlFiles returns the named files, and those below the named folders, including taproot.yaml.
func yamlFiles(dir string, args []string) ([]string, error) {
	if len(args) == 0 {
		if info, err := os.Stat(filepath.Join(dir, "suites")); err != nil || !info.IsDir() {
			return nil, &plan.Usage{Msg: "there is no folder suites here: name the files or folders to format"}
		}
		args = []string{"suites"}
	}
	var files []string
	for _, arg := range args {
		path := arg
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, arg)
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, &plan.Usage{Msg: fmt.Sprintf("%s: there is no such file or folder", arg)}
		}
		if !info.IsDir() {
			files = append(files, path)
			continue
		}
		err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
			name := d.Name()
			switch {
			case err != nil:
				return err
			case d.IsDir() && p != path && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "vendor" ||
				name == "testdata"):
				return filepath.SkipDir
			case d.Type().IsRegular() && !strings.HasPrefix(name, ".") &&
				(filepath.Ext(name) == ".yaml" || filepath.Ext(name) == ".yml"):
				files = append(files, p)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", arg, err)
		}
	}
	return files, nil
}

// readFile reads one byte more than the maximum size of a test, so that the parser reports a file that is too large.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, dsl.MaxFileSize+1))
}

// replaceFile writes a temporary file and renames it, so that no file is incomplete. A link stays a link.
func replaceFile(path string, data []byte) (err error) {
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o222 == 0 {
		return fmt.Errorf("write %s: the file is read-only", path)
	}
	aside, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	_, err = aside.Write(data)
	err = errors.Join(err, aside.Chmod(info.Mode().Perm()), aside.Close())
	if err == nil {
		err = os.Rename(aside.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(aside.Name()))
	}
	return nil
}
