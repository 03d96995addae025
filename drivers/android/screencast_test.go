package android

import (
	"bytes"
	"image"
	"image/jpeg"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

// frames takes what a cast shows; one that is not taken is replaced by the next.
func frames(t *testing.T, d *Device) chan drivers.Frame {
	t.Helper()
	shown := make(chan drivers.Frame, 1)
	stop, err := d.Screencast(t.Context(), func(f drivers.Frame) {
		select {
		case <-shown:
		default:
		}
		shown <- f
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return shown
}

// TestImagesOfTheAgent: while the agent sends images, screencap takes only the first screenshot, which shows the
// shape of the screen; once the agent is gone they are, and so when the screen has another shape.
func TestImagesOfTheAgent(t *testing.T) {
	t.Parallel()
	d, p := openAgent(t, small())
	shown := frames(t, d)
	f := <-shown
	config, err := jpeg.DecodeConfig(bytes.NewReader(f.JPEG))
	if err != nil || f.Size != image.Pt(540, 1200) || config.Width != 270 || config.Height != 600 {
		t.Errorf("%v, %+v, %v", f.Size, config, err)
	}
	taken := p.Count("screencap")
	launch(t, d, androidsim.ListPackage)
	<-shown
	<-shown // of a screen that comes in
	if n := p.Count("screencap"); n != taken {
		t.Errorf("%d pictures were taken", n-taken)
	}
	p.KillAgent()
	for f = range shown { // what it sent last may still come
		if config, err = jpeg.DecodeConfig(bytes.NewReader(f.JPEG)); err != nil || config.Width == 540 {
			break
		}
	}
	if err != nil || f.Size != image.Pt(540, 1200) || p.Count("screencap") == taken {
		t.Errorf("%v, %+v, %v", f.Size, config, err)
	}
}
