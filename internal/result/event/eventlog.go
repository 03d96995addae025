package event

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/format"
)

// logFile is the part of *os.File that a Log needs.
type logFile interface {
	io.WriterAt
	Sync() error
	Truncate(size int64) error
}

// Log appends events to a file. It writes whole lines only, and each is on the disk before add returns. Not safe for
// concurrent use.
type Log struct {
	File logFile
	size int64 // of the whole lines
}

func (l *Log) Add(e Event) error {
	if l.size == 0 {
		e.Format = format.Events
	}
	line, err := Encode(e)
	if err != nil {
		return err
	}
	if _, err = l.File.WriteAt(line, l.size); err == nil {
		err = l.File.Sync()
	}
	if err != nil {
		// The line was cut by a full disk: remove it, so that the lines before it stay readable.
		return fmt.Errorf("keep event %s: %w", e.Kind, errors.Join(err, l.File.Truncate(l.size)))
	}
	l.size += int64(len(line))
	return nil
}

// Restart removes all events from the file.
func (l *Log) Restart() error {
	l.size = 0
	return l.File.Truncate(0)
}

// Encode returns the line of an event. Long texts are shortened when the line would be too long to be read.
func Encode(e Event) ([]byte, error) {
	for _, limit := range []int{1 << 20, 64 << 10, 4 << 10, 200} {
		line, err := Marshal(shortened(e, limit))
		if err != nil {
			return nil, fmt.Errorf("encode event %s: %w", e.Kind, err)
		}
		if len(line) <= maxLine {
			return line, nil
		}
	}
	return nil, fmt.Errorf("event %s is longer than %d bytes", e.Kind, maxLine)
}

func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// shortened returns e with no text longer than limit bytes, and at most a hundred texts in each list.
func shortened(e Event, limit int) Event {
	e.Message, e.ScreenRead = phrase.LimitBytes(e.Message, limit), phrase.LimitBytes(e.ScreenRead, limit)
	if p := e.Problem; p != nil {
		e.Problem = &Problem{
			Message: phrase.LimitBytes(p.Message, limit), Expected: phrase.LimitBytes(p.Expected, limit),
			Actual: phrase.LimitBytes(p.Actual, limit),
			Candidates: cutList(
				p.Candidates,
				limit,
			), Rejected: cutList(p.Rejected, limit), Assertion: p.Assertion, Kind: p.Kind,
			Stack: phrase.LimitBytes(p.Stack, limit),
		}
	}
	if d := e.Detail; d != nil {
		short := *d
		short.Matched, short.Notes, short.Warnings = phrase.LimitBytes(d.Matched, limit), cutList(d.Notes, limit),
			cutList(d.Warnings, limit)
		short.Proof = phrase.LimitBytes(d.Proof, limit)
		short.Troubles = cutList(d.Troubles, limit)
		e.Detail = &short
	}
	if len(e.Around) > 0 {
		short := make([]Incident, min(len(e.Around), 100))
		for i := range short {
			short[i] = e.Around[i]
			short[i].Text = phrase.LimitBytes(short[i].Text, limit)
		}
		e.Around = short
	}
	if i := e.Info; i != nil {
		short := *i
		short.Args, short.Source, short.Name = phrase.LimitBytes(i.Args, limit), phrase.LimitBytes(i.Source, limit),
			phrase.LimitBytes(i.Name, limit)
		e.Info = &short
	}
	if c := e.Case; c != nil {
		short := *c
		short.Steps = make([]Step, len(c.Steps))
		for i, s := range c.Steps {
			s.Args, s.Source, s.Name = phrase.LimitBytes(
				s.Args,
				limit,
			), phrase.LimitBytes(
				s.Source,
				limit,
			), phrase.LimitBytes(
				s.Name,
				limit,
			)
			short.Steps[i] = s
		}
		e.Case = &short
	}
	return e
}

func cutList(list []string, limit int) []string {
	var short []string
	for _, s := range list[:min(len(list), 100)] {
		short = append(short, phrase.LimitBytes(s, limit))
	}
	return short
}

const (
	maxLine  = 4 << 20   // bytes of one event
	maxBytes = 512 << 20 // bytes of all events of a case
)

// ReadEvents reads the lines of an events.ndjson. A last line that was cut is left out; a bad line anywhere else is an
// error that names it. The events before that line are returned in either case.
func ReadEvents(r io.Reader) ([]Event, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	var events []Event
	total := 0
	for n := 1; ; n++ {
		line, err := readLine(in)
		total += len(line)
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			return events, fmt.Errorf("events line %d: %w", n, err)
		case total > maxBytes:
			return events, fmt.Errorf("events line %d: more than %d bytes of events", n, maxBytes)
		}
		cut := err != nil
		if cut && len(line) == 0 {
			return events, nil
		}
		var e Event
		if bad := json.Unmarshal(line, &e); bad != nil {
			if cut {
				return events, nil
			}
			return events, fmt.Errorf("events line %d: %w", n, bad)
		}
		if n == 1 {
			if err := format.Check(EventsFile, e.Format, format.Events); err != nil {
				return nil, err
			}
		}
		events = append(events, e)
		if cut {
			return events, nil
		}
	}
}

// readLine returns a line with its line end; with io.EOF, the rest after the last line end.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLine {
			return nil, fmt.Errorf("longer than %d bytes", maxLine)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}
