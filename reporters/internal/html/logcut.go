package html

import (
	"io"
	"time"

	"github.com/taproot-dev/taproot/internal/result/logs"
)

const (
	headLines    = 30 // the first lines of a step; of its other lines the last ones are kept
	tailLines    = 120
	manySteps    = 200 // from here on a step keeps fewer lines
	fewTailLines = 15
	logBudget    = 1 << 20 // bytes of all lines on a page
)

// span is the time of a step: it lasts until the start of the next one.
type span struct {
	step int
	from time.Time
}

// stepLog is the part of a log that belongs to one step.
type stepLog struct {
	Head []string `json:"head,omitempty"`
	Left int      `json:"left,omitempty"` // lines between head and tail that are not shown
	Tail []string `json:"tail,omitempty"`
}

// logCut is a log, cut into steps.
type logCut struct {
	How    string // how its clock was read
	Why    string // why it could not be divided; then there are no steps
	Lines  int    // of the whole log
	Before int    // lines from before the first step
	Steps  map[int]*stepLog
}

// logCutter divides one log into steps.
type logCutter struct {
	start, end time.Time // of the case, on this machine's clock
	spans      []span    // in the order of time
	important  int       // the step with the lines to keep first
}

// cut reads the log twice: for its clock, then for its lines.
func (c *logCutter) cut(log io.ReadSeeker) (*logCut, error) {
	if len(c.spans) == 0 {
		return &logCut{Why: "no step ran"}, nil
	}
	z, err := logs.Clock(log, c.start, c.end)
	if err != nil {
		return nil, err
	}
	out := &logCut{How: z.How, Why: z.Why, Lines: z.Lines}
	if z.Why != "" || z.Lines == 0 {
		return out, nil
	}
	if _, err := log.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	out.Steps = map[int]*stepLog{}
	at := -1 // the span of the last line with a time; those without one belong to it
	err = logs.EachLine(log, func(line string) {
		if t, _, ok := logs.LineTime(line, c.start); ok {
			at = c.find(t.Add(z.Shift))
		}
		if at < 0 {
			out.Before++
			return
		}
		n := c.spans[at].step
		if out.Steps[n] == nil {
			out.Steps[n] = &stepLog{}
		}
		out.Steps[n].add(shown(line, maxLogLine), c.tail(n))
	})
	c.save(out)
	return out, err
}

func (c *logCutter) tail(step int) int {
	if len(c.spans) > manySteps && step != c.important {
		return fewTailLines
	}
	return tailLines
}

func (l *stepLog) add(line string, tail int) {
	if len(l.Head) < headLines && tail == tailLines {
		l.Head = append(l.Head, line)
		return
	}
	l.Tail = append(l.Tail, line)
	if len(l.Tail) > 2*tail {
		l.Left += tail
		l.Tail = append(l.Tail[:0], l.Tail[tail:]...)
	}
}

// save reduces the lines to what the page can hold: the important step first, then the steps in order.
func (c *logCutter) save(out *logCut) {
	budget := logBudget
	spend := func(step int) {
		l := out.Steps[step]
		if l == nil {
			return
		}
		if over := len(l.Tail) - c.tail(step); over > 0 {
			l.Left += over
			l.Tail = l.Tail[over:]
		}
		if l.Left == 0 {
			l.Head, l.Tail = append(l.Head, l.Tail...), nil
		}
		size := 0
		for _, lines := range [][]string{l.Head, l.Tail} {
			for _, line := range lines {
				size += len(line) + 3
			}
		}
		if budget -= size; budget < 0 {
			l.Left += len(l.Head) + len(l.Tail)
			l.Head, l.Tail = nil, nil
		}
	}
	spend(c.important)
	for _, s := range c.spans {
		if s.step != c.important {
			spend(s.step)
		}
	}
}

// find returns the index of the span that contains t; -1 before the first one. Later times belong to the last span.
func (c *logCutter) find(t time.Time) int {
	low, high := 0, len(c.spans)
	for low < high {
		if mid := (low + high) / 2; c.spans[mid].from.After(t) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low - 1
}
