package shell

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
)

// options splits short options (clustered or not) from the rest; unknown ones end the command as toybox does.
func (c *call) options(known string) (set map[byte]bool, rest []string, ok bool) {
	set = map[byte]bool{}
	args := c.args[1:]
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		if args[0] == "--" {
			args = args[1:]
			break
		}
		for i := 1; i < len(args[0]); i++ {
			if !strings.Contains(known, args[0][i:i+1]) {
				c.errorf("%s: Unknown option '%s' (see \"%s --help\")\n", c.args[0], args[0][i:], c.args[0])
				return nil, nil, false
			}
			set[args[0][i]] = true
		}
		args = args[1:]
	}
	return set, args, true
}

func cmdCat(c *call) int {
	_, files, ok := c.options("uetv")
	if !ok {
		return 1
	}
	if len(files) == 0 {
		files = []string{"-"}
	}
	code := 0
	for _, name := range files {
		if name == "-" {
			if _, err := io.Copy(c.out, c.in); err != nil {
				return 1
			}
			continue
		}
		data, err := c.readFile(name)
		if err != nil {
			code = c.fail(1, "cat: %s: %s", name, kernel.Reason(err))
			continue
		}
		if _, err := c.out.Write(data); err != nil {
			return 1
		}
	}
	return code
}

// readFile reads one of the files that commands take, and those of the kernel.
func (c *call) readFile(name string) ([]byte, error) {
	if c.path(name) == "/proc/net/unix" {
		return []byte(c.land.Views.UnixSockets()), nil
	}
	if stat, ok := c.sys.ProcStat(name); ok {
		return []byte(stat), nil
	}
	return c.sys.Files.Read(c.path(name))
}

func cmdRm(c *call) int {
	set, files, ok := c.options("fiRrv")
	if !ok {
		return 1
	}
	if len(files) == 0 && !set['f'] {
		return c.fail(1, "rm: Needs 1 argument (see \"rm --help\")")
	}
	code := 0
	for _, name := range files {
		err := c.sys.Files.Remove(c.path(name), set['r'] || set['R'])
		if err == nil || set['f'] && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		code = c.fail(1, "rm: %s: %s", name, kernel.Reason(err))
	}
	return code
}

func cmdMkdir(c *call) int {
	set, dirs, ok := c.options("pvm")
	if !ok {
		return 1
	}
	if len(dirs) == 0 {
		return c.fail(1, "mkdir: Needs 1 argument (see \"mkdir --help\")")
	}
	code := 0
	for _, name := range dirs {
		if err := c.sys.Files.Mkdir(c.path(name), set['p']); err != nil {
			code = c.fail(1, "mkdir: '%s': %s", name, kernel.Reason(err))
		}
	}
	return code
}

func cmdLs(c *call) int {
	set, names, ok := c.options("1aAdlhRt")
	if !ok {
		return 1
	}
	if len(names) == 0 {
		names = []string{c.dir}
	}
	code := 0
	for _, name := range names {
		at := c.path(name)
		info, err := c.sys.Files.Stat(at)
		if err == nil && info.IsDir() && !set['d'] {
			var infos []kernel.FileInfo
			if infos, err = c.sys.Files.List(at); err == nil {
				if set['l'] {
					c.printf("total %d\n", len(infos)*4)
				}
				for _, i := range infos {
					c.lsLine(set, i, i.Name())
				}
				continue
			}
		}
		if err != nil {
			code = c.fail(1, "ls: %s: %s", name, kernel.Reason(err))
			continue
		}
		c.lsLine(set, info, name)
	}
	return code
}

func (c *call) lsLine(set map[byte]bool, i kernel.FileInfo, name string) {
	if !set['l'] {
		c.printf("%s\n", name)
		return
	}
	mode := []byte("-" + i.Mode().Perm().String()[1:])
	if i.IsDir() {
		mode[0] = 'd'
	}
	c.printf("%s 1 shell shell %6d %s %s\n", mode, i.Size(), i.ModTime().Format("2006-01-02 15:04"), name)
}

