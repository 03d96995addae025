package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"io"
	"os"
	"time"
)

// matroska is a video of JPEGs (RFC 9559): what it needs of the format is so little that no library is linked for it.
// Each image is a cluster of its own, so that a video that breaks off is whole up to its last image.
type matroska struct {
	out   *os.File
	size  image.Point
	start time.Time
	last  int64
}

// The elements that are written, by their ids.
const (
	ebmlHead, ebmlVersion, ebmlReadVersion, ebmlIDLength, ebmlSizeLength = 0x1A45DFA3, 0x4286, 0x42F7, 0x42F2, 0x42F3

	ebmlDocType, ebmlDocTypeVersion, ebmlDocTypeReadVersion = 0x4282, 0x4287, 0x4285

	mkvSegment, mkvInfo, mkvTimestampScale, mkvMuxer, mkvWriter = 0x18538067, 0x1549A966, 0x2AD7B1, 0x4D80, 0x5741

	mkvTracks, mkvTrack, mkvTrackNumber, mkvTrackUID, mkvTrackType, mkvLacing, mkvName, mkvCodec = 0x1654AE6B, 0xAE, 0xD7,
		0x73C5, 0x83, 0x9C, 0x536E, 0x86

	mkvVideo, mkvWidth, mkvHeight, mkvCluster, mkvTimestamp, mkvSimpleBlock = 0xE0, 0xB0, 0xBA, 0x1F43B675, 0xE7, 0xA3
)

// toTheEnd is the size of an element that continues for as long as the file does.
var toTheEnd = []byte{0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}

// ebmlElement is an id, a size in eight bytes, and what is in it.
func ebmlElement(id uint32, parts ...[]byte) []byte {
	content := bytes.Join(parts, nil)
	out := binary.BigEndian.AppendUint64(ebmlID(id), 1<<56|uint64(len(content)))
	return append(out, content...)
}

// ebmlID is an id in the bytes that it has: its length is a part of it.
func ebmlID(id uint32) []byte { return bytes.TrimLeft(binary.BigEndian.AppendUint32(nil, id), "\x00") }

func ebmlNumber(id uint32, n uint64) []byte {
	return ebmlElement(id, binary.BigEndian.AppendUint64(nil, n))
}

func ebmlText(id uint32, s string) []byte { return ebmlElement(id, []byte(s)) }

func newMatroska(file string, size image.Point) (*matroska, error) {
	out, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	head := bytes.Join([][]byte{
		ebmlElement(ebmlHead, ebmlNumber(ebmlVersion, 1), ebmlNumber(ebmlReadVersion, 1), ebmlNumber(ebmlIDLength, 4),
			ebmlNumber(ebmlSizeLength, 8),
			ebmlText(ebmlDocType, "matroska"), ebmlNumber(ebmlDocTypeVersion, 2), ebmlNumber(ebmlDocTypeReadVersion, 2)),
		ebmlID(mkvSegment), toTheEnd,
		ebmlElement(mkvInfo, ebmlNumber(mkvTimestampScale, uint64(time.Millisecond)), ebmlText(mkvMuxer, "taproot"),
			ebmlText(mkvWriter, "taproot")),
		ebmlElement(mkvTracks, ebmlElement(mkvTrack, ebmlNumber(mkvTrackNumber, 1), ebmlNumber(mkvTrackUID, 1),
			ebmlNumber(mkvTrackType, 1), ebmlNumber(mkvLacing, 0),
			ebmlText(mkvName, "screen"), ebmlText(mkvCodec, "V_MJPEG"),
			ebmlElement(mkvVideo, ebmlNumber(mkvWidth, uint64(size.X)), ebmlNumber(mkvHeight, uint64(size.Y))))),
	}, nil)
	if _, err := out.Write(head); err != nil {
		return nil, errors.Join(err, out.Close())
	}
	return &matroska{out: out, size: size, start: time.Now(), last: -1}, nil
}

// write adds an image at the time at which it came; no two have the same.
func (m *matroska) write(frame []byte) error {
	at := max(time.Since(m.start).Milliseconds(), m.last+1)
	m.last = at
	head := []byte{0x81, 0, 0, 0x80} // the track, the time after the cluster's, a key frame
	_, err := m.out.Write(ebmlElement(mkvCluster, ebmlNumber(mkvTimestamp, uint64(at)),
		ebmlElement(mkvSimpleBlock, head, frame)))
	return err
}

func (m *matroska) close() error { return m.out.Close() }

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
