package video

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Cut is a part of the recording that becomes a file of its own, too.
type Cut struct {
	From, To time.Time // on the clock, as Clip.Start is
	Out      string
	Failed   func(error) // called with the error if there is none; the whole recording is made all the same
}

// makeCuts cuts the clips out of the recording out.mp4 in dir, which is made of these parts.
func (m Maker) makeCuts(ctx context.Context, dir string, parts []part) {
	for i, s := range m.Cuts {
		if err := m.makeCut(ctx, dir, parts, i); err != nil && s.Failed != nil {
			s.Failed(err)
		}
	}
}

func (m Maker) makeCut(ctx context.Context, dir string, parts []part, i int) error {
	s := m.Cuts[i]
	ends := Maker{Chapters: []Chapter{{At: s.From}, {At: s.To}}}.marks(parts)
	if len(ends) != 2 || ends[1].from <= ends[0].from {
		return errors.New("nothing was recorded between its start and its end")
	}
	name := fmt.Sprintf("cut-%d.mp4", i+1)
	_, err := m.run(ctx, dir, "-ss", seconds(ends[0].from), "-i", "out.mp4", "-t", seconds(ends[1].from-ends[0].from),
		"-map", "0:v:0", "-an",
		"-map_chapters", "-1", "-c:v", "libx264", "-preset", "ultrafast", "-crf", "26", "-pix_fmt", "yuv420p", "-movflags",
		"+faststart", name)
	if err != nil {
		return err
	}
	return os.Rename(filepath.Join(dir, name), s.Out)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
