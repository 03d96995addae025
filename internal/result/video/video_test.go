package video

import (
	"context"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/testutil"
)

func TestMain(m *testing.M) { testutil.NoLeaks(m) }

var epoch = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func maker(t *testing.T) Maker {
	t.Helper()
	path, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Fatal("ffmpeg is needed for the tests of films: ", err)
	}
	return Maker{FFmpeg: path}
}

// makeClip makes a clip of so many seconds; name's extension and args choose the format.
func makeClip(t *testing.T, name, size, seconds string, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	all := append([]string{"-loglevel", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc=size=" + size + ":rate=10",
		"-t", seconds}, args...)
	out, err := exec.CommandContext(t.Context(), maker(t).FFmpeg, append(all, "file:"+path)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

func mp4(t *testing.T, name, size, seconds string) string {
	return makeClip(t, name, size, seconds, "-c:v", "libx264", "-pix_fmt", "yuv420p", "-preset", "ultrafast")
}

func webm(t *testing.T, name, size, seconds string) string {
	return makeClip(t, name, size, seconds, "-c:v", "libvpx", "-b:v", "200k", "-deadline", "realtime")
}

// check expects a complete H.264 video in yuv420p of this size and length, with its index at the start, and no other
// file.
func check(t *testing.T, out string, width, height int, length time.Duration) {
	t.Helper()
	m := maker(t)
	s, err := m.inspect(t.Context(), filepath.Dir(out), filepath.Base(out))
	if err != nil {
		t.Fatal(err)
	}
	if s.codec != "h264" || s.pixels != "yuv420p" || s.width != width || s.height != height {
		t.Errorf("made %+v, want %dx%d", s, width, height)
	}
	if off := s.duration - length; off.Abs() > 250*time.Millisecond {
		t.Errorf("%s long, want %s", s.duration, length)
	}
	if _, err := m.run(t.Context(), filepath.Dir(out), "-xerror", "-i", filepath.Base(out), "-f", "null",
		"-"); err != nil {
		t.Errorf("cannot be decoded: %v", err)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if moov, mdat := strings.Index(string(data), "moov"), strings.Index(string(data), "mdat"); moov < 0 || moov > mdat {
		t.Errorf("the index stands at %d, the frames at %d", moov, mdat)
	}
	alone(t, filepath.Dir(out), filepath.Base(out))
}

func alone(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("left in the directory: %q, want %q", got, want)
	}
}

func TestJoin(t *testing.T) {
	t.Parallel()
	const ugly = "-it's %03d*{a} 語.mp4"
	for _, c := range []struct {
		name          string
		clips         func() []string
		width, height int
		length        time.Duration
	}{
		{"one mp4", func() []string { return []string{mp4(t, "a.mp4", "64x128", "1")} }, 64, 128, time.Second},
		{"one webm of odd size", func() []string { return []string{webm(t, "a.webm", "65x127", "1")} }, 66, 128, time.Second},
		{"two mp4, copied", func() []string { return []string{mp4(t, "a.mp4", "64x128", "1"), mp4(t, ugly, "64x128", "2")} },
			64, 128, 3 * time.Second},
		{"the screen was turned",
			func() []string { return []string{mp4(t, "a.mp4", "64x128", "1"), mp4(t, "b.mp4", "128x64", "1")} }, 128, 128,
			2 * time.Second},
		{"mixed", func() []string { return []string{mp4(t, "a.mp4", "64x128", "1"), webm(t, "b.webm", "64x128", "1")} }, 64,
			128, 2 * time.Second},
		{"an mp4 named otherwise", func() []string {
			return []string{mp4(t, "a.mp4", "64x128", "1"), renamed(t, mp4(t, "b.mp4", "64x128", "1"))}
		}, 64, 128, 2 * time.Second},
	} {
		if testing.Short() && (strings.HasPrefix(c.name, "one") || c.name == "an mp4 named otherwise") {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "recording.mp4")
			var clips []Clip
			for i, p := range c.clips() {
				// The order is that of the starts, not of the list.
				clips = append([]Clip{{Path: p, Start: epoch.Add(time.Duration(i) * time.Minute)}}, clips...)
			}
			if err := maker(t).Join(t.Context(), clips, out); err != nil {
				t.Fatal(err)
			}
			check(t, out, c.width, c.height, c.length)
		})
	}
}

