package tools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/internal/sim/ios/host"
)

// noAgent is what go-ios 1.2.0 writes first when its tunnel agent does not run.
const noAgent = `{"time":"2026-11-21T14:04:58.507211377Z","level":"WARN","msg":"go-ios agent is not running. You ` +
	`might need to start it with 'ios tunnel start' for ios17+. ` +
	`Use ENABLE_GO_IOS_AGENT=user for userspace tunnel or ENABLE_GO_IOS_AGENT=kernel for kernel tunnel for the ` +
	`experimental daemon mode."}` + "\n"

// goiosError is an error of go-ios 1.2.0.
func goiosError(p *host.Program, msg, err string) int {
	data, _ := json.Marshal(map[string]string{"time": "2026-11-21T14:04:58.507675104Z", "level": "ERROR", "msg": msg,
		"err": err})
	p.Warn("%s%s\n", noAgent, data)
	return 1
}

// goios is the program ios: github.com/danielpaulus/go-ios, main.go and cmd_*.go at version 1.2.0.
func (m *Machine) goios(p *host.Program) int {
	args := slices.Clone(p.Args)
	udid := ""
	for i, a := range args {
		if value, ok := strings.CutPrefix(a, "--udid="); ok {
			udid = value
			args = slices.Delete(args, i, i+1)
			break
		}
	}
	args = slices.DeleteFunc(args, func(a string) bool { return a == "--nojson" })
	if args[0] == "version" {
		p.Print("{\"version\":\"1.2.0\"}\n")
		return 0
	}
	if args[0] == "tunnel" {
		return m.tunnels(p)
	}
	if m.Opts.NoMux {
		return goiosError(p, "failed getting device list", "dial unix /var/run/usbmuxd: connect: no such file or directory")
	}
	if args[0] == "list" {
		return m.goiosList(p, slices.Contains(args, "--details"))
	}
	d := m.find(udid)
	if d == nil || !d.Opts.Phone || d.Opts.Away {
		return goiosError(p, "Device not found: "+udid, "Device '"+udid+"' not found. Is it attached to the machine?")
	}
	if d.Opts.Untrusted {
		return goiosError(p, "failed getting values",
			"could not retrieve PairRecord with error: ReadPair failed with errorcode '2', is the device paired?")
	}
	return d.goios(p, args)
}

func (m *Machine) tunnels(p *host.Program) int {
	list := []map[string]any{}
	running := false
	for _, d := range m.Phones {
		if d.Opts.Phone && !d.Opts.NoTunnel {
			running = true
			list = append(list, map[string]any{"address": "fd7b:e5b:6f53::1", "rsdPort": 58105, "udid": d.Opts.UDID,
				"userspaceTun": true, "userspaceTunPort": 60106})
		}
	}
	if !running {
		return goiosError(p, "failed to get tunnel infos",
			`TunnelInfoForDevice: failed to get tunnel info: Get "http://127.0.0.1:60105/tunnels": dial tcp 127.0.0.1:60105: `+
				`connect: connection refused`)
	}
	data, _ := json.Marshal(list)
	p.Print("%s\n", data)
	return 0
}

func (m *Machine) goiosList(p *host.Program, details bool) int {
	var udids []string
	var entries []map[string]string
	for _, d := range m.Phones {
		if !d.Opts.Phone || d.Opts.Away {
			continue
		}
		if details && d.Opts.Untrusted {
			return goiosError(p, "failed getting values",
				"could not retrieve PairRecord with error: ReadPair failed with errorcode '2', is the device paired?")
		}
		udids = append(udids, d.Opts.UDID)
		entries = append(entries, map[string]string{"Udid": d.Opts.UDID, "ProductName": "iPhone OS",
			"ProductType": "iPhone15,4", "ProductVersion": d.Opts.Version, "ConnectionType": "USB"})
	}
	var list any = udids
	if details {
		list = entries
	}
	data, _ := json.Marshal(map[string]any{"deviceList": list})
	p.Print("%s\n", data)
	return 0
}

