package webkit

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/drivers/web/internal/classic"
)

// startPoll is the time between two looks whether a program is ready.
const startPoll = 20 * time.Millisecond

// margin is how much larger than the page the display is: for the frame and the toolbar of the window, and for windows
// that a page makes larger.
const margin = 200

// start starts the display, MiniBrowser, WebKitWebDriver, and the session.
func (in *instance) start(ctx context.Context, o classic.Opening) error {
	g, p := in.group, in.programs
	display, err := g.display(ctx, p.Display, o.Size.X+margin, o.Size.Y+margin)
	if err != nil {
		return err
	}
	ports, err := drivers.FreePorts(2)
	if err != nil {
		return err
	}
	in.port = ports[0]
	cmd, err := g.run(p.Browser, browserArgs(o.Options), []string{"DISPLAY=" + display,
		"WEBKIT_INSPECTOR_HTTP_SERVER=127.0.0.1:" + in.port})
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	g.reap(cmd, func() { close(ended); o.Crashed() })
	target := ""
	err = poll(ctx, ended, func() bool {
		for _, port := range listening(cmd.Process.Pid) {
			if number := strconv.Itoa(port); number != in.port {
				target = number
			}
		}
		return target != ""
	})
	if err != nil {
		return g.failure(ctx, "MiniBrowser")
	}
	driver, err := g.run(p.Driver, []string{"--host=127.0.0.1", "--port=" + ports[1], "--target=127.0.0.1:" + target},
		[]string{"DISPLAY=" + display})
	if err != nil {
		return err
	}
	gone := make(chan struct{})
	g.reap(driver, func() { close(gone); o.Crashed() })
	if in.client, err = webdriver.New(webdriver.Options{URL: "http://127.0.0.1:" + ports[1]}); err != nil {
		return err
	}
	err = poll(ctx, gone, func() bool {
		return !errors.As(in.client.Do(ctx, webdriver.Command{Method: "GET", Path: "/status"}, nil),
			new(*webdriver.LostError))
	})
	if err != nil {
		return g.failure(ctx, "WebKitWebDriver")
	}
	if in.session, err = in.client.NewSession(ctx, o.Capabilities, startLimit); err != nil {
		return fmt.Errorf("%w: WebKit did not start: %w%s", drivers.ErrDeviceLost, err, g.output)
	}
	return nil
}

func browserArgs(o playwright.BrowserNewContextOptions) []string {
	args := []string{"--automation"}
	if o.UserAgent != nil {
		args = append(args, "--user-agent="+*o.UserAgent)
	}
	if o.ColorScheme != nil && *o.ColorScheme == *playwright.ColorSchemeDark {
		args = append(args, "--dark-mode")
	}
	return args
}
