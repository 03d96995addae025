// Package mjpeg reads the pictures that agents on phones send: multipart/x-mixed-replace with a boundary that begins
// with hyphens of its own, which they do not double, and which may send a picture before the header.
package mjpeg

import (
	"bufio"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"strings"
)

// maxBytes is more than any JPEG of a screen has.
const maxBytes = 16 << 20

// Reader reads one stream. It must not be used by two at a time.
type Reader struct {
	r        *bufio.Reader
	boundary string
}

// New reads a stream, from its header or from the first part on. The boundary is that of the header's Content-Type;
// hyphens at its beginning do not matter.
func New(r io.Reader, boundary string) *Reader {
	return &Reader{bufio.NewReaderSize(r, 64<<10), strings.TrimLeft(boundary, "-")}
}

// Next gives the next picture, as it was sent. An error ends the stream.
func (f *Reader) Next() ([]byte, error) {
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
		return nil, fmt.Errorf("a picture of %.40q bytes", head.Get("Content-Length"))
	}
	frame := make([]byte, size)
	_, err = io.ReadFull(f.r, frame)
	return frame, err
}
