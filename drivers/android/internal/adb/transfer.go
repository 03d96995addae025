package adb

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/electricbubble/gadb"

	"github.com/taproot-dev/taproot/drivers"
)

const pullLimit = 2 << 30

// Pull copies a file from the device to a local path, which is not left behind when it fails.
func (l *Link) Pull(ctx context.Context, remote, local string) error {
	f, err := os.OpenFile(local, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	err = l.PullTo(ctx, remote, f)
	err = errors.Join(err, f.Close())
	if err != nil {
		err = errors.Join(err, os.Remove(local))
	}
	return err
}

func (l *Link) PullTo(ctx context.Context, remote string, w io.Writer) error {
	err := l.withGADB(ctx, func(dev gadb.Device) error {
		return dev.Pull(remote, &limited{w: w, left: pullLimit})
	})
	if err != nil {
		if _, why, refused := strings.Cut(err.Error(), "status (fail): "); refused { // gadb's word for what the phone says
			return fmt.Errorf("device %s: %w: pull %s: %s", l.Serial, drivers.ErrNoFile, remote, why)
		}
		return l.Fault(ctx, "pull "+remote, err)
	}
	return nil
}

type limited struct {
	w    io.Writer
	left int64
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= int64(len(p)); l.left < 0 {
		return 0, &TooLong{pullLimit}
	}
	return l.w.Write(p)
}

// withGADB passes do a gadb device with all connections through a relay of ours. gadb knows neither contexts nor
// dial timeouts, dials TCP only, leaks the sockets of refused transports, panics at a negative length, and knows
// devices by serials alone: with the relay the end of ctx ends all it does, all it has opened is closed when do
// returns, and there is one device.
func (l *Link) withGADB(ctx context.Context, do func(gadb.Device) error) (err error) {
	relay, err := newRelay(ctx, l)
	if err != nil {
		return err
	}
	defer relay.close()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("adb answered what is not its protocol (%v)", r)
		}
	}()
	client, err := gadb.NewClientWith(relay.host, relay.port)
	if err != nil {
		return err
	}
	devices, err := client.DeviceList()
	if err != nil {
		return err
	}
	if len(devices) != 1 {
		return fmt.Errorf("gadb lists %d devices", len(devices))
	}
	return do(devices[0])
}

// relay passes connections to a port of this machine on to the adb server.
type relay struct {
	host   string
	port   int
	cancel context.CancelFunc
	listen net.Listener
	work   sync.WaitGroup
}

func newRelay(ctx context.Context, l *Link) (*relay, error) {
	listen, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	host, port, err := net.SplitHostPort(listen.Addr().String())
	if err != nil {
		return nil, errors.Join(err, listen.Close())
	}
	r := &relay{host: host, listen: listen}
	if r.port, err = strconv.Atoi(port); err != nil {
		return nil, errors.Join(err, listen.Close())
	}
	ctx, r.cancel = context.WithCancel(ctx)
	r.work.Go(func() {
		for {
			near, err := listen.Accept()
			if err != nil {
				return
			}
			r.work.Go(func() { pass(ctx, l, near) })
		}
	})
	context.AfterFunc(ctx, func() { listen.Close() })
	return r, nil
}

// close ends every connection and waits for them.
func (r *relay) close() {
	r.cancel()
	r.listen.Close()
	r.work.Wait()
}

// relayList is the list of devices that gadb gets: the one that it is for.
const relayList = "taproot device product:x model:x device:x\n"

// pass responds to requests for the list of devices itself, puts our own request for the device in place of gadb's, and
// copies both ways until either side ends.
func pass(ctx context.Context, l *Link, near net.Conn) {
	defer near.Close()
	untie := context.AfterFunc(ctx, func() { near.Close() })
	defer untie()
	asked := &Conn{Conn: near, r: bufio.NewReader(near)}
	request, err := asked.Counted()
	if err != nil {
		return
	}
	if request == "host:devices-l" {
		_, _ = fmt.Fprintf(near, "OKAY%04x%s", len(relayList), relayList)
		return
	}
	if strings.HasPrefix(request, "host:transport:") {
		if request, err = l.toDevice(ctx); err != nil {
			return
		}
	}
	far, err := l.Server.connect(ctx)
	if err != nil {
		return
	}
	defer far.Close()
	if _, err := fmt.Fprintf(far.Conn, "%04x%s", len(request), request); err != nil {
		return
	}
	var back sync.WaitGroup
	back.Go(func() {
		_, _ = io.Copy(near, far.r)
		near.Close()
	})
	_, _ = io.Copy(far.Conn, asked.r)
	far.Close()
	back.Wait()
}

// Push copies to a file on the device.
func (l *Link) Push(ctx context.Context, r io.Reader, remote string, modified time.Time) error {
	return l.withGADB(ctx, func(dev gadb.Device) error { return dev.Push(splitTail{r}, remote, modified, 0o644) })
}

// splitTail returns the end of a file apart from its last bytes: gadb drops bytes that come with it.
type splitTail struct{ r io.Reader }

func (l splitTail) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if n > 0 && errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}
