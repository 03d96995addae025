package action

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/shellerr"
)

func setOrientation(ctx context.Context, s *Performer, a dsl.SetOrientation) error {
	return onSystem(s, func(d drivers.System) error {
		quarters, four := map[string]int{"upsideDown": 2, "landscapeRight": 3}[a.Orientation]
		if !four {
			return d.Rotate(ctx, a.Orientation == "landscape")
		}
		turner, ok := d.(drivers.Rotator)
		if !ok {
			return fmt.Errorf("device %s cannot be held %s: %w", s.Device.Info().ID, a.Orientation, drivers.ErrUnsupported)
		}
		return turner.SetRotation(ctx, quarters)
	})
}

func setDarkMode(ctx context.Context, s *Performer, a dsl.SetDarkMode) error {
	return onSystem(s, func(d drivers.System) error {
		on, err := s.wanted(ctx, a.On, a.Toggle, drivers.SystemReader.IsDark)
		if err != nil {
			return err
		}
		return d.DarkMode(ctx, on)
	})
}

// isSet reads how the device is set.
func isSet(ctx context.Context, s *Performer, setting func(drivers.SystemReader, context.Context) (bool, error)) (bool,
	error) {
	d, err := capability[drivers.SystemReader](s)
	if err != nil {
		return false, err
	}
	return setting(d, ctx)
}

// wanted is how a setting shall be: on, or with toggle what it is not now.
func (s *Performer) wanted(ctx context.Context, on, toggle bool, setting func(drivers.SystemReader, context.Context) (
	bool, error)) (bool, error) {
	if !toggle {
		return on, nil
	}
	now, err := isSet(ctx, s, setting)
	return !now, err
}

func assertDarkMode(ctx context.Context, s *Performer, a dsl.AssertDarkMode) error {
	now, err := isSet(ctx, s, drivers.SystemReader.IsDark)
	if err != nil || now == a.On {
		return err
	}
	names := map[bool]string{true: "dark", false: "light"}
	p := problem("the appearance is %s, not %s", names[now], names[a.On])
	p.Assertion, p.Expected, p.Actual = true, names[a.On]+" mode", names[now]+" mode"
	return &Failure{p}
}

func setAirplaneMode(ctx context.Context, s *Performer, a dsl.SetAirplaneMode) error {
	return onSystem(s, func(d drivers.System) error {
		on, err := s.wanted(ctx, a.On, a.Toggle, drivers.SystemReader.IsAirplane)
		if err != nil {
			return err
		}
		return d.Airplane(ctx, on)
	})
}

func openNotifications(ctx context.Context, s *Performer, _ dsl.OpenNotifications) error {
	return onSystem(s, func(d drivers.System) error { return d.Notifications(ctx) })
}

func setLocale(ctx context.Context, s *Performer, a dsl.SetLocale) error {
	return onSystem(s, func(d drivers.System) error {
		app := ""
		if apps, ok := s.Device.(drivers.Apps); ok {
			front, err := apps.Foreground(ctx)
			if err != nil {
				return err
			}
			app = front
		}
		s.note("for the foreground app: %s", app)
		return d.Locale(ctx, app, a.Locale)
	})
}

// shell runs a command of the tester on the device; a run has to allow it.
func shell(ctx context.Context, s *Performer, a dsl.Shell) error {
	if !s.AllowShell {
		return &Failure{
			event.Problem{Kind: event.Refused, Message: "shell steps are not allowed in this run: start it with " +
				"--allow-shell, or TAPROOT_ALLOW_SHELL=true"}}
	}
	return onSystem(s, func(d drivers.System) error {
		out, code, err := d.Shell(ctx, a.Command)
		if err != nil {
			return err
		}
		s.Value = strings.TrimRight(out, "\r\n")
		s.note("exit code %d, %s", code, screen.Quote(out))
		if code != 0 {
			p := problem("the command ended with exit code %d: %s", code, strconv.QuoteToGraphic(shellerr.Line(out)))
			p.Expected, p.Actual = "exit code 0", screen.Quote(out)
			return &Failure{p}
		}
		return nil
	})
}

func onSystem(s *Performer, do func(drivers.System) error) error {
	d, err := capability[drivers.System](s)
	if err != nil {
		return err
	}
	return do(d)
}

func shake(ctx context.Context, s *Performer, _ dsl.Shake) error {
	d, err := capability[drivers.Shaker](s)
	if err != nil {
		return err
	}
	return d.Shake(ctx)
}

func biometrics(ctx context.Context, s *Performer, a dsl.Biometrics) error {
	d, err := capability[drivers.Biometrics](s)
	if err == nil && a.Enrolled != nil {
		err = d.Enroll(ctx, *a.Enrolled)
	}
	if err == nil && a.Answer != "" {
		err = d.Present(ctx, a.Answer == "match")
	}
	return err
}

