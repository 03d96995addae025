package adbd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
)

// ADB is a real adb server of a test's own: its port is free, its home is a temporary directory, and no other adb
// server is touched.
type ADB struct {
	Port int
	Env  []string // environment for adb commands that talk to this server
	Path string
}

const (
	serverTries = 5
	answerLimit = time.Minute
)

// ServeADB starts the adb server of the program at path on a free port, with its keys and logs in home, and returns
// when it responds. A server that ends at once, as it does when another program took the port meanwhile, is started
// again on another one.
func ServeADB(ctx context.Context, path, home string) (a *ADB, stop func(), err error) {
	for range serverTries {
		if a, stop, err = serveOnce(ctx, path, home); !errors.Is(err, errEnded) {
			break
		}
	}
	return a, stop, err
}

var errEnded = errors.New("it has ended")

func serveOnce(ctx context.Context, path, home string) (a *ADB, stop func(), err error) {
	port, err := freePort(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("find a free port for adb: %w", err)
	}
	a = &ADB{Port: port, Path: path, Env: adbEnv(home, port)}
	cmd := exec.Command(path, "-P", strconv.Itoa(port), "server", "nodaemon")
	cmd.Env = a.Env
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		return nil, nil, fmt.Errorf("start adb: %w", err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	stop = func() {
		_ = cmd.Process.Kill()
		<-ended
	}
	if err := waitServer(ctx, port, ended); err != nil {
		stop()
		return nil, nil, fmt.Errorf("the adb server does not answer on port %d: %w: %s", port, err,
			bytes.TrimSpace(log.Bytes()))
	}
	return a, stop, nil
}

// adbEnv keeps keys and logs of adb in a directory of ours, and adb away from USB devices and other servers.
func adbEnv(home string, port int) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.HasPrefix(name, "ADB_") || strings.HasPrefix(name, "ANDROID_")
	})
	return append(env,
		"HOME="+home, "ANDROID_SDK_HOME="+home, "ANDROID_USER_HOME="+home, "TMPDIR="+home,
		"ANDROID_VENDOR_KEYS="+filepath.Join(home, "none"), "ANDROID_ADB_SERVER_PORT="+strconv.Itoa(port),
		"ADB_LIBUSB=0", "ADB_MDNS=0", "ADB_LOCAL_TRANSPORT_MAX_PORT=5554")
}

// freePort is below the ports that systems give for a request for any port: one of those may be taken before adb
// has it.
func freePort(ctx context.Context) (port int, err error) {
	for range 100 {
		port = 15000 + rand.IntN(15000)
		var l net.Listener
		if l, err = Listen(ctx, "127.0.0.1:"+strconv.Itoa(port)); err == nil {
			return port, l.Close()
		}
	}
	return 0, err
}

// waitServer waits until an adb server responds, or has ended.
func waitServer(ctx context.Context, port int, ended <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	for {
		err := askVersion(ctx, port)
		select {
		case <-ended:
			return errEnded
		default:
		}
		if err == nil || !kernel.Pause(ctx, 20*time.Millisecond) {
			return err
		}
	}
}

func askVersion(ctx context.Context, port int) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", "127.0.0.1:"+strconv.Itoa(port))
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	if _, err := io.WriteString(conn, hex4("host:version")); err != nil {
		return err
	}
	var word [4]byte
	if _, err := io.ReadFull(conn, word[:]); err != nil {
		return err
	}
	if string(word[:]) != "OKAY" {
		return fmt.Errorf("it responds with %q", word)
	}
	return nil
}

// Command is an adb command against this server.
func (a *ADB) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, a.Path, args...)
	cmd.Env = a.Env
	return cmd
}

// Connect plugs a phone into the server and returns its serial, which is its address.
func (a *ADB) Connect(t testing.TB, p listener) string {
	t.Helper()
	addr, err := p.ListenADBD(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := Connect(t.Context(), a.Path, a.Env, addr); err != nil {
		t.Fatal(err)
	}
	return addr
}

// listener is a phone that adb can connect to.
type listener interface {
	ListenADBD(ctx context.Context, addr string) (string, error)
}

// Connect runs adb connect, which exits with 0 whatever happens, and waits for the device.
func Connect(ctx context.Context, path string, env []string, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		cmd := exec.CommandContext(ctx, path, "connect", addr)
		cmd.Env = env
		said, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("adb connect %s: %w: %s", addr, err, bytes.TrimSpace(said))
		}
		cmd = exec.CommandContext(ctx, path, "-s", addr, "get-state")
		cmd.Env = env
		if state, err := cmd.Output(); err == nil && string(bytes.TrimSpace(state)) == "device" {
			return nil
		}
		if !kernel.Pause(ctx, 50*time.Millisecond) {
			return fmt.Errorf("adb connect %s: %s", addr, bytes.TrimSpace(said))
		}
	}
}
