//go:build !linux

package webkit

import (
	"context"
	"errors"
	"os"
	"os/exec"

	"github.com/taproot-dev/taproot/drivers"
)

// errLinux: WebKitGTK exists on Linux.
var errLinux = &drivers.Unavailable{What: "WebKit can be driven on Linux only", Fix: "use Chromium or Firefox here"}

// group is the processes of one browser, of which there are none here.
type group struct{ output tail }

type tail struct{}

func (tail) String() string { return "" }

func newGroup([]string) (*group, error) { return nil, errLinux }

func (*group) run(string, []string, []string, ...*os.File) (*exec.Cmd, error) { return nil, errLinux }

func (*group) display(context.Context, string, int, int) (string, error) { return "", errLinux }

func (*group) reap(*exec.Cmd, func()) {}

func (*group) failure(context.Context, string) error { return errLinux }

func (*group) end() error { return nil }

func listening(int) []int { return nil }

func poll(context.Context, <-chan struct{}, func() bool) error { return errors.New("it has ended") }
