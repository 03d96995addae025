package video

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

const (
	maxStderr = 64 << 10
	tailLines = 6
	killDelay = 2 * time.Second // for ffmpeg's pipes, after it was killed
)

// Maker makes recordings.
type Maker struct {
	FFmpeg   string    // path of the program
	Chapters []Chapter // may be empty; At is measured on the clock, as Clip.Start is
	Cuts     []Cut     // that Join cuts out of the recording
}

// Chapter is a mark that players show and can jump to.
type Chapter struct {
	At    time.Time
	Title string
}

// run starts ffmpeg in dir and returns its output on stderr. A cancelled ctx kills it.
func (m Maker) run(ctx context.Context, dir string, args ...string) (string, error) {
	if m.FFmpeg == "" {
		return "", errors.New("ffmpeg is not installed")
	}
	cmd := exec.CommandContext(ctx, m.FFmpeg, append([]string{"-hide_banner", "-nostdin", "-y"}, args...)...)
	cmd.Dir = dir
	cmd.WaitDelay = killDelay
	out := &tail{}
	cmd.Stderr = out
	err := cmd.Run()
	if ctx.Err() != nil {
		return out.String(), fmt.Errorf("ffmpeg: %w", ctx.Err())
	}
	if err != nil {
		return out.String(), fmt.Errorf("ffmpeg: %w: %s", err, lastLines(out.String()))
	}
	return out.String(), nil
}

// tail keeps the last bytes that are written to it.
type tail struct{ bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	t.Buffer.Write(p)
	if over := t.Len() - maxStderr; over > 0 {
		t.Next(over)
	}
	return len(p), nil
}

func lastLines(s string) string {
	lines := strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' })
	return strings.Join(lines[max(0, len(lines)-tailLines):], "; ")
}

// stream is ffmpeg's description of a file.
type stream struct {
	codec, pixels string
	width, height int
	duration      time.Duration // 0: unknown
	rotated       bool
}

var (
	durationLine = lazyregexp.New(`Duration: (\d+):(\d\d):(\d\d)\.(\d\d)`)
	videoLine    = lazyregexp.New(`Stream #\S+ *(?:\([^)]*\))?: Video: (\w+).*?, (\w+)(?:\([^)]*\))?, (\d{1,5})x(\d{1,5})`)
)

// inspect queries ffmpeg for the content of a file; ffprobe is not needed.
func (m Maker) inspect(ctx context.Context, dir, name string) (stream, error) {
	text, err := m.run(ctx, dir, "-i", name)
	// ffmpeg ends with an exit code, because it has no output file.
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		return stream{}, err
	}
	v := videoLine.FindStringSubmatch(text)
	if v == nil {
		return stream{}, fmt.Errorf("it contains no video: %s", lastLines(text))
	}
	s := stream{codec: v[1], pixels: v[2], rotated: strings.Contains(text, "rotation of")}
	s.width, _ = strconv.Atoi(v[3]) // digits
	s.height, _ = strconv.Atoi(v[4])
	if d := durationLine.FindStringSubmatch(text); d != nil {
		s.duration, _ = time.ParseDuration(fmt.Sprintf("%sh%sm%s.%ss", d[1], d[2], d[3], d[4])) // digits
	}
	return s, nil
}

// stage links files under plain names into a new directory next to out, because ffmpeg interprets patterns, protocols
// and options in names. The returned function removes the directory.
func stage(out string, paths []string) (dir string, names []string, done func() error, err error) {
	abs, err := filepath.Abs(out)
	if err != nil {
		return "", nil, nil, err
	}
	dir, err = os.MkdirTemp(filepath.Dir(abs), "recording-")
	if err != nil {
		return "", nil, nil, err
	}
	done = func() error { return os.RemoveAll(dir) }
	for i, p := range paths {
		name := fmt.Sprintf("%06d%s", i, plainExt(p))
		if err := link(p, filepath.Join(dir, name)); err != nil {
			return "", nil, nil, errors.Join(err, done())
		}
		names = append(names, name)
	}
	return dir, names, done, nil
}

func plainExt(path string) string {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".png", ".jpg", ".jpeg", ".mp4", ".webm", ".mkv", ".mov":
		return ext
	}
	return ""
}

// link makes a link to the file at path: a symbolic link where they are allowed, otherwise a hard one.
func link(path, name string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(abs)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() == 0 {
		return fmt.Errorf("%s is empty or not a file", path)
	}
	if err := os.Symlink(abs, name); err == nil {
		return nil
	}
	return os.Link(abs, name)
}
