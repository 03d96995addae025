package ios

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/draw"
	"image/jpeg"
)

// The orientations of EXIF that a screen has: how an image has to be rotated to be seen as the app is.
const (
	exifUpright  = 1
	exifHalf     = 3
	exifRight    = 6 // by a quarter, clockwise
	exifLeft     = 8
	exifTag      = 0x0112
	frameQuality = 70 // of images that are made again
)

// uprightJPEG rotates an image in the way that its EXIF says: WebDriverAgent sends the screen as it is built into the
// phone. An image that is upright stays as it is.
func uprightJPEG(data []byte) ([]byte, error) {
	how := exifOrientation(data)
	if how != exifHalf && how != exifRight && how != exifLeft {
		return data, nil
	}
	img, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	switch how {
	case exifHalf:
		img = turn(turn(img, true), true)
	default:
		img = turn(img, how == exifRight)
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: frameQuality}); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// exifOrientation reads the orientation of a JPEG; 1, upright, where it has none.
func exifOrientation(data []byte) int {
	for at := 2; at+4 <= len(data) && data[at] == 0xff; {
		kind, size := data[at+1], int(binary.BigEndian.Uint16(data[at+2:]))
		if kind == 0xda || size < 2 || at+2+size > len(data) { // the pixels start
			break
		}
		if tiff, ok := bytes.CutPrefix(data[at+4:at+2+size], []byte("Exif\x00\x00")); ok && kind == 0xe1 {
			return tiffOrientation(tiff)
		}
		at += 2 + size
	}
	return exifUpright
}

func tiffOrientation(tiff []byte) int {
	var order binary.ByteOrder = binary.BigEndian
	if bytes.HasPrefix(tiff, []byte("II")) {
		order = binary.LittleEndian
	}
	if len(tiff) < 8 {
		return exifUpright
	}
	at := int(order.Uint32(tiff[4:]))
	if at < 8 || at+2 > len(tiff) {
		return exifUpright
	}
	for i := range int(order.Uint16(tiff[at:])) {
		entry := at + 2 + 12*i
		if entry+12 > len(tiff) {
			break
		}
		if order.Uint16(tiff[entry:]) == exifTag {
			return int(order.Uint16(tiff[entry+8:]))
		}
	}
	return exifUpright
}

// turn rotates an image by a quarter, to the right when clockwise.
func turn(img image.Image, clockwise bool) image.Image {
	size := img.Bounds().Size()
	from, ok := img.(*image.RGBA)
	if !ok || from.Rect.Min != (image.Point{}) {
		from = image.NewRGBA(image.Rectangle{Max: size})
		draw.Draw(from, from.Rect, img, img.Bounds().Min, draw.Src)
	}
	out := image.NewRGBA(image.Rect(0, 0, size.Y, size.X))
	for y := range size.Y {
		row := from.Pix[y*from.Stride:]
		for x := range size.X {
			to := out.PixOffset(y, size.X-1-x)
			if clockwise {
				to = out.PixOffset(size.Y-1-y, x)
			}
			copy(out.Pix[to:to+4], row[4*x:4*x+4])
		}
	}
	return out
}
