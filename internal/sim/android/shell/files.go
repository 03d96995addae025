package shell

import (
	"context"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/interp"

	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
)

func (s *shell) openFile(ctx context.Context, name string, flag int, perm os.FileMode) (io.ReadWriteCloser, error) {
	at := kernel.Resolve(interp.HandlerCtx(ctx).Dir, name)
	if at == "/dev/tty" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: shellError{name, "can't open", "No such device or address"}}
	}
	f, err := s.sys.Files.Open(at, flag, perm)
	if err != nil {
		verb := "can't open"
		if flag&os.O_CREATE != 0 {
			verb = "can't create"
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: shellError{name, verb, kernel.Reason(err)}}
	}
	return f, nil
}

// shellError is worded by the writer that the shell's own complaints go through, see complaints.
type shellError struct{ name, verb, reason string }

func (e shellError) Error() string {
	return "/system/bin/sh: " + e.verb + " " + e.name + ": " + e.reason
}

// complaints takes the wrapping off errors that the interpreter prints ("open X: /system/bin/sh: …").
type complaints struct {
	mu sync.Mutex
	w  io.Writer
}

func (c *complaints) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := string(b)
	if i := strings.Index(text, ": /system/bin/sh: can't "); i > 0 && strings.HasPrefix(text, "open ") {
		text = text[i+2:]
	}
	if _, err := io.WriteString(c.w, text); err != nil {
		return 0, err
	}
	return len(b), nil
}

func (s *shell) statFile(_ context.Context, name string, _ bool) (fs.FileInfo, error) {
	info, err := s.sys.Files.Stat(kernel.Resolve("/", name))
	if err != nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	return info, nil
}

func (s *shell) access(_ context.Context, name string, mode interp.AccessMode) error {
	name = kernel.Resolve("/", name)
	info, err := s.sys.Files.Stat(name)
	switch {
	case err != nil:
		return err
	case mode&interp.AccessExec != 0 && !info.IsDir():
		return fs.ErrPermission
	case mode&interp.AccessWrite != 0 && !kernel.Writable(name+"/x"):
		return fs.ErrPermission
	}
	return nil
}

func (s *shell) readDir(_ context.Context, name string) ([]fs.DirEntry, error) {
	infos, err := s.sys.Files.List(kernel.Resolve("/", name))
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	var out []fs.DirEntry
	for _, info := range infos {
		out = append(out, fs.FileInfoToDirEntry(info))
	}
	return out, nil
}

// cmdRmdir removes folders that are empty.
func cmdRmdir(c *call) int {
	code := 0
	for _, name := range c.args[1:] {
		inside, err := c.sys.Files.List(c.path(name))
		if err == nil && len(inside) > 0 {
			err = kernel.Errno("Directory not empty")
		}
		if err == nil {
			err = c.sys.Files.Remove(c.path(name), true)
		}
		if err != nil {
			code = c.fail(1, "rmdir: '%s': %s", name, kernel.Reason(err))
		}
	}
	return code
}
