package native

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
)

const (
	recordingLimit = 1800 // seconds, the most that the drivers take
	fetchLimit     = 5 * time.Minute
)

// Recorder has the server record the screen.
type Recorder struct {
	*Session
	Options map[string]any // of the driver, in addition to the time
}

// recording is a video that the server makes.
type recording struct {
	session *Session
	path    string
	start   time.Time
}

// StartRecording starts to record the screen.
func (f *Recorder) StartRecording(ctx context.Context, dir string) (drivers.Recording, error) {
	r := &recording{session: f.Session, path: filepath.Join(dir, "remote.mp4")}
	options := map[string]any{"timeLimit": recordingLimit, "forceRestart": true}
	maps.Copy(options, f.Options)
	err := f.Do(ctx, "record the screen", func(ctx context.Context) error {
		return f.Lease.StartRecording(ctx, options, SlowLimit)
	})
	var said *webdriver.Error
	if errors.As(err, &said) && strings.Contains(said.Message, "ffmpeg") {
		return nil, fmt.Errorf("%w: the machine of the remote %s has no ffmpeg, which its driver records with: %w",
			drivers.ErrUnsupported, f.Remote, err)
	}
	if err != nil {
		return nil, f.Unsupported("record the screen", err)
	}
	r.start = time.Now()
	return r, nil
}

// Stop fetches the video.
func (r *recording) Stop(ctx context.Context) ([]drivers.Clip, error) {
	var data []byte
	err := r.session.Do(ctx, "fetch the recording", func(ctx context.Context) (err error) {
		data, err = r.session.Lease.StopRecording(ctx, fetchLimit)
		return err
	})
	if err != nil {
		return nil, r.session.Changed("stop the recording", err)
	}
	if err := os.WriteFile(r.path, data, 0o600); err != nil {
		return nil, err
	}
	return []drivers.Clip{{Path: r.path, Start: r.start}}, nil
}
