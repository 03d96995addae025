package ios

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/shorten"
)

const (
	// linkPrompt is how long iOS may take to ask whether a link may be opened, or to bring its app to the front.
	linkPrompt = 2 * time.Second
	linkPoll   = 100 * time.Millisecond
)

// OpenLink opens a link with the app that the system chooses, or that is named. Where iOS shows "Open in …?", as it
// does for the scheme of an app, the answer is yes.
func (d *Device) OpenLink(ctx context.Context, link, app string) error {
	own := !strings.HasPrefix(link, "http:") && !strings.HasPrefix(link, "https:")
	before := ""
	if own {
		var err error
		if before, err = d.Foreground(ctx); err != nil {
			return err
		}
	}
	if err := d.openLink(ctx, link, app); err != nil || !own {
		return err
	}
	return d.letOpen(ctx, before)
}

func (d *Device) openLink(ctx context.Context, link, app string) error {
	if o, ok := d.host.(opener); ok && app == "" {
		if err := d.approve(ctx, link); err != nil {
			return err
		}
		return d.with(ctx, func(ctx context.Context) error { return o.openLink(ctx, link) })
	}
	body := map[string]any{"url": link}
	if app != "" {
		if err := d.named(app); err != nil {
			return err
		}
		body["bundleId"] = app
	}
	launched := d.launching(app)
	err := d.do(ctx, post("opening a link", "/url", body), nil)
	var refused *wdaError
	switch {
	case errors.As(err, &refused) && refused.Code == "unknown error":
		return fmt.Errorf("device %s: %w: nothing opens %s: %w", d.info.ID, drivers.ErrNoApp, shorten.Bytes(link, 200), err)
	case err == nil && app != "":
		d.watch(launched)
		return d.wda.readApp(ctx, app)
	}
	return err
}

// approve lets the app of the test be opened by links of a scheme of its own, so that iOS need not ask, in whichever
// language. Of a scheme that is another app's it says nothing.
func (d *Device) approve(ctx context.Context, link string) error {
	d.mu.Lock()
	app := d.app.bundle
	d.mu.Unlock()
	scheme, _, _ := strings.Cut(link, ":")
	a, ok := d.host.(approver)
	if !ok || app == "" || scheme == "http" || scheme == "https" || !schemeForm.MatchString(scheme) {
		return nil
	}
	err := d.with(ctx, func(ctx context.Context) error { return a.approve(ctx, scheme, app) })
	if failed := new(toolError); errors.As(err, &failed) {
		d.log.Debug("a link's scheme could not be approved beforehand", "scheme", scheme, "error", err)
		return nil
	}
	return err
}

var schemeForm = lazyregexp.New(`^[A-Za-z][A-Za-z0-9+.-]*$`)

// letOpen accepts the question of iOS whether the link may be opened, and waits until another app is in the foreground.
// A link of the app that is in the foreground already changes nothing of that.
func (d *Device) letOpen(ctx context.Context, before string) error {
	for began := time.Now(); time.Since(began) < linkPrompt; {
		a, err := d.Alert(ctx)
		if err != nil {
			return err
		}
		switch button := opens(a); {
		case button != "":
			if err := d.AnswerAlert(ctx, button, ""); err != nil && !errors.Is(err, screen.ErrNotFound) {
				return err
			}
		case a == nil:
			front, err := d.Foreground(ctx)
			if err != nil || front != before && front != "" && front != springboard {
				return err
			}
		}
		if err := drivers.Pause(ctx, linkPoll); err != nil {
			return err
		}
	}
	return nil
}

// opens is the button of the question whether a link may be opened; "": it is another one.
func opens(a *drivers.Alert) string {
	if a == nil || len(a.Buttons) != 2 || !strings.HasPrefix(screen.Normalise(a.Text), "open in ") {
		return ""
	}
	if i := slices.IndexFunc(a.Buttons, func(b string) bool { return screen.Normalise(b) == "open" }); i >= 0 {
		return a.Buttons[i]
	}
	return ""
}
