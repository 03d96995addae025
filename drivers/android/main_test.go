package android

import (
	"context"
	"fmt"
	"image"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/input"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/internal/toolchain/chromiumtest"
)

// chromium shows the pages of this package's WebViews.
var chromium chromiumtest.DevTools

func TestMain(m *testing.M) {
	code := m.Run()
	if err := chromium.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(testutil.CheckLeaks(code))
}

// serverAt returns the environment of a driver that uses the adb server at addr and must not start another.
func serverAt(addr string) Options {
	return Options{
		Getenv: func(name string) string {
			if name == "ADB_SERVER_SOCKET" {
				return "tcp:" + addr
			}
			return ""
		},
		FindADB: func(context.Context) (string, error) {
			return "", &drivers.Unavailable{What: "adb is not installed", Fix: "this test must not start it"}
		},
	}
}

// newPhones starts phones behind a host server of the simulator's own, and a driver for them.
func newPhones(t *testing.T, options ...androidsim.Options) (*Driver, []*androidsim.Phone, *androidsim.Server) {
	t.Helper()
	server, phones := androidsim.Start(t, options...)
	opts := serverAt(server.Addr())
	opts.NotesDir = t.TempDir()
	driver := New(opts)
	sockets := &openSockets{dial: driver.srv.Dial}
	driver.srv.Dial = sockets.count
	t.Cleanup(func() {
		if err := driver.Close(); err != nil {
			t.Errorf("close the driver: %v", err)
		}
		if n := sockets.n.Load(); n != 0 {
			t.Errorf("%d connections to the adb server are still open", n)
		}
	})
	return driver, phones, server
}

// openSockets counts the connections that are still open.
type openSockets struct {
	dial func(ctx context.Context, network, addr string) (net.Conn, error)
	n    atomic.Int64
}

func (s *openSockets) count(ctx context.Context, network, addr string) (net.Conn, error) {
	nc, err := s.dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	s.n.Add(1)
	return &countedConn{Conn: nc, closed: sync.OnceFunc(func() { s.n.Add(-1) })}, nil
}

type countedConn struct {
	net.Conn
	closed func()
}

func (c *countedConn) Close() error {
	c.closed()
	return c.Conn.Close()
}

// openPhone starts one phone and opens it.
func openPhone(t *testing.T, o androidsim.Options) (*Device, *androidsim.Phone) {
	t.Helper()
	driver, phones, _ := newPhones(t, o)
	dev, err := driver.Open(t.Context(), phones[0].Serial())
	if err != nil {
		t.Fatal(err)
	}
	return dev.(*Device), phones[0]
}

// findNode returns the first element with label as its text, description or end of its id.
func findNode(tree *screen.Tree, label string) *screen.Node {
	for n := range tree.All {
		if n.Text == label || n.Desc == label || strings.HasSuffix(n.ID, "/"+label) {
			return n
		}
	}
	return nil
}

// patience is how long a test waits for what has to come.
const patience = 2 * time.Minute

// waitNode reads trees until one has the element.
func waitNode(t *testing.T, d *Device, label string) *screen.Node {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		tree, err := d.Tree(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n := findNode(tree, label); n != nil {
			return n
		}
		if err := drivers.Pause(ctx, input.KeyboardPoll); err != nil {
			t.Fatalf("no %q: %v\n%s", label, err, shown(tree))
		}
	}
}

func centre(n *screen.Node) image.Point { return n.Bounds.Min.Add(n.Bounds.Max).Div(2) }

func tapOn(t *testing.T, d *Device, label string) {
	t.Helper()
	if err := d.Tap(t.Context(), centre(waitNode(t, d, label))); err != nil {
		t.Fatal(err)
	}
}

// closedAddress is an address where nothing listens: a free port could be taken by another program a moment later.
const closedAddress = "127.0.0.1:1"
