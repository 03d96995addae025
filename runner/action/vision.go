package action

import (
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/png" // of template images
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/drivers/vision/pixels"
	"github.com/taproot-dev/taproot/dsl"
)

// errNoVision is a matter of the machine, not of the app: an assertion that could not be evaluated is neither a pass
// nor a fail.
var errNoVision = errors.New(
	"this run has no vision: `taproot doctor` says what is missing for OCR and visual assertions")

// seenType is the type of the elements that vision adds to a tree; their Ref says how they were seen.
const seenType = "seen-in-pixels"

// maxLocated is how often one step queries a model for where something is.
const maxLocated = 3

// Reading is what was read in the pixels for one step.
type Reading struct {
	Wanted string             `json:"wanted"`
	Hits   []drivers.Sighting `json:"hits"`    // that show it
	Near   []drivers.Sighting `json:"nearest"` // what is most like it
	Lines  []drivers.TextLine `json:"lines"`
}

// nearest shows what is most like the text, with its score: 1 is the same.
func (r *Reading) nearest() []string {
	var list []string
	for _, n := range r.Near {
		b := n.Bounds
		list = append(list, fmt.Sprintf("read %s %.2f [%d,%d][%d,%d]", screen.Quote(n.Text), n.Score, b.Min.X, b.Min.Y,
			b.Max.X, b.Max.Y))
	}
	return list
}

// shown returns what was read, in a few words.
func (r *Reading) shown() string {
	if len(r.Lines) == 0 {
		return "no text can be read in the pixels of the screen"
	}
	var texts []string
	for _, l := range r.Lines[:min(12, len(r.Lines))] {
		texts = append(texts, screen.Quote(l.Text))
	}
	return "what can be read in the pixels is " + strings.Join(texts, ", ")
}

// visionResult is what vision saw in one screenshot.
type visionResult struct {
	img  image.Image
	hits []drivers.Sighting
	how  string // ocr, image, model

	hidden *drivers.ProtectedError // what the screenshot does not show
}

// vision returns those of the session, or says what they are needed for.
func (s *Session) vision(what string) (drivers.Vision, error) {
	if s.Vision == nil {
		return nil, &VisionError{fmt.Errorf("%s: %w", what, errNoVision)}
	}
	return visionErrors{s.Vision}, nil
}

// photograph takes a screenshot in which secrets are painted over, where the session knows of any.
func (s *Session) photograph(ctx context.Context) (image.Image, error) {
	return s.host().Photograph(ctx, s.Device)
}

// forModel takes a screenshot that may leave this machine: what is typed into password fields is painted over.
func (s *Session) forModel(ctx context.Context) (image.Image, error) {
	img, err := s.photograph(ctx)
	if err == nil {
		err = s.judgeable(ctx, img)
	}
	if err != nil {
		return nil, err
	}
	tree, err := s.Device.Tree(ctx)
	switch {
	case errors.Is(err, drivers.ErrNotReady):
		s.warn("which fields hold passwords is unknown: the elements of the screen cannot be read")
		return img, nil
	case err != nil:
		return nil, err
	}
	s.Tree = tree
	var boxes []image.Rectangle
	for n := range tree.All {
		if n.Password {
			boxes = append(boxes, n.Bounds)
		}
	}
	return painted(img, boxes), nil
}

// masked is a text without secrets.
func (s *Session) masked(text string) string {
	return s.host().Mask(text)
}

// needsVision reports whether a selector requires what is seen in pixels.
func needsVision(sel dsl.Selector) bool {
	return sel.OCR != "" || sel.Image != "" || sel.Describe != ""
}

// visionSuffices reports whether a selector can be answered without a tree.
func visionSuffices(sel dsl.Selector) bool {
	return (needsVision(sel) || sel.Fallback != "") && len(sel.Relations()) == 0 && sel.Not == nil
}

