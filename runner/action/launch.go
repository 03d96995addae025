package action

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters/event"
)

func launch(ctx context.Context, s *Session, a dsl.Launch) error {
	apps, ok := s.Device.(drivers.Apps)
	if !ok {
		return fmt.Errorf("launch: %w", drivers.ErrUnsupported)
	}
	s.Uses.started(a.Package)
	if err := startApp(ctx, s, apps, a); err != nil {
		return err
	}
	app, _, _ := strings.Cut(a.Package, "/") // behind the slash is an activity
	s.launched = app
	front, seen := "", ""
	err := poll(ctx, s.Timeout, func() (err error) {
		if front, err = apps.Foreground(ctx); err != nil {
			return err
		}
		if front != "" {
			seen = front
		}
		if front == app || asksPermission(front) {
			return nil
		}
		return errWait
	})
	switch {
	case err == nil && front != app:
		s.warn("a permission dialog (%s) is in the foreground", front)
	case errors.Is(err, errWait) && seen == "":
		s.warn("the device does not report which app is in the foreground")
		return nil
	case errors.Is(err, errWait):
		return &Failure{event.Problem{
			Message: fmt.Sprintf("%s was started and did not come to the front within %s; %s is there", a.Package,
				s.Timeout, seen),
			Expected: a.Package + " in the foreground", Actual: seen + " in the foreground"}}
	}
	return err
}

// asksPermission reports whether the foreground app is the system's own
// question for a permission, which covers the app that needs it.
func asksPermission(app string) bool {
	return strings.HasSuffix(app, ".permissioncontroller") || strings.HasSuffix(app, ".packageinstaller")
}
