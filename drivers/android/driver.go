package android

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/agent"
	"github.com/taproot-dev/taproot/drivers/internal/fleet"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/toolchain"
)

// Options say where the driver finds things. The zero value is what a program wants.
type Options struct {
	// Getenv reads the environment: ADB_SERVER_SOCKET, ANDROID_ADB_SERVER_ADDRESS, ANDROID_ADB_SERVER_PORT and
	// ANDROID_SERIAL mean what they mean to adb. Nil means os.Getenv.
	Getenv func(string) string
	// FindADB returns the path of the adb program, which is run only to start the adb server. Nil looks for it as `taproot
	// doctor` does.
	FindADB func(ctx context.Context) (string, error)
	// NotesDir is where notes lie on what a phone has to get back, should this process be killed. Empty means
	// taproot/restore in $XDG_STATE_HOME where that is set, otherwise in the user's cache directory.
	NotesDir string
	// Agent says whether an agent on the phone reads and touches the screen; "": what TAPROOT_AGENT says, or Auto.
	Agent string
	// Dial connects to the adb server instead of the environment's address: to one that is reached through another
	// connection, and may have one phone alone. Nil means that address.
	Dial func(ctx context.Context) (net.Conn, error)
	// Logger gets what is worth knowing when something is slow or wrong. Nil means none.
	Logger *slog.Logger
}

// Driver finds and opens the devices that one adb server knows. It starts that server when it does not run, and leaves
// it running, as adb does.
type Driver struct {
	srv       *adb.Server
	preferred string
	notes     string
	log       *slog.Logger
	agent     agent.Options

	open fleet.Open
}

var (
	_ drivers.Driver   = (*Driver)(nil)
	_ drivers.Services = (*Driver)(nil)
)

// New returns a driver. Nothing is contacted before the first call.
func New(opts Options) *Driver {
	getenv := opts.Getenv
	if getenv == nil {
		getenv = os.Getenv
	}
	log := opts.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	srv := adb.ServerFrom(getenv)
	srv.Log = log
	srv.Find = opts.FindADB
	if opts.Dial != nil {
		srv.Through("another machine", opts.Dial)
	}
	if srv.Find == nil {
		srv.Find = func(ctx context.Context) (string, error) { return findADB(ctx, getenv) }
	}
	notes := opts.NotesDir
	if state := getenv("XDG_STATE_HOME"); notes == "" && filepath.IsAbs(state) {
		notes = filepath.Join(state, "taproot", "restore")
	}
	mode, err := agent.ParseMode(cmp.Or(opts.Agent, getenv("TAPROOT_AGENT")))
	host := func() toolchain.Host { return toolchain.NewHost(getenv, os.Environ()) }
	agent := agent.Options{Mode: mode, Err: err, Refusals: &agent.Refusals{}, APKs: func() (string, error) {
		return toolchain.AgentAPKs(host())
	},
		Check: func() error { _, err := toolchain.CheckAgent(host()); return err }}
	return &Driver{srv: srv, preferred: getenv("ANDROID_SERIAL"), notes: notes, log: log, agent: agent}
}

func findADB(ctx context.Context, getenv func(string) string) (string, error) {
	found, err := toolchain.Need(ctx, toolchain.NewHost(getenv, os.Environ()), toolchain.ADB)
	if err != nil {
		return "", &drivers.Unavailable{What: "adb is not installed", Fix: err.Error()}
	}
	return found.Path, nil
}

// Platform is Android.
func (d *Driver) Platform() dsl.Platform { return dsl.Android }

// Preferred is the serial in ANDROID_SERIAL, or "". A run that names no device and needs only one should take this one.
func (d *Driver) Preferred() string { return d.preferred }

// Open prepares a phone: it must be in the state "device", its display is woken, a lock without a secret is taken away
// (one with a PIN or a pattern is an error, as is a display that stays dark), and what an earlier session that was
// killed left in its temporary folder is removed.
func (d *Driver) Open(ctx context.Context, id string) (drivers.Device, error) {
	dev, err := open(ctx, d.srv.Device(id), d.log, d.notes, d.agent)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	if !d.open.Add(dev, dev.phone.Life) {
		return nil, errors.Join(fmt.Errorf("open device %s: the driver is closed", id), dev.Close())
	}
	return dev, nil
}

// Close closes the devices that are still open.
func (d *Driver) Close() error { return d.open.Close() }
