package html

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

const (
	maxLogBytes  = 256 << 20 // of a log that is read; what comes after is not shown
	headLines    = 30        // of a step; of its other lines the last ones are kept
	tailLines    = 120
	manySteps    = 200 // from here on a step keeps fewer lines
	fewTailLines = 15
	logBudget    = 1 << 20 // bytes of all lines on a page
	clockSlack   = 3 * time.Second
	endSlack     = time.Minute
	quarterHour  = 15 * time.Minute // the offset of every zone is a multiple of it
	maxZone      = 15 * time.Hour
)

// span is the time of a step: it goes up to the start of the next one.
type span struct {
	step int
	from time.Time
}

// stepLog is what a log says of one step.
type stepLog struct {
	Head []string `json:"head,omitempty"`
	Left int      `json:"left,omitempty"` // lines between head and tail that are not shown
	Tail []string `json:"tail,omitempty"`
}

// logCut is a log, cut into steps.
type logCut struct {
	How    string // how its clock was read
	Why    string // it could not be cut; then there are no steps
	Lines  int    // of the whole log
	Before int    // lines from before the first step
	Steps  map[int]*stepLog
}

// cutter cuts one log.
type cutter struct {
	start, end time.Time // of the case, on our clock
	spans      []span    // in the order of time
	important  int       // the step whose lines are kept first
}

// cut reads the log twice: for its clock, then for its lines.
func (c *cutter) cut(log io.ReadSeeker) (*logCut, error) {
	if len(c.spans) == 0 {
		return &logCut{Why: "no step ran"}, nil
	}
	z, err := c.clock(log)
	if err != nil {
		return nil, err
	}
	out := &logCut{How: z.how, Why: z.why, Lines: z.lines}
	if z.why != "" || z.lines == 0 {
		return out, nil
	}
	if _, err := log.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	out.Steps = map[int]*stepLog{}
	at := -1 // the span of the last line with a time; those without one belong to it
	err = eachLine(log, func(line string) {
		if t, _, ok := lineTime(line, c.start); ok {
			at = c.find(t.Add(z.shift))
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

func (c *cutter) tail(step int) int {
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

// save brings the lines down to what the page can hold: the important step first, then the steps in their order.
func (c *cutter) save(out *logCut) {
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

// find gives the index of the span that holds t; -1 before the first one. What comes after the last belongs to it.
func (c *cutter) find(t time.Time) int {
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

// zone says how the times of a log become ours.
type zone struct {
	shift time.Duration
	how   string
	why   string // the log has no usable times
	lines int
}

// clock finds out how far the log's clock is from ours. logcat writes the phone's local time, without a zone.
func (c *cutter) clock(log io.Reader) (zone, error) {
	var first, last time.Time
	z, local := zone{}, false
	err := eachLine(log, func(line string) {
		z.lines++
		t, isLocal, ok := lineTime(line, c.start)
		if !ok {
			return
		}
		if first.IsZero() {
			first, local = t, isLocal
		}
		if t.After(last) {
			last = t
		}
	})
	switch {
	case err != nil:
		return z, err
	case z.lines == 0:
		return z, nil
	case first.IsZero():
		z.why = "its lines carry no time"
		return z, nil
	case !local:
		z.how = "by the time in each line"
		return z, nil
	}
	z.shift, z.how = c.guess(first, last)
	return z, nil
}

// guess tries each zone there is: the log was begun with the case, so its lines must lie within it.
func (c *cutter) guess(first, last time.Time) (time.Duration, string) {
	fits, found := 0, time.Duration(0)
	near := c.start.Sub(first).Round(quarterHour)
	for _, zone := range []time.Duration{near, near - quarterHour, near + quarterHour} {
		from, to := first.Add(zone), last.Add(zone)
		if zone.Abs() > maxZone || from.Before(c.start.Add(-clockSlack)) || to.After(c.end.Add(endSlack)) {
			continue
		}
		if fits++; fits == 1 {
			found = zone
		}
	}
	switch fits {
	case 0:
		return c.start.Sub(first), "roughly: the device's clock is not ours, so its first line was taken for the start of the test"
	case 1:
		return found, "by the device's clock, which runs at " + utc(-found)
	}
	return found, "probably: by the device's clock, taken to run at " + utc(-found)
}

func utc(d time.Duration) string {
	if d == 0 {
		return "UTC"
	}
	sign := "+"
	if d < 0 {
		sign, d = "−", -d
	}
	return fmt.Sprintf("UTC%s%02d:%02d", sign, int(d.Hours()), int(d.Minutes())%60)
}

// lineTime reads the time at the start of a line: RFC 3339, or logcat's, which has no year and no zone: the year is the one that
// brings it nearest to around.
func lineTime(line string, around time.Time) (t time.Time, local, ok bool) {
	if len(line) < 18 {
		return t, false, false
	}
	if line[4] == '-' {
		stamp, _, _ := strings.Cut(line[:min(len(line), 40)], " ")
		t, err := time.Parse(time.RFC3339Nano, stamp)
		return t, false, err == nil
	}
	if line[2] != '-' || line[5] != ' ' {
		return t, true, false
	}
	best := time.Time{}
	for _, year := range []int{around.Year() - 1, around.Year(), around.Year() + 1} {
		t, err := time.Parse("2006-01-02 15:04:05.000", fmt.Sprintf("%04d-%s", year, line[:18]))
		if err == nil && (best.IsZero() || t.Sub(around).Abs() < best.Sub(around).Abs()) {
			best = t
		}
	}
	return best, true, !best.IsZero()
}

// eachLine gives the lines, each cut to what can be shown of it, up to maxLogBytes.
func eachLine(r io.Reader, see func(string)) error {
	in := bufio.NewReaderSize(io.LimitReader(r, maxLogBytes), 64<<10)
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if room := 4*maxLogLine + 8 - len(line); room > 0 {
			line = append(line, part[:min(len(part), room)]...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return err
		case err != nil && len(line) == 0:
			return nil
		}
		see(strings.TrimRight(string(line), "\r\n"))
		line = line[:0]
		if err != nil {
			return nil
		}
	}
}
