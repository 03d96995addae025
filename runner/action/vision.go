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

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
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

// photograph takes a screenshot in which secrets are painted over, where the session knows of any.
func (s *Session) photograph(ctx context.Context) (image.Image, error) {
	return s.host().Photograph(ctx, s.Device)
}

// forModel takes a screenshot that may leave this machine: what is typed into password fields is painted over.
func forModel(ctx context.Context, s *Session) (image.Image, error) {
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
func (s *Session) masked(text string) string {
	return s.host().Mask(text)
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
func template(s *Session, name string) (image.Image, error) {
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
