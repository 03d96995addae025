package ios

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
)

// errNoTrack says that a video has no place in which its turn is noted.
var errNoTrack = errors.New("no MPEG-4 video with a track")

// rotateVideo notes in an MPEG-4 video that its frames are to be shown rotated by a quarter: simctl records a screen as
// it is built into the phone.
func rotateVideo(file string, clockwise bool) error {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	at, end := int64(0), info.Size()
	for _, name := range []string{"moov", "trak", "tkhd"} {
		if at, end, err = box(f, at, end, name); err != nil {
			return err
		}
	}
	return writeTurn(f, at, end, clockwise)
}

// box finds a box between two places of a file, and returns where its content starts and ends.
func box(f io.ReaderAt, at, end int64, name string) (from, to int64, err error) {
	var head [16]byte
	for at+8 <= end {
		if _, err := f.ReadAt(head[:8], at); err != nil {
			return 0, 0, err
		}
		size, content := int64(binary.BigEndian.Uint32(head[:])), at+8
		switch size {
		case 0: // up to the end
			size = end - at
		case 1: // the size is a long one
			if _, err := f.ReadAt(head[8:], at+8); err != nil {
				return 0, 0, err
			}
			size, content = int64(binary.BigEndian.Uint64(head[8:])), at+16
		}
		if size < content-at || size > end-at {
			break
		}
		if string(head[4:8]) == name {
			return content, at + size, nil
		}
		at += size
	}
	return 0, 0, errNoTrack
}

// writeTurn writes the matrix of a track header, which moves the rotated image back to where it can be seen.
func writeTurn(f *os.File, at, end int64, clockwise bool) error {
	head := make([]byte, end-at)
	if _, err := f.ReadAt(head, at); err != nil {
		return err
	}
	matrix := 40 // behind times, numbers and layers
	if len(head) > 0 && head[0] == 1 {
		matrix = 52 // with long times
	}
	if len(head) < matrix+44 {
		return errNoTrack
	}
	width, height := binary.BigEndian.Uint32(head[matrix+36:]), binary.BigEndian.Uint32(head[matrix+40:])
	const one, minus = 1 << 16, 0xffff0000
	values := []uint32{0, one, 0, minus, 0, 0, height, 0, 1 << 30}
	if !clockwise {
		values = []uint32{0, minus, 0, one, 0, 0, 0, width, 1 << 30}
	}
	out := make([]byte, 0, 36)
	for _, v := range values {
		out = binary.BigEndian.AppendUint32(out, v)
	}
	_, err := f.WriteAt(out, at+int64(matrix))
	return err
}
