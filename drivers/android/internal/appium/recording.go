package appium

import (
	"context"
	"os"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

const (
	recordingLimit = 1800 // seconds, the most that the driver takes
	fetchLimit     = 5 * time.Minute
)

// recording is a video that the server makes.
type recording struct {
	files *Files
	path  string
	start time.Time
}

// Stop fetches the video.
func (r *recording) Stop(ctx context.Context) ([]drivers.Clip, error) {
	var data []byte
	err := r.files.do(ctx, "fetch the recording", func(ctx context.Context) (err error) {
		data, err = r.files.Lease.StopRecording(ctx, fetchLimit)
		return err
	})
	if err != nil {
		return nil, r.files.changed("stop the recording", err)
	}
	if err := os.WriteFile(r.path, data, 0o600); err != nil {
		return nil, err
	}
	return []drivers.Clip{{Path: r.path, Start: r.start}}, nil
}
