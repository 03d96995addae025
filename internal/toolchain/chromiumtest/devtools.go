package chromiumtest

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/toolchain"
)

// DevTools is the Chromium that the tests of a package control over its DevTools, without Playwright. The zero value is
// ready; Close ends it.
type DevTools struct {
	once    sync.Once
	err     error
	address string
	cmd     *exec.Cmd
	profile string
}

// Start returns the host:port on which the DevTools listen. The browser is launched once.
func (d *DevTools) Start(t testing.TB) string {
	t.Helper()
	d.once.Do(func() { d.err = d.launch(t) })
	if d.err != nil {
		t.Fatal("start Chromium: ", d.err)
	}
	return d.address
}

func (d *DevTools) launch(t testing.TB) error {
	setup, err := toolchain.Playwright(t.Context(), toolchain.System())
	if err != nil {
		return err
	}
	if d.profile, err = os.MkdirTemp("", "taproot-devtools-*"); err != nil {
		return err
	}
	args := append(toolchain.ChromiumArgs(), "--headless", "--remote-debugging-port=0", "--user-data-dir="+d.profile,
		"--disable-gpu", "--hide-scrollbars", "about:blank")
	if !setup.Sandbox {
		args = append(args, "--no-sandbox")
	}
	d.cmd = exec.Command(setup.Headless, args...)
	asGroup(d.cmd)
	stderr, err := d.cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := d.cmd.Start(); err != nil {
		return err
	}
	found := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			if _, address, ok := strings.Cut(lines.Text(), "DevTools listening on ws://"); ok {
				host, _, _ := strings.Cut(address, "/")
				found <- host
			}
		}
		close(found)
	}()
	select {
	case address, ok := <-found:
		if !ok {
			return errors.New("it ended before it printed where it listens")
		}
		d.address = address
		return nil
	case <-time.After(Patience * time.Millisecond):
		return errors.New("it did not print where it listens")
	}
}

// Close ends the browser.
func (d *DevTools) Close() error {
	if d.cmd == nil {
		return nil
	}
	_ = killGroup(d.cmd)
	_ = d.cmd.Wait() // it was killed
	// Its processes write into the profile a little longer than it runs.
	end := time.Now().Add(Patience * time.Millisecond)
	err := os.RemoveAll(d.profile)
	for err != nil && time.Now().Before(end) {
		err = os.RemoveAll(d.profile)
	}
	if err != nil {
		return fmt.Errorf("remove the browser's profile: %w", err)
	}
	return nil
}
