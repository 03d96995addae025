package vision

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

// maxEvidence is how many pieces of evidence are read; nobody checks more.
const maxEvidence = 100

// cited is a piece of evidence as a model gives it.
type cited struct {
	Text *string `json:"text"`
	Box  *[]int  `json:"box"`
}

// whole tells why a reply is no answer: refused, cut off, empty.
func whole(r drivers.Reply) error {
	switch {
	case r.Refusal != "":
		return fmt.Errorf("the model refused to answer: %s", screen.Quote(r.Refusal))
	case r.Finish == "length":
		return errors.New("the model's answer is cut off")
	case r.Finish == "content_filter":
		return errors.New("a filter of the endpoint kept the model's answer back")
	case r.Finish != "stop":
		return fmt.Errorf("the model did not end its answer as it should: finish reason %q", r.Finish)
	case strings.TrimSpace(r.Text) == "":
		return errors.New("the model's answer is empty")
	}
	return nil
}

// parse reads an answer strictly into a struct of pointers: one object, each property of the schema once, no other.
func parse(r drivers.Reply, into any) error {
	if err := whole(r); err != nil {
		return err
	}
	err := unique(r.Text)
	if err == nil {
		d := json.NewDecoder(strings.NewReader(r.Text))
		d.DisallowUnknownFields()
		err = d.Decode(into)
	}
	if err != nil {
		return fmt.Errorf("the model's answer is not what it was asked for (%w): %s", err, screen.Quote(r.Text))
	}
	return nil
}

func lacks(r drivers.Reply, what string) error {
	return fmt.Errorf("the model's answer is not what it was asked for (%s): %s", what, screen.Quote(r.Text))
}

// unique refuses what encoding/json would let pass: a property that is given twice, more than one value, bytes that are no text.
func unique(text string) error {
	if !utf8.ValidString(text) {
		return errors.New("it is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	if err := uniqueValue(d, 0); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return errors.New("it ends in mid-sentence")
		}
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the answer")
	}
	return nil
}

func uniqueValue(d *json.Decoder, depth int) error {
	if depth > 10 {
		return errors.New("it is nested too deeply")
	}
	token, err := d.Token()
	if err != nil {
		return err
	}
	open, ok := token.(json.Delim)
	if !ok {
		return nil
	}
	seen := map[string]bool{}
	for d.More() {
		if open == '{' {
			key, err := d.Token()
			if err != nil {
				return err
			}
			name, _ := key.(string)
			switch {
			case seen[name]:
				return fmt.Errorf("%q is given twice", name)
			case name != strings.ToLower(name):
				return fmt.Errorf("%q is no property of it", name) // encoding/json would take it for the one in lower case
			}
			seen[name] = true
		}
		if err := uniqueValue(d, depth+1); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// evidence checks what a model cites: each box lies on the picture.
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

// box checks a box and gives it in pixels of the screen. A model may be a hair beside the picture, not outside it.
func (q *question) box(b []int) (image.Rectangle, error) {
	if len(b) != 4 {
		return image.Rectangle{}, fmt.Errorf("a box of %d numbers", len(b))
	}
	const hair = 8
	if b[0] < -hair || b[1] < -hair || b[2] > q.asked.Width+hair || b[3] > q.asked.Height+hair || b[0] >= b[2] || b[1] >= b[3] {
		return image.Rectangle{}, fmt.Errorf("a box %v that is not on the picture of %dx%d", b, q.asked.Width, q.asked.Height)
	}
	r := q.real([4]int(b))
	if r.Empty() {
		return r, fmt.Errorf("a box %v without an area", b)
	}
	return r, nil
}
