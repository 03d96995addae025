// Command dev performs make run and make test: it builds, installs what is missing, starts simulated phones and runs
// the tests, several of these at once, and prints what it does.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

const usage = `dev run            run the suites on two simulated phones and a browser
dev test [FLAGS]   run all tests; -h lists the flags
dev setup NAMES    install the programs for android, web, firefox, database or development

--since SECONDS before the command is the time from which the lines count, in seconds since 1970.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := perform(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// perform returns the exit code: 0, 1 if a test or a step failed, 2 for wrong usage, 130 after an interruption.
func perform(ctx context.Context, args []string) int {
	since := ""
	if len(args) > 1 && args[0] == "--since" {
		since, args = args[1], args[2:]
	}
	p := newProgress(os.Stdout, since)
	var err error
	switch {
	case len(args) == 1 && args[0] == "run":
		err = runSuites(ctx, p)
	case len(args) > 0 && args[0] == "test":
		err = runTests(ctx, p, args[1:])
	case len(args) > 1 && args[0] == "setup":
		err = setup(ctx, p, "", args[1:])
	default:
		fmt.Fprint(os.Stderr, usage)
		return 2
	}
	p.close()
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "interrupted")
		return 130
	case errors.Is(err, errFailed):
		return 1
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// errFailed says that tests failed, which was printed.
var errFailed = errors.New("tests failed")
