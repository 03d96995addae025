package androidsim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/adbd"
)

// StartADB starts an adb server for a test and ends it with the test. It fails the test when adb is not installed.
func StartADB(t testing.TB) *ADB {
	t.Helper()
	path, err := exec.LookPath("adb")
	if err != nil {
		t.Fatal("adb is not installed: install Android's platform tools (Debian and Ubuntu: apt install adb)")
	}
	a, stop, err := ServeADB(t.Context(), path, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return a
}

// Small is a phone with a screen that is cheap to look at.
var Small = Options{Width: 540, Height: 1200, Density: 210}

// Tiny is one that shows the same on half as many pixels, for tests in which no text is read in pixels.
var Tiny = Options{Width: 360, Height: 800, Density: 140}

// Start starts phones for a test, behind an adb server of the simulator's own, and ends all of it with the test. A
// phone without a serial is called SIM1, SIM2 and so on, by its place.
func Start(t testing.TB, options ...Options) (*Server, []*Phone) {
	t.Helper()
	var phones []*Phone
	home := ""
	for i, o := range options {
		var at net.Listener
		if o.Console {
			if home == "" {
				home = adbd.ConsoleHome(t)
			}
			at, o.Serial = adbd.ConsolePort(t)
		}
		if o.Serial == "" {
			o.Serial = fmt.Sprintf("SIM%d", i+1)
		}
		p := NewPhone(o)
		t.Cleanup(p.Close)
		if at != nil {
			p.daemon.ServeConsole(at, home)
		}
		phones = append(phones, p)
	}
	server, err := NewServer(phones...)
	if err != nil {
		t.Fatal(err)
	}
	server.Home = home
	t.Cleanup(server.Close)
	return server, phones
}

// NewServer serves the phones on a free loopback port; Close ends it, and not the phones.
func NewServer(phones ...*Phone) (*Server, error) {
	var daemons []*adbd.Daemon
	for _, p := range phones {
		daemons = append(daemons, p.daemon)
	}
	return adbd.NewServer(daemons...)
}

// NoADB finds no adb, for tests that must not start it.
func NoADB(context.Context) (string, error) {
	return "", errors.New("this test must not start adb")
}

// LabOptions say how many phones RunLab starts, and where it reports them.
type LabOptions struct {
	Phones int
	Phone  Options   // what all phones have in common
	Out    io.Writer // gets one line per phone: its serial, then its model
	// ADB is the adb program; empty: found in PATH. The server is the one that ANDROID_ADB_SERVER_PORT,
	// ANDROID_ADB_SERVER_ADDRESS or ADB_SERVER_SOCKET name, as for adb itself; it is started when none responds.
	ADB string
	// Env is the environment of adb; nil: that of this process.
	Env []string
	// Ready is called with the serials once adb has all phones.
	Ready func(serials []string)
}

// RunLab starts simulated phones, connects adb to them and keeps them until the context ends; then it disconnects them.
func RunLab(ctx context.Context, o LabOptions) (err error) {
	path := o.ADB
	if path == "" {
		if path, err = exec.LookPath("adb"); err != nil {
			return fmt.Errorf("adb is not installed: install Android's platform tools: %w", err)
		}
	}
	if o.Env == nil {
		o.Env = os.Environ()
	}
	start := exec.CommandContext(ctx, path, "start-server")
	start.Env = o.Env
	if said, err := start.CombinedOutput(); err != nil {
		return fmt.Errorf("start the adb server: %w: %s", err, strings.TrimSpace(string(said)))
	}
	listening, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var serials []string
	var phones []*Phone
	defer func() { // first adb lets them go: it keeps one that is gone without a word on its list, to try it again
		o.disconnect(ctx, path, serials)
		for _, p := range phones {
			p.Close()
		}
	}()
	for i := range o.Phones {
		phone := o.Phone
		phone.Serial = fmt.Sprintf("TAPROOTSIM%02d", i+1)
		p := NewPhone(phone)
		phones = append(phones, p)
		addr, err := p.ListenADBD(listening, "127.0.0.1:0")
		if err != nil {
			return err
		}
		serials = append(serials, addr)
		if err := adbd.Connect(ctx, path, o.Env, addr); err != nil {
			return err
		}
		if o.Out != nil {
			fmt.Fprintf(o.Out, "%s\t%s, Android %s\n", addr, p.Model(), p.system.Prof.Release)
		}
	}
	if o.Ready != nil {
		o.Ready(serials)
	}
	<-ctx.Done()
	return nil
}

// disconnect still works when the context has ended, so that the user's adb server keeps no dead serials. adb responds
// before a phone is off its list.
func (o LabOptions) disconnect(ctx context.Context, path string, serials []string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	for _, s := range serials {
		cmd := exec.CommandContext(ctx, path, "disconnect", s)
		cmd.Env = o.Env
		_ = cmd.Run()
	}
	for ctx.Err() == nil {
		list := exec.CommandContext(ctx, path, "devices")
		list.Env = o.Env
		said, err := list.Output()
		if err != nil ||
			!slices.ContainsFunc(serials, func(s string) bool { return strings.Contains(string(said), s+"\t") }) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}
