package webkit

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

// margin is how much larger than the page the display is: for the frame and the toolbar of the window, and for windows
// that a page makes larger.
const margin = 200

// maxIdle is how many displays are kept for contexts to come.
const maxIdle = 4

// display is an X server. It serves the programs of one context, and those of another one after their end: what a
// program puts on a display ends with it, and Taproot moves no mouse and presses no key of the display itself.
type display struct {
	group *group
	name  string
	size  image.Point // of the pages that it is for
	ended chan struct{}
}

// env is by what programs find the display, and are let in.
func (d *display) env() []string {
	return []string{"DISPLAY=" + d.name, "XAUTHORITY=" + d.group.xauthority()}
}

// displays are those of a browser that no context uses.
type displays struct {
	server string // the path of Xvfb

	mu     sync.Mutex
	idle   []*display
	closed bool
}

// take returns a display for pages of a size, which is started where none is kept.
func (d *displays) take(ctx context.Context, size image.Point) (*display, error) {
	d.mu.Lock()
	for i, one := range d.idle {
		if one.size == size && one.lives() {
			d.idle = append(d.idle[:i], d.idle[i+1:]...)
			d.mu.Unlock()
			return one, nil
		}
	}
	d.mu.Unlock()
	return startDisplay(ctx, d.server, size)
}

func (d *display) lives() bool {
	select {
	case <-d.ended:
		return false
	default:
		return true
	}
}

// put takes a display back that no program uses any more.
func (d *displays) put(one *display) error {
	d.mu.Lock()
	var over *display
	switch {
	case d.closed || !one.lives():
		over = one
	default:
		d.idle = append(d.idle, one)
		if len(d.idle) > maxIdle {
			over, d.idle = d.idle[0], d.idle[1:]
		}
	}
	d.mu.Unlock()
	if over == nil {
		return nil
	}
	return over.group.end()
}

// close ends all displays; those that are in use end when they are put back.
func (d *displays) close() error {
	d.mu.Lock()
	list := d.idle
	d.idle, d.closed = nil, true
	d.mu.Unlock()
	var errs []error
	for _, one := range list {
		errs = append(errs, one.group.end())
	}
	return errors.Join(errs...)
}

// startDisplay starts an X server in a group of its own.
func startDisplay(ctx context.Context, server string, size image.Point) (_ *display, err error) {
	g, err := newGroup()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = g.end()
		}
	}()
	if err := os.WriteFile(g.xauthority(), xauthority(), 0o600); err != nil {
		return nil, err
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	cmd, err := g.run(server, []string{"-displayfd", "3", "-screen", "0",
		fmt.Sprintf("%dx%dx24", size.X+margin, size.Y+margin), "-nolisten", "tcp", "-noreset", "-auth", g.xauthority()}, nil,
		writer)
	_ = writer.Close()
	if err != nil {
		return nil, err
	}
	d := &display{group: g, size: size, ended: make(chan struct{})}
	g.reap(cmd, func() { close(d.ended) })
	stop := context.AfterFunc(ctx, func() { _ = reader.SetReadDeadline(time.Now()) })
	defer stop()
	line, err := bufio.NewReader(reader).ReadString('\n')
	number, bad := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || bad != nil {
		return nil, g.failure(ctx, "Xvfb")
	}
	d.name = ":" + strconv.Itoa(number)
	return d, nil
}

// xauthority is the file by which programs are let in to the display of the group.
func (g *group) xauthority() string { return filepath.Join(g.dir, "xauthority") }

// xauthority is the content of such a file: an entry for any display, with a key of its own.
func xauthority() []byte {
	var b bytes.Buffer
	key := make([]byte, 16)
	_, _ = rand.Read(key)                                  // it does not fail
	_ = binary.Write(&b, binary.BigEndian, uint16(0xffff)) // any address
	for _, part := range [][]byte{nil, nil, []byte("MIT-MAGIC-COOKIE-1"), key} {
		_ = binary.Write(&b, binary.BigEndian, uint16(len(part)))
		b.Write(part)
	}
	return b.Bytes()
}

// poll calls ready until it returns true, the context ends, or the process of done has ended.
func poll(ctx context.Context, done <-chan struct{}, ready func() bool) error {
	for !ready() {
		select {
		case <-done:
			return errors.New("it has ended")
		default:
		}
		if err := drivers.Pause(ctx, startPoll); err != nil {
			return err
		}
	}
	return nil
}
