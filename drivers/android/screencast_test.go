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

func TestShapesOfImages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		screen, picture, want image.Point
		fits                  bool
	}{
		{image.Pt(1080, 2400), image.Pt(540, 1200), image.Pt(1080, 2400), true},
		{image.Pt(1080, 2400), image.Pt(1200, 540), image.Pt(2400, 1080), true},
		{image.Pt(1081, 2401), image.Pt(540, 1200), image.Pt(1081, 2401), true},
		{image.Pt(1080, 2400), image.Pt(1080, 2400), image.Pt(1080, 2400), true},
		{image.Pt(1080, 2400), image.Pt(540, 600), image.Pt(1080, 2400), false},
		{image.Pt(2208, 1840), image.Pt(540, 1200), image.Pt(1840, 2208), false}, // unfolded, and folded
	} {
		if got, ok := shows(c.screen, c.picture); got != c.want || ok != c.fits {
			t.Errorf("a picture of %v of a screen of %v: %v, %v", c.picture, c.screen, got, ok)
		}
	}
}
