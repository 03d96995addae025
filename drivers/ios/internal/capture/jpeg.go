package capture

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image/jpeg"
	"mime"
	"net/http"
	"strings"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/ios/internal/geometry"
	"github.com/taproot-dev/taproot/internal/screenimage"
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
		img = geometry.Turn(geometry.Turn(img, true), true)
	default:
		img = geometry.Turn(img, how == exifRight)
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

// frames returns the images that WebDriverAgent sends upright.
type frames struct {
	sent *screenimage.MJPEG

	raw, turned []byte // the last one, as it came and upright
}

func newFrames(res *http.Response) (*frames, error) {
	kind, params, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err != nil || res.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "multipart/") {
		return nil, fmt.Errorf("HTTP status %d with %s is not a video", res.StatusCode,
			screen.Quote(res.Header.Get("Content-Type")))
	}
	return &frames{sent: screenimage.NewMJPEG(res.Body, params["boundary"])}, nil
}

// next returns the next image, upright.
func (f *frames) next() ([]byte, error) {
	frame, err := f.sent.Next()
	if err != nil || bytes.Equal(frame, f.raw) {
		return f.turned, err
	}
	turned, err := uprightJPEG(frame)
	if err != nil {
		return nil, err
	}
	f.raw, f.turned = frame, turned
	return turned, nil
}
