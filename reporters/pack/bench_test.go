package pack

import (
	"image"
	"image/color"
	"image/draw"
	"testing"

	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/reporters/event/eventtest"
	"github.com/taproot-dev/taproot/reporters/markdown"
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

// BenchmarkPackStep is what a step costs the pack: two events and a picture of 1080x2400, everything on the disk.
func BenchmarkPackStep(b *testing.B) {
	p := newPack(b, newRun(b), "bench", PackOptions{})
	img := screen()
	for b.Loop() {
		eventtest.Emit(b, p, event.Event{Kind: event.StepStarted, Step: 1})
		if err := p.Screenshot(b.Context(), event.Shot{Image: img, Step: 1, Label: "tap"}); err != nil {
			b.Fatal(err)
		}
		eventtest.Emit(b, p, event.Event{Kind: event.StepEnded, Step: 1, Verdict: event.Pass, DurationMS: 1})
	}
	eventtest.Emit(b, p, event.Event{Kind: event.CaseEnded, Verdict: event.Pass})
	if _, err := p.Finish(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkEventOnly is one event, appended and synced.
func BenchmarkEventOnly(b *testing.B) {
	p := newPack(b, newRun(b), "bench", PackOptions{})
	for b.Loop() {
		eventtest.Emit(b, p, event.Event{Kind: event.StepEnded, Step: 1, Verdict: event.Pass, DurationMS: 1})
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
