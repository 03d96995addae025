package iossim

import (
	"context"
	"net"
	"os"
	"path/filepath"

	"github.com/taproot-dev/taproot/internal/sim/ios/device"
	"github.com/taproot-dev/taproot/internal/sim/ios/host"
	"github.com/taproot-dev/taproot/internal/sim/ios/inspector"
	"github.com/taproot-dev/taproot/internal/sim/ios/tools"
	"github.com/taproot-dev/taproot/internal/sim/ios/wda"
)

// Lab is a machine with devices attached. Close ends it.
type Lab struct {
	*host.Host
	socket   string
	listener net.Listener
	end      context.CancelFunc
	devices  []*Device
}

// Device is one simulator or iPhone. Everything that happens on it happens under its lock, as all that a WebDriverAgent
// does happens on one thread.
type Device struct {
	*device.Witness
	*device.User
	*wda.Agent
	*inspector.Daemon
}

// New makes a lab with its files in dir.
func New(dir string, opts Options) (*Lab, error) {
	if len(opts.Devices) == 0 {
		opts.Devices = []DeviceOptions{{}}
	}
	sockets, err := os.MkdirTemp("", "ios") // a socket's name must be short
	if err != nil {
		return nil, err
	}
	l := &Lab{Host: &host.Host{Dir: dir}, socket: filepath.Join(sockets, "lab")}
	l.Ctx, l.end = context.WithCancel(context.Background())
	if l.listener, err = net.Listen("unix", l.socket); err != nil {
		return nil, err
	}
	m := &tools.Machine{Host: l.Host, Opts: opts}
	for i, o := range opts.Devices {
		d := tools.Attach(l.Host, i, o)
		m.Phones = append(m.Phones, d)
		l.devices = append(
			l.devices,
			&Device{Witness: &device.Witness{Dev: d.Device}, User: &device.User{Dev: d.Device}, Agent: d.Agent,
				Daemon: d.Inspector},
		)
	}
	l.Work.Go(func() { m.Serve(l.listener) })
	return l, nil
}

// Close ends everything that the lab runs.
func (l *Lab) Close() {
	l.end()
	l.listener.Close()
	for _, d := range l.devices {
		d.StopAgent()
		d.CloseAll()
	}
	l.Work.Wait()
	os.RemoveAll(filepath.Dir(l.socket))
}

// Device returns a device by its place in Options.
func (l *Lab) Device(i int) *Device { return l.devices[i] }

// Environ is an environment in which the programs in bin are on the PATH and find the lab.
func (l *Lab) Environ(bin string, more ...string) []string {
	return append([]string{"PATH=" + bin, "HOME=" + l.Dir, host.SocketVariable + "=" + l.socket}, more...)
}
