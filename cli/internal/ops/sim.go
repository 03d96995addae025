package ops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/toolchain"
	"github.com/taproot-dev/taproot/runner/plan"
)

// maxPhones limits the number of phones, in case of a typing mistake.
const maxPhones = 64

// The API levels that simulated phones can have.
const minAPI, maxAPI = 24, 36

func SimCommand(env *process.Env) *cobra.Command {
	var phones, api int
	var size string
	cmd := &cobra.Command{
		Use:   "sim [--phones N] [-- COMMAND …]",
		Short: "start simulated phones",
		Long: "sim starts simulated Android phones with a few apps, and connects adb to them.\n\n" +
			"Without a command, it connects them to the current adb server (see ANDROID_ADB_SERVER_PORT) until it is\n" +
			"interrupted. With a command, it starts an adb server of its own for them, runs the command with that server,\n" +
			"stops everything and exits with the command's code.",
		Example: "  taproot sim --phones 2\n  taproot sim --phones 2 -- taproot run suites/android",
		RunE: func(cmd *cobra.Command, args []string) error {
			if phones < 1 || phones > maxPhones {
				return &plan.Usage{Msg: fmt.Sprintf("--phones %d: from 1 to %d", phones, maxPhones)}
			}
			if api < minAPI || api > maxAPI {
				return &plan.Usage{Msg: fmt.Sprintf("--api %d: from %d to %d", api, minAPI, maxAPI)}
			}
			switch dash := cmd.ArgsLenAtDash(); {
			case len(args) > 0 && dash != 0:
				return &plan.Usage{Msg: fmt.Sprintf("%q: write -- before the command", args[0])}
			case len(args) == 0 && dash == 0:
				return &plan.Usage{Msg: "write a command after --, or leave -- out"}
			}
			adb, err := toolchain.Need(cmd.Context(), toolchain.NewHost(env.Getenv, env.Environ), toolchain.ADB)
			if err != nil {
				return err
			}
			s := sim{env: env, adb: adb.Path, phones: phones}
			if s.phone, err = phoneOf(size); err != nil {
				return err
			}
			s.phone.API = api
			if len(args) == 0 {
				return s.stay(cmd.Context())
			}
			return s.around(cmd.Context(), args)
		},
	}
	cmd.Flags().IntVar(&api, "api", 34, "Android API `LEVEL` of the phones, 24 to 36")
	cmd.Flags().StringVar(&size, "size", "1080x2400",
		"`WIDTHxHEIGHT` of the screens in pixels; smaller ones make faster tests")
	cmd.Flags().IntVar(&phones, "phones", 1, "start `N` phones")
	return cmd
}

// sim is one group of simulated phones.
type sim struct {
	env    *process.Env
	adb    string
	phones int
	phone  androidsim.Options // of all phones
}

// phoneOf returns the options of a phone with a screen of the size. Its density is chosen so that everything on it is
// as large as on a common screen.
func phoneOf(size string) (androidsim.Options, error) {
	var w, h int
	if n, err := fmt.Sscanf(size+"\n", "%dx%d\n", &w, &h); n != 2 || err != nil || w < 240 || h < 400 || w > 4000 ||
		h > 8000 {
		return androidsim.Options{},
			&plan.Usage{Msg: fmt.Sprintf("--size %q: write WIDTHxHEIGHT in pixels, such as 1080x2400", size)}
	}
	return androidsim.Options{Width: w, Height: h, Density: 420 * w / 1080}, nil
}

// stay keeps the phones until the user interrupts the command.
func (s sim) stay(ctx context.Context) error {
	return androidsim.RunLab(ctx, androidsim.LabOptions{Phones: s.phones, Phone: s.phone, Out: s.env.Stdout, ADB: s.adb,
		Env:   s.env.Environ,
		Ready: func([]string) { fmt.Fprintln(s.env.Stdout, "ready; press Ctrl-C to end") }})
}

// around runs a command with an adb server and phones of its own.
func (s sim) around(ctx context.Context, args []string) error {
	return s.with(ctx, func(environ []string, _ []string) error { return s.command(ctx, args, environ) })
}

// with starts an adb server and phones, and calls a function with the environment variables that select them and with
// their serials.
func (s sim) with(ctx context.Context, do func(environ, serials []string) error) error {
	server, environ, err := s.server(ctx)
	if err != nil {
		return err
	}
	defer server()
	lab, stop := context.WithCancel(ctx)
	defer stop()
	ready, ended := make(chan []string, 1), make(chan error, 1)
	go func() {
		ended <- androidsim.RunLab(lab, androidsim.LabOptions{Phones: s.phones, Phone: s.phone, Out: s.env.Stderr,
			ADB: s.adb, Env: environ,
			Ready: func(serials []string) { ready <- serials }})
	}()
	var serials []string
	select {
	case serials = <-ready:
	case err := <-ended:
		return fmt.Errorf("start the simulated phones: %w", errors.Join(err, context.Cause(ctx)))
	}
	err = do(environ, serials)
	stop()
	if labErr := <-ended; labErr != nil {
		fmt.Fprintf(s.env.Stderr, "taproot: simulated phones: %v\n", labErr)
	}
	return err
}

// server starts an adb server on a free port, with a home folder of its own so that the user's keys stay unchanged.
func (s sim) server(ctx context.Context) (stop func(), environ []string, err error) {
	home, err := os.MkdirTemp("", "taproot-sim-")
	if err != nil {
		return nil, nil, err
	}
	adb, end, err := androidsim.ServeADB(ctx, s.adb, home)
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(home))
	}
	private := append(without(s.env.Environ, "ADB_SERVER_SOCKET", "ANDROID_ADB_SERVER_ADDRESS", "ANDROID_ADB_SERVER_PORT",
		"ANDROID_SERIAL"),
		"ANDROID_ADB_SERVER_PORT="+strconv.Itoa(adb.Port))
	return func() { end(); _ = os.RemoveAll(home) }, private, nil
}

// command runs the user's command; its exit code becomes that of taproot.
func (s sim) command(ctx context.Context, args, environ []string) error {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env, cmd.Dir = environ, s.env.Dir
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.env.Stdin, s.env.Stdout, s.env.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 30 * time.Second
	err := cmd.Run()
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed) && failed.ExitCode() > 0:
		return process.Exit(failed.ExitCode())
	case ctx.Err() != nil:
		return process.Exit(130)
	case errors.Is(err, exec.ErrNotFound):
		return &plan.Usage{Msg: err.Error()}
	}
	return err
}

func without(environ []string, names ...string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(names, name)
	})
}
