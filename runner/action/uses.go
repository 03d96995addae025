package action

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
)

// AfterUse is what is done with the used apps on a device, when it is released.
type AfterUse string

// The policies: what runs continues (the default), is stopped, or is stopped and loses its data.
const (
	NothingAfterUse AfterUse = "nothing"
	StopAfterUse    AfterUse = "stop"
	ClearAfterUse   AfterUse = "clear"
)

// ParseAfterUse reads the name of a policy.
func ParseAfterUse(text string) (AfterUse, error) {
	p := AfterUse(text)
	if !slices.Contains([]AfterUse{NothingAfterUse, StopAfterUse, ClearAfterUse}, p) {
		return "", fmt.Errorf("%q is not a policy: write nothing, stop or clear", text)
	}
	return p, nil
}

// Cleans reports whether anything is done.
func (p AfterUse) Cleans() bool { return p == StopAfterUse || p == ClearAfterUse }

// UsedApps are the apps that were started or installed on a device: what a policy may clean. A nil one notes
// nothing. One goroutine at a time uses it.
type UsedApps struct{ apps map[string]bool }

// Apps lists them, sorted.
func (u *UsedApps) Apps() []string {
	if u == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(u.apps))
}

func (u *UsedApps) started(app string) {
	if u == nil || app == "" {
		return
	}
	if u.apps == nil {
		u.apps = map[string]bool{}
	}
	name, _, _ := strings.Cut(app, "/") // behind the slash is an activity
	u.apps[name] = true
}

// Install calls install, and notes which apps are new after it.
func (u *UsedApps) Install(ctx context.Context, d drivers.AppManager, install func() error) error {
	if u == nil {
		return install()
	}
	before, err := d.ListApps(ctx)
	if err != nil {
		return install() // then it is unknown what is new
	}
	if err := install(); err != nil {
		return err
	}
	after, err := d.ListApps(ctx)
	if err != nil {
		return nil
	}
	for _, app := range after {
		if !slices.Contains(before, app) {
			u.started(app)
		}
	}
	return nil
}

// Clean does with the apps what a policy says, and forgets them. Data are cleared of apps alone that were installed on
// top of the system's: the settings of a phone are not data of a test. An app that is gone is fine.
func (u *UsedApps) Clean(ctx context.Context, dev drivers.Device, p AfterUse) error {
	apps := u.Apps()
	if u != nil {
		u.apps = nil
	}
	d, ok := dev.(drivers.AppManager)
	if !ok || len(apps) == 0 || !p.Cleans() {
		return nil
	}
	var errs []error
	var own []string
	if p == ClearAfterUse {
		var err error
		if own, err = d.ListApps(ctx); err != nil {
			errs = append(errs, err)
		}
	}
	for _, app := range apps {
		err := d.Stop(ctx, app)
		if err == nil && slices.Contains(own, app) {
			err = d.ClearApp(ctx, app)
		}
		if err != nil && !errors.Is(err, drivers.ErrNoApp) {
			errs = append(errs, fmt.Errorf("%s: %w", app, err))
		}
	}
	return errors.Join(errs...)
}
