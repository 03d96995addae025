package logs

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

const (
	maxBytes    = 256 << 20 // of a log that are read
	maxLine     = 2008      // bytes of a line that are read
	clockSlack  = 3 * time.Second
	endSlack    = time.Minute
	quarterHour = 15 * time.Minute // the offset of every zone is a multiple of it
	maxZone     = 15 * time.Hour
)

// Zone says how to convert the times of a log to this machine's clock.
type Zone struct {
	Shift time.Duration // is added to a time in the log
	How   string        // how it was found, in words
	Why   string        // why the log has no usable times; then How is empty
	Lines int
}

// Clock reads a log and finds the offset of its clock from this machine's. logcat writes the phone's local time,
// without a zone. start and end are those of the case during which the log was written, on this machine's clock.
func Clock(log io.Reader, start, end time.Time) (Zone, error) {
	var first, last time.Time
	z, local := Zone{}, false
	err := EachLine(log, func(line string) {
		z.Lines++
		t, isLocal, ok := LineTime(line, start)
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
	case z.Lines == 0:
		return z, nil
	case first.IsZero():
		z.Why = "its lines have no time"
		return z, nil
	case !local:
		z.How = "by the time in each line"
		return z, nil
	}
	z.Shift, z.How = guess(start, end, first, last)
	return z, nil
}

// guess returns the offset of a log's local times, and how it was found.
//
// The log was started with the case, so all its lines must be within the case, give or take clockSlack and endSlack.
// Offsets of time zones are multiples of a quarter of an hour. The one that puts the first line at the start of the
// case is therefore a candidate, as are its two neighbours, because the phone's clock may be some minutes wrong. With
// one fitting candidate the zone is known; with several the nearest is probable; with none the phone's clock is wrong
// by more, and the first line is taken as the start of the case.
func guess(start, end, first, last time.Time) (time.Duration, string) {
	fits, found := 0, time.Duration(0)
	near := start.Sub(first).Round(quarterHour)
	for _, zone := range []time.Duration{near, near - quarterHour, near + quarterHour} {
		from, to := first.Add(zone), last.Add(zone)
		if zone.Abs() > maxZone || from.Before(start.Add(-clockSlack)) || to.After(end.Add(endSlack)) {
			continue
		}
		if fits++; fits == 1 {
			found = zone
		}
	}
	switch fits {
	case 0:
		return start.Sub(first),
			"approximately: the device's clock differs, so the first line was taken as the start of the test"
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

// LineTime reads the time at the start of a line: RFC 3339, or the format of logcat, of Apple's log or of an iPhone's,
// which may have no year and no zone: the year is then the one nearest to around. local means that there is no zone.
func LineTime(line string, around time.Time) (t time.Time, local, ok bool) {
	if len(line) < 18 {
		return t, false, false
	}
	layout, end := "01-02 15:04:05.000", 18
	switch {
	case line[4] == '-' && line[10] == ' ': // Apple's
		stamp := line[:min(len(line), 40)]
		if cut := strings.IndexByte(stamp[11:], ' '); cut > 0 {
			stamp = stamp[:11+cut]
		}
		if t, err := time.Parse("2006-01-02 15:04:05.999999999-0700", stamp); err == nil {
			return t, false, true
		}
		t, err := time.Parse("2006-01-02 15:04:05.999999999", stamp)
		return t, true, err == nil
	case line[4] == '-':
		stamp, _, _ := strings.Cut(line[:min(len(line), 40)], " ")
		t, err := time.Parse(time.RFC3339Nano, stamp)
		return t, false, err == nil
	case line[3] == ' ' && line[6] == ' ': // an iPhone's: Nov  3 13:26:25
		layout, end = "Jan _2 15:04:05", 15
	case line[2] != '-' || line[5] != ' ':
		return t, true, false
	}
	best := time.Time{}
	for _, year := range []int{around.Year() - 1, around.Year(), around.Year() + 1} {
		t, err := time.Parse("2006 "+layout, fmt.Sprintf("%04d %s", year, line[:end]))
		if err == nil && (best.IsZero() || t.Sub(around).Abs() < best.Sub(around).Abs()) {
			best = t
		}
	}
	return best, true, !best.IsZero()
}

// EachLine calls see for the lines without their ends, each cut to 2008 bytes, of the first 256 MB.
func EachLine(r io.Reader, see func(string)) error {
	in := bufio.NewReaderSize(io.LimitReader(r, maxBytes), 64<<10)
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if room := maxLine - len(line); room > 0 {
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
