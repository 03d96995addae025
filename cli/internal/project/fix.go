package project

import (
	"bytes"
	"fmt"
	"io"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/maestro"
	"github.com/taproot-dev/taproot/runner/run"
)

// fixStdin replaces the refused words of the standard input.
func fixStdin(env *process.Env) error {
	src, err := io.ReadAll(io.LimitReader(env.Stdin, dsl.MaxFileSize+1))
	if err != nil {
		return fmt.Errorf("read the standard input: %w", err)
	}
	out, _, left, err := dsl.FixWords("-", src)
	if err != nil {
		fmt.Fprintln(env.Stderr, err)
		return process.Exit(run.ExitUsage)
	}
	if _, err := env.Stdout.Write(out); err != nil {
		return err
	}
	return leftWords(env, left)
}

// leftWords lists the words that stay.
func leftWords(env *process.Env, left []*source.Error) error {
	if len(left) == 0 {
		return nil
	}
	for _, e := range left {
		fmt.Fprintf(env.Stderr, "%v\n\n", e)
	}
	fmt.Fprintf(env.Stderr, "%s left\n", phrase.Plural(len(left), "refused word"))
	return process.Exit(1)
}

// fixFiles replaces the refused words of files. It continues after a file that it cannot read or write, so that all are
// reported.
func fixFiles(env *process.Env, files []string, list, write bool) error {
	broken, different := false, false
	var left []*source.Error
	for _, file := range files {
		name := process.ShownPath(env.Dir, file)
		src, err := readFile(file)
		if err != nil {
			return err
		}
		if maestro.Is(src) {
			fmt.Fprintf(env.Stderr, "%s is a flow of Maestro, which runs as it is; taproot import converts it\n", name)
			continue
		}
		out, changed, stay, err := dsl.FixWords(name, src)
		if err != nil {
			fmt.Fprintf(env.Stderr, "%v\n\n", err)
			broken = true
			continue
		}
		left = append(left, stay...)
		switch {
		case !list && !write:
			if _, err := env.Stdout.Write(out); err != nil {
				return err
			}
		case bytes.Equal(src, out):
		case list:
			different = true
			fmt.Fprintln(env.Stdout, name)
		default:
			if err := replaceFile(file, out); err != nil {
				fmt.Fprintf(env.Stderr, "%v\n\n", err)
				broken = true
				continue
			}
			fmt.Fprintf(env.Stdout, "%s: %s\n", name, phrase.Plural(changed, "step"))
		}
	}
	err := leftWords(env, left)
	switch {
	case broken:
		return process.Exit(run.ExitUsage)
	case err == nil && different:
		return process.Exit(1)
	}
	return err
}
