package main

import (
	"context"
	"fmt"
	"strings"
)

// Binaries that the phases of this program use.
const (
	taproot      = "bin/taproot"
	ginkgo       = "bin/ginkgo"
	suitesBinary = "suites/suites.test"
)

// compileEnv is the environment of the compiler: less frequent garbage collection saves an eighth of the time. Without
// C, as in a release, the program starts without the dynamic linker.
var compileEnv = []string{"GOGC=400", "CGO_ENABLED=0"}

// Flags of the linker, which are also those of the tests, so that no package is compiled twice.
const stripped = "-ldflags=-s -w"

// build makes taproot, ginkgo and the test binary of the suites, from one cache.
func build(ctx context.Context, p *progress, next string) error {
	ph := p.start("build", "compiling taproot")
	err := compile(ctx, ph, "taproot", "go", "build", "-v", stripped, "-o", "bin/", ".",
		"github.com/onsi/ginkgo/v2/ginkgo")
	if err == nil {
		ph.does("compiling the suites")
		err = compile(ctx, ph, "the suites", "go", "test", "-c", "-vet=off", stripped, "-o", suitesBinary, "./suites")
	}
	ph.end(err, next)
	return err
}

// compile runs a command of go that prints a line for each compiled package.
func compile(ctx context.Context, ph *phase, what string, args ...string) error {
	modules, packages := 0, 0
	var other []string
	out := &lines{do: func(line string) {
		switch {
		case strings.HasPrefix(line, "go: downloading "):
			modules++
			ph.does("downloading module %d", modules)
		case strings.HasPrefix(line, "#"), strings.ContainsAny(line, " \t"):
			other = append(other, line)
		default:
			packages++
			ph.does("compiling %s: %d packages", what, packages)
		}
	}}
	err := process{args: args, env: compileEnv, stdout: out, stderr: out}.run(ctx)
	out.flush()
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("%w\n%s", err, strings.Join(other, "\n"))
	}
	return err
}
