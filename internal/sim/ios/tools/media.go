package tools

import (
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/screenimage"
	"github.com/taproot-dev/taproot/internal/sim/ios/device"
	"github.com/taproot-dev/taproot/internal/sim/ios/host"
)

func writePNG(file string, img image.Image) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return screenimage.EncodePNG(f, img)
}

// simSpawn runs `log stream` and `defaults delete`.
func (d *Attached) simSpawn(p *host.Program, rest []string) int {
	if scheme, ok := strings.CutPrefix(rest[min(3, len(rest)-1)], "com.apple.CoreSimulator.CoreSimulatorBridge-->"); ok &&
		len(rest) == 6 && rest[1] == "write" {
		d.Mu.Lock()
		defer d.Mu.Unlock()
		d.Approved[scheme] = d.Approved[scheme] || rest[5] == device.AppOf(scheme)
		return 0
	}
	if rest[0] == "defaults" {
		p.Warn("2026-01-02 03:04:05.000 defaults[1:2] \nDomain (%s) not found.\n", rest[len(rest)-1])
		return 1
	}
	if rest[0] == "notifyutil" { // it prints nothing and knows no wrong name
		if len(rest) == 4 && rest[1] == "-s" {
			d.Note("set %s to %s", rest[2], rest[3])
		} else {
			d.Note("posted %s", rest[len(rest)-1])
		}
		return 0
	}
	lines, stop := d.Follow()
	defer stop()
	style, head := rest[len(rest)-1], "Timestamp                       (process)[PID]    \n"
	if style == "compact" {
		head = "Timestamp               Ty Process[PID:TID]\n"
	}
	p.Print("Filtering the log data using \"subsystem != \"com.apple.nothing\"\"\n%s", head)
	for {
		select {
		case line := <-lines:
			p.Print("%s", line.In(style))
		case <-p.Signals:
			return 130
		case <-p.Ctx.Done():
			return 130
		}
	}
}

// simIO takes screenshots and recordings of the screen as it is built into the phone. Its words are those of Xcode 16;
// they go to the standard error.
func (d *Attached) simIO(p *host.Program, rest []string) int {
	file := rest[len(rest)-1]
	if rest[0] == "screenshot" {
		d.Mu.Lock()
		img, err := d.BuiltIn()
		d.Mu.Unlock()
		if err == nil {
			err = writePNG(file, img)
		}
		if err != nil {
			return simctlError(p, "NSPOSIXErrorDomain", 2, err.Error())
		}
		p.Warn("Detected file type 'PNG' from extension\nWrote screenshot to: %s\n", file)
		return 0
	}
	dir, err := os.MkdirTemp("", "film-")
	if err != nil {
		return 1
	}
	defer os.RemoveAll(dir)
	p.Warn("Recording started\n")
	for n := 0; ; n++ {
		d.Mu.Lock()
		img, err := d.BuiltIn()
		d.Mu.Unlock()
		if err == nil && n < 100 {
			err = writePNG(filepath.Join(dir, fmt.Sprintf("%03d.png", n)), img)
		}
		if err != nil {
			return 1
		}
		select {
		case <-p.Signals:
			p.Warn("Recording completed. Writing to disk.\n")
			if err := encode(dir, file); err != nil {
				p.Warn("%v\n", err)
				return 1
			}
			p.Warn("Wrote video to: %s\n", file)
			return 0
		case <-p.Ctx.Done(): // killed: the video is broken
			_ = os.WriteFile(file, []byte("\x00\x00\x00\x14ftypqt  "), 0o644)
			return 137
		case <-time.After(250 * time.Millisecond):
		}
	}
}

// encode makes an MP4 of images, which the fake leaves to ffmpeg, as simctl leaves it to macOS.
func encode(dir, file string) error {
	out, err := exec.Command("ffmpeg", "-y", "-loglevel", "error", "-framerate", "4", "-i", filepath.Join(dir, "%03d.png"),
		"-c:v", "libx264", "-preset", "ultrafast",
		"-pix_fmt", "yuv420p", "-vf", "scale=trunc(iw/2)*2:trunc(ih/2)*2", file).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ffmpeg: %w: %s", err, out)
	}
	return nil
}
