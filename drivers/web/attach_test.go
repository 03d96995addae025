package web

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// usersOwn is a Chromium as a user's own, with a tab of the user's, for all tests that attach to one.
var usersOwn struct {
	sync.Once
	address string
	stop    func() error
}

// running returns the address of its DevTools.
func running(t *testing.T) string {
	t.Helper()
	usersOwn.Do(func() { usersOwn.address, usersOwn.stop = startOwn(t) })
	if usersOwn.address == "" {
		t.Fatal("the user's own browser did not start")
	}
	return usersOwn.address
}

// endOwn ends it.
func endOwn() error {
	if usersOwn.stop == nil {
		return nil
	}
	return usersOwn.stop()
}

// startOwn starts it; stop ends it.
func startOwn(t *testing.T) (address string, stop func() error) {
	t.Helper()
	if _, err := shared.Devices(t.Context()); err != nil {
		t.Fatal(err)
	}
	profile, err := os.MkdirTemp("", "taproot-chromium-*") // its processes write into it a little longer than they live
	Must(t, err)
	args := []string{"--headless=new", "--remote-debugging-port=0", "--user-data-dir=" + profile, "--no-first-run",
		"--disable-gpu"}
	if !shared.launcher.Setup.Sandbox {
		args = append(args, "--no-sandbox")
	}
	cmd := exec.Command(shared.launcher.Setup.Chromium, append(args, site.Page("late.html"))...)
	said, err := cmd.StderrPipe()
	Must(t, err)
	Must(t, cmd.Start())
	stop = func() error {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if !until(context.Background(), patience, func() bool { return os.RemoveAll(profile) == nil }) {
			return fmt.Errorf("%s cannot be removed", profile)
		}
		return nil
	}
	found := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(said); lines.Scan(); {
			if _, address, ok := strings.Cut(lines.Text(), "DevTools listening on ws://"); ok {
				host, _, _ := strings.Cut(address, "/")
				found <- "http://" + host
			}
		}
	}()
	select {
	case address := <-found:
		return address, stop
	case <-time.After(patience):
		_ = stop()
		t.Fatal("the browser did not say where it listens")
		return "", nil
	}
}

func TestAttach(t *testing.T) {
	testutil.Leave(t, "package record attaches to a browser as well")
	address := running(t)
	d := open(t)
	how := drivers.PageOptions{Connect: address, ColorScheme: "dark", Headers: map[string]string{"X-Team": "blue"}}
	Must(t, d.OpenPage(t.Context(), site.Page("popup.html"), how))
	mustShow(t, d, "h1", "Popups")
	if _, err := d.Eval(t.Context(), "document.cookie = 'signed=in; max-age=1000'", patience); err != nil {
		t.Error(err)
	}
	Must(t, d.ClickOn(t.Context(), target("#tab"), drivers.WebClick{}))
	Must(t, d.PickPage(t.Context(), drivers.WebTabSelector{URL: "**/framed.html*"}, patience))
	if d.Info().Width != 1280 || tree(t, d).Size.X != 1280 {
		t.Errorf("the tab is %d wide", d.Info().Width)
	}
	picture, err := d.Screenshot(t.Context())
	if err != nil || picture.Bounds().Dx() != 1280 {
		t.Errorf("the picture is not as wide as the page, %v", err)
	}
	// it is not ours
	WantError(t, d.PickPage(t.Context(), drivers.WebTabSelector{URL: "**/late.html"}, 300*time.Millisecond),
		screen.ErrNotFound)
	Must(t, d.ClosePage(t.Context()))
	// The browser keeps running, as signed in as it was, without our tabs.
	Must(t, d.OpenPage(t.Context(), site.Page("popup.html"), how))
	if got, err := d.Eval(t.Context(), "document.cookie", patience); got != "signed=in" || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	s, _ := d.slot.Opened()
	if all := s.Context.Pages(); len(all) != 2 {
		t.Errorf("%d pages are open", len(all))
	}
	Must(t, d.ClosePage(t.Context()))
	WantError(t, d.OpenPage(t.Context(), site.Page("popup.html"), drivers.PageOptions{Connect: "http://127.0.0.1:1"}),
		drivers.ErrDeviceLost, "127.0.0.1:1",
		"--remote-debugging-port")
}
