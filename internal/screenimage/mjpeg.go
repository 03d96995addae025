package screenimage

import (
	"bufio"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"strings"
)

// maxBytes is above the size of any JPEG of a screen.
const maxBytes = 16 << 20

// MJPEG reads a stream. It is not safe for concurrent use.
type MJPEG struct {
	r        *bufio.Reader
	boundary string
}

// NewMJPEG reads a stream that starts with its header or its first part. boundary is that of the header's Content-Type;
// hyphens at its start do not matter.
func NewMJPEG(r io.Reader, boundary string) *MJPEG {
	return &MJPEG{bufio.NewReaderSize(r, 64<<10), strings.TrimLeft(boundary, "-")}
}

// Next returns the next image, as it was sent. An error ends the stream.
func (f *MJPEG) Next() ([]byte, error) {
	for {
		line, err := f.r.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		text := strings.TrimSpace(string(line))
		if strings.HasPrefix(text, "--") && strings.TrimLeft(text, "-") == f.boundary {
			break
		}
	}
	head, err := textproto.NewReader(f.r).ReadMIMEHeader()
	if err != nil {
		return nil, err
	}
	size, err := strconv.Atoi(head.Get("Content-Length"))
	if err != nil || size <= 0 || size > maxBytes {
		return nil, fmt.Errorf("an image of %.40q bytes", head.Get("Content-Length"))
	}
	frame := make([]byte, size)
	_, err = io.ReadFull(f.r, frame)
	return frame, err
}
