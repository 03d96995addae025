package video

import (
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // slides
	_ "image/png"  // slides
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Frame is one image of a slide show.
type Frame struct {
	Path     string
	Duration time.Duration
}

const minFrame = 40 * time.Millisecond // a shorter one is not visible, and some players fail on it

// SlideShow makes an mp4 that shows each image for its duration. Maker.Chapters are marked if start, the time of the
// first frame, is not zero.
func (m Maker) SlideShow(ctx context.Context, frames []Frame, start time.Time, out string) error {
	if len(frames) == 0 {
		return errors.New("make slide show: there are no screenshots")
	}
	var paths []string
	width, height := 0, 0
	for _, f := range frames {
		w, h, err := size(f.Path)
		if err != nil {
			return fmt.Errorf("make slide show: %w", err)
		}
		width, height = max(width, w), max(height, h)
		paths = append(paths, f.Path)
	}
	dir, names, done, err := stage(out, paths)
	if err != nil {
		return fmt.Errorf("make slide show: %w", err)
	}
	err = m.slides(ctx, slides{dir: dir, names: names, frames: frames, start: start, filter: fit(width, height)})
	if err == nil {
		err = os.Rename(filepath.Join(dir, "out.mp4"), out)
	}
	if err = errors.Join(err, done()); err != nil {
		return fmt.Errorf("make slide show: %w", err)
	}
	return nil
}

type slides struct {
	dir    string
	names  []string
	frames []Frame
	start  time.Time
	filter string
}

func (m Maker) slides(ctx context.Context, s slides) error {
	var list strings.Builder
	list.WriteString("ffconcat version 1.0\n")
	total := time.Duration(0)
	for i, f := range s.frames {
		d := max(f.Duration, minFrame)
		total += d
		fmt.Fprintf(&list, "file '%s'\nduration %.3f\n", s.names[i], d.Seconds())
	}
	// The list's last duration counts only when another image follows: repeat the last one for the shortest time.
	fmt.Fprintf(&list, "file '%s'\n", s.names[len(s.names)-1])
	if err := os.WriteFile(filepath.Join(s.dir, "list.txt"), []byte(list.String()), 0o644); err != nil {
		return err
	}
	var marks []mark
	if !s.start.IsZero() {
		marks = m.marks([]part{{Clip: Clip{Start: s.start}, stream: stream{duration: total}}})
	}
	if err := writeChapters(s.dir, marks, total); err != nil {
		return err
	}
	return m.encode(ctx, s.dir, []string{"-f", "concat", "-safe", "1", "-i", "list.txt", "-map", "0:v:0", "-vf", s.filter,
		"-t", fmt.Sprintf("%.3f", (total + minFrame).Seconds())})
}

func size(path string) (width, height int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	c, _, err := image.DecodeConfig(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return 0, 0, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return c.Width, c.Height, nil
}
