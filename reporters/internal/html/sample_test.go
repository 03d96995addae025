package html

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/internal/source"
)

// sample makes a pack of a phone's test on the disk, as package reporters leaves one.
type sample struct {
	run, id string
	steps   int
	fails   int    // the step that fails; 0: none
	text    string // a label that is everywhere
	film    bool
	shots   int // steps that have a screenshot; 0: all
	soft    int // the first steps that fail softly
}

func pngOf(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func write(t testing.TB, file string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// writeEvents makes the files of a pack that come from its events.
func writeEvents(t testing.TB, dir string, events []event.Event) {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, e := range events {
		if err := enc.Encode(e); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "events.ndjson"), b.Bytes())
	write(t, filepath.Join(dir, "summary.json"), pack.SummaryJSON(event.Fold(events)))
}

func (s sample) write(t testing.TB, reports string) (dir string) {
	t.Helper()
	dir = filepath.Join(reports, s.run, s.id)
	events := s.events(t, dir)
	writeEvents(t, dir, events)
	if s.film {
		write(t, filepath.Join(dir, "recording.mp4"), filmOf(t, s.reached()))
	}
	return dir
}

func (s sample) reached() int {
	if s.fails > 0 {
		return s.fails
	}
	return s.steps
}

func (s sample) events(t testing.TB, dir string) []event.Event {
	at := began
	id, _, _ := strings.Cut(s.id, "--")
	c := &event.Case{ID: id, Pack: s.id, Name: "Test " + s.text, Platform: "android", Solver: "dsl", Device: "serial",
		Model: "Phone",
		Place: source.Pos{File: "suites/" + s.id + ".yaml", Line: 1, Col: 1}, Tags: []string{"smoke"}}
	for n := 1; n <= s.steps; n++ {
		c.Steps = append(c.Steps, event.Step{N: n, Action: "tap", Args: fmt.Sprintf("Button %d %s", n, s.text),
			Place: source.Pos{File: c.Place.File, Line: n + 5, Col: 5}, Source: "  - tap: Button " + s.text})
	}
	list := []event.Event{{Time: at, Kind: event.CaseStarted, Case: c}}
	log := ""
	result, problem := event.Pass, (*event.Problem)(nil)
	for n := 1; n <= s.steps && problem == nil; n++ {
		list = append(list, event.Event{Time: at, Kind: event.StepStarted, Step: n})
		log += logcat(at.Sub(began)+time.Millisecond, 2*time.Hour, fmt.Sprintf("step %d %s", n, s.text))
		end := event.Event{Kind: event.StepEnded, Step: n, Result: event.Pass, DurationMS: 900,
			Detail: &event.Detail{Matched: "Button " + s.text, Tier: "exact", Bounds: &[4]int{20, 40, 160, 80},
				Point: &[2]int{90, 60}, ScreenReads: 2}}
		kind := event.KindScreenshot
		if n == s.fails {
			problem = &event.Problem{Message: fmt.Sprintf("%q did not appear within 3s; the screen shows other things",
				"Button "+s.text), Expected: "Button " + s.text, Actual: "other things",
				Candidates: []string{"TextView " + s.text + " [20,200][160,240]", "nothing"}, Assertion: true}
			end.Result, end.Problem, end.Detail = event.Fail, problem, nil
			result, kind = event.Fail, event.KindFailure
		}
		if n <= s.soft {
			end.Result, end.Detail = event.Fail, nil
			end.Problem = &event.Problem{Message: fmt.Sprintf("%q did not appear within %d00ms", "Paid", n), Assertion: true}
			result, kind = event.Fail, event.KindFailure
		}
		if s.shots == 0 || n <= s.shots {
			name := fmt.Sprintf("screenshots/%02d-tap.png", n)
			if dir != "" {
				write(t, filepath.Join(dir, name), shotOf(t, n, kind == event.KindFailure))
			}
			list = append(list, event.Event{Time: at, Kind: event.Attached, Step: n, Attachment: &event.Attachment{
				Path: name, Type: "image/png", Kind: kind}})
		}
		at = at.Add(time.Second)
		end.Time = at
		list = append(list, end)
	}
	if dir != "" {
		write(t, filepath.Join(dir, "logcat.txt"), []byte(log))
		list = append(list, event.Event{Time: at, Kind: event.Attached, Attachment: &event.Attachment{Path: "logcat.txt",
			Type: "text/plain", Kind: event.KindLog}})
	}
	list = append(list, event.Event{Time: at, Kind: event.CaseEnded, Result: result,
		DurationMS: at.Sub(began).Milliseconds(), Problem: problem})
	if s.film {
		list = append(list, event.Event{Time: at, Kind: event.Recorded, Recording: &event.Recording{
			Kind: event.NativeRecording},
			Attachment: &event.Attachment{Path: "recording.mp4", Type: "video/mp4", Kind: event.KindRecording}})
	}
	return list
}

// shotOf is a small screen that is another one in each step.
func shotOf(t testing.TB, n int, failed bool) []byte {
	img := image.NewRGBA(image.Rect(0, 0, 180, 400))
	draw.Draw(img, img.Rect, image.NewUniform(color.RGBA{245, 245, 250, 255}), image.Point{}, draw.Src)
	ink := color.RGBA{uint8(40 * n), 90, 160, 255}
	if failed {
		ink = color.RGBA{200, 30, 30, 255}
	}
	draw.Draw(img, image.Rect(20, 40, 160, 80), image.NewUniform(ink), image.Point{}, draw.Src)
	return pngOf(t, img)
}

// recordings caches recordings by their seconds.
var recordings = struct {
	sync.Mutex
	of map[int][]byte
}{of: map[int][]byte{}}

// filmOf is a recording of as many seconds, with a chapter each.
func filmOf(t testing.TB, seconds int) []byte {
	t.Helper()
	recordings.Lock()
	defer recordings.Unlock()
	if film := recordings.of[seconds]; film != nil {
		return film
	}
	dir := t.TempDir()
	chapters := ";FFMETADATA1\n"
	for n := range seconds {
		chapters += fmt.Sprintf("[CHAPTER]\nTIMEBASE=1/1000\nSTART=%d\nEND=%d\ntitle=%d tap\n", n*1000, n*1000+1000, n+1)
	}
	write(t, filepath.Join(dir, "chapters.txt"), []byte(chapters))
	cmd := exec.Command("ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i",
		fmt.Sprintf("testsrc=size=180x400:rate=10:duration=%d", seconds), "-i", "chapters.txt", "-map_chapters", "1",
		"-c:v", "libx264", "-pix_fmt", "yuv420p", "-g", "10", "-movflags", "+faststart", "film.mp4")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg: %v: %s", err, out)
	}
	film, err := os.ReadFile(filepath.Join(dir, "film.mp4"))
	if err != nil {
		t.Fatal(err)
	}
	recordings.of[seconds] = film
	return film
}
