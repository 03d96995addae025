package shell

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
)

const noBase = "INSTALL_FAILED_INVALID_APK: Full install must include a base package"

// installSession is an installation of several files: they are staged, and installed together.
type installSession struct {
	replace, downgrade bool
	files              []stagedAPK
}

type stagedAPK struct {
	name string
	data []byte
}

func pmInstallCreate(c *call, args []string) int {
	s := &installSession{replace: c.sys.Prof.API >= 29}
	for ; len(args) > 0; args = args[1:] {
		switch {
		case args[0] == "-S" && len(args) > 1:
			if n, err := strconv.ParseInt(args[1], 10, 64); err != nil || n < 0 {
				return c.fail(1, "Error: invalid size %s", args[1])
			}
			args = args[1:]
		case (args[0] == "-i" || args[0] == "--user" || args[0] == "--abi") && len(args) > 1:
			args = args[1:]
		case args[0] == "-r":
			s.replace = true
		case args[0] == "-d":
			s.downgrade = true
		case args[0] == "-t", args[0] == "-g":
		default:
			return c.exception("java.lang.IllegalArgumentException: Unknown option "+args[0], "pm", "install-create")
		}
	}
	if c.sys.Files.IsFull() {
		return c.exception(
			"android.os.ParcelableException: java.io.IOException: Requested internal only, but not enough "+
				"space", "pm", "install-create")
	}
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	c.land.sessionsMade++
	id := 1_700_000_000 + c.land.sessionsMade
	c.land.sessions[id] = s
	c.printf("Success: created install session [%d]\n", id)
	return 0
}

// installSession finds a session; where there is none, code is what the command ends with. The phone's lock is held.
func (c *call) installSession(verb, id string) (s *installSession, number, code int) {
	number, err := strconv.Atoi(id)
	if err != nil {
		return nil, 0, c.exception(fmt.Sprintf("java.lang.NumberFormatException: For input string: %q", id), "pm", verb)
	}
	if s = c.land.sessions[number]; s == nil {
		return nil, 0, c.exception(fmt.Sprintf("java.lang.SecurityException: Caller has no access to session %d", number),
			"pm", verb)
	}
	return s, number, 0
}

// pmInstallWrite stages one file: install-write -S SIZE SESSION NAME -. A file that ends early is filled up with zeros,
// as the space for it was reserved: the phone finds that when it reads the file.
func pmInstallWrite(c *call, args []string) int {
	size := int64(-1)
	if len(args) > 1 && args[0] == "-S" {
		n, err := strconv.ParseInt(args[1], 10, 64)
		if err != nil || n < 0 || n > kernel.MaxDeviceFile {
			return c.fail(1, "Error: invalid size %s", args[1])
		}
		size, args = n, args[2:]
	}
	switch {
	case len(args) < 2:
		return c.exception("java.lang.IllegalArgumentException: Argument expected after \"\"", "pm", "install-write")
	case len(args) > 2 && args[2] != "-":
		return c.fail(1, "Error: Unable to open file: %s", args[2])
	case size <= 0:
		return c.fail(1, "Error: must specify an APK size")
	case strings.ContainsAny(args[1], "/\x00") || args[1] == "." || args[1] == "..":
		return c.exception("java.lang.IllegalArgumentException: Invalid name: "+args[1], "pm", "install-write")
	}
	c.sys.Mu.Lock()
	_, _, code := c.installSession("install-write", args[0])
	c.sys.Mu.Unlock()
	if code != 0 {
		return code
	}
	data := make([]byte, size)
	_, _ = io.ReadFull(c.in, data)
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	s, _, code := c.installSession("install-write", args[0]) // it may have been abandoned meanwhile
	if code != 0 {
		return code
	}
	s.files = slices.DeleteFunc(s.files, func(f stagedAPK) bool { return f.name == args[1] })
	s.files = append(s.files, stagedAPK{args[1], data})
	c.printf("Success: streamed %d bytes\n", size)
	return 0
}

// pmInstallCommit installs what was staged. The session ends in any case.
func pmInstallCommit(c *call, args []string) int {
	if len(args) == 0 {
		return c.exception("java.lang.IllegalArgumentException: Argument expected after \"install-commit\"", "pm",
			"install-commit")
	}
	c.sys.Mu.Lock()
	s, id, code := c.installSession("install-commit", args[0])
	delete(c.land.sessions, id)
	c.sys.Mu.Unlock()
	if code != 0 {
		return code
	}
	base, text, splits, problem := s.parse(id)
	if problem != "" {
		return c.failure(problem)
	}
	return c.installParsed(text, base, splits, s.replace, s.downgrade)
}

// parse reads the staged files: they must be one app.
func (s *installSession) parse(id int) (base apk, text string, splits []string, problem string) {
	seen := map[string]bool{}
	var first apk
	for i, f := range s.files {
		file := fmt.Sprintf("vmdl%d.tmp/%s", id, f.name)
		facts, problem := parseAPK(f.data, file)
		if problem != "" {
			return apk{}, "", nil, problem
		}
		if i == 0 {
			first = facts
		}
		invalid := "INSTALL_FAILED_INVALID_APK: /data/app/" + file
		switch {
		case seen[facts.split]:
			return apk{}, "", nil, fmt.Sprintf("INSTALL_FAILED_INVALID_APK: Split %s was defined multiple times",
				orNull(facts.split))
		case facts.name != first.name:
			return apk{}, "", nil, fmt.Sprintf("%s package %s inconsistent with %s", invalid, facts.name, first.name)
		case facts.code != first.code:
			return apk{}, "", nil, fmt.Sprintf("%s version code %d inconsistent with %d", invalid, facts.code, first.code)
		case facts.certificate != first.certificate:
			return apk{}, "", nil, invalid + " signatures are inconsistent"
		}
		seen[facts.split] = true
		if facts.split == "" {
			base, text = facts, string(f.data)
		} else {
			splits = append(splits, facts.split)
		}
	}
	switch {
	case len(s.files) == 0:
		return apk{}, "", nil, "INSTALL_FAILED_INVALID_APK: No packages staged"
	case !seen[""]:
		return apk{}, "", nil, noBase
	}
	slices.Sort(splits)
	return base, text, splits, ""
}

// orNull is a name as Java prints it.
func orNull(name string) string {
	if name == "" {
		return "null"
	}
	return name
}

func pmInstallAbandon(c *call, args []string) int {
	if len(args) == 0 {
		return c.exception("java.lang.IllegalArgumentException: Argument expected after \"install-abandon\"", "pm",
			"install-abandon")
	}
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	_, id, code := c.installSession("install-abandon", args[0])
	if code != 0 {
		return code
	}
	delete(c.land.sessions, id)
	c.printf("Success\n")
	return 0
}

// InstallSessions returns how many installations have started and neither ended nor been abandoned.
func (u *Userland) InstallSessions() int {
	u.sys.Mu.Lock()
	defer u.sys.Mu.Unlock()
	return len(u.sessions)
}
