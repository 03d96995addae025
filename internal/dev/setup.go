package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"golang.org/x/term"

	"github.com/taproot-dev/taproot/internal/toolchain"
)

// setupLog has the whole output of the package managers.
const setupLog = "setup.log"

// setup installs what is missing for the platforms, except some tools, and fails if a required one is missing after it.
func setup(ctx context.Context, p *progress, next string, platforms []string, without ...string) error {
	ph := p.start("setup", "looking for missing programs")
	err := install(ctx, ph, platforms, without)
	ph.end(err, next)
	return err
}

func install(ctx context.Context, ph *phase, platforms, without []string) error {
	log, err := logFile(setupLog)
	if err != nil {
		return err
	}
	defer log.Close()
	watch := &lines{do: func(line string) {
		if text, warning := setupLine(line); warning {
			ph.say("%s", text)
		} else if text != "" {
			ph.does("%s", text)
		}
	}}
	host := toolchain.System()
	findings, err := toolchain.Installer{
		Host: host, Out: io.MultiWriter(log, watch), Platforms: platforms, Without: without,
		Interactive: term.IsTerminal(int(os.Stdin.Fd())),
		FetchDriver: func(context.Context, string) error { return errors.New("not tried: make needs the npm registry") },
	}.Install(ctx)
	if err != nil {
		return err
	}
	var missing []string
	for _, f := range findings {
		if f.Tool.Required && !f.OK() && !f.NotHere {
			missing = append(missing, fmt.Sprintf("%s (%s)", f.Tool.Name, f.Problem))
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("missing after the set-up: %s. The last lines of bin/%s:\n%s", strings.Join(missing, ", "),
			setupLog, tail("bin/"+setupLog, 15))
	}
	return nil
}

var (
	aptSize    = regexp.MustCompile(`^Need to get ([\d.,]+ \w+)`)
	aptGet     = regexp.MustCompile(`^Get:\d+ \S+ \S+ \S+ (\S+) .*\[([\d.,]+ [kMG]?B)\]$`)
	aptUnpack  = regexp.MustCompile(`^Unpacking ([^\s:]+)`)
	aptSetUp   = regexp.MustCompile(`^Setting up ([^\s:]+)`)
	archiveGet = regexp.MustCompile(`^fetching (\S+) from `)
)

// setupLine returns what a line of a package manager or of the installer says in a few words, "" if nothing, and
// whether it is a warning.
func setupLine(line string) (text string, warning bool) {
	switch {
	case strings.HasPrefix(line, "could not install"), strings.HasPrefix(line, "not root and no sudo"),
		strings.HasPrefix(line, "E: "):
		return line, true
	case strings.HasPrefix(line, "waiting: another taproot"):
		return "waiting: another set-up is running", false
	case strings.HasSuffix(line, " update") && strings.HasPrefix(line, "+ "):
		return "reading the lists of packages", false
	}
	for _, p := range []struct {
		of   *regexp.Regexp
		text string
	}{
		{aptSize, "downloading packages ($1)"}, {aptGet, "downloading $1 ($2)"}, {aptUnpack, "unpacking $1"},
		{aptSetUp, "setting up $1"}, {archiveGet, "downloading $1 from the npm registry"},
	} {
		if m := p.of.FindStringSubmatchIndex(line); m != nil {
			return string(p.of.ExpandString(nil, p.text, line, m)), false
		}
	}
	return "", false
}
