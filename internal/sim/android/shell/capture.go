package shell

import (
	"context"
	"fmt"
	"image"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
	"github.com/taproot-dev/taproot/internal/sim/android/spec"
	"github.com/taproot-dev/taproot/internal/sim/android/system"
	"github.com/taproot-dev/taproot/internal/sim/android/ui"
)

func cmdScreencap(c *call) int {
	const usage = "usage: screencap [-hp] [-d display-id] [FILENAME]\n   -h: this message\n   -p: save the file as a " +
		"png.\n   -d: specify the physical display ID to capture\n" +
		"If FILENAME ends with .png it will be saved as a png.\nIf FILENAME is not given, the results will be printed to " +
		"stdout.\n"
	asPNG, file, display := false, "", ""
	for args := c.args[1:]; len(args) > 0; args = args[1:] {
		switch {
		case args[0] == "-p":
			asPNG = true
		case args[0] == "-d" && len(args) > 1:
			display, args = args[1], args[1:]
		case args[0] == "-h":
			c.errorf("%s", usage)
			return 0
		case strings.HasPrefix(args[0], "-"):
			c.errorf("screencap: unrecognized option '%s'\n%s", args[0], usage)
			return 1
		default:
			file = args[0]
		}
	}
	if display != "" && display != system.DisplayID && display != c.sys.MainDisplay() {
		return c.fail(1, "Failed to take screenshot. Status: -22, unable to get display with ID %s", display)
	}
	dark := c.sys.Opts.Folded && display != system.OutsideID
	takes := c.sys.Opts.Latency.Screencap
	if !kernel.Pause(c.ctx, takes*captureShare/100) {
		return 128 + kernel.SignalOf(c.ctx)
	}
	takes -= takes * captureShare / 100
	var head []byte
	if c.sys.Opts.Displays > 1 && display == "" {
		head = []byte(
			"[Warning] Multiple displays were found, but no display id was specified! Defaulting to the first display found, " +
				"however " +
				"this default is not guaranteed to be consistent across captures. A display id should be specified.\n" +
				"A display ID can be specified with the [-d display-id] option.\nSee \"dumpsys SurfaceFlinger --display-id\" for " +
				"valid display IDs.\n")
	}
	if style := c.sys.Opts.EffectiveSecure(); style != spec.SecureBlack && !dark && c.sys.Forbidden() {
		c.sys.Logf('W', "SurfaceFlinger", "FB is protected: PERMISSION_DENIED")
		if style == spec.SecureRefused {
			return 1
		}
		_, _ = c.out.Write(make([]byte, 12))
		return 0
	}
	img := c.sys.Glass()
	if dark {
		img = image.NewRGBA(image.Rect(0, 0, 2*img.Rect.Dx(), img.Rect.Dy()))
	}
	asPNG = asPNG || strings.HasSuffix(file, ".png")
	data := c.sys.Encode(img, asPNG)
	if file == "" && !asPNG {
		return c.transfer(append(head, data...), takes)
	}
	if !kernel.Pause(c.ctx, takes) {
		return 128 + kernel.SignalOf(c.ctx)
	}
	if file == "" {
		if _, err := c.out.Write(append(head, data...)); err != nil {
			return 1
		}
		return 0
	}
	c.errorf("%s", head)
	if err := c.sys.Files.Write(c.path(file), data, 0o660); err != nil {
		return c.fail(1, "Error opening file: %s (%s)", file, kernel.Reason(err))
	}
	return 0
}

const (
	// captureShare is how much of the time of a screenshot, in per cent, passes before the pixels are captured. The rest
	// is the transfer of the raw pixels (10 MB of a phone of 1080x2400), or the encoder's.
	captureShare = 40
	// transferParts is in how many parts the raw pixels arrive, evenly.
	transferParts = 8
)

