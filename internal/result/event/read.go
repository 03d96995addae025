package event

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/taproot-dev/taproot/internal/result/format"
)

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
