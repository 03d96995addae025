package engine

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

// metered is a device with an app that runs for a while.
type metered struct {
	drivers.Device
	began, ends time.Time
}

func (m *metered) Measure(context.Context) (*drivers.Measurement, error) {
	if now := time.Now(); now.Before(m.began) || now.After(m.ends) {
		return nil, nil
	}
	return &drivers.Measurement{App: "a.b", At: time.Now()}, nil
}

// TestShortTestIsMeasured: an app that runs for two seconds is measured, however long the test took to launch it.
func TestShortTestIsMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		app := &metered{began: time.Now().Add(7500 * time.Millisecond)}
		app.ends = app.began.Add(2 * time.Second)
		m := startMeter(t.Context(), app)
		time.Sleep(time.Until(app.ends) + time.Minute)
		m.stop()
		m.done.Wait()
		if len(m.all.Samples) != 1 || m.all.Samples[0].AtMS != 8000 {
			t.Errorf("samples %+v", m.all.Samples)
		}
	})
}