// search runs a query over the tree that was read last; where the selector says so, over what vision finds in addition.
func (w *screenReader) search(ctx context.Context, q screen.Query) ([]screen.Match, error) {
	sel := q.Selector
	if !needsVision(sel) {
		found, err := w.findDrawn(ctx, q)
		if len(found) > 0 || err != nil || sel.Fallback == "" && !(w.pixelsOnly && w.labelled) {
			return found, err
		}
		if found, err = w.findBriefText(ctx, q); len(found) > 0 || err != nil || !w.waitedEnough() {
			return found, err
		}
		q.Selector.OCR, q.Selector.Label, q.Selector.Match, q.Selector.Fallback = sel.Label, "", "", ""
		w.wholeLines = true // a label is a whole text
		found, err = w.search(ctx, q)
		w.wholeLines = false
		if err != nil && w.pixelsOnly && w.labelled && !errors.Is(err, screen.ErrAmbiguous) {
			err = fmt.Errorf(
				"the screen never stops moving, so that its elements cannot be read, and its pixels cannot be either: %w", err)
		}
		if len(found) > 0 {
			w.s.noteOnce("no element has the label: %s was read in the pixels of the screen", screen.Quote(sel.Label))
		}
		return found, err
	}
	if err := w.look(ctx, sel); err != nil {
		return nil, err
	}
	if w.seen.hidden != nil && len(w.seen.hits) == 0 {
		return nil, fmt.Errorf("%s cannot be looked for: %w", screen.Describe(sel), w.seen.hidden)
	}
	return w.matchVision(q)
}

// matchVision runs a query over what vision saw last.
func (w *screenReader) matchVision(q screen.Query) ([]screen.Match, error) {
	what := screen.Describe(q.Selector) // as the test says it
	hits := w.seen.hits
	if w.wholeLines || q.Action && slices.ContainsFunc(hits, func(h drivers.Sighting) bool { return h.Whole }) {
		hits = slices.DeleteFunc(slices.Clone(hits), func(h drivers.Sighting) bool { return !h.Whole })
	}
	nodes := make([]*screen.Node, len(hits))
	for i, h := range hits {
		nodes[i] = &screen.Node{Type: seenType, Role: "what is seen", Text: h.Text, Bounds: h.Bounds,
			Ref: fmt.Sprintf("%s %.2f", w.seen.how, h.Score)}
	}
	asked := q.Selector
	q.AsWritten = func(s dsl.Selector) dsl.Selector {
		s.Type, s.OCR, s.Image, s.Describe = asked.Type, asked.OCR, asked.Image, asked.Describe
		return s
	}
	q.Selector.Type = seenType
	q.Selector.OCR, q.Selector.Image, q.Selector.Describe = "", "", ""
	found, err := w.tree.With(nodes).Find(q)
	var several *screen.AmbiguousError
	if errors.As(err, &several) {
		several.What = what
	}
	return found, err
}

// waitedEnough reports whether the wait for the tree was long
// enough: the screen rests, or half of the time has passed.
func (w *screenReader) waitedEnough() bool {
	return w.pixelsOnly || w.eager || w.settled(quietToAct) || time.Since(w.began) > w.s.Timeout/2
}

// look sees what the selector requires in a new screenshot. One that is the same as before is not read twice.
func (w *screenReader) look(ctx context.Context, sel dsl.Selector) error {
	vision, err := w.s.vision("looking for " + screen.Describe(sel))
	if err != nil {
		return err
	}
	img, err := w.pictureFor(ctx, sel)
	if err != nil {
		return err
	}
	if w.seen != nil && pixels.Changed(w.seen.img, img, img.Bounds()).Empty() {
		return nil
	}
	hidden, err := protection(ctx, w.s.Device, img) // now: what the screenshot does not show may be allowed a moment later
	if err != nil {
		return err
	}
	seen := &visionResult{img: img}
	switch {
	case hidden != nil && hidden.Whole(img.Bounds()): // nothing can be read
	case sel.OCR != "":
		if seen, err = w.readText(ctx, vision, img, sel.OCR); err != nil {
			return err
		}
	case sel.Image != "":
		seen.how = "image"
		template, err := w.s.template(sel.Image)
		if err == nil {
			seen.hits, err = vision.FindImage(ctx, img, template)
		}
		if err != nil {
			return err
		}
	default:
		seen.how = "model"
		if !w.waitedEnough() || w.located >= maxLocated { // each question costs money
			return w.visionFailed(img, seen.how)
		}
		w.located++
		if seen.hits, err = w.s.locate(ctx, vision, img, sel.Describe); err != nil {
			return err
		}
	}
	w.seen, seen.hidden = seen, hidden
	return nil
}

