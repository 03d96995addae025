package androidsim

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"
)

const maxLogLines = 20000

type logLine struct {
	at       time.Time
	pid, tid int
	pri      byte
	tag      string
	text     string
	buffer   string // "crash"; empty: main and system, which are one here
}

// logRing is the buffer "main" of logd.
type logRing struct {
	mu      sync.Mutex
	lines   []logLine
	dropped int // lines that fell out or were cleared
	changed chan struct{}
}

func newLogRing(boot time.Time) *logRing {
	l := &logRing{changed: make(chan struct{})}
	l.write(logLine{at: boot, pid: 1033, tid: 1033, pri: 'I', tag: "SystemServiceManager", text: "Starting phase 1000"})
	return l
}

func (l *logRing) write(line logLine) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if line.at.IsZero() {
		line.at = time.Now()
	}
	if line.tid == 0 {
		line.tid = line.pid
	}
	for text := range strings.SplitSeq(line.text, "\n") {
		line.text = text
		l.lines = append(l.lines, line)
	}
	if over := len(l.lines) - maxLogLines; over > 0 {
		l.lines = append([]logLine(nil), l.lines[over:]...)
		l.dropped += over
	}
	close(l.changed)
	l.changed = make(chan struct{})
}

// from returns the lines after a place in the log, the new place, and a channel that is closed at the next change.
func (l *logRing) from(place int) ([]logLine, int, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	skip := max(place-l.dropped, 0)
	skip = min(skip, len(l.lines))
	return append([]logLine(nil), l.lines[skip:]...), l.dropped + len(l.lines), l.changed
}

// text is all of it, as logcat shows it.
func (l *logRing) text() string {
	lines, _, _ := l.from(0)
	var b strings.Builder
	for _, one := range lines {
		b.WriteString(one.format("threadtime"))
	}
	return b.String()
}

func (l *logRing) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dropped += len(l.lines)
	l.lines = nil
}

type logcatOptions struct {
	format string
	dump   bool
	clear  bool
	tail   int       // -t/-T N; -1: all
	since  time.Time // -t/-T time
	filter map[string]byte
	rest   byte // priority for tags without a filter of their own
	pid    int
	crash  bool // the buffer crash is read
	main   bool // the others are
}

func cmdLogcat(c *call) int {
	o, problem := parseLogcat(c.args[1:])
	if problem != "" {
		return c.fail(1, "%s", problem)
	}
	if o.clear {
		c.sys.log.clear()
		return 0
	}
	if o.main {
		c.printf("--------- beginning of main\n")
	} else {
		c.printf("--------- beginning of crash\n")
	}
	place := 0
	for first := true; ; first = false {
		lines, next, changed := c.sys.log.from(place)
		place = next
		if first && o.tail >= 0 && len(lines) > o.tail {
			lines = lines[len(lines)-o.tail:]
		}
		for _, line := range lines {
			if line.at.Before(o.since) || !o.wants(line) {
				continue
			}
			if _, err := io.WriteString(c.out, line.format(o.format)); err != nil {
				return 1
			}
		}
		if o.dump {
			return 0
		}
		select {
		case <-c.ctx.Done():
			return 128 + signalOf(c.ctx)
		case <-changed:
		}
	}
}

const priorities = "VDIWEFS"

func (o logcatOptions) wants(line logLine) bool {
	least, ok := o.filter[line.tag]
	if !ok {
		least = o.rest
	}
	if line.buffer == "crash" && !o.crash || line.buffer == "" && !o.main {
		return false
	}
	return strings.IndexByte(priorities, line.pri) >= strings.IndexByte(priorities, least) &&
		(o.pid == 0 || o.pid == line.pid)
}

