package html

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	_ "image/png" // screenshots
	"io"
	"os"
	"sync"

	"golang.org/x/image/draw"
)

const (
	maxImageBytes = 64 << 20
	maxPixels     = 50_000_000
	smallSide     = 360 // longest side of a preview
	largeSide     = 720 // of the screenshots that show the problem
	jpegQuality   = 72
)

var errNotRegular = errors.New("not a regular file")

// readFile reads a regular file of at most limit bytes under root.
func readFile(root *os.Root, name string, limit int64) ([]byte, error) {
	f, err := openFile(root, name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s is larger than %d MB", name, limit>>20)
	}
	return data, errors.Join(err, f.Close())
}

// openFile opens a regular file. Anything else, such as a pipe, could block for ever.
func openFile(root *os.Root, name string) (*os.File, error) {
	if root == nil {
		return nil, os.ErrNotExist
	}
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", name, errNotRegular)
	}
	return root.Open(name)
}

// decode reads an image.
func decode(root *os.Root, name string) (image.Image, error) {
	data, err := readFile(root, name, maxImageBytes)
	if err != nil {
		return nil, err
	}
	return decodeBytes(data, name)
}

// decodeBytes reads an image. It checks the size before it decodes the pixels.
func decodeBytes(data []byte, name string) (image.Image, error) {
	head, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if head.Width < 1 || head.Height < 1 || head.Width > maxPixels/head.Height {
		return nil, fmt.Errorf("%s: %d×%d pixels are too many", name, head.Width, head.Height)
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return img, nil
}

// measure returns an image's size without decoding its pixels.
func measure(root *os.Root, name string) (image.Point, error) {
	f, err := openFile(root, name)
	if err != nil {
		return image.Point{}, err
	}
	head, _, err := image.DecodeConfig(io.LimitReader(f, maxImageBytes))
	return image.Pt(head.Width, head.Height), errors.Join(err, f.Close())
}

// preview returns a JPEG with a longest side of at most side, as a data URL.
func preview(img image.Image, side int) (string, error) {
	size := img.Bounds().Size()
	if longest := max(size.X, size.Y); longest > side {
		size = image.Pt(max(1, size.X*side/longest), max(1, size.Y*side/longest))
	}
	small := image.NewRGBA(image.Rectangle{Max: size})
	draw.Draw(small, small.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	if !shrink(small, img) {
		draw.BiLinear.Scale(small, small.Bounds(), img, img.Bounds(), draw.Over, nil)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, small, &jpeg.Options{Quality: jpegQuality}); err != nil {
		return "", err
	}
	return dataAddress("image/jpeg", b.Bytes()), nil
}

func dataAddress(mediaType string, data []byte) string {
	return "data:" + mediaType + ";base64," + base64.StdEncoding.EncodeToString(data)
}

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