// push sends what a server of the app's would: its own words under "aps", what is for the app next to them.
func push(ctx context.Context, s *Performer, a dsl.Push) error {
	d, err := capability[drivers.Pusher](s)
	if err != nil {
		return err
	}
	aps := map[string]any{}
	if a.Title != "" || a.Body != "" {
		alert := map[string]string{}
		if a.Title != "" {
			alert["title"] = a.Title
		}
		if a.Body != "" {
			alert["body"] = a.Body
		}
		aps["alert"], aps["sound"] = alert, "default"
	}
	if a.Badge != nil {
		aps["badge"] = *a.Badge
	}
	payload := maps.Clone(a.Data)
	if payload == nil {
		payload = map[string]any{}
	}
	payload["aps"] = aps
	text, err := json.Marshal(payload)
	if err != nil {
		return err
	}
	if len(text) > pushBytes {
		return &Failure{problem("a notification has %d bytes at most, and this one has %d", pushBytes, len(text))}
	}
	return d.Push(ctx, a.Package, text)
}

// pushBytes is how much Apple's service takes.
const pushBytes = 4096

func setStatusBar(ctx context.Context, s *Performer, a dsl.SetStatusBar) error {
	d, err := capability[drivers.StatusBarSetter](s)
	if err == nil && a.Reset {
		err = d.SetStatusBar(ctx, nil)
	}
	if show := (drivers.StatusBar{Time: a.Time, Battery: a.Battery, Wifi: a.Wifi, Cellular: a.Cellular}); err == nil &&
		show != (drivers.StatusBar{}) {
		err = d.SetStatusBar(ctx, &show)
	}
	return err
}

// background leaves the foreground app, and comes back to it. One that has died meanwhile would be started again.
func background(ctx context.Context, s *Performer, a dsl.Background) error {
	apps, err := capability[drivers.Apps](s)
	if err != nil {
		return err
	}
	keys, err := capability[drivers.Keys](s)
	if err != nil {
		return err
	}
	app, err := apps.Foreground(ctx)
	if err != nil {
		return err
	}
	if app == "" {
		return &Failure{problem("no app is in the foreground that could go to the background")}
	}
	if err := keys.Press(ctx, []string{"home"}); err != nil {
		return err
	}
	if err := drivers.Pause(ctx, a.Ms.Duration()); err != nil {
		return err
	}
	if w, ok := s.Device.(drivers.CrashWatcher); ok {
		if c, err := w.Crashed(ctx); err == nil && c != nil {
			return deathOf(c, nil)
		}
	}
	return launch(ctx, s, dsl.Launch{Package: app})
}

func addMedia(ctx context.Context, s *Performer, a dsl.AddMedia) error {
	d, err := capability[drivers.MediaAdder](s)
	if err != nil {
		return err
	}
	for _, name := range a.Files {
		path, err := s.File(name)
		if err != nil {
			return err
		}
		if err := d.AddMedia(ctx, path); err != nil {
			return err
		}
	}
	return nil
}

// alert waits for the alert, and closes it when it is the chosen one.
func alert(ctx context.Context, s *Performer, a dsl.Alert) error {
	d, err := capability[drivers.Alerter](s)
	if err != nil {
		return err
	}
	var open *drivers.Alert
	err = poll(ctx, s.Timeout, func() (err error) {
		if open, err = d.Alert(ctx); err == nil && open == nil {
			err = errWait
		}
		return err
	})
	switch {
	case errors.Is(err, errWait):
		return &Failure{event.Problem{Expected: "an alert", Actual: "no alert is open",
			Message: fmt.Sprintf("no alert came within %s", s.Timeout)}}
	case err != nil:
		return err
	}
	s.Value = open.Text
	s.note("the alert says %s", screen.Quote(open.Text))
	if a.Shows != "" && !screen.TextShows(open.Text, a.Shows) {
		return &Failure{event.Problem{Assertion: true, Expected: screen.Quote(a.Shows), Actual: screen.Quote(open.Text),
			Message: fmt.Sprintf("the alert says %s, not %s", screen.Quote(open.Text), screen.Quote(a.Shows))}}
	}
	button, err := buttonOf(open, a)
	if err != nil {
		return err
	}
	s.tapped = nil
	if err := d.AnswerAlert(ctx, button, a.Text); err != nil {
		return err
	}
	s.note("pressed %s", screen.Quote(button))
	return nil
}

// buttonOf is the button of an alert that the step means.
func buttonOf(open *drivers.Alert, a dsl.Alert) (string, error) {
	if a.Button != "" {
		if b, ok := screen.Alike(open.Buttons, a.Button); ok {
			return b, nil
		}
		return "", &Failure{event.Problem{Assertion: true, Expected: "the button " + screen.Quote(a.Button),
			Actual:  fmt.Sprintf("its buttons are %q", open.Buttons),
			Message: fmt.Sprintf("the alert has no button %s: it has %q", screen.Quote(a.Button), open.Buttons)}}
	}
	button := open.Dismiss
	if a.Answer == "accept" {
		button = open.Accept
	}
	if button != "" {
		return button, nil
	}
	example := "OK"
	if len(open.Buttons) > 0 {
		example = open.Buttons[0]
	}
	return "", &Failure{
		event.Problem{Expected: "a button that " + map[bool]string{true: "accepts", false: "dismisses"}[a.Answer == "accept"],
			Actual: fmt.Sprintf("its buttons are %q", open.Buttons),
			Message: fmt.Sprintf("it is unknown which of the buttons %q is %s: name it, such as alert: {button: "+
				"%s}", open.Buttons,
				a.Answer, example)}}
}
