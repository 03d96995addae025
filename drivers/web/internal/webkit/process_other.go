//go:build !linux

package webkit

import (
	"context"
	"os"
	"os/exec"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/phrase"
)

// errLinux: WebKitGTK exists on Linux.
var errLinux = &drivers.Unavailable{What: "WebKit can be driven on Linux only", Fix: "use Chromium or Firefox here"}

// group is programs in a process group of their own, of which there are none here.
type group struct {
	dir    string
	output *phrase.Tail
}

func newGroup() (*group, error) { return nil, errLinux }

func (*group) speak(string) ([]string, error) { return nil, errLinux }

func (*group) run(string, []string, []string, ...*os.File) (*exec.Cmd, error) { return nil, errLinux }

func (*group) reap(*exec.Cmd, func()) {}

func (*group) failure(context.Context, string) error { return errLinux }

func (*group) end() error { return nil }

func listening(int) []int { return nil }
