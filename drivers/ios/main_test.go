package ios

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	iossim "github.com/taproot-dev/taproot/internal/sim/ios"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/internal/toolchain/chromiumtest"
)

// chromium shows the pages of this package's WebViews.
var chromium chromiumtest.DevTools //nolint:gochecknoglobals // of all tests

// programs is the folder with the simulated xcrun and ios, derived the one of what Xcode has built: a WebDriverAgent.
var programs, derived string //nolint:gochecknoglobals // set once, before any test

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		os.Exit(child())
	}
	dir, err := os.MkdirTemp("", "ios-")
	if err == nil {
		err = iossim.Build(context.Background(), dir)
	}
	if err == nil {
		derived, err = buildAgent(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	programs = dir
	code := m.Run()
	if err := chromium.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	_ = os.RemoveAll(dir)
	os.Exit(testutil.CheckLeaks(code))
}

// buildAgent makes what Xcode leaves of a WebDriverAgent that was built for simulators and iPhones.
func buildAgent(dir string) (string, error) {
	derived := filepath.Join(dir, "DerivedData")
	products := filepath.Join(derived, "WebDriverAgent-abc/Build/Products")
	if err := os.MkdirAll(products, 0o755); err != nil {
		return "", err
	}
	for _, name := range []string{"WebDriverAgentRunner_iphonesimulator18.1-arm64.xctestrun",
		"WebDriverAgentRunner_iphoneos18.1-arm64.xctestrun"} {
		if err := os.WriteFile(filepath.Join(products, name), nil, 0o644); err != nil {
			return "", err
		}
	}
	return derived, nil
}

// bench is a lab, and what a driver needs to work in it.
type bench struct {
	lab  *iossim.Lab
	bin  string
	env  map[string]string
	boot string
	home string
}

// newBench starts a lab in which both programs are on the PATH and WebDriverAgent is built.
func newBench(t *testing.T, o iossim.Options) *bench {
	t.Helper()
	dir := t.TempDir()
	lab, err := iossim.New(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	xcode := filepath.Join(dir, "Library/Developer/Xcode")
	must(t, os.MkdirAll(xcode, 0o755))
	must(t, os.Symlink(derived, filepath.Join(xcode, "DerivedData")))
	return &bench{lab: lab, bin: programs, env: map[string]string{}, home: dir}
}

// only leaves one of the programs on the PATH.
func (b *bench) only(t *testing.T, names ...string) *bench {
	t.Helper()
	b.bin = t.TempDir()
	for _, name := range names {
		if err := os.Link(filepath.Join(programs, name), filepath.Join(b.bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// driver makes a driver that is closed with the test.
func (b *bench) driver(t *testing.T) *Driver {
	t.Helper()
	environ := b.lab.Environ(b.bin)
	for name, value := range b.env {
		environ = append(environ, name+"="+value)
	}
	d := New(Options{Environ: environ, NotesDir: filepath.Join(b.home, "notes"), Boot: b.boot,
		Getenv: func(name string) string {
			for _, entry := range environ {
				if value, ok := strings.CutPrefix(entry, name+"="); ok {
					return value
				}
			}
			return ""
		}})
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("close the driver: %v", err)
		}
	})
	return d
}

// open opens the lab's first device.
func (b *bench) open(t *testing.T) (*device, *iossim.Device) {
	t.Helper()
	dev, err := b.driver(t).Open(t.Context(), b.lab.Device(0).UDID())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dev.Close() })
	return dev.(*device), b.lab.Device(0)
}

// opened is a device of a lab of its own.
func opened(t *testing.T, o iossim.DeviceOptions) (*device, *bench) {
	t.Helper()
	b := newBench(t, iossim.Options{Devices: []iossim.DeviceOptions{o}})
	d, _ := b.open(t)
	return d, b
}

// patience is the time of steps that pass, and of waits: none of them uses it up, however busy the machine is.
const patience = time.Minute

// wait reads trees until one shows a label, and returns its element.
func wait(t *testing.T, d drivers.Device, label string) *screen.Node {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		tree, err := d.Tree(ctx)
		if err != nil {
			t.Fatalf("%q did not appear: %v", label, err)
		}
		for n := range tree.All {
			if (n.Text == label || n.Desc == label || n.ID == label || n.Text == "" && n.Hint == label) && !n.Hidden {
				return n
			}
		}
		if drivers.Pause(ctx, 20*time.Millisecond) != nil {
			t.Fatalf("%q did not appear; the screen shows %q", label, tree.Texts(20))
		}
	}
}

func tapOn(t *testing.T, d *device, label string) {
	t.Helper()
	b := wait(t, d, label).Bounds
	if err := d.Tap(t.Context(), b.Min.Add(b.Size().Div(2))); err != nil {
		t.Fatal(err)
	}
}

// page opens a page of the list.
func page(t *testing.T, d *device, name string) {
	t.Helper()
	must(t, d.Launch(t.Context(), iossim.ListBundle, true))
	tapOn(t, d, name)
	wait(t, d, "Back")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
