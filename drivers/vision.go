package drivers

import (
	"context"
	"image"
)

// Vision sees in an image what no element tree has. An image that cannot be judged is an error, never a judgement: a
// model that is not there, that refuses, or that returns half a response. Safe for concurrent use.
type Vision interface {
	// OCR reads the text in an image, line by line, in reading order.
	OCR(ctx context.Context, img image.Image) ([]TextLine, error)
	// FindImage returns the places where an image shows the template, best first; none is not an error.
	FindImage(ctx context.Context, img, template image.Image) ([]Sighting, error)
	// Judge queries so many times (at least once) whether an image shows what prompt says.
	Judge(ctx context.Context, img image.Image, prompt string, votes int) (Judgement, error)
	// ExtractText takes a value out of an image, as prompt says it in plain words; an image without it returns an error
	// that wraps ErrNotFound.
	ExtractText(ctx context.Context, img image.Image, prompt string) (Extraction, error)
	// Locate finds what description describes; an image without it returns an error that wraps ErrNotFound.
	Locate(ctx context.Context, img image.Image, description string) (Located, error)
}

// TextLine is one line of text in an image, or one word of it.
type TextLine struct {
	Text       string          `json:"text"`
	Bounds     image.Rectangle `json:"bounds"`
	Confidence float64         `json:"confidence,omitempty"` // from 0 to 1; of a line, that of its worst word
	Words      []TextLine      `json:"words,omitempty"`
}

// Sighting is a place where something was found in an image.
type Sighting struct {
	Text   string          `json:"text,omitempty"` // as it was read
	Bounds image.Rectangle `json:"bounds"`
	Score  float64         `json:"score"`           // from 0 to 1
	Whole  bool            `json:"whole,omitempty"` // a text that is a line of its own
}

// Judgement is the result of a question about an image.
type Judgement struct {
	Passed bool   `json:"passed"`
	Reason string `json:"reason"`
	// the evidence, and where; no Text: something that is not a text
	Evidence []TextLine `json:"evidence,omitempty"`
	For      int        `json:"for"` // votes for it
	Against  int        `json:"against"`
	Call     *ModelCall `json:"asked,omitempty"` // set in addition to an error too, once a request was sent
}

// Extraction is a value that a model took out of an image.
type Extraction struct {
	Text     string     `json:"text"`
	Evidence []TextLine `json:"evidence,omitempty"`
	Call     *ModelCall `json:"asked,omitempty"`
}

// Located is where a model found what was described to it.
type Located struct {
	Bounds image.Rectangle `json:"bounds"`
	Reason string          `json:"reason"`
	Call   *ModelCall      `json:"asked,omitempty"`
}

// ModelCall is all that passed between Taproot and a model about one image, so that a person can check it and a rerun
// need not ask again.
type ModelCall struct {
	// of the image, the prompt, the model and the kind: the same key is the same question
	Key      string      `json:"key"`
	Kind     string      `json:"kind"` // judge, extract, locate
	Model    string      `json:"model"`
	Endpoint string      `json:"endpoint,omitempty"` // without what is secret in it
	System   string      `json:"system"`             // the description of the model's task
	Prompt   string      `json:"prompt"`             // as it was sent
	Width    int         `json:"width"`              // of the image, as it was sent
	Height   int         `json:"height"`
	Image    image.Image `json:"-"` // as it was sent
	Answers  []Reply     `json:"answers"`
	Problem  string      `json:"problem,omitempty"` // why there are no responses
}

// Reply is one answer of a model.
type Reply struct {
	Seed             int    `json:"seed"`
	Text             string `json:"text"` // exactly as it came
	Refusal          string `json:"refusal,omitempty"`
	Finish           string `json:"finish"`
	Model            string `json:"model,omitempty"` // that says it answered
	PromptTokens     int    `json:"prompt_tokens"`
	CompletionTokens int    `json:"completion_tokens"`
	TookMS           int64  `json:"took_ms"`
	Replayed         bool   `json:"replayed,omitempty"` // it was kept from an earlier run, and cost nothing
}
