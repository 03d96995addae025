package ops

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/inspect"
	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/cli/internal/report"
	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/guard"
	"github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/toolchain"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
	"github.com/taproot-dev/taproot/server"
	"github.com/taproot-dev/taproot/server/auth"
)

// studioFlags are the flags of `taproot studio`.
type studioFlags struct {
	devices   []string
	url       string
	sim       bool
	port      int
	noBrowser bool
	file      string
	report    string
	entries   []dsl.Entry // the devices of the file's test, when it has several
}

func StudioCommand(env *process.Env) *cobra.Command {
	var f studioFlags
	cmd := &cobra.Command{
		Use:   "studio [FILE.yaml]",
		Short: "see a device live in your browser, inspect its elements, and record a test",
		Long: "studio opens a page in your browser that shows a device live. Click, drag, turn the mouse wheel and type on " +
			"it;\n" +
			"point at an element to see its selectors, the best one first; record your actions as the steps of a test, run " +
			"them\n" +
			"there, and save them in FILE.yaml.\n\n" +
			"The page is served to this machine only, and its link works once.",
		Example: "  taproot studio --sim\n" +
			"  taproot studio suites/login.yaml --device emulator-5554\n" +
			"  taproot studio suites/shop.yaml --url https://shop.example.com\n" +
			"  taproot studio suites/chat.yaml --device alice=emulator-5554 --device bob=emulator-5556\n" +
			"  taproot studio --report latest/login",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return &plan.Usage{Msg: fmt.Sprintf("studio takes one file, not %d", len(args))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				f.file = args[0]
			}
			if err := f.check(env); err != nil {
				return err
			}
			if f.sim {
				return f.simulated(cmd.Context(), env)
			}
			return f.serve(cmd.Context(), env)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.devices, "device", nil,
		"show the phone with this `ID` (default: the only attached one; else the page lists them); for a test with "+
			"several devices NAME=ID of each one to choose (default: free ones that suit)")
	flags.StringVar(&f.url, "url", "", "show a browser page, starting with this `URL`")
	flags.BoolVar(&f.sim, "sim", false, "start a simulated phone, and show it")
	flags.IntVar(&f.port, "port", 0, "the port of the page (default: a free one)")
	flags.StringVar(&f.report, "report", "",
		"show the report of a test, `RUN/PACK` such as latest/login, to try other steps on its screens")
	flags.BoolVar(&f.noBrowser, "no-browser", false, "print the page's URL and open no browser")
	return cmd
}

func (f *studioFlags) check(env *process.Env) error {
	chosen := 0
	for _, given := range []bool{len(f.devices) > 0, f.url != "", f.sim, f.report != ""} {
		if given {
			chosen++
		}
	}
	if chosen > 1 {
		return &plan.Usage{Msg: "--device, --url, --sim and --report are mutually exclusive"}
	}
	if f.file == "" {
		return f.plan(env)
	}
	file := process.Within(env.Dir, f.file)
	below, err := filepath.Rel(env.Dir, file)
	if err != nil || !filepath.IsLocal(below) {
		return &plan.Usage{Msg: f.file + " is not in this folder: go to the project's folder first"}
	}
	if !plan.YAMLFile(below) {
		return &plan.Usage{Msg: f.file + " is not a test: a test ends in .yaml"}
	}
	f.file = filepath.ToSlash(below)
	return f.plan(env)
}

// simulated serves Studio with a simulated phone of its own.
func (f *studioFlags) simulated(ctx context.Context, env *process.Env) error {
	adb, err := toolchain.Need(ctx, toolchain.NewHost(env.Getenv, env.Environ), toolchain.ADB)
	if err != nil {
		return err
	}
	s := sim{env: env, adb: adb.Path, phones: max(1, f.phones()), phone: androidsim.Options{API: 34}}
	if s.phone, err = phoneOf("540x1200"); err != nil {
		return err
	}
	s.phone.API = 34
	return s.with(ctx, func(environ, serials []string) error {
		own := *env
		own.Environ = environ
		if len(f.entries) == 0 {
			f.devices = serials[:1]
		}
		return f.serve(ctx, &own)
	})
}

// serve serves the page until the user interrupts the command.
func (f *studioFlags) serve(ctx context.Context, env *process.Env) error {
	conf, err := run.FromEnv(env.Dir, env.LookupEnv)
	if err != nil {
		return &plan.Usage{Msg: err.Error()}
	}
	conf.Log, conf.Baselines = slog.New(slog.DiscardHandler), false
	next, err := f.page(ctx, env, conf)
	if err != nil {
		return err
	}
	gate, err := auth.New(auth.Config{Keys: []string{rand.Text()}}) // a random key: only the link signs in
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(f.port)))
	if err != nil {
		return fmt.Errorf("serve Studio: %w", err)
	}
	s, err := server.New(server.Options{Config: conf, Files: env.Dir, Project: env.Dir, Auth: gate, Network: guard.Policy{
		AllowPrivate: true}, Version: process.ThisBuild().Version, Log: conf.Log})
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	link, err := s.StudioLink(next)
	if err != nil {
		return errors.Join(err, listener.Close(), s.Close())
	}
	address := "http://" + listener.Addr().String() + link
	fmt.Fprintf(env.Stdout, "Studio: %s\n(the link works once, within ten minutes; press Ctrl-C to end)\n", address)
	if !f.noBrowser && report.IsTerminal(env) {
		report.OpenInBrowser(ctx, address)
	}
	return s.Serve(ctx, listener)
}

// page returns the first page of Studio: that of a report or of a device, or the list of devices.
func (f *studioFlags) page(ctx context.Context, env *process.Env, conf run.Config) (string, error) {
	if f.report != "" {
		return report.StudioPage(env, f.report)
	}
	query := url.Values{}
	if f.file != "" {
		query.Set("file", f.file)
	}
	if len(f.entries) > 0 {
		return f.severalPage(ctx, conf, query)
	}
	id := cmp.Or(strings.Join(f.devices, ""), conf.Device, conf.AndroidSerial)
	if f.url != "" {
		id = "web-1"
		query.Set("open", f.url)
	} else {
		info, err := f.choose(ctx, conf, id)
		if err != nil && id != "" {
			return "", err
		}
		id = info.ID
	}
	if id == "" {
		return "/studio", nil
	}
	page := "/studio/devices/" + url.PathEscape(id)
	if len(query) > 0 {
		page += "?" + query.Encode()
	}
	return page, nil
}

// choose returns the phone of --device, or the only one.
func (f *studioFlags) choose(ctx context.Context, conf run.Config, id string) (drivers.Info, error) {
	phones := slices.DeleteFunc(run.Drivers(conf), func(d drivers.Driver) bool { return d.Platform() == dsl.Web })
	defer func() {
		for _, d := range phones {
			_ = d.Close() // nothing was opened
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	return inspect.ChoosePhone(ctx, phones, id)
}
