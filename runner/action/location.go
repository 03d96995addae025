package action

import (
	"context"
	"math"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
)

// location puts the device at one place, or lets it travel.
func location(ctx context.Context, s *Session, a dsl.Location) error {
	d, err := capability[drivers.LocationSetter](s)
	if err != nil {
		return err
	}
	if len(a.Route) > 0 {
		return followRoute(ctx, s, d, a)
	}
	return d.SetLocation(ctx, placeOf(a.At, a.Accuracy))
}

// travelPace is how often the location of a travelling device is set, as a GPS receiver reports it.
const travelPace = time.Second

// followRoute sets the location once a second until the last one is reached.
func followRoute(ctx context.Context, s *Session, d drivers.LocationSetter, a dsl.Location) error {
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

func placeOf(text string, accuracy float64) drivers.Coordinates {
	latitude, longitude := dsl.Degrees(text)
	return drivers.Coordinates{Latitude: latitude, Longitude: longitude, Accuracy: accuracy}
}

// metres is the distance on a sphere of the earth's size.
func metres(a, b drivers.Coordinates) float64 {
	const radius, degree = 6371008.8, math.Pi / 180
	north, east := (b.Latitude-a.Latitude)*degree/2, (b.Longitude-a.Longitude)*degree/2
	h := math.Sin(north)*math.Sin(north) + math.Cos(a.Latitude*degree)*math.Cos(b.Latitude*degree)*math.Sin(
		east)*math.Sin(east)
	return 2 * radius * math.Asin(math.Min(1, math.Sqrt(h)))
}

// between is the place at a part of the way, the short way around the earth.
func between(a, b drivers.Coordinates, part float64) drivers.Coordinates {
	east := b.Longitude - a.Longitude
	if math.Abs(east) > 180 {
		east -= math.Copysign(360, east)
	}
	longitude := a.Longitude + east*part
	if math.Abs(longitude) > 180 {
		longitude -= math.Copysign(360, longitude)
	}
	return drivers.Coordinates{Latitude: a.Latitude + (b.Latitude-a.Latitude)*part, Longitude: longitude,
		Accuracy: a.Accuracy}
}
