package adbd

import (
	"context"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/agent"
	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
	"github.com/taproot-dev/taproot/internal/sim/android/shell"
	"github.com/taproot-dev/taproot/internal/sim/android/spec"
	"github.com/taproot-dev/taproot/internal/sim/android/system"
	"github.com/taproot-dev/taproot/internal/sim/android/webview"
)

// Daemon is adbd, the phone's end of adb: it opens services for hosts.
type Daemon struct {
	Sys    *system.System
	Cable  *kernel.Cable
	Faults *spec.Faults
	Land   *shell.Userland
	Agents *agent.Agent
	Views  *webview.Views
	air    air
}

// Serial is the serial number of the phone.
func (d *Daemon) Serial() string { return d.Sys.Opts.Serial }

// service finds the service of a name such as "shell,v2,raw:id"; ok is false when adbd would refuse it.
func (d *Daemon) service(name string) (run kernel.ServiceFunc, ok bool) {
	kind, arg, _ := strings.Cut(name, ":")
	switch base, opts, _ := strings.Cut(kind, ","); base {
	case "shell":
		if strings.Contains(","+opts+",", ",v2,") {
			run = func(ctx context.Context, s kernel.Stream) { d.Land.ShellV2(ctx, s, arg) }
		} else {
			run = func(ctx context.Context, s kernel.Stream) { d.Land.ShellV1(ctx, s, arg, false) }
		}
	case "exec":
		run = func(ctx context.Context, s kernel.Stream) { d.Land.ShellV1(ctx, s, arg, true) }
	case "sync":
		run = d.syncService
	case "framebuffer":
		run = d.framebuffer
	case "reverse":
		run = func(_ context.Context, s kernel.Stream) { d.reverse(s, arg) }
	case "tcp":
		found := false
		if run, found = d.Agents.TCPService(arg); !found {
			return nil, false
		}
	case "localabstract":
		found := false
		if run, found = d.Views.AbstractSocket(arg); !found {
			return nil, false
		}
	case "reboot":
		run = func(ctx context.Context, s kernel.Stream) { d.dropAway(2 * time.Second) }
	case "tcpip", "usb", "root", "unroot", "remount":
		run = func(_ context.Context, s kernel.Stream) { adminService(s, base, arg) }
	default:
		return nil, false
	}
	run = d.slowed(run)
	// the agent counts its own work
	if !strings.HasPrefix(name, "tcp:") && !strings.HasPrefix(name, "localabstract:") &&
		!strings.Contains(name, "am instrument") {
		run = d.counted(run)
	}
	f, found := d.Faults.Match(name, false)
	if !found {
		return run, true
	}
	if f.Kind == spec.Refuse {
		return nil, false
	}
	return d.broken(run, f), true
}

// slowed sends no faster than the phone's connection.
func (d *Daemon) slowed(run kernel.ServiceFunc) kernel.ServiceFunc {
	if d.Sys.Opts.Bandwidth <= 0 {
		return run
	}
	return func(ctx context.Context, s kernel.Stream) {
		run(ctx, &slowSession{Stream: s, ctx: ctx, link: &d.air, rate: d.Sys.Opts.Bandwidth})
	}
}

// air is the connection that all services of a phone share.
type air struct {
	mu   sync.Mutex
	free time.Time // when all that was sent has arrived
}

// take waits until n bytes more have gone through.
func (a *air) take(ctx context.Context, n, rate int) bool {
	a.mu.Lock()
	now := time.Now()
	if a.free.Before(now) {
		a.free = now
	}
	a.free = a.free.Add(time.Duration(n) * time.Second / time.Duration(rate))
	wait := a.free.Sub(now)
	a.mu.Unlock()
	return kernel.Pause(ctx, wait)
}

type slowSession struct {
	kernel.Stream
	ctx  context.Context
	link *air
	rate int
}

// Write sends small pieces, so that the host sees what has arrived so far.
func (s *slowSession) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		n := min(len(rest), 32<<10)
		if !s.link.take(s.ctx, n, s.rate) {
			return len(b) - len(rest), kernel.ErrHostGone
		}
		if _, err := s.Stream.Write(rest[:n]); err != nil {
			return len(b) - len(rest), err
		}
		rest = rest[n:]
	}
	return len(b), nil
}

