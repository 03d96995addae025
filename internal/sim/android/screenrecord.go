package androidsim

import (
	"context"
	"fmt"
	"image"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	xdraw "golang.org/x/image/draw"
)

const (
	maxRecord     = 180 * time.Second
	frameInterval = 100 * time.Millisecond
)

type recordOptions struct {
	size  image.Point
	limit time.Duration
	file  string
}

// parseRecord reads the options; the error is what screenrecord writes.
func parseRecord(c *call) (recordOptions, string) {
	o := recordOptions{limit: maxRecord}
	args := c.args[1:]
	for len(args) > 0 {
		switch opt := args[0]; {
		case opt == "--verbose" || opt == "--bugreport":
		case (opt == "--size" || opt == "--bit-rate" || opt == "--time-limit" || opt == "--display-id") && len(args) > 1:
			v := args[1]
			args = args[1:]
			switch opt {
			case "--size":
				if n, _ := fmt.Sscanf(v, "%dx%d", &o.size.X, &o.size.Y); n != 2 || o.size.X <= 0 || o.size.Y <= 0 ||
					o.size.X > 4096 || o.size.Y > 4096 {
					return o, fmt.Sprintf("Invalid size '%s', must be width x height", v)
				}
			case "--bit-rate":
				if n, err := strconv.Atoi(trimUnit(v)); err != nil || n <= 0 {
					return o, fmt.Sprintf("Bit rate %s outside acceptable range [100000,200000000]", v)
				}
			case "--time-limit":
				n, err := strconv.Atoi(v)
				unlimited := c.sys.prof.api >= 34
				switch {
				case err == nil && n == 0 && unlimited:
					o.limit = 0
				case err != nil || n <= 0 || n > 180 && !unlimited:
					return o, fmt.Sprintf("Time limit %ss outside acceptable range [1,180]", v)
				default:
					o.limit = time.Duration(n) * time.Second
				}
			}
		case len(opt) > 1 && opt[0] == '-':
			return o, fmt.Sprintf("screenrecord: unrecognized option '%s'", opt)
		default:
			o.file = opt
		}
		args = args[1:]
	}
	if o.file == "" {
		return o, "Must specify output file (see --help)."
	}
	return o, ""
}

func trimUnit(v string) string {
	if n := len(v); n > 1 && (v[n-1] == 'm' || v[n-1] == 'M') {
		return v[:n-1] + "000000"
	}
	return v
}

func cmdScreenrecord(c *call) int {
	o, problem := parseRecord(c)
	if problem != "" {
		return c.fail(2, "%s", problem)
	}
	at := c.path(o.file)
	// What is on the disk while the recording runs has no moov box: it cannot be played.
	if err := c.sys.files.write(at, []byte("\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00isommp42\x00\x00\x00\x08mdat"),
		0o660); err != nil {
		return c.fail(1, "Unable to open '%s': %s", o.file, reason(err))
	}
	ffmpeg, err := exec.LookPath("ffmpeg")
	if err != nil || c.sys.opts.NoEncoder {
		return c.fail(1, "ERROR: unable to create video/avc codec instance")
	}
	dir, err := os.MkdirTemp("", "android-record-")
	if err != nil {
		return c.fail(1, "ERROR: unable to configure video/avc codec at %dx%d (err=-12)", o.size.X, o.size.Y)
	}
	defer os.RemoveAll(dir)
	if o.size == (image.Point{}) {
		_, o.size = c.sys.changeKey(time.Now())
	}
	o.size = image.Pt(o.size.X&^1, o.size.Y&^1)
	out := filepath.Join(dir, "out.mp4")
	if err := c.record(ffmpeg, out, o); err != nil {
		return c.fail(1, "ERROR: encoder failed: %v", err)
	}
	if c.ctx.Err() != nil && signalOf(c.ctx) == sigKILL {
		return 128 + sigKILL
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return c.fail(1, "ERROR: encoder wrote nothing")
	}
	// The file may have been removed meanwhile; then the end of the recording is invisible of the recording, as on a
	// phone.
	if _, err := c.sys.files.stat(at); err == nil {
		if err := c.sys.files.write(at, data, 0o660); err != nil {
			return c.fail(1, "ERROR: %s", reason(err))
		}
	}
	return 0
}

// record feeds the encoder with the frames that happened, at the times at which they happened, until it is asked to
// stop.
func (c *call) record(ffmpeg, out string, o recordOptions) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), maxRecord*100)
	defer cancel()
	cmd := exec.CommandContext(ctx, ffmpeg, "-hide_banner", "-loglevel", "error", "-y",
		"-use_wallclock_as_timestamps", "1", "-f", "rawvideo", "-pix_fmt", "rgba",
		"-video_size", fmt.Sprintf("%dx%d", o.size.X, o.size.Y), "-framerate", "10", "-i", "pipe:0",
		"-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-threads", "1", "-video_track_timescale",
		"90000", out)
	cmd.WaitDelay = 5 * time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	feedErr := c.feed(in, o)
	if err := in.Close(); err != nil && feedErr == nil {
		feedErr = err
	}
	if c.ctx.Err() != nil && signalOf(c.ctx) == sigKILL {
		cancel() // SIGKILL leaves no time to finish the file
		_ = cmd.Wait()
		return nil
	}
	if err := cmd.Wait(); err != nil {
		return err
	}
	return feedErr
}

func (c *call) feed(w io.Writer, o recordOptions) error {
	var stop <-chan time.Time
	if o.limit > 0 {
		t := time.NewTimer(o.limit)
		defer t.Stop()
		stop = t.C
	}
	tick := time.NewTicker(frameInterval)
	defer tick.Stop()
	last, img := "", (*image.RGBA)(nil)
	for {
		if key, _ := c.sys.changeKey(time.Now()); key != last {
			last, img = key, scaled(c.sys.captured(), o.size)
			if _, err := w.Write(img.Pix); err != nil {
				return err
			}
			c.land.encoded.Add(1)
		}
		select {
		case <-tick.C:
			continue
		case <-stop:
		case <-c.ctx.Done():
		}
		// The last frame once more, so that the video is as long as the recording took.
		_, err := w.Write(img.Pix)
		return err
	}
}

// scaled fits an image into a size, black around it.
func scaled(img *image.RGBA, size image.Point) *image.RGBA {
	if img.Rect.Size() == size {
		return img
	}
	out := image.NewRGBA(image.Rectangle{Max: size})
	from := img.Rect.Size()
	w, h := size.X, from.Y*size.X/from.X
	if h > size.Y {
		w, h = from.X*size.Y/from.Y, size.Y
	}
	at := image.Pt((size.X-w)/2, (size.Y-h)/2)
	xdraw.ApproxBiLinear.Scale(out, image.Rectangle{Min: at, Max: at.Add(image.Pt(w, h))}, img, img.Rect, xdraw.Src, nil)
	for i := 3; i < len(out.Pix); i += 4 {
		out.Pix[i] = 0xff
	}
	return out
}
