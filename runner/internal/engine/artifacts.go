package engine

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/screenimage"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// artifacts keeps what single steps saw, as files of the report.
type artifacts struct {
	*report
	session *action.Performer
	off     bool // what the steps saw is not kept: see RunInteractive
}

// keepModelCall keeps the exchange between a performer and an AI model in step n: the prompt, the exact responses and
// the image, so that a person can check it, and so that another run finds the responses by their key (VisualName).
func (a *artifacts) keepModelCall(n int, asked *drivers.ModelCall) {
	name := VisualName(n, asked.Key)
	a.keepJSON(n, name+".json", asked)
	if asked.Image == nil || a.sinkErr != nil {
		return
	}
	path := filepath.Join(a.session.Work, name+".png")
	f, err := os.Create(path)
	if err != nil {
		a.keep(err)
		return
	}
	err = screenimage.EncodePNG(f, asked.Image)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		a.keep(err)
		return
	}
	a.keep(a.sink.Add(event.Attachment{Path: "artifacts/" + name + ".png", Type: "image/png", Kind: event.KindArtifact},
		n, path))
}

// keyLength is how much of a question's key is in the name of its file.
const keyLength = 16

// VisualName is the name, without extension, of the artifacts of a question that a step sent to a model.
func VisualName(step int, key string) string {
	return fmt.Sprintf("visual-%02d-%s", step, key[:min(keyLength, len(key))])
}

// keepReading keeps the texts that the step recognized in the pixels as artifacts/ocr-NN.json.
func (a *artifacts) keepReading(n int) {
	if a.session.Reading != nil && !a.off {
		a.keepJSON(n, fmt.Sprintf("ocr-%02d.json", n), a.session.Reading)
	}
}

// keepPrinted keeps what a program printed as artifacts/exec-NN.txt, without secrets.
func (a *artifacts) keepPrinted(n int) {
	if a.session.Printed == "" || a.off || a.sinkErr != nil {
		return
	}
	name := fmt.Sprintf("exec-%02d.txt", n)
	path := filepath.Join(a.session.Work, name)
	if err := os.WriteFile(path, []byte(a.sink.Mask().Text(a.session.Printed)), 0o644); err != nil {
		a.keep(err)
		return
	}
	a.keep(a.sink.Add(event.Attachment{Path: "artifacts/" + name, Type: "text/plain", Kind: event.KindArtifact}, n, path))
}

// keepJSON keeps a value as an artifact, without secrets.
func (a *artifacts) keepJSON(n int, name string, value any) {
	if a.sinkErr != nil {
		return
	}
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		a.log(n, "%s is not kept: %v", name, err)
		return
	}
	path := filepath.Join(a.session.Work, name)
	if err := os.WriteFile(path, []byte(a.sink.Mask().Text(string(data))), 0o644); err != nil {
		a.keep(err)
		return
	}
	a.keep(a.sink.Add(event.Attachment{Path: "artifacts/" + name, Type: "application/json", Kind: event.KindArtifact},
		n, path))
}

// maxTree is the size, in bytes, of the largest tree that a report keeps.
const maxTree = 1 << 20

// keepTree keeps the elements that the step saw last as artifacts/tree-NN.json, so that a selector can be fixed without
// the device.
func (a *artifacts) keepTree(n int) {
	t := a.session.Tree
	if t == nil || a.off || a.sinkErr != nil {
		return
	}
	data, err := json.Marshal(t)
	if err == nil && len(data) > maxTree {
		err = fmt.Errorf("it has %d bytes, the limit is %d", len(data), maxTree)
	}
	if err != nil {
		a.log(n, "the tree of this step is not kept: %v", err)
		return
	}
	name := fmt.Sprintf("tree-%02d.json", n)
	path := filepath.Join(a.session.Work, name)
	if err := os.WriteFile(path, []byte(a.sink.Mask().Text(string(data))), 0o644); err != nil {
		a.keep(err)
		return
	}
	a.keep(a.sink.Add(event.Attachment{Path: "artifacts/" + name, Type: "application/json", Kind: event.KindArtifact},
		n, path))
}

// pages keeps the pages of a browser next to the screenshots of its steps.
type pages struct {
	*report
	session  *action.Performer
	off      bool
	data     []byte // of the last snapshot in the report
	at       event.Attachment
	reported bool // the reason for a missing snapshot was reported
}

// wanted reports whether the report keeps the pages of this device.
func (p *pages) wanted() bool { return !p.off && p.sinkErr == nil }

// keepPage keeps the page for the steps with a screenshot, as artifacts/dom-NN.json.gz. A page that has not changed is
// kept once: the steps name the same file. A missing snapshot fails nothing.
func (p *pages) keepPage(seen *action.Picture, steps []pendingScreenshot) {
	data, err := seen.Page, seen.PageErr
	if err != nil || len(data) == 0 || p.sinkErr != nil {
		if err != nil && !p.reported && !errors.Is(err, drivers.ErrPage) && !errors.Is(err, drivers.ErrNotReady) {
			p.reported = true
			p.log(steps[0].n, "no snapshot of the page's elements: %v", err)
		}
		return
	}
	if !bytes.Equal(data, p.data) {
		at, ok := p.addPage(steps[0].n, data)
		if !ok {
			return
		}
		p.data, p.at, steps = data, at, steps[1:]
	}
	for _, s := range steps {
		p.emit(event.Event{Kind: event.Attached, Step: s.n, Attachment: &p.at})
	}
}

// addPage adds a snapshot to the pack, without secrets.
func (p *pages) addPage(n int, data []byte) (event.Attachment, bool) {
	name := fmt.Sprintf("dom-%02d.json.gz", n)
	at := event.Attachment{Path: "artifacts/" + name, Type: "application/gzip", Kind: event.KindDOM}
	path := filepath.Join(p.session.Work, name)
	if err := os.WriteFile(path, zipped(p.sink.Mask().Text(string(data))), 0o644); err != nil {
		p.keep(err)
		return at, false
	}
	p.keep(p.sink.Add(at, n, path))
	return at, p.sinkErr == nil
}

func zipped(text string) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed) // a valid level
	_, _ = w.Write([]byte(text))                    // a buffer never fails
	_ = w.Close()
	return b.Bytes()
}
