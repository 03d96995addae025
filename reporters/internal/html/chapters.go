package html

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
)

const (
	maxBoxes  = 10_000
	maxMarks  = 64 << 10 // bytes of a recording's chapters: 255 of them at most
	boxHeader = 8
)

var errRecording = errors.New("the recording cannot be read")

// mark is a chapter of a recording.
type mark struct {
	At    time.Duration
	Title string
}

// marks reads the chapters of an mp4 file from the box that ffmpeg writes for them: moov, udta, chpl.
func marks(r io.ReaderAt, size int64) ([]mark, error) {
	from, to := int64(0), size
	for _, name := range []string{"moov", "udta", "chpl"} {
		var err error
		if from, to, err = findBox(r, name, from, to); err != nil || to == 0 {
			return nil, err
		}
	}
	if to-from > maxMarks {
		return nil, errRecording
	}
	body := make([]byte, to-from)
	if _, err := r.ReadAt(body, from); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return parseMarks(body)
}

// findBox returns the start and the end of the body of the first box of that name; 0 and 0 when there is none.
func findBox(r io.ReaderAt, name string, from, to int64) (int64, int64, error) {
	head := make([]byte, 2*boxHeader)
	for range maxBoxes {
		if to-from < boxHeader {
			return 0, 0, nil
		}
		n, err := r.ReadAt(head, from)
		if n < boxHeader {
			return 0, 0, errors.Join(errRecording, err)
		}
		size, skip := int64(binary.BigEndian.Uint32(head)), int64(boxHeader)
		switch {
		case size == 0: // up to the end
			size = to - from
		case size == 1 && n == len(head):
			size, skip = int64(binary.BigEndian.Uint64(head[boxHeader:])), 2*boxHeader
		}
		if size < skip || size > to-from {
			return 0, 0, errRecording
		}
		if string(head[4:8]) == name {
			return from + skip, from + size, nil
		}
		from += size
	}
	return 0, 0, errRecording
}

// parseMarks reads: version and flags, four unused bytes, the number of chapters; for each chapter its start in units
// of 100 ns, the length of its title and the title.
func parseMarks(b []byte) ([]mark, error) {
	if len(b) < 9 {
		return nil, errRecording
	}
	count, b := int(b[8]), b[9:]
	var list []mark
	for range count {
		if len(b) < 9 || len(b) < 9+int(b[8]) {
			return list, errRecording
		}
		at := binary.BigEndian.Uint64(b)
		if at > uint64(1000*time.Hour/100) {
			return list, errRecording
		}
		end := 9 + int(b[8])
		list = append(list, mark{At: time.Duration(at) * 100, Title: string(b[9:end])})
		b = b[end:]
	}
	return list, nil
}

// cues returns the time in the recording at which each step starts. exact is false if some are computed from the clock.
func cues(res *event.CaseResult, list []mark) (at map[int]time.Duration, exact bool) {
	at, exact = map[int]time.Duration{}, true
	for _, m := range list {
		number, _, _ := strings.Cut(m.Title, " ")
		if n, err := strconv.Atoi(number); err == nil && res.Step(n) != nil {
			at[n] = m.At
		}
	}
	known, base := time.Duration(0), res.Started
	for _, s := range res.Steps {
		if s.Started.IsZero() {
			continue
		}
		if film, ok := at[s.N]; ok {
			known, base = film, s.Started
			continue
		}
		at[s.N] = max(0, known+s.Started.Sub(base))
		exact = false
	}
	return at, exact
}

// recordingMarks reads the chapters of a recording under root.
func recordingMarks(root *os.Root, name string) ([]mark, error) {
	f, err := openFile(root, name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	list, err := marks(f, info.Size())
	return list, errors.Join(err, f.Close())
}
