// Package appiumtest provides tests with an Appium server of its makers, installed from npm, with its driver for
// Android or for iOS.
package appiumtest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

// The packages of npm.
const (
	server       = "appium@3.8.0"
	uiautomator2 = "appium-uiautomator2-driver@8.7.0"
	xcuitest     = "appium-xcuitest-driver@12.13.1"
)

const (
	installLimit = 6 * time.Minute
	startLimit   = 2 * time.Minute
	stopLimit    = 15 * time.Second
)

// Options are how a server is started.
type Options struct {
	IOS      bool     // the driver is the one for iOS
	ADB      string   // the adb program; "": there is none
	Env      []string // in addition to this process's
	Features []string // that are allowed although they are not safe, such as "uiautomator2:adb_shell"
}

// Server is an Appium server.
type Server struct {
	URL string

	said lockedBuffer
}

// Log is what the server has written so far.
func (s *Server) Log() string { return s.said.String() }

// Start installs Appium once, into the user's cache, and starts a server, which ends with the test.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	driver := uiautomator2
	if o.IOS {
		driver = xcuitest
	}
	dir := install(t, driver)
	sdk := t.TempDir()
	if o.ADB != "" {
		tools := filepath.Join(sdk, "platform-tools")
		if err := os.MkdirAll(tools, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(o.ADB, filepath.Join(tools, "adb")); err != nil {
			t.Fatal(err)
		}
	}
	port := freePort(t)
	args := []string{filepath.Join(dir, "node_modules", "appium", "index.js"), "--address", "127.0.0.1", "--port",
		strconv.Itoa(port), "--log-no-colors", "--log-level", "info"}
	if len(o.Features) > 0 {
		args = append(args, "--allow-insecure", strings.Join(o.Features, ","))
	}
	cmd := exec.Command("node", args...)
	cmd.Dir = dir
	cmd.Env = append(slices.Concat(os.Environ(), o.Env), "APPIUM_HOME="+dir, "ANDROID_HOME="+sdk, "ANDROID_SDK_ROOT="+sdk)
	s := &Server{URL: "http://127.0.0.1:" + strconv.Itoa(port)}
	cmd.Stdout, cmd.Stderr = &s.said, &s.said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		select {
		case <-ended:
		case <-time.After(stopLimit):
			_ = cmd.Process.Kill()
			<-ended
		}
	})
	s.wait(t, ended)
	return s
}

// wait returns once the server responds.
func (s *Server) wait(t testing.TB, ended chan struct{}) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for deadline := time.Now().Add(startLimit); ; {
		answer, err := client.Get(s.URL + "/status")
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case <-ended:
			t.Fatalf("the Appium server has ended:\n%s", s.Log())
		case <-time.After(50 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			t.Fatalf("the Appium server does not respond: %v\n%s", err, s.Log())
		}
	}
}

// install returns the folder with the packages of the server and a driver.
func install(t testing.TB, driver string) string {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed, which Appium needs", program)
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	versions := strings.NewReplacer("appium-", "", "-driver", "", "@", "-")
	dir := filepath.Join(cache, "taproot", "npm", versions.Replace(strings.Join([]string{server, driver}, "-")))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	lock := flock.New(filepath.Join(dir, "install.lock"))
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Unlock() }()
	if _, err := os.Stat(filepath.Join(dir, "done")); err == nil {
		return dir
	}
	ctx, cancel := context.WithTimeout(t.Context(), installLimit)
	defer cancel()
	npm := exec.CommandContext(ctx, "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", dir,
		server, driver)
	if out, err := npm.CombinedOutput(); err != nil {
		t.Fatalf("npm could not install %s and %s (once; it needs a network): %v\n%s", server, driver, err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "done"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(fmt.Errorf("a free port: %w", err))
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// lockedBuffer is written by a process and read by a test.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