func cmdStat(c *call) int {
	args := c.args[1:]
	format := ""
	if len(args) > 1 && args[0] == "-c" {
		format, args = args[1], args[2:]
	}
	if len(args) == 0 {
		return c.fail(1, "stat: Needs 1 argument (see \"stat --help\")")
	}
	code := 0
	for _, name := range args {
		i, err := c.sys.Files.Stat(c.path(name))
		if err != nil {
			code = c.fail(1, "stat: '%s': %s", name, kernel.Reason(err))
			continue
		}
		if format != "" {
			c.printf("%s\n", strings.NewReplacer("%s", strconv.FormatInt(i.Size(), 10), "%Y",
				strconv.FormatInt(i.ModTime().Unix(), 10),
				"%n", name, "%a", fmt.Sprintf("%o", i.Mode().Perm()), "%i", strconv.FormatUint(i.Num, 10)).Replace(format))
			continue
		}
		c.printf(
			"  File: %s\n  Size: %d\t Blocks: %d\t IO Blocks: 512\t%s\n Modify: %s\n",
			name,
			i.Size(),
			(i.Size()+511)/512,
			map[bool]string{true: "directory", false: "regular file"}[i.IsDir()],
			i.ModTime().Format("2006-01-02 15:04:05.000000000 -0700"),
		)
	}
	return code
}

func cmdSleep(c *call) int {
	if len(c.args) < 2 {
		return c.fail(1, "sleep: Needs 1 argument (see \"sleep --help\")")
	}
	total := time.Duration(0)
	for _, a := range c.args[1:] {
		d, err := time.ParseDuration(a)
		if err != nil {
			d, err = time.ParseDuration(a + "s")
		}
		if err != nil || d < 0 {
			return c.fail(1, "sleep: bad number '%s'", a)
		}
		total += d
	}
	if !c.pass(total) {
		return 128 + kernel.SignalOf(c.ctx)
	}
	return 0
}

func cmdID(c *call) int {
	if len(c.args) > 1 && c.args[1] == "-u" {
		c.printf("2000\n")
		return 0
	}
	c.printf("uid=2000(shell) gid=2000(shell) groups=2000(shell),1004(input),1007(log),1011(adb),1015(sdcard_rw) " +
		"context=u:r:shell:s0\n")
	return 0
}

func cmdDate(c *call) int {
	now := time.Now()
	if len(c.args) == 1 {
		c.printf("%s\n", now.Format("Mon Jan _2 15:04:05 MST 2006"))
		return 0
	}
	format, ok := strings.CutPrefix(c.args[len(c.args)-1], "+")
	if !ok {
		return c.fail(1, "date: bad date '%s'", c.args[len(c.args)-1])
	}
	c.printf("%s\n", strings.NewReplacer("%s", strconv.FormatInt(now.Unix(), 10), "%N",
		fmt.Sprintf("%09d", now.Nanosecond()),
		"%Y", now.Format("2006"), "%m", now.Format("01"), "%d", now.Format("02"), "%H", now.Format("15"),
		"%M", now.Format("04"), "%S", now.Format("05"), "%z", now.Format("-0700")).Replace(format))
	return 0
}

func cmdDf(c *call) int {
	if c.sys.Files.IsFull() {
		c.printf("Filesystem     1K-blocks     Used Available Use%% Mounted on\n/dev/block/dm-5 114567160 114567160        " +
			"0 100%% /data\n")
		return 0
	}
	c.printf("Filesystem     1K-blocks     Used Available Use%% Mounted on\n/dev/block/dm-5 114567160 31250404  " +
		"83316756 " +
		" 28%% /data\n/dev/fuse       114567160 31250404  83316756  28%% /storage/emulated\n")
	return 0
}

// cmdSh is sh -c SCRIPT [NAME ARG…], or a script from stdin.
func cmdSh(c *call) int {
	args := c.args[1:]
	script, params := "", []string(nil)
	switch {
	case len(args) > 1 && args[0] == "-c":
		script, params = args[1], args[min(3, len(args)):]
	case len(args) == 1 && args[0] == "-c":
		return c.fail(1, "/system/bin/sh: -c: requires argument")
	case len(args) > 0:
		data, err := c.sys.Files.Read(c.path(args[0]))
		if err != nil {
			return c.fail(127, "/system/bin/sh: %s: %s", args[0], kernel.Reason(err))
		}
		script, params = string(data), args[1:]
	default:
		data, err := io.ReadAll(io.LimitReader(c.in, 1<<20))
		if err != nil {
			return 1
		}
		script = string(data)
	}
	sub := &shell{
		sys:  c.sys,
		land: c.land,
		pid:  c.pid,
		in:   c.shell.in,
		out:  c.out,
		err:  &complaints{w: c.err},
		exec: c.exec,
	}
	return sub.run(c.ctx, script, params...)
}
