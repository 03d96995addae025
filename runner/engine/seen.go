package engine

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/screenpng"
	"github.com/taproot-dev/taproot/reporters/event"
)

// keepModelCall keeps the exchange between a performer and an AI model: the prompt, the exact responses and the image,
// so that a person can check it, and so that another run finds the responses by their key (VisualName).
func (r *run) keepModelCall(asked *drivers.ModelCall) {
	name := VisualName(r.n, asked.Key)
	r.keepJSON(r.n, name+".json", asked)
	if asked.Image == nil || r.sinkErr != nil {
		return
	}
	path := filepath.Join(r.session.Work, name+".png")
	f, err := os.Create(path)
	if err != nil {
		r.keep(err)
		return
	}
	err = screenpng.Encode(f, asked.Image)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		r.keep(err)
		return
	}
	r.keep(r.sink.Add(event.Attachment{Path: "artifacts/" + name + ".png", Type: "image/png", Kind: event.KindArtifact},
		r.n, path))
}

// keyLength is how much of a question's key is in the name of its file.
const keyLength = 16

// VisualName is the name, without extension, of the artifacts of a question that a step sent to a model.
func VisualName(step int, key string) string {
	return fmt.Sprintf("visual-%02d-%s", step, key[:min(keyLength, len(key))])
}

// keepReading keeps the texts that the step recognized in the pixels as artifacts/ocr-NN.json.
func (r *run) keepReading(n int) {
	if r.session.Reading != nil && !r.bare {
		r.keepJSON(n, fmt.Sprintf("ocr-%02d.json", n), r.session.Reading)
	}
}

// keepJSON keeps a value as an artifact, without secrets.
func (r *run) keepJSON(n int, name string, value any) {
	if r.sinkErr != nil {
		return
	}
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		r.log(n, "%s is not kept: %v", name, err)
		return
	}
	path := filepath.Join(r.session.Work, name)
	if err := os.WriteFile(path, []byte(r.sink.Mask().Text(string(data))), 0o644); err != nil {
		r.keep(err)
		return
	}
	r.keep(r.sink.Add(event.Attachment{Path: "artifacts/" + name, Type: "application/json", Kind: event.KindArtifact},
		n, path))
}
