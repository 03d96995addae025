package ios

import (
	"bytes"
	"image"
	"image/jpeg"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	iossim "github.com/taproot-dev/taproot/internal/sim/ios"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// counter is a recording that knows how many images it has.
type counter interface{ Images() int64 }

// TestStreamIsTurnedAsTheAppIs: WebDriverAgent sends the screen as it is built into the phone, and says in EXIF how to
// turn it.
func TestStreamIsTurnedAsTheAppIs(t *testing.T) {
	t.Parallel()
	b := newBench(t, quick(iossim.DeviceOptions{Phone: true})).only(t)
	b.env["TAPROOT_WDA_URL"] = b.lab.Device(0).UDID() + "=" + b.lab.Device(0).StartAgent()
	b.env["TAPROOT_WDA_MJPEG_URL"] = b.lab.Device(0).StreamAddress()
	d, _ := b.open(t)
	page(t, d, "Gestures")
	film, err := d.StartRecording(t.Context(), t.TempDir())
	must(t, err)
	must(t, d.Rotate(t.Context(), true))
	wait(t, d, "Back")
	shot, err := d.Screenshot(t.Context())
	must(t, err)
	if size := shot.Bounds().Size(); size.X < size.Y {
		t.Fatalf("the screenshot has %v", size)
	}
	shown := make(chan drivers.Frame, 1)
	stop, err := d.Screencast(t.Context(), func(f drivers.Frame) {
		select {
		case shown <- f:
		default:
		}
	})
	must(t, err)
	f := <-shown
	must(t, stop())
	img, err := jpeg.Decode(bytes.NewReader(f.JPEG))
	must(t, err)
	if img.Bounds().Size() != shot.Bounds().Size() || f.Size != shot.Bounds().Size() {
		t.Errorf("a frame of %v said to be %v, the screenshot has %v", img.Bounds(), f.Size, shot.Bounds())
	}
	if n := differing(img, shot); n > 5 {
		t.Errorf("in %d %% of the places the frame is not the screenshot", n)
	}
	var clips []drivers.Clip
	for end := time.Now().Add(time.Minute); time.Now().Before(end) && film.(counter).Images() < 3; {
		must(t, drivers.Pause(t.Context(), 20*time.Millisecond))
	}
	clips, err = film.Stop(t.Context())
	must(t, err)
	if len(clips) != 2 || !clips[1].Start.After(clips[0].Start) {
		t.Errorf("a film that was turned once has the clips %+v", clips)
	}
}

// simctl records the screen as it is built into the phone, and its frames have the same orientation.
func TestRecordingOfASimulatorOnItsSide(t *testing.T) {
	testutil.Leave(t, "TestStreamIsTurnedAsTheAppIs turns pictures, TestFilmOfASimulator films")
	t.Parallel()
	d, b := opened(t, small(iossim.DeviceOptions{}))
	page(t, d, "Gestures")
	must(t, d.Rotate(t.Context(), true))
	wait(t, d, "Back")
	shot, err := d.Screenshot(t.Context())
	must(t, err)
	b.lab.Fail(iossim.Fault{Match: "GET /screenshot", Kind: iossim.Refuse, Word: "unable to capture screen",
		Text: "timed out"})
	other, err := d.Screenshot(t.Context()) // simctl takes it
	must(t, err)
	b.lab.Heal()
	film, err := d.StartRecording(t.Context(), t.TempDir())
	must(t, err)
	clips, err := film.Stop(t.Context())
	must(t, err)
	frame := firstFrame(t, clips[0].Path)
	for name, img := range map[string]image.Image{"simctl's picture": other, "the film": frame} {
		if got, want := img.Bounds().Size(), shot.Bounds().Size(); got != want {
			t.Errorf("%s is %v, the screenshot %v", name, got, want)
		} else if n := differing(img, shot); n > 5 {
			t.Errorf("in %d %% of the places %s is not the screenshot", n, name)
		}
	}
}

// firstFrame is the first frame of a video as a player shows it.
func firstFrame(t *testing.T, film string) image.Image {
	t.Helper()
	file := filepath.Join(t.TempDir(), "frame.png")
	if out, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-i", film, "-frames:v", "1",
		file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	f, err := os.Open(file)
	must(t, err)
	defer f.Close()
	img, _, err := image.Decode(f)
	must(t, err)
	return img
}

// differing returns in how many of a hundred places two images differ.
func differing(a, b image.Image) int {
	size, n := b.Bounds().Size(), 0
	for y := range 10 {
		for x := range 10 {
			p := image.Pt((2*x+1)*size.X/20, (2*y+1)*size.Y/20)
			r1, g1, b1, _ := a.At(p.X, p.Y).RGBA()
			r2, g2, b2, _ := b.At(p.X, p.Y).RGBA()
			if apart(r1, r2) || apart(g1, g2) || apart(b1, b2) {
				n++
			}
		}
	}
	return n
}

func apart(a, b uint32) bool { return max(a, b)-min(a, b) > 40<<8 }