// broken wraps a service with a fault.
func (d *Daemon) broken(run kernel.ServiceFunc, f spec.Fault) kernel.ServiceFunc {
	switch f.Kind {
	case spec.Hang:
		return func(ctx context.Context, _ kernel.Stream) { <-ctx.Done() }
	case spec.Slow:
		return func(ctx context.Context, s kernel.Stream) {
			if kernel.Pause(ctx, f.Delay) {
				run(ctx, s)
			}
		}
	case spec.Garbage:
		return func(_ context.Context, s kernel.Stream) {
			noise := make([]byte, max(f.Bytes, 64))
			rng := rand.New(rand.NewPCG(1, 2))
			for i := range noise {
				noise[i] = byte(rng.Uint32())
			}
			_, _ = s.Write(noise)
		}
	case spec.Drop:
		return func(ctx context.Context, s kernel.Stream) {
			if f.Bytes > 0 {
				d.cutAfter(ctx, run, s, f.Bytes)
			}
			d.dropAway(f.Away)
		}
	default:
		return func(ctx context.Context, s kernel.Stream) { d.cutAfter(ctx, run, s, f.Bytes) }
	}
}

// cutAfter runs a service with output that ends after so many bytes.
func (d *Daemon) cutAfter(ctx context.Context, run kernel.ServiceFunc, s kernel.Stream, limit int) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	run(ctx, &cutSession{Stream: s, left: limit, cut: func() { cancel(kernel.Killed(kernel.SigHUP)) }})
}

type cutSession struct {
	kernel.Stream
	mu   sync.Mutex
	left int
	cut  func()
}

func (c *cutSession) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(b) < c.left {
		c.left -= len(b)
		return c.Stream.Write(b)
	}
	if c.left > 0 {
		_, _ = c.Stream.Write(b[:c.left])
	}
	c.left = 0
	c.cut()
	return 0, kernel.ErrHostGone
}

func adminService(s kernel.Stream, name, arg string) {
	switch name {
	case "tcpip":
		_, _ = io.WriteString(s, "restarting in TCP mode port: "+arg+"\n")
	case "usb":
		_, _ = io.WriteString(s, "restarting in USB mode\n")
	case "root":
		_, _ = io.WriteString(s, "adbd cannot run as root in production builds\n")
	case "unroot":
		_, _ = io.WriteString(s, "adbd not running as root\n")
	case "remount":
		_, _ = io.WriteString(s, "remount failed\n")
	}
}

// reverse refuses what it cannot give, with the messages of adbd.
func (d *Daemon) reverse(s kernel.Stream, arg string) {
	switch cmd, _, _ := strings.Cut(arg, ":"); cmd {
	case "list-forward":
		_, _ = io.WriteString(s, "OKAY0000")
	case "killforward-all":
		_, _ = io.WriteString(s, "OKAY")
	case "killforward":
		_, _ = io.WriteString(s, "FAIL"+hex4("listener '"+strings.TrimPrefix(arg, "killforward:")+"' not found"))
	case "forward":
		_, _ = io.WriteString(s, "FAIL"+hex4("cannot bind listener: Permission denied"))
	default:
		_, _ = io.WriteString(s, "FAIL"+hex4("not a reverse forwarding command"))
	}
}

// counted wraps a service so that its time counts as the phone's.
func (d *Daemon) counted(run kernel.ServiceFunc) kernel.ServiceFunc {
	return func(ctx context.Context, s kernel.Stream) {
		defer d.Sys.Busy.Work()()
		run(ctx, s)
	}
}

// dropAway breaks all connections and keeps the phone away for as long as the fault says.
func (d *Daemon) dropAway(away time.Duration) {
	if away == 0 {
		d.Cable.DropAll()
		return
	}
	before := d.Cable.State()
	d.Cable.SetState(kernel.StateAbsent)
	if away > 0 {
		d.Sys.Work.Run(func() {
			if kernel.Pause(d.Sys.Ctx, away) {
				d.Cable.SetState(before)
			}
		})
	}
}

// framebuffer is the service behind the old screenshots: a header of version 2 and the pixels, again for every byte
// asked.
func (d *Daemon) framebuffer(ctx context.Context, s kernel.Stream) {
	if d.Sys.Opts.EffectiveSecure() != spec.SecureBlack && d.Sys.Forbidden() {
		return // the program behind it writes nothing
	}
	img := d.Sys.Captured()
	size := img.Rect.Size()
	// version, bpp, colour space, size, width, height, then offset and length of red, blue, green and alpha
	head := []uint32{2, 32, 0, uint32(len(img.Pix)), uint32(size.X), uint32(size.Y), 0, 8, 16, 8, 8, 8, 24, 8}
	var out []byte
	for _, v := range head {
		out = binary.LittleEndian.AppendUint32(out, v)
	}
	if _, err := s.Write(append(out, img.Pix...)); err != nil || ctx.Err() != nil {
		return
	}
}