func renamed(t *testing.T, path string) string {
	t.Helper()
	to := strings.TrimSuffix(path, ".mp4") + ".part"
	if err := os.Rename(path, to); err != nil {
		t.Fatal(err)
	}
	return to
}

func TestJoinErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bad, empty := filepath.Join(t.TempDir(), "bad.mp4"), filepath.Join(t.TempDir(), "empty.mp4")
	for path, text := range map[string]string{bad: "this is no film", empty: ""} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m := maker(t)
	for name, c := range map[string]struct {
		m     Maker
		clips []Clip
		want  string
	}{
		"no clips":  {m, nil, "there are no parts"},
		"missing":   {m, []Clip{{Path: filepath.Join(dir, "none.mp4")}}, "no such file"},
		"empty":     {m, []Clip{{Path: empty}}, "is empty"},
		"no film":   {m, []Clip{{Path: bad}}, "part 1: it contains no video"},
		"no ffmpeg": {Maker{}, []Clip{{Path: bad}}, "ffmpeg is not installed"},
		"not there": {Maker{FFmpeg: filepath.Join(dir, "ffmpeg")}, []Clip{{Path: bad}}, "no such file"},
	} {
		err := c.m.Join(t.Context(), c.clips, filepath.Join(dir, "out.mp4"))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		alone(t, dir)
	}
}

// A cancelled context kills ffmpeg, and leaves nothing.
func TestCancel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	started := filepath.Join(t.TempDir(), "started")
	fake := filepath.Join(t.TempDir(), "ffmpeg")
	testutil.WriteProgram(t, fake, "#!/bin/sh\necho $$ > '"+started+".tmp' && mv '"+started+".tmp' '"+started+
		"'\nexec sleep 600\n", 0o755)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	result := make(chan error, 1)
	clip := mp4(t, "a.mp4", "64x64", "1")
	go func() { result <- Maker{FFmpeg: fake}.Join(ctx, []Clip{{Path: clip}}, filepath.Join(dir, "out.mp4")) }()
	pid := await(t, started)
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if p, err := os.FindProcess(pid); err == nil && p.Signal(syscall.Signal(0)) == nil {
		t.Error("ffmpeg is still running")
	}
	alone(t, dir)
}

func await(t *testing.T, file string) int {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		data, err := os.ReadFile(file)
		if err == nil {
			pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal("the fake ffmpeg did not start")
		}
	}
}

