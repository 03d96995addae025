package html

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	_ "image/png" // screenshots
	"io"
	"os"

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
