package start

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
)

// Limits of what is kept of a server's output.
const (
	maxLog    = 32 << 20 // bytes of the log in the report
	maxSearch = 1 << 20  // bytes in which a pattern is searched
	lastLines = 20
	maxLine   = 500 // characters of a line in a message
	// lineWait is how long a line without an end must not grow before it is searched: "port 80" could become "port 8080".
	lineWait = 300 * time.Millisecond
)

// output keeps what a server prints on both streams: in the log of the report, and the end of it for the pattern and
// for messages. Safe for concurrent use.
type output struct {
	writer, reader *os.File // the pipe
	path           string
	mask           *event.Mask
	done           chan struct{} // closed when nothing reads the pipe any more

	mu      sync.Mutex
	log     *os.File
	size    int64
	line    []byte // that has no end yet
	text    []byte // the last lines, without it
	changed time.Time
}

func newOutput(path string, secrets []string) (*output, error) {
	log, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("log of a server: %w", err)
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	o := &output{writer: writer, reader: reader, path: path, log: log, mask: &event.Mask{}, done: make(chan struct{})}
	o.mask.Hide(secrets...)
	go o.read()
	return o, nil
}

func (o *output) name() string { return filepath.Base(o.path) }

// started closes this process's end for writing, so that reading ends with the last process of the group.
func (o *output) started() { _ = o.writer.Close() }

func (o *output) read() {
	defer close(o.done)
	buf := make([]byte, 32<<10)
	for {
		n, err := o.reader.Read(buf)
		o.add(buf[:n])
		if err != nil {
			return
		}
	}
}

// add keeps a part of the output. Whole lines go to the log, because a secret may be in two parts.
func (o *output) add(part []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(part) > 0 {
		o.changed = time.Now()
	}
	o.line = append(o.line, part...)
	end := bytes.LastIndexByte(o.line, '\n') + 1
	if end == 0 && len(o.line) >= maxSearch {
		end = len(o.line)
	}
	if end == 0 {
		return
	}
	o.write(o.line[:end])
	o.text = append(o.text, o.line[:end]...)
	if over := len(o.text) - maxSearch; over > 0 {
		o.text = append([]byte{}, o.text[over:]...)
	}
	o.line = append([]byte{}, o.line[end:]...)
}

// write needs o.mu.
func (o *output) write(text []byte) {
	if o.log == nil || o.size > maxLog {
		return
	}
	masked := o.mask.Text(string(text))
	if o.size += int64(len(masked)); o.size > maxLog {
		masked = fmt.Sprintf("… the log is cut off here, at %d MiB\n", maxLog>>20)
	}
	_, _ = o.log.WriteString(masked) // a full disk does not end the tests
}

// match searches the pattern in the whole lines, and in the line without an end when it no longer grows.
func (o *output) match(pattern *regexp.Regexp) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if found := pattern.FindSubmatch(o.text); found != nil {
		return texts(found)
	}
	if len(o.line) == 0 || time.Since(o.changed) < lineWait {
		return nil
	}
	return texts(pattern.FindSubmatch(append(append([]byte{}, o.text...), o.line...)))
}

func texts(found [][]byte) []string {
	if found == nil {
		return nil
	}
	out := make([]string, len(found))
	for i, part := range found {
		out[i] = string(part)
	}
	return out
}

// lastLines are the last lines of the output, for a message.
func (o *output) lastLines() string {
	o.wait()
	o.mu.Lock()
	defer o.mu.Unlock()
	text := o.mask.Text(strings.TrimRight(string(o.text)+string(o.line), "\r\n"))
	if strings.TrimSpace(text) == "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	lines = lines[max(0, len(lines)-lastLines):]
	for i, line := range lines {
		if runes := []rune(strings.TrimRight(line, "\r")); len(runes) > maxLine {
			line = string(runes[:maxLine]) + "…"
		}
		lines[i] = "  " + strings.TrimRight(line, "\r")
	}
	return strings.Join(lines, "\n")
}

// wait waits a moment for output that was printed before the process ended.
func (o *output) wait() {
	select {
	case <-o.done:
	case <-time.After(200 * time.Millisecond):
	}
}

// close ends the log when the processes have ended.
func (o *output) close() error {
	o.wait()
	err := o.reader.Close()
	<-o.done
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.line) > 0 {
		o.write(append(o.line, '\n'))
	}
	o.text, o.line = append(o.text, o.line...), nil
	err = errors.Join(err, o.log.Close())
	o.log = nil
	return err
}