func parseLogcat(args []string) (logcatOptions, string) {
	o := logcatOptions{format: "threadtime", tail: -1, filter: map[string]byte{}, rest: 'V'}
	given := args
	for len(args) > 0 {
		opt := args[0]
		args = args[1:]
		name, value, inline := strings.Cut(opt, "=")
		if !inline && len(opt) > 2 && opt[0] == '-' && opt[1] != '-' {
			name, value, inline = opt[:2], opt[2:], true
		}
		need := func() bool {
			if !inline && len(args) > 0 {
				value, args, inline = args[0], args[1:], true
			}
			return inline
		}
		switch name {
		case "-d":
			o.dump = true
		case "-c", "--clear":
			o.clear = true
		case "-v", "--format":
			if !need() {
				return o, "logcat: option requires an argument -- 'v'"
			}
			if !strings.Contains(" brief threadtime time raw tag process long ", " "+value+" ") {
				if strings.Contains(" year UTC epoch usec color zone printable uid descriptive monotonic ", " "+value+" ") {
					continue // adverbs
				}
				return o, fmt.Sprintf("Invalid parameter %q to -v", value)
			}
			o.format = value
		case "-b", "--buffer":
			if !need() {
				return o, "logcat: option requires an argument -- 'b'"
			}
			if !knownBuffers(value) {
				return o, fmt.Sprintf("unknown buffer %s", value)
			}
			for name := range strings.SplitSeq(value, ",") {
				all := name == "all" || name == "default"
				o.crash = o.crash || all || name == "crash"
				o.main = o.main || all || name == "main" || name == "system"
			}
		case "-t", "-T":
			if !need() {
				return o, "logcat: option requires an argument -- '" + name[1:] + "'"
			}
			if problem := o.parseTail(value); problem != "" {
				return o, problem
			}
			o.dump = o.dump || name == "-t"
		case "--pid":
			if !need() {
				return o, "logcat: option '--pid' requires an argument"
			}
			pid, err := strconv.Atoi(value)
			if err != nil || pid <= 0 {
				return o, fmt.Sprintf("pid %s not in range", value)
			}
			o.pid = pid
		case "-s":
			o.rest = 'S'
			if inline {
				o.addFilter(value)
			}
		default:
			if strings.HasPrefix(opt, "-") {
				return o, "logcat: unrecognized option '" + opt + "'"
			}
			o.addFilter(opt)
		}
	}
	if !strings.Contains(" "+strings.Join(given, " "), " -b") && !strings.Contains(" "+strings.Join(given, " "),
		" --buffer") {
		o.crash, o.main = true, true // as well as system
	}
	return o, ""
}

func knownBuffers(list string) bool {
	for name := range strings.SplitSeq(list, ",") {
		if !strings.Contains(" all default main system crash events radio kernel security stats ", " "+name+" ") {
			return false
		}
	}
	return true
}

func (o *logcatOptions) parseTail(value string) string {
	if n, err := strconv.Atoi(value); err == nil {
		o.tail = max(n, 1)
		return ""
	}
	for _, layout := range []string{"01-02 15:04:05.999999999", "2006-01-02 15:04:05.999999999"} {
		t, err := time.ParseInLocation(layout, value, time.Local)
		if err != nil {
			continue
		}
		if t.Year() == 0 {
			t = t.AddDate(time.Now().Year(), 0, 0)
		}
		o.since = t
		return ""
	}
	if f, err := strconv.ParseFloat(value, 64); err == nil {
		o.since = time.UnixMicro(int64(f * 1e6))
		return ""
	}
	return fmt.Sprintf("-T %q not in time format", value)
}

func (o *logcatOptions) addFilter(spec string) {
	tag, pri, ok := strings.Cut(spec, ":")
	least := byte('V')
	if ok && pri != "" && strings.Contains(priorities, strings.ToUpper(pri[:1])) {
		least = strings.ToUpper(pri)[0]
	}
	if tag == "*" {
		o.rest = least
		return
	}
	o.filter[tag] = least
}

func (l logLine) format(kind string) string {
	at := l.at.Format("01-02 15:04:05.000")
	switch kind {
	case "brief":
		return fmt.Sprintf("%c/%-8s(%5d): %s\n", l.pri, l.tag, l.pid, l.text)
	case "time":
		return fmt.Sprintf("%s %c/%-8s(%5d): %s\n", at, l.pri, l.tag, l.pid, l.text)
	case "raw":
		return l.text + "\n"
	case "tag":
		return fmt.Sprintf("%c/%-8s: %s\n", l.pri, l.tag, l.text)
	case "process":
		return fmt.Sprintf("%c(%5d) %s  (%s)\n", l.pri, l.pid, l.text, l.tag)
	case "long":
		return fmt.Sprintf("[ %s %5d:%5d %c/%-8s ]\n%s\n\n", at, l.pid, l.tid, l.pri, l.tag, l.text)
	default:
		return fmt.Sprintf("%s %5d %5d %c %-8s: %s\n", at, l.pid, l.tid, l.pri, l.tag, l.text)
	}
}

func cmdLog(c *call) int {
	pri, tag, args := byte('I'), "log", c.args[1:]
	for len(args) > 1 && strings.HasPrefix(args[0], "-") {
		switch args[0] {
		case "-p":
			if len(args[1]) != 1 || !strings.Contains("vdiwefs", strings.ToLower(args[1])) {
				return c.fail(1, "log: bad -p '%s'", args[1])
			}
			pri = strings.ToUpper(args[1])[0]
		case "-t":
			tag = args[1]
		default:
			return c.fail(1, "log: Unknown option '%s' (see \"log --help\")", args[0][1:])
		}
		args = args[2:]
	}
	c.sys.log.write(logLine{pid: c.pid, pri: pri, tag: tag, text: strings.Join(args, " ")})
	return 0
}
