package webkit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
)

// recordingRate is how many images a second a recording has.
const recordingRate = "10"

// recordingEnd is how long ffmpeg may take to complete a recording.
const recordingEnd = 10 * time.Second

// recording is the recording of a display, where the page is: the window in the foreground, whichever page it is of.
type recording struct {
	path  string
	cmd   *exec.Cmd
	ended chan struct{}
}

// startRecording starts to record, once ffmpeg has the first image.
func (in *instance) startRecording(ctx context.Context, into *playwright.RecordVideo) (*recording, error) {
	ffmpeg := in.product.programs.FFmpeg
	if ffmpeg == "" {
		return nil, fmt.Errorf("%w: the browser records with ffmpeg, which was not found", drivers.ErrUnsupported)
	}
	f := &recording{path: filepath.Join(into.Dir, filepath.Base(in.group.dir)+".mkv"), ended: make(chan struct{})}
	if err := os.MkdirAll(into.Dir, 0o700); err != nil {
		return nil, err
	}
	size := in.kind.size
	cmd, err := in.group.run(ffmpeg, []string{"-loglevel", "error", "-nostdin", "-y", "-f", "x11grab",
		"-framerate", recordingRate, "-draw_mouse", "0", "-video_size", fmt.Sprintf("%dx%d", size.X, size.Y), "-i",
		fmt.Sprintf("%s+0,%d", in.display.name, toolbar), "-an", "-c:v", "libx264", "-preset", "ultrafast", "-crf", "26",
		"-g", recordingRate, "-pix_fmt", "yuv420p", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-flush_packets", "1", f.path},
		slices.Clone(in.display.env()))
	if err != nil {
		return nil, err
	}
	f.cmd = cmd
	in.group.reap(cmd, func() { close(f.ended) })
	err = poll(ctx, f.ended, func() bool {
		info, err := os.Stat(f.path)
		return err == nil && info.Size() > 0
	})
	if err != nil {
		return nil, fmt.Errorf("%w: the page cannot be recorded: %w", drivers.ErrUnsupported,
			errors.Join(err, in.group.failure(ctx, "ffmpeg")))
	}
	return f, nil
}

// end completes the recording.
func (f *recording) end() {
	if f == nil {
		return
	}
	_ = f.cmd.Process.Signal(os.Interrupt) // one that has ended needs none
	select {
	case <-f.ended:
	case <-time.After(recordingEnd): // the group ends it
	}
}

// Recording returns the path of the recording, "" if there is none. It is whole once the instance is closed.
func (in *instance) Recording() string {
	if in.recording == nil {
		return ""
	}
	return in.recording.path
}
