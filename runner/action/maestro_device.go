package action

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	flows "github.com/taproot-dev/taproot/dsl/maestro"
)

func flowOpenLink(ctx context.Context, s maestroSession, a flows.OpenLink) error {
	if s.isWeb() {
		if !strings.HasPrefix(a.Link, "http") {
			a.Link = "https://" + a.Link
		}
		return s.openURL(ctx, a.Link, false)
	}
	if err := s.mayOpen(ctx, a.Link); err != nil {
		return err
	}
	if a.AutoVerify {
		s.note("autoVerify: questions of the system are left to the flow")
	}
	if err := onApps(s.Session, func(d drivers.AppManager) error { return d.OpenLink(ctx, a.Link, "") }); err != nil {
		return err
	}
	return Settle(ctx, s.Session, nil)
}

func flowLocation(ctx context.Context, s maestroSession, a flows.Location) error {
	for _, text := range []string{a.Latitude, a.Longitude} {
		if _, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err != nil {
			return fatal("%q is not a number of degrees", text)
		}
	}
	return location(ctx, s.Session, dsl.Location{At: strings.TrimSpace(a.Latitude) + "," + strings.TrimSpace(a.Longitude)})
}

// legs is in how many steps a way between two places is gone.
const legs = 50

func flowTravel(ctx context.Context, s maestroSession, a flows.Travel) error {
	d, err := capability[drivers.LocationSetter](s.Session)
	if err != nil || len(a.Points) == 0 {
		return err
	}
	at := placeOf(a.Points[0], 0)
	if err := d.SetLocation(ctx, at); err != nil {
		return err
	}
	for _, text := range a.Points[1:] {
		to := placeOf(text, 0)
		pause := time.Duration(0)
		if a.Speed > 0 {
			pause = time.Duration(metres(at, to) / a.Speed / legs * float64(time.Second))
		}
		for i := 1; i <= legs; i++ {
			if err := d.SetLocation(ctx, between(at, to, float64(i)/legs)); err != nil {
				return err
			}
			if err := drivers.Pause(ctx, pause); err != nil {
				return err
			}
		}
		at = to
	}
	return nil
}

func flowOrientation(ctx context.Context, s maestroSession, a flows.Orientation) error {
	name := flows.OrientationOf(a.To)
	if name == "" {
		return &Failure{problem("there is no orientation %q", a.To)}
	}
	if s.isWeb() {
		return nil
	}
	quarters := slices.Index(flows.Orientations(), name)
	if t, ok := s.Device.(drivers.Rotator); ok {
		if err := t.SetRotation(ctx, quarters); err != nil {
			return err
		}
		return Settle(ctx, s.Session, nil)
	}
	if err := onSystem(s.Session, func(d drivers.System) error { return d.Rotate(ctx, quarters%2 == 1) }); err != nil {
		return err
	}
	return Settle(ctx, s.Session, nil)
}

func flowAirplane(ctx context.Context, s maestroSession, a flows.Airplane) error {
	if s.Platform != dsl.Android {
		s.note("airplane mode is Android's")
		return nil
	}
	return airplane(ctx, s.Session, dsl.Airplane{On: a.Set == flows.On, Toggle: a.Set == flows.Toggle})
}

func flowDarkMode(ctx context.Context, s maestroSession, a flows.DarkMode) error {
	return darkMode(ctx, s.Session, dsl.DarkMode{On: a.Set == flows.On, Toggle: a.Set == flows.Toggle})
}

func flowAssertDark(ctx context.Context, s maestroSession, a flows.AssertDark) error {
	return assertDarkMode(ctx, s.Session, dsl.AssertDarkMode{On: a.Dark})
}

func flowAddMedia(ctx context.Context, s maestroSession, a flows.AddMedia) error {
	if s.isWeb() {
		return nil
	}
	d, err := capability[drivers.MediaAdder](s.Session)
	if err != nil {
		return err
	}
	for _, name := range a.Files {
		path, err := s.flowFile(name)
		if err != nil {
			return err
		}
		if err := d.AddMedia(ctx, path); err != nil {
			return err
		}
	}
	return nil
}
