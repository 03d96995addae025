package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"os"
	"path/filepath"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/reporters"
)

// photograph takes a picture; of a test with secrets, one in which the elements that show them are painted over. What shows them is
// looked for before and after, because the screen may change in between.
func (r *run) photograph(ctx context.Context) (image.Image, error) {
	if len(r.c.Test.Secrets) == 0 {
		return r.dev.Screenshot(ctx)
	}
	before, err := r.dev.Tree(ctx)
	if err != nil {
		return nil, fmt.Errorf("what a picture would show of the secrets cannot be told: %w", err)
	}
	img, err := r.dev.Screenshot(ctx)
	if err != nil {
		return nil, err
	}
	after, err := r.dev.Tree(ctx)
	if err != nil {
		return nil, fmt.Errorf("what a picture would show of the secrets cannot be told: %w", err)
	}
	out := image.NewRGBA(img.Bounds())
	draw.Draw(out, out.Rect, img, img.Bounds().Min, draw.Src)
	for _, t := range []*drivers.Tree{before, after} {
		for n := range t.All {
			mask := r.sink.Mask()
			if n.Password || mask.Shows(n.Text) || mask.Shows(n.Desc) || mask.Shows(n.Hint) {
				draw.Draw(out, n.Bounds, image.NewUniform(color.Gray{128}), image.Point{}, draw.Src)
			}
		}
	}
	return out, nil
}

// maxTree is the size, in bytes, of the largest tree that a report keeps.
const maxTree = 1 << 20

// keepTree keeps the elements that the step saw last as artifacts/tree-NN.json, so that a selector can be mended at one's desk.
func (r *run) keepTree(n int) {
	t := r.session.Tree
	if t == nil || r.sinkErr != nil {
		return
	}
	data, err := json.Marshal(t)
	if err != nil || len(data) > maxTree {
		r.log(n, "the tree of this step is not kept: %d bytes, %v", len(data), err)
		return
	}
	name := fmt.Sprintf("tree-%02d.json", n)
	path := filepath.Join(r.session.Work, name)
	if err := os.WriteFile(path, []byte(r.sink.Mask().Text(string(data))), 0o644); err != nil {
		r.keep(err)
		return
	}
	r.keep(r.sink.Add(reporters.Attachment{Path: "artifacts/" + name, Type: "application/json", Kind: reporters.KindArtifact}, n, path))
}
