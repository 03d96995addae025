// Package webkit starts WebKitGTK: MiniBrowser on a display of its own, WebKitWebDriver, and the Web Inspector of its
// windows, which adds what WebDriver does not have.
package webkit

import (
	"context"
	"time"

	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/drivers/web/internal/classic"
)

// startLimit is for all programs of a browser to start, on a busy machine.
const startLimit = 90 * time.Second

// callLimit is for a call of Web Inspector.
const callLimit = 15 * time.Second

// Programs are the paths of what a browser consists of.
type Programs struct {
	Driver  string // WebKitWebDriver
	Browser string // MiniBrowser
	Display string // Xvfb
	Version string
}

// Traits are those of WebKitGTK. After another button than the left one, its driver reports no pointer events on that
// page any more.
func (p Programs) Traits() classic.Traits {
	return classic.Traits{Name: "WebKit", Version: p.Version, Start: startLimit, LeftButton: true,
		Toolbar: 38 /* of MiniBrowser */}
}

// Open starts the programs of a context.
func (p Programs) Open(ctx context.Context, o classic.Opening) (_ classic.Instance, err error) {
	var env []string
	if zone := o.Options.TimezoneId; zone != nil {
		env = append(env, "TZ="+*zone)
	}
	in := &instance{programs: p}
	if in.group, err = newGroup(env); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = in.group.end()
		}
	}()
	if err := in.start(ctx, o); err != nil {
		return nil, err
	}
	return in, nil
}

// instance is a MiniBrowser that runs.
type instance struct {
	programs Programs
	group    *group
	session  *webdriver.Session
	client   *webdriver.Client
	port     string // of Web Inspector
}

// Session is that of the browser.
func (in *instance) Session() *webdriver.Session { return in.session }

// Close ends the browser and all that belongs to it.
func (in *instance) Close() error {
	err := in.group.end()
	in.client.Close()
	return err
}