func (d *Attached) goios(p *host.Program, args []string) int {
	switch args[0] {
	case "info":
		p.Print("{\"DeviceName\":\"Ada\u2019s %s\",\"ProductName\":\"iPhone "+
			"OS\",\"ProductType\":\"iPhone15,4\",\"ProductVersion\":\"%s\",\"UniqueDeviceID\":\"%s\"}\n", d.Opts.Name,
			d.Opts.Version, d.Opts.UDID)
		return 0
	case "devmode":
		if d.Opts.DevModeUnknown {
			p.Warn("%s\n",
				`{"time":"2026-11-21T14:04:58.507675104Z","level":"ERROR","msg":"failed getting developer mode","err":"could not `+
					`start service com.apple.amfi.lockdown"}`)
			p.Print("{\"DeveloperModeEnabled\":false}\n")
			return 0
		}
		p.Print("{\"DeveloperModeEnabled\":%v}\n", !d.Opts.NoDeveloperMode)
		return 0
	case "image":
		return d.mountImage(p, args[1])
	case "runwda":
		if !d.hasImage() {
			return goiosError(p, "Failed running WDA",
				"Could not start service:com.apple.testmanagerd.lockdown.secure with reason:'InvalidService'. Have you mounted "+
					"the Developer Image?")
		}
		return d.Agent.RunAgent(p.Ctx, p, "0", d.Opts.FilmPort)
	case "forward":
		return d.forward(p, args[1], args[2])
	case "syslog":
		return d.simSpawn(p, []string{"log"})
	}
	d.Mu.Lock()
	defer d.Mu.Unlock()
	switch args[0] {
	case "apps":
		for bundle, a := range d.Apps {
			p.Print("%s %s 1.0\n", bundle, a.Name)
		}
	case "launch":
		return d.goiosLaunch(p, args)
	case "crash":
		return d.goiosCrash(p, args)
	case "setlocation":
		d.Where = strings.TrimPrefix(args[1], "--lat=") + "," + strings.TrimPrefix(args[2], "--lon=")
	case "resetlocation":
		d.Where = ""
	case "uninstall":
		delete(d.Apps, args[1])
	case "install":
		path := strings.TrimPrefix(args[1], "--path=")
		data, err := os.ReadFile(filepath.Join(path, "bundle"))
		if err != nil {
			return goiosError(p, "failed writing", "invalid input file")
		}
		d.Put(strings.TrimSpace(string(data)), strings.TrimSuffix(filepath.Base(path), ".app"))
	default:
		p.Print("Usage:\n  ios [options]\n")
		return 1
	}
	return 0
}

// mountImage is cmd_device_debug.go's runImageCommand; a phone has no image after it was started.
func (d *Attached) mountImage(p *host.Program, how string) int {
	if how != "auto" {
		return 1
	}
	if d.Opts.NoImage {
		p.Warn("%s\n",
			`{"time":"2026-11-21T14:04:58.507675104Z","level":"ERROR","msg":"error downloading image","err":"Get `+
				`\"https://deviceboxhq.com/ddi-15F31d.zip\": no such host"}`)
		return 0 // as after a success
	}
	d.Mu.Lock()
	defer d.Mu.Unlock()
	d.Image = true
	return 0
}

func (d *Attached) hasImage() bool {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	return d.Image
}

// goiosCrash is cmd_device_debug.go's runCrashCommand: "cp" copies the reports with names that fit.
func (d *Attached) goiosCrash(p *host.Program, args []string) int {
	if args[1] != "cp" {
		return 1
	}
	files, _ := filepath.Glob(filepath.Join(d.Host.Dir, "reports", d.Opts.UDID, args[2]))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(filepath.Join(args[3], filepath.Base(file)), data, 0o600)
		}
		if err != nil {
			return goiosError(p, "failed copying crashreports", err.Error())
		}
	}
	return 0
}

func (d *Attached) goiosLaunch(p *host.Program, args []string) int {
	a := d.Apps[args[1]]
	if a == nil {
		return goiosError(p, "launch app command failed",
			fmt.Sprintf("Failed to launch process: %s, Error Domain=FBSOpenApplicationErrorDomain Code=4 Application \"%s\" is "+
				"unknown to FrontBoard.", args[1], args[1]))
	}
	var given []string
	for _, arg := range args[2:] {
		if value, ok := strings.CutPrefix(arg, "--arg="); ok {
			given = append(given, value)
		}
		if value, ok := strings.CutPrefix(arg, "--env="); ok {
			d.Note("%s has %s", args[1], value)
		}
	}
	d.Launch(a, slices.Contains(args, "--kill-existing"), given)
	p.Warn("{\"time\":\"2026-11-21T14:04:58.507675104Z\",\"level\":\"INFO\",\"msg\":\"Process "+
		"launched\",\"pid\":%d}\n", a.PID)
	return 0
}

// forward makes the phone's port one of this machine, until it is interrupted. Nothing listens on the phone before
// WebDriverAgent runs.
func (d *Attached) forward(p *host.Program, local, remote string) int {
	l, err := net.Listen("tcp", "127.0.0.1:"+local)
	if err != nil {
		return goiosError(p, "failed to forward port", err.Error())
	}
	d.Host.Work.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			d.Host.Work.Go(func() { d.pipe(conn, remote) })
		}
	})
	p.Wait()
	l.Close()
	return 0
}

func (d *Attached) pipe(conn net.Conn, remote string) {
	defer conn.Close()
	d.Mu.Lock()
	address := cmp.Or(d.Address, "127.0.0.1") + ":" + d.Agent.Port
	if remote == "9100" && d.Agent.Films != nil {
		address = d.Agent.Films.Addr().String()
	}
	d.Mu.Unlock()
	to, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer to.Close()
	done := make(chan struct{}, 2)
	go func() { _, _ = io.Copy(to, conn); done <- struct{}{} }()
	go func() { _, _ = io.Copy(conn, to); done <- struct{}{} }()
	select {
	case <-done:
	case <-d.Host.Ctx.Done():
	}
}
