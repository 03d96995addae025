package pack

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/event/eventtest"
	"github.com/taproot-dev/taproot/internal/result/markdown"
	"github.com/taproot-dev/taproot/internal/screenimage"
)

// screen is like a phone's: flat, with some detail.
func screen() image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, 1080, 2400))
	draw.Draw(img, img.Bounds(), image.NewUniform(color.NRGBA{250, 250, 252, 255}), image.Point{}, draw.Src)
	for i := range 400 {
		x, y := i*197%1000, i*397%2350
		fill := color.NRGBA{uint8(i), uint8(i * 7), 120, 255}
		draw.Draw(img, image.Rect(x, y, x+8+i%70, y+4+i%40), image.NewUniform(fill), image.Point{}, draw.Src)
	}
	return img
}

// stepLimit is what a step may cost the pack.
const stepLimit = 35 * time.Millisecond

// BenchmarkPackStep measures what a step of a page costs the pack: four events, a screenshot of 1080x2400 and the
// elements of a page with 1500, all on the disk. It fails when the fastest quarter of the steps is above the limit, so
// noise does not fail it, but a regression does. It also reports the minimum: encoding the image and writing the same
// bytes to the disk once.
func BenchmarkPackStep(b *testing.B) {
	p := newPack(b, newRun(b), "bench", PackOptions{})
	img, dom := screen(),
		gzipped(b, strings.Repeat(`{"p":1,"t":"div","a":["class","card"],"b":[10,20,300,40],"s":3},`, 1500))
	const batch = 5 // steps one right after the other; a screenshot is written while the next step starts
	var times, bare []time.Duration
	n := 0
	for b.Loop() {
		eventtest.Emit(b, p, event.Event{Kind: event.StepStarted, Step: 1})
		if err := p.Screenshot(b.Context(), event.Shot{Image: img, Step: 1, Label: "tap"}); err != nil {
			b.Fatal(err)
		}
		eventtest.Emit(b, p, event.Event{Kind: event.StepEnded, Step: 1, Result: event.Pass, DurationMS: 1})
		began := time.Now()
		for range batch {
			n++
			packStep(b, p, n, img, dom)
		}
		p.awaitScreenshot()
		times = append(times, time.Since(began)/batch)
		bare = append(bare, bareStep(b, img, dom))
	}
	eventtest.Emit(b, p, event.Event{Kind: event.CaseEnded, Result: event.Pass})
	if _, err := p.Finish(b.Context()); err != nil {
		b.Fatal(err)
	}
	slices.Sort(times)
	slices.Sort(bare)
	quarter := times[len(times)/4]
	b.ReportMetric(float64(quarter.Microseconds())/1000, "quarter-ms")
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "median-ms")
	b.ReportMetric(float64(quarter)/float64(bare[len(bare)/4]), "bare-ratio")
	if quarter > stepLimit {
		b.Errorf("a step costs %v, and the limit is %v; bare, it costs %v", quarter, stepLimit, bare[len(bare)/4])
	}
}

func packStep(b *testing.B, p *Pack, n int, img image.Image, dom []byte) {
	eventtest.Emit(b, p, event.Event{Kind: event.StepStarted, Step: n})
	if err := p.Screenshot(b.Context(), event.Shot{Image: img, Step: n, Label: "tap"}); err != nil {
		b.Fatal(err)
	}
	from := filepath.Join(p.Dir(), event.WorkDir, "dom.json.gz")
	if err := os.WriteFile(from, dom, 0o644); err != nil {
		b.Fatal(err)
	}
	if err := p.Add(event.Attachment{Path: fmt.Sprintf("artifacts/dom-%02d.json.gz", n), Kind: event.KindDOM}, n,
		from); err != nil {
		b.Fatal(err)
	}
	eventtest.Emit(b, p, event.Event{Kind: event.StepEnded, Step: n, Result: event.Pass, DurationMS: 1})
}

// bareStep writes what a step leaves, and nothing else, and waits for the disk once.
func bareStep(b *testing.B, img image.Image, dom []byte) time.Duration {
	began := time.Now()
	f, err := os.Create(filepath.Join(b.TempDir(), "step"))
	if err != nil {
		b.Fatal(err)
	}
	err = screenimage.EncodePNG(f, img)
	if err == nil {
		_, err = f.Write(dom)
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		b.Fatal(err)
	}
	return time.Since(began)
}

func gzipped(b *testing.B, text string) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write([]byte(text))
	if err = errors.Join(err, w.Close()); err != nil {
		b.Fatal(err)
	}
	return out.Bytes()
}

// BenchmarkEventOnly is one event, appended and synced.
func BenchmarkEventOnly(b *testing.B) {
	p := newPack(b, newRun(b), "bench", PackOptions{})
	for b.Loop() {
		eventtest.Emit(b, p, event.Event{Kind: event.StepEnded, Step: 1, Result: event.Pass, DurationMS: 1})
	}
	if _, err := p.Finish(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkRunMarkdown is a run.md of a hundred steps.
func BenchmarkRunMarkdown(b *testing.B) {
	res := event.Fold(eventtest.Recorded(b, "fail"))
	for len(res.Steps) < 100 {
		res.Steps = append(res.Steps, res.Steps[0])
	}
	for b.Loop() {
		markdown.RunMarkdown(res)
	}
}
