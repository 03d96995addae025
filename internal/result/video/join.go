package video

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Clip is one part of a recording, in any format that ffmpeg reads.
type Clip struct {
	Path  string
	Start time.Time // of its first frame
}

// part is a clip with a description of its stream.
type part struct {
	Clip
	stream
	name string // in the staging directory
}

// Join makes one mp4 (H.264, yuv420p, with the index at the start) of the parts of a recording, in the order of their
// starts. Parts that already have this format and one size are copied frame by frame; others are encoded again.
// Clips are cut out of it. If it fails, out does not exist.
func (m Maker) Join(ctx context.Context, clips []Clip, out string) error {
	if len(clips) == 0 {
		return errors.New("join recording: there are no parts")
	}
	clips = slices.Clone(clips)
	slices.SortStableFunc(clips, func(a, b Clip) int { return a.Start.Compare(b.Start) })
	var paths []string
	for _, c := range clips {
		paths = append(paths, c.Path)
	}
	dir, names, done, err := stage(out, paths)
	if err != nil {
		return fmt.Errorf("join recording: %w", err)
	}
	made := filepath.Join(dir, "out.mp4")
	err = m.join(ctx, dir, clips, names)
	if err == nil {
		err = os.Rename(made, out)
	}
	if err = errors.Join(err, done()); err != nil {
		return fmt.Errorf("join recording: %w", err)
	}
	return nil
}

// join writes out.mp4 in dir.
func (m Maker) join(ctx context.Context, dir string, clips []Clip, names []string) error {
	var parts []part
	length := time.Duration(0)
	for i, c := range clips {
		s, err := m.inspect(ctx, dir, names[i])
		if err != nil {
			return fmt.Errorf("part %d: %w", i+1, err)
		}
		parts = append(parts, part{Clip: c, stream: s, name: names[i]})
		length += s.duration
	}
	// The chapters need the durations of the parts. Without them there are no chapters.
	if err := writeChapters(dir, m.marks(parts), length); err != nil {
		return err
	}
	err := errors.ErrUnsupported
	if copyable(parts) {
		err = m.copyParts(ctx, dir, parts)
	}
	if err != nil && ctx.Err() == nil {
		err = m.encodeParts(ctx, dir, parts)
	}
	if err != nil {
		return err
	}
	m.makeCuts(ctx, dir, parts)
	return nil
}

// copyable reports whether the frames of the parts can be joined without encoding.
func copyable(parts []part) bool {
	first := parts[0]
	for _, p := range parts {
		if p.codec != "h264" || p.pixels != "yuv420p" || filepath.Ext(p.name) != ".mp4" ||
			p.width != first.width || p.height != first.height || p.rotated != first.rotated {
			return false
		}
	}
	return first.width%2 == 0 && first.height%2 == 0
}

func (m Maker) copyParts(ctx context.Context, dir string, parts []part) error {
	var list strings.Builder
	for _, p := range parts {
		fmt.Fprintf(&list, "file '%s'\n", p.name)
	}
	if err := os.WriteFile(filepath.Join(dir, "list.txt"), []byte(list.String()), 0o644); err != nil {
		return err
	}
	return m.wrap(ctx, dir, "-f", "concat", "-safe", "1", "-i", "list.txt")
}

// encodeParts fits every part into the largest one, with black borders where the screen was turned.
func (m Maker) encodeParts(ctx context.Context, dir string, parts []part) error {
	width, height := 0, 0
	for _, p := range parts {
		width, height = max(width, p.width), max(height, p.height)
	}
	var args []string
	var graph, inputs strings.Builder
	for i, p := range parts {
		args = append(args, "-i", p.name)
		fmt.Fprintf(&graph, "[%d:v:0]%s[v%d];", i, fit(width, height), i)
		fmt.Fprintf(&inputs, "[v%d]", i)
	}
	fmt.Fprintf(&graph, "%sconcat=n=%d:v=1:a=0[v]", inputs.String(), len(parts))
	return m.encode(ctx, dir, append(args, "-filter_complex", graph.String(), "-map", "[v]"))
}

// encode writes out.mp4 from the input in args, in two passes. Frames keep their own durations only in a container
// without a fixed frame rate. A recorder's or a slide show's frames, repeated to reach a fixed rate, would make the
// file many times as large.
func (m Maker) encode(ctx context.Context, dir string, args []string) error {
	args = append(args, "-an", "-c:v", "libx264", "-preset", "ultrafast", "-crf", "26", "-pix_fmt", "yuv420p", "-f",
		"matroska", "out.mkv")
	if _, err := m.run(ctx, dir, args...); err != nil {
		return err
	}
	return m.wrap(ctx, dir, "-i", "out.mkv")
}

// wrap copies the frames of an input into out.mp4, with the chapters.
func (m Maker) wrap(ctx context.Context, dir string, input ...string) error {
	_, err := m.run(ctx, dir, append(input, "-i", chaptersFile, "-map", "0:v:0", "-map_metadata", "1",
		"-map_chapters", "1",
		"-c", "copy", "-movflags", "+faststart", "-f", "mp4", "out.mp4")...)
	return err
}

// fit is the filter that scales an image to an even size of at least width x height, without distortion.
func fit(width, height int) string {
	width, height = width+width%2, height+height%2
	return fmt.Sprintf(
		"scale=%d:%d:force_original_aspect_ratio=decrease,pad=%d:%d:(ow-iw)/2:(oh-ih)/2,setsar=1,format=yuv420p",
		width, height, width, height)
}
