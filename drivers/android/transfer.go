package android

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"

	"al.essio.dev/pkg/shellescape"
	"github.com/electricbubble/gadb"

	"github.com/taproot-dev/taproot/drivers"
)

const pullLimit = 2 << 30

// pull copies a file from the device to a local path, which is not left behind when it fails.
func (l *link) pull(ctx context.Context, remote, local string) error {
	f, err := os.OpenFile(local, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	err = l.pullTo(ctx, remote, f)
	err = errors.Join(err, f.Close())
	if err != nil {
		err = errors.Join(err, os.Remove(local))
	}
	return err
}

func (l *link) pullTo(ctx context.Context, remote string, w io.Writer) error {
	err := l.withGADB(ctx, func(client gadb.Client) error {
		devices, err := client.DeviceList()
		if err != nil {
			return err
		}
		for _, dev := range devices {
			if dev.Serial() == l.serial {
				return dev.Pull(remote, &limited{w: w, left: pullLimit})
			}
		}
		return errUnlisted
	})
	if errors.Is(err, errUnlisted) {
		return l.cat(ctx, remote, w)
	}
	if err != nil {
		if _, why, refused := strings.Cut(err.Error(), "status (fail): "); refused { // gadb's word for what the phone says
			return fmt.Errorf("device %s: %w: pull %s: %s", l.serial, drivers.ErrNoFile, remote, why)
		}
		return l.fault(ctx, "pull "+remote, err)
	}
	return nil
}

// errUnlisted is for devices that gadb's list leaves out: those which tell adb neither a product nor a model.
var errUnlisted = errors.New("gadb does not list the device")

func (l *link) cat(ctx context.Context, remote string, w io.Writer) error {
	p, err := l.start(ctx, "cat "+shellescape.Quote(remote))
	if err != nil {
		return l.fault(ctx, "cat "+remote, err)
	}
	said := &capped{max: stderrLimit, quiet: true}
	code, err := p.wait(&limited{w: w, left: pullLimit}, said)
	if err != nil {
		return l.fault(ctx, "cat "+remote, err)
	}
	if code != 0 {
		return fmt.Errorf("device %s: %w: cat %s: %s", l.serial, drivers.ErrNoFile, remote, output{errs: said.Bytes(), code: code}.reason())
	}
	return nil
}

type limited struct {
	w    io.Writer
	left int64
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= int64(len(p)); l.left < 0 {
		return 0, &tooLong{pullLimit}
	}
	return l.w.Write(p)
}

// withGADB lends do a gadb client whose every connection goes through a relay of ours. gadb knows neither contexts nor dial
// timeouts, dials TCP only, leaks the sockets of refused transports and panics at a negative length: with the relay the end of
// ctx ends all it does, and all it has opened is closed when do returns.
func (l *link) withGADB(ctx context.Context, do func(gadb.Client) error) (err error) {
	relay, err := newRelay(ctx, l.srv)
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
	return do(client)
}

// relay passes connections to a port of this machine on to the adb server.
type relay struct {
	host   string
	port   int
	cancel context.CancelFunc
	listen net.Listener
	work   sync.WaitGroup
}

func newRelay(ctx context.Context, srv *server) (*relay, error) {
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
			r.work.Go(func() { pass(ctx, srv, near) })
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

// pass copies both ways until either side ends.
func pass(ctx context.Context, srv *server, near net.Conn) {
	defer near.Close()
	far, err := srv.connect(ctx)
	if err != nil {
		return
	}
	defer far.Close()
	untie := context.AfterFunc(ctx, func() { near.Close() })
	defer untie()
	var back sync.WaitGroup
	back.Go(func() {
		_, _ = io.Copy(near, far.r)
		near.Close()
	})
	_, _ = io.Copy(far.nc, near)
	far.Close()
	back.Wait()
}
