package capture

import "testing"

func TestOrientationOfAJPEG(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tiff string
		want int
	}{
		"big endian": {"MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00",
			exifRight},
		"little endian": {"II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00",
			exifHalf},
		"no such entry":  {"MM\x00*\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00", exifUpright},
		"beyond its end": {"MM\x00*\x00\x00\xff\x08\x00\x01", exifUpright},
		"cut":            {"MM\x00*\x00\x00\x00\x08\x00\x09\x01", exifUpright},
		"nothing":        {"", exifUpright},
	} {
		body := "Exif\x00\x00" + c.tiff
		data := append([]byte{0xff, 0xd8, 0xff, 0xe1, 0, byte(len(body) + 2)}, body...)
		if got := exifOrientation(append(data, 0xff, 0xda, 0, 2)); got != c.want {
			t.Errorf("%s: %d instead of %d", name, got, c.want)
		}
	}
	for _, data := range [][]byte{nil, {0xff}, {0xff, 0xd8, 0xff, 0xe1, 0xff, 0xff}, {0xff, 0xd8, 0xff, 0xe1, 0, 0}} {
		if got := exifOrientation(data); got != exifUpright {
			t.Errorf("%x: %d", data, got)
		}
	}
}
