package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"time"

	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/action"
)

// photograph takes a screenshot; for a test with secrets, one that does not show them.
func (r *run) photograph(ctx context.Context) (image.Image, error) {
	defer func(began time.Time) { r.screenshotTook = time.Since(began) }(time.Now())
	if len(r.c.Test.Secrets) == 0 {
		return r.dev.Screenshot(ctx)
	}
	return action.Photograph(ctx, r.dev, r.sink.Mask())
}

// maxTree is the size, in bytes, of the largest tree that a report keeps.
const maxTree = 1 << 20

// keepTree keeps the elements that the step saw last as artifacts/tree-NN.json, so that a selector can be fixed without
// the device.
func (r *run) keepTree(n int) {
	t := r.session.Tree
	if t == nil || r.bare || r.sinkErr != nil {
		return
	}
	data, err := json.Marshal(t)
	if err == nil && len(data) > maxTree {
		err = fmt.Errorf("it has %d bytes, the limit is %d", len(data), maxTree)
	}
	if err != nil {
		r.log(n, "the tree of this step is not kept: %v", err)
		return
	}
	name := fmt.Sprintf("tree-%02d.json", n)
	path := filepath.Join(r.session.Work, name)
	if err := os.WriteFile(path, []byte(r.sink.Mask().Text(string(data))), 0o644); err != nil {
		r.keep(err)
		return
	}
	r.keep(r.sink.Add(event.Attachment{Path: "artifacts/" + name, Type: "application/json", Kind: event.KindArtifact},
		n, path))
}
