package action

import (
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/png" // of template images
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/drivers/vision/reading"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/pixels"
	"github.com/taproot-dev/taproot/internal/result/event"
)

// errNoVision is a matter of the machine, not of the app: an assertion that could not be evaluated is neither a pass
// nor a fail.
var errNoVision = errors.New(
	"this run has no vision: `taproot doctor` says what is missing for OCR and visual assertions")

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

// vision returns those of the session, or says what they are needed for.
func (c *Settings) vision(what string) (drivers.Vision, error) {
	if c.Vision == nil {
		return nil, &VisionError{fmt.Errorf("%s: %w", what, errNoVision)}
	}
	return visionErrors{c.Vision}, nil
}

// forModel takes a screenshot that may leave this machine: what is typed into password fields is painted over.
func forModel(ctx context.Context, s *Performer) (image.Image, error) {
	img, err := s.photograph(ctx)
	if err == nil {
		err = judgeable(ctx, s, img)
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
func (s *Performer) masked(text string) string {
	if s.Mask == nil {
		return text
	}
	return s.Mask.Text(text)
}

// locate queries a model for where something is.
func (m model) locate(ctx context.Context, img image.Image, description string) (
	[]drivers.Sighting, error) {
	spot, err := m.vision.Locate(ctx, img, m.s.masked(description))
	m.s.noteModelCall(spot.Call)
	if errors.Is(err, screen.ErrNotFound) {
		m.s.noteOnce("%v", err)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m.s.noteOnce("the model says: %s", spot.Reason)
	m.s.warn("an AI model found the element by its description, and nothing else confirms that it is the one")
	return []drivers.Sighting{{Bounds: spot.Bounds, Score: 1}}, nil
}

// template reads the image that an image selector names.
func template(s *Performer, name string) (image.Image, error) {
	path, err := s.File(name)
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

// VisionError says that screenshots could not be read, or that a model returned no response that can be trusted.
// Nothing is wrong with the device.
type VisionError struct{ Err error }

func (e *VisionError) Error() string { return e.Err.Error() }
func (e *VisionError) Unwrap() error { return e.Err }

// asVisionError marks an error of vision, unless it says what the screen does not show.
func asVisionError[T any](seen T, err error) (T, error) {
	if err != nil && !errors.Is(err, screen.ErrNotFound) {
		err = &VisionError{err}
	}
	return seen, err
}

// visionErrors is vision with errors that blame no device.
type visionErrors struct{ vision drivers.Vision }

var _ drivers.Vision = visionErrors{}

func (s visionErrors) OCR(ctx context.Context, img image.Image) ([]drivers.TextLine, error) {
	return asVisionError(s.vision.OCR(ctx, img))
}

func (s visionErrors) FindImage(ctx context.Context, img, template image.Image) ([]drivers.Sighting, error) {
	return asVisionError(s.vision.FindImage(ctx, img, template))
}

func (s visionErrors) Judge(ctx context.Context, img image.Image, prompt string, votes int) (drivers.Judgement, error) {
	return asVisionError(s.vision.Judge(ctx, img, prompt, votes))
}

func (s visionErrors) ExtractText(ctx context.Context, img image.Image, prompt string) (drivers.Extraction, error) {
	return asVisionError(s.vision.ExtractText(ctx, img, prompt))
}

func (s visionErrors) Locate(ctx context.Context, img image.Image, description string) (drivers.Located, error) {
	return asVisionError(s.vision.Locate(ctx, img, description))
}

// maxJudged is how many screenshots one visual assertion shows to the model before it fails.
const maxJudged = 3

// assertVisual queries once the screen rests, or its time has ended. When the response is "no" and the screen changes,
// it queries again.
func assertVisual(ctx context.Context, s *Performer, a dsl.AssertVisual) error {
	vision, err := s.vision("visual assertions need an AI model")
	if err != nil {
		return err
	}
	deadline := time.Now().Add(s.Timeout)
	if err := waitForRest(ctx, s); err != nil {
		return err
	}
	img, err := forModel(ctx, s)
	if err != nil {
		return err
	}
	for try := 1; ; try++ {
		said, err := model{s: s, vision: vision}.judge(ctx, img, a)
		if err != nil || said.Passed {
			return err
		}
		s.Value = said.Reason
		next, err := anotherScreenshot(ctx, s, img, deadline)
		if err != nil {
			return err
		}
		if next == nil || try == maxJudged {
			return &Failure{event.Problem{Assertion: true, Expected: a.Prompt, Actual: said.Reason,
				Message: fmt.Sprintf("the screen does not show %s: %s", screen.Quote(a.Prompt), said.Reason)}}
		}
		s.note("asked again, because the screen has changed: %s", said.Reason)
		img = next
	}
}

// waitForRest waits until the screen rests; one that does not is only a warning.
func waitForRest(ctx context.Context, s *Performer) error {
	err := waitStable(ctx, s, dsl.WaitStable{})
	var moving *Failure
	if errors.As(err, &moving) || errors.Is(err, drivers.ErrNotReady) {
		s.warn("the screen never came to rest: the screenshot shows one moment of it")
		return nil
	}
	return err
}

// anotherScreenshot waits for a screenshot that differs from the last one; nil when none came in time.
func anotherScreenshot(ctx context.Context, s *Performer, last image.Image, deadline time.Time) (image.Image, error) {
	var next image.Image
	err := poll(ctx, time.Until(deadline), func() (err error) {
		if next, err = forModel(ctx, s); err != nil {
			return err
		}
		if pixels.Changed(last, next, next.Bounds()).Empty() {
			return errWait
		}
		return nil
	})
	if errors.Is(err, errWait) {
		return nil, nil
	}
	return next, err
}

// model is an AI model that is asked about screenshots of a session.
type model struct {
	s      *Performer
	vision drivers.Vision
}

// judge queries the model and checks what it cites.
func (m model) judge(ctx context.Context, img image.Image, a dsl.AssertVisual) (
	drivers.Judgement, error) {
	said, err := m.vision.Judge(ctx, img, m.s.masked(a.Prompt), max(a.Votes, 1))
	m.s.noteModelCall(said.Call)
	if err != nil {
		return said, err
	}
	m.s.note("%d of %d votes for it: %s", said.For, said.For+said.Against, said.Reason)
	if len(said.Evidence) > 0 {
		b := said.Evidence[0].Bounds
		m.s.Detail.Bounds = &[4]int{b.Min.X, b.Min.Y, b.Max.X, b.Max.Y}
	}
	if !said.Passed {
		return said, nil
	}
	m.s.Value = said.Reason
	return said, m.confirm(ctx, img, said.Evidence)
}

// confirm compares what a model cites with what can be read: when none of it is there, the answer is none.
func (m model) confirm(ctx context.Context, img image.Image,
	evidence []drivers.TextLine) error {
	var texts []string
	for _, e := range evidence {
		if e.Text != "" {
			texts = append(texts, e.Text)
		}
	}
	if len(texts) == 0 {
		m.s.warn("the model cites no text, so nothing but its word confirms the answer")
		return nil
	}
	missing := texts
	if m.s.Tree != nil {
		missing = without(missing, func(text string) bool {
			for _, have := range m.s.Tree.AllTexts() {
				if screen.TextShows(have, text) {
					return true
				}
			}
			return false
		})
	}
	if len(missing) > 0 {
		lines, err := m.vision.OCR(ctx, img)
		var unavailable *drivers.Unavailable
		if errors.As(err, &unavailable) {
			m.s.warn("what the model cites could not be read on the screenshot: %v", err)
			return nil
		}
		if err != nil {
			return err
		}
		m.s.Reading = &Reading{Wanted: strings.Join(texts, "\n"), Lines: lines}
		all := []drivers.TextLine{{}} // a citation may go over several lines
		for _, l := range lines {
			all[0].Words = append(all[0].Words, l.Words...)
		}
		missing = without(missing, func(text string) bool {
			return len(reading.Find(lines, text)) > 0 || len(reading.Find(all, text)) > 0
		})
	}
	if len(missing) == len(texts) {
		return &VisionError{
			fmt.Errorf("the model says yes and cites %s, which is neither in the elements of the screen nor can be read on "+
				"the screenshot: its response cannot be trusted",
				screen.Quote(missing[0]))}
	}
	for _, text := range missing {
		m.s.warn("the model also cites %s, which cannot be found on the screen", screen.Quote(text))
	}
	return nil
}

// without returns the texts for which drop does not hold.
func without(texts []string, drop func(string) bool) []string {
	var left []string
	for _, t := range texts {
		if !drop(t) {
			left = append(left, t)
		}
	}
	return left
}

// extractByPrompt saves what an AI model reads on the screen.
func extractByPrompt(ctx context.Context, s *Performer, prompt string) error {
	vision, err := s.vision("extracting by prompt needs an AI model")
	if err != nil {
		return err
	}
	if err := waitForRest(ctx, s); err != nil {
		return err
	}
	img, err := forModel(ctx, s)
	if err != nil {
		return err
	}
	said, err := vision.ExtractText(ctx, img, s.masked(prompt))
	s.noteModelCall(said.Call)
	if err != nil {
		return err
	}
	ask := model{s: s, vision: vision}
	if err := ask.confirm(ctx, img, []drivers.TextLine{{Text: said.Text}}); err != nil {
		return err
	}
	s.Value = said.Text
	s.warn("the value was read by an AI model: %s", screen.Quote(said.Text))
	return nil
}

// noteModelCall keeps what passed between Taproot and a model, and counts what it cost.
func (s *Performer) noteModelCall(asked *drivers.ModelCall) {
	if asked == nil {
		return
	}
	use := s.Detail.Model
	if use == nil {
		use = &event.ModelUse{Name: asked.Model}
		s.Detail.Model = use
	}
	for _, r := range asked.Answers {
		if r.Replayed {
			use.Replayed++
			continue
		}
		use.Calls++
		use.PromptTokens += r.PromptTokens
		use.CompletionTokens += r.CompletionTokens
	}
	s.ModelCalls = append(s.ModelCalls, asked)
}
