package browser

import (
	"context"
	"fmt"
	"image"
	"math"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/remote"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/drivers/web/internal/classic"
)

// system is the system of the phone that the capabilities of a remote name, in lower case; "": they name none.
func (r *Remote) system() string {
	name, _ := r.Capabilities["platformName"].(string)
	if name = strings.ToLower(name); name == "android" || name == "ios" {
		return name
	}
	return ""
}

// OnPhone reports whether pages are opened in the browser of a phone, behind an Appium server.
func (r *Remote) OnPhone() bool { return r.system() != "" }

// Screen is the size of pages on the phone, in pixels of CSS; zero: it is not known, or there is no phone.
func (r *Remote) Screen() image.Point {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.screen
}

// phoneCapabilities are those that sessions on phones need in addition.
func (r *Remote) phoneCapabilities(wanted map[string]any) error {
	switch r.system() {
	case "ios":
		return fmt.Errorf("%w: Safari on an iPhone: the driver for iOS touches pages at places of the screen, and not of "+
			"the page; with platform: ios, the remote %s runs tests of apps on it, and Safari is one "+
			"(launch: com.apple.mobilesafari)", drivers.ErrUnsupported, r.Name)
	case "android":
		if _, said := wanted["webSocketUrl"]; !said {
			wanted["webSocketUrl"] = false // what Appium reports by WebDriver BiDi is not about pages
		}
		for name := range wanted {
			if strings.EqualFold(name, "appium:automationName") {
				return nil
			}
		}
		wanted["appium:automationName"] = "UiAutomator2"
	}
	return nil
}

// withoutDriver explains why no browser of a phone was opened where the server lacks the driver of it.
func (r *Remote) withoutDriver(err error) error {
	if !r.OnPhone() {
		return err
	}
	return remote.WithoutChromedriver(err, r.Name, "the Chrome of the phone")
}

// screenScript returns the size of what the screen shows of a page, in pixels of CSS at the size that is made for
// phones.
const screenScript = `const v = window.visualViewport; return [v.width * v.scale, v.height * v.scale];`

// prepareOnPhone sets in a session what Appium does not pass on to the driver of the browser, and finds out how large
// pages are.
func (r *Remote) prepareOnPhone(ctx context.Context, lease *remote.Lease) error {
	if !r.OnPhone() {
		return nil
	}
	limits := classic.Capabilities(false)["timeouts"]
	if err := webdriver.Send(ctx, lease.Session, webdriver.Command{Method: "POST", Path: "/timeouts", Body: limits},
		nil); err != nil {
		return err
	}
	var size [2]float64
	if err := lease.Execute(ctx, screenScript, nil, &size, 0); err != nil {
		return err
	}
	whole := image.Pt(int(math.Round(size[0])), int(math.Round(size[1])))
	if whole.X < 1 || whole.Y < 1 {
		return fmt.Errorf("%w: the page of the phone has no size", drivers.ErrDeviceLost)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.screen = whole
	return nil
}
