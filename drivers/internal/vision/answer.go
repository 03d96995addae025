package vision

import (
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"math"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// maxEvidence is how many pieces of evidence are read; no person checks more.
const maxEvidence = 100

// cited is a piece of evidence as a model cites it.
type cited struct {
	Text *string    `json:"text"`
	Box  *[]float64 `json:"box"` // some models write 8.0
}

// checkComplete returns why a reply has no answer to read: refused, cut off, filtered, empty. Endpoints have several
// words for a normal end, and some send none; what counts then is that the answer itself is complete.
func checkComplete(r drivers.Reply) error {
	if r.Refusal != "" {
		return fmt.Errorf("the model refused to answer: %s", screen.Quote(r.Refusal))
	}
	switch strings.ToLower(r.Finish) {
	case "stop", "eos", "eos_token", "end_turn", "stop_sequence", "":
	case "length", "max_tokens", "model_length":
		return errors.New("the model's answer is cut off")
	case "content_filter", "safety", "recitation", "blocklist", "prohibited_content":
		return errors.New("a filter of the endpoint kept the model's answer back")
	default:
		return fmt.Errorf("the model did not end its answer as it should: finish reason %q", r.Finish)
	}
	if strings.TrimSpace(r.Text) == "" {
		return errors.New("the model's answer is empty")
	}
	return nil
}

// parse reads the one answer of a reply into a struct of pointers.
func parse(r drivers.Reply, into any) error {
	_, err := parseObject(r, into)
	return err
}

// parseObject is parse and also returns the JSON object as the model wrote it, which may have further properties.
func parseObject(r drivers.Reply, into any) ([]byte, error) {
	if err := checkComplete(r); err != nil {
		return nil, err
	}
	object, err := findAnswer(r.Text, propertiesOf(into))
	if err == nil {
		err = json.Unmarshal(object, into)
	}
	if err != nil {
		return nil, fmt.Errorf("the model's answer is not what it was asked for (%w): %s", err, screen.Quote(r.Text))
	}
	return object, nil
}

func lacks(r drivers.Reply, what string) error {
	return fmt.Errorf("the model's answer is not what it was asked for (%s): %s", what, screen.Quote(r.Text))
}

// evidence checks what a model cites: each box is on the screenshot.
func (q *question) evidence(r drivers.Reply, list []cited) ([]drivers.TextLine, error) {
	if len(list) > maxEvidence {
		return nil, lacks(r, fmt.Sprintf("%d pieces of evidence", len(list)))
	}
	out := make([]drivers.TextLine, len(list))
	for i, c := range list {
		if c.Text == nil || c.Box == nil {
			return nil, lacks(r, "evidence without text or box")
		}
		box, err := q.box(*c.Box)
		if err != nil {
			return nil, lacks(r, err.Error())
		}
		out[i] = drivers.TextLine{Text: strings.TrimSpace(*c.Text), Bounds: box}
	}
	return out, nil
}

// box checks a box and returns it in pixels of the screen. A model may be a few pixels off the screenshot, not outside
// of it.
func (q *question) box(b []float64) (image.Rectangle, error) {
	if len(b) != 4 {
		return image.Rectangle{}, fmt.Errorf("a box of %d numbers", len(b))
	}
	for _, n := range b {
		if n != math.Trunc(n) { // 0.25 is a share of the screen, not a pixel
			return image.Rectangle{}, fmt.Errorf("a box %v with fractions of pixels", b)
		}
	}
	const tolerance = 8
	width, height := float64(q.asked.Width), float64(q.asked.Height)
	if b[0] < -tolerance || b[1] < -tolerance || b[2] > width+tolerance || b[3] > height+tolerance || b[0] >= b[2] ||
		b[1] >= b[3] {
		return image.Rectangle{}, fmt.Errorf("a box %v that is not on the screenshot of %dx%d", b, q.asked.Width,
			q.asked.Height)
	}
	r := q.real([4]float64(b))
	if r.Empty() {
		return r, fmt.Errorf("a box %v without an area", b)
	}
	return r, nil
}