// readText reads one screenshot.
func (w *screenReader) readText(ctx context.Context, vision drivers.Vision, img image.Image, text string) (
	*visionResult, error) {
	lines, err := vision.OCR(ctx, img)
	if err != nil {
		return nil, err
	}
	hits := drivers.FindText(lines, text)
	w.s.Reading = &Reading{Wanted: text, Hits: hits, Near: drivers.NearestText(lines, text, 3), Lines: lines}
	return &visionResult{img: img, hits: hits, how: "ocr"}, nil
}

// findBriefText searches a text in the screenshots that were taken around the tree: a message that is shown for two
// seconds is in no tree of a phone, and gone before the screen rests. An action has nothing to touch there any more.
func (w *screenReader) findBriefText(ctx context.Context, q screen.Query) ([]screen.Match, error) {
	if q.Action || !w.pixels || w.s.Vision == nil || w.s.NoPictures {
		return nil, nil
	}
	for _, img := range []image.Image{w.before, w.rest.Last()} {
		if img == nil || w.seen != nil && same(w.seen.img, img) {
			continue
		}
		seen, err := w.readText(ctx, visionErrors{w.s.Vision}, img, q.Selector.Label)
		if err != nil {
			return nil, err
		}
		if w.seen = seen; len(seen.hits) > 0 {
			q.Selector.OCR, q.Selector.Label, q.Selector.Match, q.Selector.Fallback = q.Selector.Label, "", "", ""
			w.s.noteOnce("no element has the label: %s was read in the pixels of the screen", screen.Quote(q.Selector.OCR))
			return w.matchVision(q)
		}
	}
	return nil, nil
}

// pictureFor takes the screenshot that is read. One that goes to a model shows no passwords.
func (w *screenReader) pictureFor(ctx context.Context, sel dsl.Selector) (image.Image, error) {
	if sel.Describe != "" {
		return w.s.forModel(ctx)
	}
	return w.s.photograph(ctx)
}

// visionFailed is the result for a screenshot that was not read.
func (w *screenReader) visionFailed(img image.Image, how string) error {
	if w.seen == nil {
		// unlike any screenshot, so that the next one is read
		w.seen = &visionResult{img: image.NewGray(image.Rect(0, 0, 1, 1)), how: how}
	}
	return nil
}

// pixelsUnchanged reports whether what was seen is still there: the pixels around it are what they were.
func (w *screenReader) pixelsUnchanged(ctx context.Context, r image.Rectangle) (bool, error) {
	now, err := w.s.photograph(ctx)
	if err != nil {
		return false, err
	}
	return pixels.Changed(w.seen.img, now, r.Inset(-standMargin)).Empty(), nil
}

// locate queries a model for where something is.
func (s *Session) locate(ctx context.Context, vision drivers.Vision, img image.Image, description string) (
	[]drivers.Sighting, error) {
	spot, err := vision.Locate(ctx, img, s.masked(description))
	s.noteModelCall(spot.Call)
	if errors.Is(err, screen.ErrNotFound) {
		s.noteOnce("%v", err)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s.noteOnce("the model says: %s", spot.Reason)
	s.warn("an AI model found the element by its description, and nothing else confirms that it is the one")
	return []drivers.Sighting{{Bounds: spot.Bounds, Score: 1}}, nil
}

// template reads the image that an image selector names.
func (s *Session) template(name string) (image.Image, error) {
	path, err := s.file(name)
	if err != nil {
		return nil, err
	}
	return readPicture(path)
}

// maxPixels is the size of the largest image that a test may bring, in pixels.
const maxPixels = 64 << 20

// readPicture reads an image of the test's.
func readPicture(path string) (image.Image, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // to open a pipe would wait for ever
		return nil, &Failure{problem("%s is not a file", path)}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, &Failure{problem("the image cannot be read: %v", err)}
	}
	defer f.Close()
	config, _, err := image.DecodeConfig(f)
	if err == nil && config.Width*config.Height > maxPixels {
		err = fmt.Errorf("%dx%d pixels are too many", config.Width, config.Height)
	}
	if err == nil {
		_, err = f.Seek(0, 0)
	}
	var img image.Image
	if err == nil {
		img, _, err = image.Decode(f)
	}
	if err != nil {
		return nil, badFile("%s is not an image: %v", filepath.Base(path), err)
	}
	return img, nil
}
