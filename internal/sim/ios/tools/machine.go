package tools

import (
	"context"
	"encoding/json"
	"net"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/internal/sim/ios/apps"
	"github.com/taproot-dev/taproot/internal/sim/ios/device"
	"github.com/taproot-dev/taproot/internal/sim/ios/host"
	"github.com/taproot-dev/taproot/internal/sim/ios/inspector"
	"github.com/taproot-dev/taproot/internal/sim/ios/wda"
)

// Options describe a lab; the zero value is a Mac with one booted simulator.
type Options struct {
	Devices []device.Options
	// NoXcode takes simctl and devicectl away: xcrun is there, as with the command line tools alone.
	NoXcode bool
	// OldXcode takes devicectl away, as before Xcode 15.
	OldXcode bool
	// NoMux makes go-ios fail as without usbmuxd.
	NoMux bool
}

// Machine has the programs that reach devices: Xcode's, go-ios and ios_webkit_debug_proxy.
type Machine struct {
	Host   *host.Host
	Opts   Options
	Phones []*Attached
}

// Attached is a device with all that programs use of it.
type Attached struct {
	*device.Device
	Agent     *wda.Agent
	Inspector *inspector.Daemon
}

// Attach makes the device at a place of the options.
func Attach(h *host.Host, i int, o device.Options) *Attached {
	d := device.New(h, i, o, apps.Known())
	return &Attached{Device: d, Agent: wda.New(d), Inspector: inspector.New(d)}
}

// find returns a device by UDID.
func (m *Machine) find(udid string) *Attached {
	for _, d := range m.Phones {
		if d.Opts.UDID == udid {
			return d
		}
	}
	return nil
}

// webkitProxy is ios_webkit_debug_proxy.
func (m *Machine) webkitProxy(p *host.Program) int {
	i := slices.Index(p.Args, "-c")
	if i < 0 || i+1 == len(p.Args) {
		p.Warn("Usage: ios_webkit_debug_proxy [OPTIONS]\n")
		return 1
	}
	udid, port, _ := strings.Cut(p.Args[i+1], ":")
	d := m.find(udid)
	if d == nil || !d.Opts.Phone || d.Opts.Away {
		p.Wait() // for a device to come
		return 0
	}
	return d.Inspector.Proxy(p, udid, port)
}

// Serve takes the calls of the programs.
func (m *Machine) Serve(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		m.Host.Work.Go(func() { m.attend(conn) })
	}
}

func (m *Machine) attend(conn net.Conn) {
	defer conn.Close()
	ctx, cancel := context.WithCancel(m.Host.Ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	calls := json.NewDecoder(conn)
	var first host.Call
	if calls.Decode(&first) != nil {
		return
	}
	p := &host.Program{Args: first.Args, Ctx: ctx, Signals: make(chan string, 8), Enc: json.NewEncoder(conn),
		Env: map[string]string{}}
	for _, entry := range first.Env {
		name, value, _ := strings.Cut(entry, "=")
		p.Env[name] = value
	}
	go func() {
		defer cancel()
		for {
			var c host.Call
			if err := calls.Decode(&c); err != nil {
				return
			}
			select {
			case p.Signals <- c.Signal:
			default:
			}
		}
	}()
	defer m.Host.Entered(first.Name + " " + strings.Join(first.Args, " "))()
	code := m.program(first.Name, p)
	p.Send(host.Reply{Exit: &code})
}

// program runs one, with the faults that are armed for it.
func (m *Machine) program(name string, p *host.Program) int {
	line := name + " " + strings.Join(p.Args, " ")
	m.Host.Note("%s", line)
	fault, armed := m.Host.Fault(line)
	if armed {
		switch fault.Kind {
		case host.Hang:
			p.Wait()
			return 130
		case host.Slow:
			if !m.Host.Rest(p.Ctx, fault.For) {
				return 130
			}
		case host.Refuse:
			p.Warn("%s", fault.Text)
			return max(fault.Code, 1)
		case host.Garbage:
			p.Print("\x00\xff not what anyone expects {")
			return 0
		case host.Cut:
			p.Cut, p.Enc = true, json.NewEncoder(&host.Cutter{Enc: p.Enc})
		}
	}
	run := map[string]func(*host.Program) int{"xcrun": m.xcrun, "ios": m.goios,
		"ios_webkit_debug_proxy": m.webkitProxy}[name]
	if run == nil {
		return 127
	}
	return run(p)
}
