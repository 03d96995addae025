package shell

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
)

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
		c.sys.Log.Clear()
		return 0
	}
	if o.main {
		c.printf("--------- beginning of main\n")
	} else {
		c.printf("--------- beginning of crash\n")
	}
	place := 0
	for first := true; ; first = false {
		lines, next, changed := c.sys.Log.From(place)
		place = next
		if first && o.tail >= 0 && len(lines) > o.tail {
			lines = lines[len(lines)-o.tail:]
		}
		for _, line := range lines {
			if line.At.Before(o.since) || !o.wants(line) {
				continue
			}
			if _, err := io.WriteString(c.out, line.Format(o.format)); err != nil {
				return 1
			}
		}
		if o.dump {
			return 0
		}
		select {
		case <-c.ctx.Done():
			return 128 + kernel.SignalOf(c.ctx)
		case <-changed:
		}
	}
}

const priorities = "VDIWEFS"

func (o logcatOptions) wants(line kernel.LogLine) bool {
	least, ok := o.filter[line.Tag]
	if !ok {
		least = o.rest
	}
	if line.Buffer == "crash" && !o.crash || line.Buffer == "" && !o.main {
		return false
	}
	return strings.IndexByte(priorities, line.Pri) >= strings.IndexByte(priorities, least) &&
		(o.pid == 0 || o.pid == line.PID)
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
	c.sys.Log.Write(kernel.LogLine{PID: c.pid, Pri: pri, Tag: tag, Text: strings.Join(args, " ")})
	return 0
}
