package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/taproot-dev/taproot/internal/toolchain"
)

// unneeded are the tools without which the examples run: what needs Firefox or reads text in images is left out, and
// recordings need ffmpeg.
var unneeded = []string{toolchain.Chromium, toolchain.Firefox, toolchain.FFmpeg, toolchain.FFprobe, toolchain.Tesseract}

// runSuites performs make run: it builds and installs at the same time, then runs all suites.
func runSuites(ctx context.Context, p *progress) error {
	both, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make(chan error, 2)
	var wait sync.WaitGroup
	for _, part := range []func() error{
		func() error { return build(both, p, "two simulated phones, then the suites") },
		func() error {
			return setup(both, p, "the suites, when taproot is built",
				[]string{toolchain.Android, toolchain.Web}, unneeded...)
		},
	} {
		wait.Go(func() {
			err := part()
			if err != nil {
				cancel()
			}
			errs <- err
		})
	}
	wait.Wait()
	if err := errors.Join(<-errs, <-errs); err != nil {
		return err
	}
	s, err := chooseSuites(ctx)
	if err != nil {
		return err
	}
	for _, line := range s.leftOut {
		fmt.Fprintln(os.Stdout, line)
	}
	err = s.run(ctx, p.start("suites", "starting two simulated phones and a browser"), os.Stdout)
	fmt.Fprintf(os.Stdout, "\nThe report packs are in %s; open %s\n", reports(), filepath.Join(reports(), "index.html"))
	return err
}

// reports returns the folder of the newest run.
func reports() string {
	dir := os.Getenv("TAPROOT_REPORTS_DIR")
	if dir == "" {
		dir = filepath.Join("tests", "reports")
	}
	latest, err := os.Readlink(filepath.Join(dir, "latest"))
	if err != nil {
		return dir
	}
	return filepath.Join(dir, latest)
}

// suites is one run of the suites.
type suites struct {
	sim, ginkgo []string // arguments
	env         []string
	leftOut     []string // sentences about what this machine cannot do
}

// pixels is the tag of the suites that read text in images.
const pixels = "pixels"

// chooseSuites returns the run of all suites that this machine's tools can do.
func chooseSuites(ctx context.Context) (suites, error) {
	s := suites{sim: []string{"--phones", "2"}, ginkgo: []string{"--procs=3"}}
	for _, one := range []struct {
		tool string
		lack func()
	}{
		{toolchain.FFmpeg, func() {
			s.env = append(s.env, "TAPROOT_NO_VIDEO=true")
			s.leftOut = append(s.leftOut, "No recordings are made, since ffmpeg is not installed: "+
				"bin/taproot setup --platform web installs it.")
		}},
		{toolchain.Firefox, func() {
			s.ginkgo = append(s.ginkgo, "--skip=--firefox")
			s.leftOut = append(s.leftOut, "The tests for Firefox are left out, since it is not installed: "+
				"bin/taproot setup --platform firefox installs it.")
		}},
		{toolchain.Tesseract, func() {
			s.ginkgo = append(s.ginkgo, "--label-filter=!"+pixels)
			s.leftOut = append(s.leftOut, "The tests that read text in images are left out, since tesseract is not "+
				"installed: bin/taproot setup --platform web installs it.")
		}},
	} {
		found, err := toolchain.Find(ctx, toolchain.System(), one.tool)
		if err != nil {
			return s, err
		}
		if !found.OK() {
			one.lack()
		}
	}
	return s, nil
}

// run runs the suites with phones of their own and copies the output of ginkgo to out, with progress in place of its
// dots. errFailed: a test failed.
func (s suites) run(ctx context.Context, ph *phase, out io.Writer) error {
	ginkgoArgs := append([]string{ginkgo, "run"}, s.ginkgo...)
	if os.Getenv("NO_COLOR") != "" || !term.IsTerminal(int(os.Stdout.Fd())) {
		ginkgoArgs = append(ginkgoArgs, "--no-color")
	}
	args := append([]string{taproot, "sim"}, s.sim...)
	args = append(append(append(args, "--"), ginkgoArgs...), suitesBinary)
	d := &dots{out: out, on: func(done, all int) { ph.does("%d of %d specs", done, all) }}
	var phones strings.Builder
	err := process{args: args, env: append([]string{"TAPROOT_REQUIRE_DEVICES=true"}, s.env...), stdout: d,
		stderr: &phones}.run(ctx)
	d.flush()
	if err != nil && !exited(err) {
		err = fmt.Errorf("%w\n%s", err, phones.String())
	} else if err != nil && d.done == 0 {
		err = fmt.Errorf("the suites did not start: %s", phones.String())
	} else if err != nil {
		err = errFailed
	}
	ph.end(err, "")
	return err
}

// dots copies the output of ginkgo without the dots with which it reports specs, and counts them: a log would show
// them only at the end. It is written to by one goroutine.
type dots struct {
	out io.Writer
	on  func(done, all int)

	all, done int
	at        dotState
	line      []rune // of the current line, without what was counted
	held      []rune // an escape sequence before a dot, the last dot, or the marks after it
	rest      []byte // the start of a character
}

// dotState is what the next character may be.
type dotState int

const (
	inText   dotState = iota // specs have not started, or a line of text
	atDot                    // the start of a line
	inEscape                 // a colour at the start of a line
)

var (
	willRun = regexp.MustCompile(`^Will run (\d+) of \d+ specs`)
	escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")
)

func (d *dots) Write(p []byte) (int, error) {
	d.rest = append(d.rest, p...)
	for len(d.rest) > 0 && utf8.FullRune(d.rest) {
		r, size := utf8.DecodeRune(d.rest)
		d.rest = d.rest[size:]
		d.take(r)
	}
	return len(p), nil
}

func (d *dots) take(r rune) {
	switch {
	case d.at == inEscape:
		d.held = append(d.held, r)
		if r == 'm' {
			d.at = atDot
		}
	case d.at == atDot && r == '\x1b':
		d.held, d.at = append(d.held[:0], r), inEscape
	case d.at == atDot && r == '•':
		d.held = append(d.held[:0], r)
		d.done++
		d.on(d.done, d.all)
	case d.at == atDot && strings.ContainsRune("SPFIAT!", r): // the mark of a spec, or the start of a word
		d.held = append(d.held, r)
	default:
		d.text(r)
	}
}

// text takes a character of a line of text. A dot before a space starts the report of a failure.
func (d *dots) text(r rune) {
	if d.at == atDot && r != '\n' {
		d.line, d.at = append(d.line, d.held...), inText
	}
	d.held = d.held[:0]
	d.line = append(d.line, r)
	if r == '\n' {
		d.endLine()
	}
}

func (d *dots) endLine() {
	line := string(d.line)
	d.line = d.line[:0]
	plain := escapes.ReplaceAllString(line, "")
	if m := willRun.FindStringSubmatch(plain); m != nil {
		d.all, _ = strconv.Atoi(m[1])
	}
	switch {
	case strings.HasPrefix(plain, "Running in parallel"):
		d.at = atDot
	case strings.HasPrefix(plain, "Ran "):
		d.all, d.at = 0, inText
	case d.done > 0 && d.all > 0:
		d.at = atDot
	}
	fmt.Fprint(d.out, line)
}

func (d *dots) flush() {
	if len(d.line) > 0 {
		d.endLine()
	}
}
