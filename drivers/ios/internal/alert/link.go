package alert

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/ios/internal/apps"
	"github.com/taproot-dev/taproot/drivers/ios/internal/host"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/phrase"
)

const (
	// linkPrompt is how long iOS may take to ask whether a link may be opened, or to bring its app to the front.
	linkPrompt = 2 * time.Second
	linkPoll   = 100 * time.Millisecond
)

// Links opens links on one device. Its methods are called one at a time.
type Links struct{ parts LinkParts }

// LinkParts are what Links needs.
type LinkParts struct {
	Link   *wda.Link
	Host   host.Host
	Apps   *apps.Apps
	Watch  *apps.Watch
	Alerts *Alerts
}

// NewLinks returns Links of such parts.
func NewLinks(p LinkParts) *Links { return &Links{parts: p} }

// OpenLink opens a link with the app that the system chooses, or that is named. Where iOS shows "Open in …?", as it
// does for the scheme of an app, the answer is yes.
func (x *Links) OpenLink(ctx context.Context, link, app string) error {
	own := !strings.HasPrefix(link, "http:") && !strings.HasPrefix(link, "https:")
	before := ""
	if own {
		var err error
		if before, err = x.parts.Apps.Foreground(ctx); err != nil {
			return err
		}
	}
	if err := x.openLink(ctx, link, app); err != nil || !own {
		return err
	}
	return x.letOpen(ctx, before)
}

func (x *Links) openLink(ctx context.Context, link, app string) error {
	if o, ok := x.parts.Host.(host.Opener); ok && app == "" {
		if err := x.approve(ctx, link); err != nil {
			return err
		}
		return x.parts.Link.With(ctx, func(ctx context.Context) error { return o.OpenLink(ctx, link) })
	}
	body := map[string]any{"url": link}
	if app != "" {
		if err := x.parts.Link.CheckBundle(app); err != nil {
			return err
		}
		body["bundleId"] = app
	}
	launched := x.parts.Watch.Launching(app)
	err := x.parts.Link.Do(ctx, wda.Post("opening a link", "/url", body), nil)
	var refused *wda.Error
	switch {
	case errors.As(err, &refused) && refused.Code == "unknown error":
		return fmt.Errorf(
			"device %s: %w: nothing opens %s: %w",
			x.parts.Link.ID,
			drivers.ErrNoApp,
			phrase.LimitBytes(link, 200),
			err,
		)
	case err == nil && app != "":
		x.parts.Watch.Set(launched)
		return x.parts.Link.Agent.ReadApp(ctx, app)
	}
	return err
}

// approve lets the app of the test be opened by links of a scheme of its own, so that iOS need not ask, in whichever
// language. Of a scheme that is another app's it says nothing.
func (x *Links) approve(ctx context.Context, link string) error {
	app := x.parts.Watch.Bundle()
	scheme, _, _ := strings.Cut(link, ":")
	a, ok := x.parts.Host.(host.Approver)
	if !ok || app == "" || scheme == "http" || scheme == "https" || !schemeForm.MatchString(scheme) {
		return nil
	}
	err := x.parts.Link.With(ctx, func(ctx context.Context) error { return a.Approve(ctx, scheme, app) })
	if failed := new(host.ToolError); errors.As(err, &failed) {
		x.parts.Link.Log.Debug("a link's scheme could not be approved beforehand", "scheme", scheme, "error", err)
		return nil
	}
	return err
}

var schemeForm = lazyregexp.New(`^[A-Za-z][A-Za-z0-9+.-]*$`)

// letOpen accepts the question of iOS whether the link may be opened, and waits until another app is in the foreground.
// A link of the app that is in the foreground already changes nothing of that.
func (x *Links) letOpen(ctx context.Context, before string) error {
	for began := time.Now(); time.Since(began) < linkPrompt; {
		a, err := x.parts.Alerts.Alert(ctx)
		if err != nil {
			return err
		}
		switch button := opens(a); {
		case button != "":
			if err := x.parts.Alerts.AnswerAlert(ctx, button, ""); err != nil && !errors.Is(err, screen.ErrNotFound) {
				return err
			}
		case a == nil:
			front, err := x.parts.Apps.Foreground(ctx)
			if err != nil || front != before && front != "" && front != wda.Springboard {
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