// transfer writes raw pixels as they arrive over the cable: screencap writes them once they are captured.
func (c *call) transfer(data []byte, takes time.Duration) int {
	for i := range transferParts {
		part := data[len(data)*i/transferParts : len(data)*(i+1)/transferParts]
		if _, err := c.out.Write(part); err != nil {
			return 1
		}
		if !kernel.Pause(c.ctx, takes/transferParts) {
			return 128 + kernel.SignalOf(c.ctx)
		}
	}
	return 0
}

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
				unlimited := c.sys.Prof.API >= 34
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
	if err := c.sys.Files.Write(at, []byte("\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00isommp42\x00\x00\x00\x08mdat"),
		0o660); err != nil {
		return c.fail(1, "Unable to open '%s': %s", o.file, kernel.Reason(err))
	}
	ffmpeg, err := exec.LookPath("ffmpeg")
	if err != nil || c.sys.Opts.NoEncoder {
		return c.fail(1, "ERROR: unable to create video/avc codec instance")
	}
	dir, err := os.MkdirTemp("", "android-record-")
	if err != nil {
		return c.fail(1, "ERROR: unable to configure video/avc codec at %dx%d (err=-12)", o.size.X, o.size.Y)
	}
	defer os.RemoveAll(dir)
	if o.size == (image.Point{}) {
		_, o.size = c.sys.ChangeKey(time.Now())
	}
	o.size = image.Pt(o.size.X&^1, o.size.Y&^1)
	out := filepath.Join(dir, "out.mp4")
	if err := c.record(ffmpeg, out, o); err != nil {
		return c.fail(1, "ERROR: encoder failed: %v", err)
	}
	if c.ctx.Err() != nil && kernel.SignalOf(c.ctx) == kernel.SigKILL {
		return 128 + kernel.SigKILL
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return c.fail(1, "ERROR: encoder wrote nothing")
	}
	// The file may have been removed meanwhile; then the end of the recording is invisible of the recording, as on a
	// phone.
	if _, err := c.sys.Files.Stat(at); err == nil {
		if err := c.sys.Files.Write(at, data, 0o660); err != nil {
			return c.fail(1, "ERROR: %s", kernel.Reason(err))
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
	if c.ctx.Err() != nil && kernel.SignalOf(c.ctx) == kernel.SigKILL {
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
		if key, _ := c.sys.ChangeKey(time.Now()); key != last {
			last, img = key, ui.Scaled(c.sys.Captured(), o.size)
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

// waitIdle waits until no window changed its content for the quiet time. Movement is not content, as on phones: an
// animator sends no accessibility events.
func (c *call) waitIdle() bool {
	o := c.sys.Opts
	last, since := c.sys.Content()
	step := min(o.IdleQuiet/4+time.Millisecond, 50*time.Millisecond)
	// a machine that is suspended takes one step: no phone is restless because of it
	for left := o.IdleTimeout; ; left -= step {
		if !kernel.Pause(c.ctx, step) {
			return false
		}
		next, at := c.sys.Content()
		if next != last {
			last, since = next, at
		}
		if at.Sub(since) >= o.IdleQuiet {
			return true
		}
		if left <= 0 {
			return false
		}
	}
}

func cmdUiautomator(c *call) int {
	if len(c.args) < 2 || c.args[1] != "dump" {
		c.errorf("Usage: uiautomator <subcommand> [options]\n\nAvailable subcommands:\n\nhelp: displays help message\n\n" +
			"runtest: executes UI automation tests\n    runtest <class spec> [options]\n\n" +
			"dump: creates an XML dump of current UI hierarchy\n    dump [--verbose][file]\n      [--compressed]: dumps " +
			"compressed layout information.\n" +
			"      [file]: the location where the dumped XML should be stored, default is\n      /sdcard/window_dump.xml\n\n" +
			"events: prints out accessibility events until terminated\n\n")
		return 1
	}
	file, compressed, windows := "/sdcard/window_dump.xml", false, false
	for _, arg := range c.args[2:] {
		switch {
		case arg == "--compressed":
			compressed = true
		case arg == "--windows" && c.sys.Opts.Dump.WritesWindows(c.sys.Prof.API):
			windows = true
		case strings.HasPrefix(arg, "-"): // unknown options are passed over
		default:
			file = arg
		}
	}
	if c.land.Agents.Holds() {
		c.sys.Logf('E', "AndroidRuntime", "java.lang.IllegalStateException: UiAutomationService already registered!")
		return c.fail(137, "Killed")
	}
	if !c.sys.SetDumping(true) {
		return c.fail(137, "java.lang.IllegalStateException: UiAutomationService android.accessibilityservice."+
			"IAccessibilityServiceClient$Stub$Proxy@5e1c1f8already registered!\nKilled")
	}
	defer c.sys.SetDumping(false)
	if !kernel.Pause(c.ctx, c.sys.Opts.Latency.Dump) {
		return 128 + kernel.SignalOf(c.ctx)
	}
	if !c.waitIdle() {
		if c.ctx.Err() != nil {
			return 128 + kernel.SignalOf(c.ctx)
		}
		return c.fail(0, "ERROR: could not get idle state.")
	}
	text, ok := c.sys.Dump(compressed, windows)
	if !ok {
		return c.fail(0, "ERROR: null root node returned by UiTestAutomationBridge.")
	}
	switch {
	case file == "/dev/tty" && c.exec:
		_, _ = io.WriteString(c.out, text)
	default:
		// A write that fails is only logged on the phone; the line below comes all the same.
		if err := c.sys.Files.Write(c.path(file), []byte(text), 0o660); err != nil {
			c.sys.Logf('E', "UiAutomator", "failed to dump window to file: %v", err)
		}
	}
	c.printf("UI hierchary dumped to: %s\n", file)
	return 0
}
