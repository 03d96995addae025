package action

import (
	"context"
	"image"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/drivers/vision/reading"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/pixels"
	"github.com/taproot-dev/taproot/runner/internal/decide"
	"github.com/taproot-dev/taproot/runner/internal/observe"
)

// pixelSearch is what one search saw in the pixels.
type pixelSearch struct {
	seen    *visionResult // by vision, last
	located int           // how often a model was asked where something is
}

// visionResult is what vision saw in one screenshot.
type visionResult struct {
	img    image.Image
	hits   []drivers.Sighting
	how    string                  // ocr, image, model
	hidden *drivers.ProtectedError // what the screenshot does not show
	read   *Reading
}

// answer is what a decision needs of it.
func (v *visionResult) answer() decide.Answer {
	if v == nil {
		return decide.Answer{}
	}
	seen := &decide.Seen{How: v.how}
	for _, h := range v.hits {
		seen.Hits = append(seen.Hits, decide.Sighting{Text: h.Text, Bounds: h.Bounds, Score: h.Score, Whole: h.Whole})
	}
	if v.hidden != nil {
		seen.Hidden = v.hidden.Error()
	}
	if v.read != nil {
		seen.Read = &decide.Reading{Nearest: v.read.nearest(), Shown: v.read.shown()}
	}
	return decide.Answer{Seen: seen}
}

// selectorFor is the selector of a question about pixels: ocr=…, image=… or describe=….
func (r *reader) selectorFor(text string) dsl.Selector {
	kind, what, _ := strings.Cut(text, "=")
	sel := dsl.Selector{}
	switch kind {
	case "ocr":
		sel.OCR = what
	case "image":
		sel.Image = what
	default:
		sel.Describe = what
	}
	if w := r.want.Selector; w.OCR == sel.OCR && w.Image == sel.Image && w.Describe == sel.Describe {
		return w
	}
	return sel
}

// lookFor sees what a selector requires in a new screenshot. One that is the same as before is not read twice.
func (r *reader) lookFor(ctx context.Context, text string) (decide.Answer, error) {
	sel := r.selectorFor(text)
	vision, err := r.s.vision("looking for " + screen.Describe(sel))
	if err != nil {
		return decide.Answer{}, err
	}
	img, err := r.pictureFor(ctx, sel)
	if err != nil {
		return decide.Answer{}, err
	}
	before := r.pixels.seen
	if before != nil && pixels.Changed(before.img, img, img.Bounds()).Empty() {
		return before.answer(), nil
	}
	hidden, err := observe.Protection(ctx, r.s.Device, img) // now: what the screenshot does not show may be allowed later
	if err != nil {
		return decide.Answer{}, err
	}
	seen := &visionResult{img: img}
	switch {
	case hidden != nil && hidden.Whole(img.Bounds()): // nothing can be read
	case sel.OCR != "":
		if seen, err = r.readText(ctx, vision, img, sel.OCR); err != nil {
			return decide.Answer{}, err
		}
	case sel.Image != "":
		seen.how = "image"
		template, err := template(r.s, sel.Image)
		if err == nil {
			seen.hits, err = vision.FindImage(ctx, img, template)
		}
		if err != nil {
			return decide.Answer{}, err
		}
	default:
		seen.how = "model"
		if r.pixels.located >= maxLocated { // each question costs money
			return before.answer(), nil
		}
		r.pixels.located++
		ask := model{s: r.s, vision: vision}
		if seen.hits, err = ask.locate(ctx, img, sel.Describe); err != nil {
			return decide.Answer{}, err
		}
	}
	seen.hidden = hidden
	r.pixels.seen = seen
	return seen.answer(), nil
}

// readText reads one screenshot.
func (r *reader) readText(ctx context.Context, vision drivers.Vision, img image.Image, text string) (
	*visionResult, error) {
	lines, err := vision.OCR(ctx, img)
	if err != nil {
		return nil, err
	}
	hits := reading.Find(lines, text)
	read := &Reading{Wanted: text, Hits: hits, Near: reading.Nearest(lines, text, 3), Lines: lines}
	r.s.Reading = read
	return &visionResult{img: img, hits: hits, how: "ocr", read: read}, nil
}

// readBrief reads the screenshots that were taken around the newest tree, up to the first that shows a text.
func (r *reader) readBrief(ctx context.Context, text string) (decide.Answer, error) {
	for _, shot := range []decide.Shot{r.frame.Before, r.frame.Last} {
		img := r.screen.Image(shot.ID)
		if img == nil || r.pixels.seen != nil && same(r.pixels.seen.img, img) {
			continue
		}
		seen, err := r.readText(ctx, visionErrors{r.s.Vision}, img, text)
		if err != nil {
			return decide.Answer{}, err
		}
		if r.pixels.seen = seen; len(seen.hits) > 0 {
			return seen.answer(), nil
		}
	}
	return decide.Answer{}, nil
}

// pictureFor takes the screenshot that is read. One that goes to a model shows no passwords.
func (r *reader) pictureFor(ctx context.Context, sel dsl.Selector) (image.Image, error) {
	if sel.Describe != "" {
		return forModel(ctx, r.s)
	}
	return r.s.photograph(ctx)
}

// pixelsUnchanged reports whether what was seen is still there: the pixels around it are what they were.
func (r *reader) pixelsUnchanged(ctx context.Context, area image.Rectangle) (bool, error) {
	now, err := r.s.photograph(ctx)
	if err != nil || r.pixels.seen == nil {
		return false, err
	}
	return pixels.Changed(r.pixels.seen.img, now, area).Empty(), nil
}

// readable reports whether a text can be read in a part of a screenshot; Unknown where there is no OCR.
func (r *reader) readable(ctx context.Context, q decide.Question) decide.Answer {
	img := r.screen.Image(q.A)
	if r.s.Vision == nil || img == nil {
		return decide.Answer{Unknown: true}
	}
	lines, err := r.s.Vision.OCR(ctx, cut(img, q.Area, nil))
	if err != nil {
		return decide.Answer{Unknown: true}
	}
	hits := reading.Find(lines, q.Text)
	if len(hits) == 0 {
		return decide.Answer{}
	}
	return decide.Answer{Yes: true, Box: hits[0].Bounds.Add(q.Area.Min)}
}

// drawnBelow has the browser decide by the rule of assertions whether a canvas draws what an element over it says.
func (s *Performer) drawnBelow() drivers.DrawnBelow {
	var r *reader
	return func(ctx context.Context, t *screen.Tree, n *screen.Node) (bool, error) {
		if r == nil {
			r = newReader(s, decide.Want{Purpose: decide.See})
		}
		if t != r.frame.Tree {
			r.frame = r.screen.Frame(t)
		}
		return asked(ctx, r, dsl.Selector{}, func() (bool, error) { return r.search.Traced(&r.frame, n) })
	}
}
