package shell

import (
	"bufio"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
)

func cmdHeadTail(c *call) int {
	n, args := 10, c.args[1:]
	if len(args) > 1 && args[0] == "-n" {
		v, err := strconv.Atoi(strings.TrimPrefix(args[1], "+"))
		if err != nil || v < 0 {
			return c.fail(1, "%s: not integer: %s", c.args[0], args[1])
		}
		n, args = v, args[2:]
	}
	in := c.in
	if len(args) > 0 {
		data, err := c.sys.Files.Read(c.path(args[0]))
		if err != nil {
			return c.fail(1, "%s: %s: %s", c.args[0], args[0], kernel.Reason(err))
		}
		in = strings.NewReader(string(data))
	}
	var lines []string
	for sc := bufio.NewScanner(in); sc.Scan(); {
		if lines = append(lines, sc.Text()); c.args[0] == "head" && len(lines) >= n {
			break
		} else if len(lines) > n {
			lines = lines[1:]
		}
	}
	for _, l := range lines {
		c.printf("%s\n", l)
	}
	return 0
}

func cmdGrep(c *call) int {
	set, args, ok := c.options("aivqFcEn")
	if !ok {
		return 2
	}
	if len(args) == 0 {
		return c.fail(2, "grep: no REGEX")
	}
	in := c.in
	if len(args) > 1 {
		data, err := c.readFile(args[1])
		if err != nil {
			return c.fail(2, "grep: %s: %s", args[1], kernel.Reason(err))
		}
		in = strings.NewReader(string(data))
	}
	match, err := matcher(args[0], set)
	if err != nil {
		return c.fail(2, "grep: bad regex '%s'", args[0])
	}
	count := 0
	for sc := bufio.NewScanner(in); sc.Scan(); {
		if match(sc.Text()) == set['v'] {
			continue
		}
		if count++; !set['q'] && !set['c'] {
			c.printf("%s\n", sc.Text())
		}
	}
	if set['c'] {
		c.printf("%d\n", count)
	}
	if count == 0 {
		return 1
	}
	return 0
}

func cmdWc(c *call) int {
	set, files, ok := c.options("lwc")
	if !ok {
		return 1
	}
	data, err := io.ReadAll(io.LimitReader(c.in, kernel.MaxDeviceFile))
	if len(files) > 0 {
		data, err = c.sys.Files.Read(c.path(files[0]))
	}
	if err != nil {
		return c.fail(1, "wc: %s", kernel.Reason(err))
	}
	n := map[byte]int{'l': strings.Count(string(data), "\n"), 'w': len(strings.Fields(string(data))), 'c': len(data)}
	var cells []string
	for _, k := range []byte("lwc") {
		if set[k] || len(set) == 0 {
			cells = append(cells, strconv.Itoa(n[k]))
		}
	}
	c.printf("%s\n", strings.Join(append(cells, files...), " "))
	return 0
}

func cmdMv(c *call) int {
	_, args, ok := c.options("fin")
	if !ok {
		return 1
	}
	if len(args) != 2 {
		return c.fail(1, "%s: Needs 2 arguments (see \"%s --help\")", c.args[0], c.args[0])
	}
	from, to := c.path(args[0]), c.path(args[1])
	data, err := c.sys.Files.Read(from)
	if err != nil {
		return c.fail(1, "%s: bad '%s': %s", c.args[0], args[0], kernel.Reason(err))
	}
	if i, err := c.sys.Files.Stat(to); err == nil && i.IsDir() {
		to = path.Join(to, path.Base(from))
	}
	if err := c.sys.Files.Write(to, slices.Clone(data), 0o660); err != nil {
		return c.fail(1, "%s: bad '%s': %s", c.args[0], args[1], kernel.Reason(err))
	}
	if c.args[0] == "mv" {
		if err := c.sys.Files.Remove(from, false); err != nil {
			return c.fail(1, "mv: %s: %s", args[0], kernel.Reason(err))
		}
	}
	return 0
}

func matcher(pattern string, set map[byte]bool) (func(string) bool, error) {
	if set['F'] {
		pattern = regexp.QuoteMeta(pattern)
	}
	if set['i'] {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	return re.MatchString, nil
}
