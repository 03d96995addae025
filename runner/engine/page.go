package engine

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/action"
)

// pageKept is the last snapshot of the page in the report.
type pageKept struct {
	data     []byte
	at       event.Attachment
	reported bool // the reason for a missing snapshot was reported
}

// keepPage keeps the current page for the steps with a screenshot, as artifacts/dom-NN.json.gz. A page that has not
// changed is kept once: the steps name the same file. A missing snapshot fails nothing.
func (r *run) keepPage(ctx context.Context, steps []pendingScreenshot) {
	page, ok := r.dev.(drivers.PageSnapshotter)
	if !ok || r.opts.NoDOM || r.sinkErr != nil || ctx.Err() != nil {
		return
	}
	var data []byte
	err := action.Guard(func() (err error) {
		data, err = page.PageSnapshot(ctx)
		return err
	})
	if err != nil || len(data) == 0 {
		if err != nil && !r.page.reported && !errors.Is(err, drivers.ErrPage) && !errors.Is(err, drivers.ErrNotReady) {
			r.page.reported = true
			r.log(steps[0].n, "no snapshot of the page's elements: %v", err)
		}
		return
	}
	if !bytes.Equal(data, r.page.data) {
		at, ok := r.addPage(steps[0].n, data)
		if !ok {
			return
		}
		r.page.data, r.page.at, steps = data, at, steps[1:]
	}
	for _, s := range steps {
		r.emit(event.Event{Kind: event.Attached, Step: s.n, Attachment: &r.page.at})
	}
}

// addPage adds a snapshot to the pack, without secrets.
func (r *run) addPage(n int, data []byte) (event.Attachment, bool) {
	name := fmt.Sprintf("dom-%02d.json.gz", n)
	at := event.Attachment{Path: "artifacts/" + name, Type: "application/gzip", Kind: event.KindDOM}
	path := filepath.Join(r.session.Work, name)
	if err := os.WriteFile(path, zipped(r.sink.Mask().Text(string(data))), 0o644); err != nil {
		r.keep(err)
		return at, false
	}
	r.keep(r.sink.Add(at, n, path))
	return at, r.sinkErr == nil
}

func zipped(text string) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed) // a valid level
	_, _ = w.Write([]byte(text))                    // a buffer never fails
	_ = w.Close()
	return b.Bytes()
}
