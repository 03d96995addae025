package action

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters/event"
)

// location puts the device at one place, or lets it travel.
func location(ctx context.Context, s *Session, a dsl.Location) error {
	d, err := able[drivers.Locator](s)
	if err != nil {
		return err
	}
	if len(a.Route) > 0 {
		return travel(ctx, s, d, a)
	}
	return d.SetLocation(ctx, placeOf(a.At, a.Accuracy))
}

// travelPace is how often a travelling device hears where it is, as a GPS receiver tells it.
const travelPace = time.Second

// travel tells the device a place once a second until the last one is reached.
func travel(ctx context.Context, s *Session, d drivers.Locator, a dsl.Location) error {
	speed := a.SpeedKmh
	if speed == 0 {
		speed = 50
	}
	at, all := placeOf(a.Route[0], a.Accuracy), 0.0
	if err := d.SetLocation(ctx, at); err != nil {
		return err
	}
	for _, next := range a.Route[1:] {
		to := placeOf(next, a.Accuracy)
		way := metres(at, to)
		all += way
		step := speed / 3.6 * travelPace.Seconds()
		for done := step; done < way; done += step {
			if err := drivers.Pause(ctx, travelPace); err != nil {
				return err
			}
			if err := d.SetLocation(ctx, between(at, to, done/way)); err != nil {
				return err
			}
		}
		if err := drivers.Pause(ctx, time.Duration(math.Mod(way, step)/step*float64(travelPace))); err != nil {
			return err
		}
		if err := d.SetLocation(ctx, to); err != nil {
			return err
		}
		at = to
	}
	s.note("travelled %.0f m at %g km/h", all, speed)
	return nil
}

func placeOf(text string, accuracy float64) drivers.Place {
	latitude, longitude := dsl.Degrees(text)
	return drivers.Place{Latitude: latitude, Longitude: longitude, Accuracy: accuracy}
}

// metres is the distance on a sphere of the earth's size.
func metres(a, b drivers.Place) float64 {
	const radius, degree = 6371008.8, math.Pi / 180
	north, east := (b.Latitude-a.Latitude)*degree/2, (b.Longitude-a.Longitude)*degree/2
	h := math.Sin(north)*math.Sin(north) + math.Cos(a.Latitude*degree)*math.Cos(b.Latitude*degree)*math.Sin(east)*math.Sin(east)
	return 2 * radius * math.Asin(math.Min(1, math.Sqrt(h)))
}

// between is the place at a part of the way, the short way around the earth.
func between(a, b drivers.Place, part float64) drivers.Place {
	east := b.Longitude - a.Longitude
	if math.Abs(east) > 180 {
		east -= math.Copysign(360, east)
	}
	longitude := a.Longitude + east*part
	if math.Abs(longitude) > 180 {
		longitude -= math.Copysign(360, longitude)
	}
	return drivers.Place{Latitude: a.Latitude + (b.Latitude-a.Latitude)*part, Longitude: longitude, Accuracy: a.Accuracy}
}

func shake(ctx context.Context, s *Session, _ dsl.Shake) error {
	d, err := able[drivers.Shaker](s)
	if err != nil {
		return err
	}
	return d.Shake(ctx)
}

func addMedia(ctx context.Context, s *Session, a dsl.AddMedia) error {
	d, err := able[drivers.MediaAdder](s)
	if err != nil {
		return err
	}
	for _, name := range a.Files {
		path, err := s.file(name)
		if err != nil {
			return err
		}
		if err := d.AddMedia(ctx, path); err != nil {
			return err
		}
	}
	return nil
}

// pinch moves two fingers on a horizontal line through the middle of the area, never beyond it.
func pinch(ctx context.Context, s *Session, a dsl.Pinch) error {
	d, err := able[drivers.Pincher](s)
	if err != nil {
		return err
	}
	area, err := areaOf(ctx, s, a.Inside)
	if err != nil {
		return err
	}
	percent := a.Percent
	if percent == 0 {
		percent = 60
	}
	side := min(area.Dx(), area.Dy())
	far, near := side*percent/200, max(side/20, 1)
	from, to := near, far
	if a.Direction == "close" {
		from, to = far, near
	}
	centre := area.Min.Add(area.Size().Div(2))
	s.touched(centre)
	s.tapped = nil
	s.note("two fingers moved from %d to %d pixels around %d,%d", from, to, centre.X, centre.Y)
	return d.Pinch(ctx, centre, from, to, millis(a.DurationMs, 500))
}

// alert waits for the alert, and answers it when it is the one that is meant.
func alert(ctx context.Context, s *Session, a dsl.Alert) error {
	d, err := able[drivers.Alerter](s)
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
	s.tapped = nil
	return d.AnswerAlert(ctx, a.Answer == "accept", a.Text)
}
