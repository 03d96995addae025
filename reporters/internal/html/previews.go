package html

import (
	"crypto/sha256"
	"sync"
)

// previewRequest is an image to make a preview of.
type previewRequest struct {
	shot *shotData
	side int
}

// previewResult is a preview with the size of its image, or why there is none.
type previewResult struct {
	small  string
	width  int
	height int
	err    error
}

// fill sets the preview of a screenshot, and reports whether there is one.
func (p previewResult) fill(shot *shotData) bool {
	if p.width > 0 {
		shot.W, shot.H = p.width, p.height
	}
	if p.err != nil {
		shot.Missing = shown(p.err.Error(), maxLabel)
		return false
	}
	shot.Small = p.small
	return true
}

// sameFile identifies the previews of one page: a step that changed nothing has the same screenshot as the one before.
type sameFile struct {
	sum  [sha256.Size]byte
	side int
}

// previews makes several at once.
func (b *builder) previews(list []previewRequest) []previewResult {
	out := make([]previewResult, len(list))
	var work sync.WaitGroup
	for i, w := range list {
		work.Go(func() { out[i] = b.previewOf(w) })
	}
	work.Wait()
	return out
}

// previewOf is safe for concurrent use.
func (b *builder) previewOf(w previewRequest) (p previewResult) {
	data, err := readFile(b.root, w.shot.path, maxImageBytes)
	if err != nil {
		return previewResult{err: err}
	}
	key := sameFile{sha256.Sum256(data), w.side}
	if made, ok := b.made.Load(key); ok {
		return made.(previewResult)
	}
	img, err := decodeBytes(data, w.shot.path)
	if err != nil {
		return previewResult{err: err}
	}
	p = previewResult{width: img.Bounds().Dx(), height: img.Bounds().Dy()}
	if p.small, p.err = preview(img, w.side); p.err == nil {
		b.made.Store(key, p)
	}
	return p
}
