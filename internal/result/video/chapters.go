package video

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
)

const (
	chaptersFile = "chapters.txt"
	maxTitle     = 80 // runes
)

// mark is a chapter on the time line of the recording.
type mark struct {
	from  time.Duration
	title string
}

// marks places the chapters on the recording, in which the parts follow each other: the time between two parts is
// missing.
func (m Maker) marks(parts []part) []mark {
	for i, p := range parts {
		if p.duration == 0 && i < len(parts)-1 {
			return nil
		}
	}
	var marks []mark
	for _, c := range m.Chapters {
		from, base := time.Duration(0), time.Duration(0)
		for i, p := range parts {
			if c.At.Before(p.Start) {
				break
			}
			into := c.At.Sub(p.Start)
			if p.duration > 0 && i < len(parts)-1 {
				into = min(into, p.duration)
			}
			from, base = base+into, base+p.duration
		}
		if last := parts[len(parts)-1]; last.duration > 0 {
			from = min(from, base)
		}
		marks = append(marks, mark{from: from, title: c.Title})
	}
	return marks
}

// writeChapters writes ffmpeg's own metadata format for a recording of this length (0: unknown). Of several chapters at
// one time the last is kept; chapters after the end are dropped.
func writeChapters(dir string, marks []mark, length time.Duration) error {
	var b strings.Builder
	b.WriteString(";FFMETADATA1\n")
	for i, m := range marks {
		end := max(length, m.from+time.Millisecond)
		if i+1 < len(marks) {
			end = marks[i+1].from
		}
		if end <= m.from || length > 0 && m.from >= length {
			continue
		}
		fmt.Fprintf(&b, "[CHAPTER]\nTIMEBASE=1/1000\nSTART=%d\nEND=%d\ntitle=%s\n", m.from.Milliseconds(), end.Milliseconds(),
			title(m.title))
	}
	return os.WriteFile(filepath.Join(dir, chaptersFile), []byte(b.String()), 0o644)
}

func title(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > maxTitle {
			b.WriteRune('…')
			break
		}
		switch {
		case unicode.IsControl(r):
			b.WriteByte(' ')
		case strings.ContainsRune(`=;#\`, r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
