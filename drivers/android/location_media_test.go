package android

import (
	"errors"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

func TestLocation(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Options{API: 34})
	for _, at := range []drivers.Coordinates{{Latitude: 52.52, Longitude: 13.405},
		{Latitude: -33.8688, Longitude: -0.0000125, Accuracy: 20}} {
		if err := d.SetLocation(t.Context(), at); err != nil {
			t.Fatal(err)
		}
		if lat, lon, ok := p.Location(); !ok || lat != at.Latitude || lon != at.Longitude {
			t.Errorf("the phone is at %v, %v (%v), not at %v", lat, lon, ok, at)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := p.Location(); ok {
		t.Error("the made-up place stays after Close")
	}
	old, _ := openPhone(t, androidsim.Options{API: 30})
	if err := old.SetLocation(t.Context(), drivers.Coordinates{}); !errors.Is(err, drivers.ErrUnsupported) ||
		!strings.Contains(err.Error(), "API level 31") {
		t.Errorf("Android 11: %v", err)
	}
}

func TestAddMedia(t *testing.T) {
	t.Parallel()
	for _, api := range levels() {
		d, p := openPhone(t, androidsim.Options{API: api})
		path := filepath.Join(t.TempDir(), "my photo's.PNG")
		if err := os.WriteFile(path, []byte("\x89PNG picture"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := d.AddMedia(t.Context(), path); err != nil {
			t.Fatalf("API %d: %v", api, err)
		}
		if g := p.Gallery(); len(g) != 1 || !strings.HasSuffix(g[0], "-my_photo_s.PNG") {
			t.Errorf("API %d: the gallery has %q", api, g)
		} else if data, err := p.ReadFile(g[0]); err != nil || string(data) != "\x89PNG picture" {
			t.Errorf("API %d: %q, %v", api, data, err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if g := p.Gallery(); len(g) != 0 {
			t.Errorf("API %d: after Close the gallery has %q", api, g)
		}
		if _, err := p.ReadFile("/sdcard/DCIM/Taproot"); err == nil || !strings.Contains(err.Error(), "not exist") {
			t.Errorf("API %d: our folder stays: %v", api, err)
		}
	}
}

func TestAddMediaRefuses(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Options{})
	dir := t.TempDir()
	for name, content := range map[string]string{"empty.png": "", "program.exe": "x", "none.png": "-"} {
		path := filepath.Join(dir, name)
		if content != "-" {
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.AddMedia(t.Context(), path); !drivers.AppIsWrong(err) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := p.Count("mkdir"); n != 0 {
		t.Errorf("the phone was changed %d times", n)
	}
}

func TestPinch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		o         androidsim.Options
		landscape bool
	}{
		{"Android 7", androidsim.Options{API: 24}, false}, {"Android 9", androidsim.Options{API: 28}, false},
		{"Android 9 on its side", androidsim.Options{API: 28}, true},
		{"Android 14 with root", androidsim.Options{API: 34, Root: true}, false},
		{"Android 11", androidsim.Options{API: 30}, false}, {"Android 16 on its side", androidsim.Options{API: 36}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d, p := openPhone(t, c.o)
			if err := d.Launch(t.Context(), androidsim.ListPackage+"/.GesturesActivity", true); err != nil {
				t.Fatal(err)
			}
			if c.landscape {
				if err := d.Rotate(t.Context(), true); err != nil {
					t.Fatal(err)
				}
			}
			for _, way := range []struct {
				from, to int
				says     string
			}{{20, 200, "Pinched open"}, {200, 20, "Pinched close"}} {
				on := centre(waitNode(t, d, "target"))
				if err := d.Pinch(t.Context(), on, way.from, way.to, 300*time.Millisecond); err != nil {
					t.Fatal(err)
				}
				waitNode(t, d, way.says)
				taps := p.Taps()
				if last := taps[len(taps)-1]; last.Kind != "pinch" || len(taps) == 0 || far(last.Point, on) > 3 {
					t.Errorf("the phone felt %+v, the fingers were around %v", last, on)
				}
			}
		})
	}
}

func far(a, b image.Point) int {
	d := a.Sub(b)
	return max(d.X, -d.X, d.Y, -d.Y)
}

func TestPinchWhereItIsForbidden(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Options{API: 28})
	p.Fail(androidsim.Fault{Match: "sendevent", Kind: androidsim.Error, Code: 1,
		Output: "sendevent: /dev/input/event1: Permission denied\n"})
	err := d.Pinch(t.Context(), image.Pt(500, 1000), 20, 200, 100*time.Millisecond)
	if !errors.Is(err, drivers.ErrUnsupported) || !strings.Contains(err.Error(), "only root") {
		t.Errorf("error %v", err)
	}
	if n := p.Count("sendevent"); n > 1 {
		t.Errorf("%d events were tried after the first was refused", n)
	}
	without, _ := openPhone(t, androidsim.Options{API: 34, NoUinput: true})
	err = without.Pinch(t.Context(), image.Pt(500, 1000), 20, 200, 100*time.Millisecond)
	if !errors.Is(err, drivers.ErrUnsupported) || !strings.Contains(err.Error(), "uinput: inaccessible or not found") {
		t.Errorf("without uinput: %v", err)
	}
	if err := d.Pinch(t.Context(), image.Pt(500, 1000), 20, 900, 0); !errors.Is(err, drivers.ErrNotActionable) {
		t.Errorf("a finger beside the screen: %v", err)
	}
}

func TestAlerts(t *testing.T) {
	t.Parallel()
	d, _ := openPhone(t, androidsim.Options{})
	if err := d.Launch(t.Context(), androidsim.ListPackage+"/.DialogActivity", true); err != nil {
		t.Fatal(err)
	}
	waitNode(t, d, "Delete everything?")
	a, err := d.Alert(t.Context())
	if err != nil || a == nil || a.Text != "Delete everything?" || strings.Join(a.Buttons, ",") != "Cancel,Delete" {
		t.Fatalf("alert %+v, %v", a, err)
	}
	if err := d.AnswerAlert(t.Context(), "Cancel", "x"); !errors.Is(err, drivers.ErrNotActionable) {
		t.Errorf("a text for a dialog without a field: %v", err)
	}
	if err := d.AnswerAlert(t.Context(), "Cancel", ""); err != nil {
		t.Fatal(err)
	}
	waitNode(t, d, "Cancelled")
	if a, err := d.Alert(t.Context()); err != nil || a != nil {
		t.Errorf("after the answer: %+v, %v", a, err)
	}
	if err := d.AnswerAlert(t.Context(), "Delete", ""); !errors.Is(err, screen.ErrNotFound) {
		t.Errorf("an answer to nothing: %v", err)
	}
	tapOn(t, d, "Delete")
	waitNode(t, d, "Delete everything?")
	if err := d.AnswerAlert(t.Context(), "Delete", ""); err != nil {
		t.Fatal(err)
	}
	waitNode(t, d, "Deleted everything")
}