func slide(t *testing.T, dir, name string, w, h int, img draw.Image, c color.Color) string {
	t.Helper()
	draw.Draw(img, image.Rect(0, 0, w, h), image.NewUniform(c), image.Point{}, draw.Src)
	path := filepath.Join(dir, name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(png.Encode(f, img), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSlideShow(t *testing.T) {
	t.Parallel()
	src := filepath.Join(t.TempDir(), "it's 100% {odd}*")
	if err := os.Mkdir(src, 0o755); err != nil {
		t.Fatal(err)
	}
	frames := []Frame{
		{slide(t, src, "01-%03d.png", 65, 129, image.NewRGBA(image.Rect(0, 0, 65, 129)), color.White),
			1500 * time.Millisecond},
		{slide(t, src, "02.png", 129, 65, image.NewRGBA(image.Rect(0, 0, 129, 65)), color.RGBA{200, 0, 0, 255}), 0},
		{slide(t, src, "03.png", 65, 129, image.NewGray(image.Rect(0, 0, 65, 129)), color.White), 2500 * time.Millisecond},
		{slide(t, src, "04.png", 65, 129, image.NewNRGBA(image.Rect(0, 0, 65, 129)), color.NRGBA{0, 0, 200, 90}),
			3 * time.Second},
	}
	m := maker(t)
	m.Chapters = []Chapter{{epoch, "1 tap a=b;c#d\\e\nf"}, {epoch.Add(1500 * time.Millisecond), "2 assert 語"},
		{epoch.Add(time.Hour), "3 late"}}
	out := filepath.Join(t.TempDir(), "recording.mp4")
	if err := m.SlideShow(t.Context(), frames, epoch, out); err != nil {
		t.Fatal(err)
	}
	check(t, out, 130, 130, 7040*time.Millisecond)
	text, _ := m.run(t.Context(), filepath.Dir(out), "-i", out)
	if strings.Contains(text, "late") {
		t.Error("a chapter after the end")
	}
	for _, want := range []string{"start 0.000000, end 1.500000", "1 tap a=b;c#d\\e f", "start 1.500000, end 7.04",
		"2 assert 語"} {
		if !strings.Contains(text, want) {
			t.Errorf("no chapter %q in\n%s", want, text)
		}
	}
	// A single image has its duration, too.
	if err := m.SlideShow(t.Context(), frames[3:], epoch, out); err != nil {
		t.Fatal(err)
	}
	check(t, out, 66, 130, 3*time.Second)
}

// BenchmarkSlideShow is a slide show of twenty phone screens that lasts a minute.
func BenchmarkSlideShow(b *testing.B) {
	program, err := exec.LookPath("ffmpeg")
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	var frames []Frame
	for i := range 20 {
		img := image.NewRGBA(image.Rect(0, 0, 1080, 2400))
		draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
		draw.Draw(img, image.Rect(50*i, 100*i, 50*i+200, 100*i+80), image.Black, image.Point{}, draw.Src)
		path := filepath.Join(dir, strconv.Itoa(i)+".png")
		f, err := os.Create(path)
		if err != nil {
			b.Fatal(err)
		}
		if err := errors.Join(png.Encode(f, img), f.Close()); err != nil {
			b.Fatal(err)
		}
		frames = append(frames, Frame{Path: path, Duration: 3 * time.Second})
	}
	for b.Loop() {
		if err := (Maker{FFmpeg: program}).SlideShow(b.Context(), frames, epoch, filepath.Join(dir, "out.mp4")); err != nil {
			b.Fatal(err)
		}
	}
}

func TestSlideShowErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := maker(t)
	bad := filepath.Join(t.TempDir(), "bad.png")
	if err := os.WriteFile(bad, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, frames := range [][]Frame{nil, {{Path: bad}}, {{Path: bad + "-none"}}} {
		if err := m.SlideShow(t.Context(), frames, epoch, filepath.Join(dir, "out.mp4")); err == nil {
			t.Errorf("%v: no error", frames)
		}
		alone(t, dir)
	}
}

// The time between two parts is not in the recording, so it is not in the chapters either.
func TestMarks(t *testing.T) {
	t.Parallel()
	at := func(s float64) time.Time { return epoch.Add(time.Duration(s * float64(time.Second))) }
	parts := []part{{Clip: Clip{Start: at(1)}, stream: stream{duration: 10 * time.Second}},
		{Clip: Clip{Start: at(13)}, stream: stream{duration: 5 * time.Second}}}
	m := Maker{}
	for _, s := range []float64{0, 1, 6, 12, 13, 15, 99} {
		m.Chapters = append(m.Chapters, Chapter{At: at(s)})
	}
	for i, mark := range m.marks(parts) {
		if want := []time.Duration{0, 0, 5, 10, 10, 12, 15}[i] * time.Second; mark.from != want {
			t.Errorf("chapter %d at %s, want %s", i, mark.from, want)
		}
	}
	parts[0].duration = 0
	if m.marks(parts) != nil {
		t.Error("chapters were placed on a film of unknown length")
	}
}
