package shell

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/taproot-dev/taproot/runner/pool"
)

// Folder returns the folder of the socket, which only the user can access. It is also that of the lease files.
func Folder(getenv func(string) string) string { return pool.LeaseDir(getenv) }

const (
	socketName = "shell.sock"
	memoryName = "shell.json"
	lockName   = "shell.lock"
	logName    = "shell.log"
)

// maxSocket is the longest path of a socket that all systems support.
const maxSocket = 100

// ErrHostile means that another user could replace the socket in the folder.
var ErrHostile = errors.New("is not safe")

// secure creates the folder, or checks that it belongs to the user and that no other user can write to it. A user who
// can write there could place a socket of their own in it, and read what is typed.
func secure(dir string) error {
	if len(filepath.Join(dir, socketName)) > maxSocket {
		return fmt.Errorf("the path of the socket in %s is longer than %d bytes: set XDG_RUNTIME_DIR to a shorter folder",
			dir, maxSocket)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s %w: it is a link or no folder; remove it", dir, ErrHostile)
	case !owned(info):
		return fmt.Errorf("%s %w: it belongs to another user; set XDG_RUNTIME_DIR to a folder of your own", dir, ErrHostile)
	case writable(info):
		return fmt.Errorf("%s %w: others could write to it; remove it, or set XDG_RUNTIME_DIR to a folder of your own", dir,
			ErrHostile)
	}
	return os.Chmod(dir, 0o700)
}

// socketOf returns the path of the socket in a checked folder. there reports whether it exists; it then belongs to the
// user.
func socketOf(dir string) (path string, there bool, err error) {
	if err := secure(dir); err != nil {
		return "", false, err
	}
	path = filepath.Join(dir, socketName)
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, false, nil
	case err != nil:
		return "", false, err
	case !owned(info):
		return "", false, fmt.Errorf("%s %w: it is another user's", path, ErrHostile)
	case !isSocket(info):
		return "", false, fmt.Errorf("%s %w: it is not a socket; remove it", path, ErrHostile)
	}
	return path, true, nil
}
