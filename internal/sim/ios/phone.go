package iossim

import (
	"cmp"
	"encoding/json"
	"fmt"
	"image"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/internal/screenpng"
)

// devicectl is Xcode's program for iPhones. Its JSON has the fields of
// github.com/appium/node-devicectl/blob/master/lib/types.ts; what Xcode 27 adds is from
// github.com/expo/expo/pull/48001.
func (l *Lab) devicectl(p *process, args []string) int {
	file := ""
	if i := slices.Index(args, "--json-output"); i >= 0 {
		file = args[i+1]
		args = slices.Delete(slices.Clone(args), i, i+2)
	}
	answer := func(kind string, result any) int {
		data, _ := json.MarshalIndent(map[string]any{"info": map[string]any{"arguments": args, "commandType": "devicectl." +
			kind, "jsonVersion": 2,
			"outcome": "success", "version": "397.21"}, "result": result}, "", "  ")
		if p.cut {
			data = data[:len(data)/2]
		}
		if file != "" {
			if err := os.WriteFile(file, data, 0o644); err != nil {
				return 1
			}
		}
		return 0
	}
	if len(args) >= 2 && args[0] == "list" {
		var devices []any
		for _, d := range l.phones {
			devices = append(devices, d.coreDevice())
		}
		devices = append(devices, coreWatch())
		p.print("Name   Hostname   Identifier   State   Model\n----   --------   ----------   -----   -----\n")
		return answer("list.devices", map[string]any{"devices": devices})
	}
	i := slices.Index(args, "--device")
	d := l.find(args[i+1])
	if i < 0 || d == nil || !d.opts.Phone {
		p.warn("ERROR: The specified device was not found. (com.apple.dt.CoreDeviceError error 1000 (0x3E8))\n")
		return 1
	}
	rest := append(slices.Clone(args[:i]), args[i+2:]...)
	return d.devicectl(p, rest, answer)
}

// coreDevice describes a device; a simulator as Xcode 27 lists it.
func (d *Device) coreDevice() map[string]any {
	tunnel, mode := "disconnected", "enabled"
	if d.opts.Away {
		tunnel = "unavailable"
	}
	if d.opts.NoDeveloperMode {
		mode = "disabled"
	}
	reality := "physical"
	if !d.opts.Phone {
		reality = "simulated"
	}
	if d.opts.Untrusted {
		return strangers(d.coreID())
	}
	connection := map[string]any{"authenticationType": "manualPairing", "isMobileDeviceOnly": false,
		"pairingState": "paired", "potentialHostnames": []string{"iPhone.coredevice.local"}, "transportType": "wired",
		"tunnelState": tunnel}
	d.mu.Lock()
	if d.address != "" {
		connection["tunnelState"], connection["tunnelIPAddress"] = "connected", d.address
	}
	d.mu.Unlock()
	return map[string]any{
		"capabilities": []any{map[string]any{"featureIdentifier": "com.apple.coredevice.feature.installapp",
			"name": "Install Application"}},
		"connectionProperties": connection,
		"deviceProperties": map[string]any{"bootState": "booted", "ddiServicesAvailable": false,
			"developerModeStatus": mode, "name": "Ada\u2019s " + d.opts.Name, "osBuildUpdate": "22B83",
			"osVersionNumber": d.opts.Version},
		"hardwareProperties": map[string]any{"cpuType": map[string]any{"name": "arm64e", "subType": 2, "type": 16777228},
			"deviceType": "iPhone", "ecid": 1234567890123456, "hardwareModel": "D37AP",
			"marketingName": d.opts.Name, "platform": "iOS", "productType": "iPhone15,4", "reality": reality,
			"supportedDeviceFamilies": []int{1}, "udid": d.opts.UDID},
		"identifier": d.coreID(), "tags": []any{}, "visibilityClass": "default"}
}

// coreID is CoreDevice's name of the device.
func (d *Device) coreID() string {
	return "3D048AED-F823-4530-A0E8-" + d.opts.UDID[len(d.opts.UDID)-12:]
}

// strangers is a device that is not paired, as in github.com/tauri-apps/cargo-mobile2/pull/443: not even its UDID is
// reported.
func strangers(id string) map[string]any {
	return map[string]any{
		"capabilities": []any{map[string]any{"featureIdentifier": "com.apple.coredevice.feature.tags",
			"name": "Modify Tags"}},
		"connectionProperties": map[string]any{"isMobileDeviceOnly": false, "pairingState": "unpaired",
			"potentialHostnames": []any{}, "tunnelState": "unavailable"},
		"deviceProperties":   map[string]any{"bootState": "booted", "ddiServicesAvailable": false},
		"hardwareProperties": map[string]any{}, "identifier": id, "tags": []any{}, "visibilityClass": "default"}
}

func coreWatch() map[string]any {
	return map[string]any{"capabilities": []any{}, "connectionProperties": map[string]any{"pairingState": "paired",
		"tunnelState": "unavailable"},
		"deviceProperties": map[string]any{"name": "Ada\u2019s Apple Watch", "osVersionNumber": "11.1"},
		"hardwareProperties": map[string]any{"deviceType": "appleWatch", "platform": "watchOS", "productType": "Watch7,3",
			"udid": "00008310-000000000000001E"}, "identifier": "A0000000-0000-4000-8000-000000000000"}
}

func (d *Device) devicectl(p *process, args []string, answer func(string, any) int) int {
	switch strings.Join(args[:min(3, len(args))], " ") {
	case "device process launch":
		fresh := slices.Contains(args, "--terminate-existing")
		rest := slices.DeleteFunc(slices.Clone(args[3:]), func(a string) bool { return a == "--terminate-existing" })
		var env map[string]string
		if i := slices.Index(rest, "--environment-variables"); i == 0 && len(rest) > 2 &&
			json.Unmarshal([]byte(rest[1]), &env) == nil {
			rest = rest[2:]
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		a := d.apps[rest[0]]
		if a == nil {
			// github.com/dotnet/macios/issues/25306 shows the form.
			p.warn("ERROR: The application failed to launch. (com.apple.dt.CoreDeviceError error 10002 (0x2712))\n       "+
				"BundleIdentifier = %s\n"+
				"       ----------------------------------------\n       The request to open \"%s\" failed. "+
				"(FBSOpenApplicationServiceErrorDomain error 1 (0x01))\n"+
				"       BSErrorCodeDescription = RequestDenied\n       ----------------------------------------\n"+
				"       The operation couldn\u2019t be completed. Application \"%s\" is unknown to FrontBoard. "+
				"(FBSOpenApplicationErrorDomain error 4 (0x04))\n"+
				"       BSErrorCodeDescription = NotFound\n", rest[0], rest[0], rest[0])
			return 1
		}
		d.launch(a, fresh, rest[1:])
		for name, value := range env {
			d.note("%s has %s=%s", rest[0], name, value)
		}
		p.print("Launched application with %s bundle identifier.\n", rest[0])
		return answer("device.process.launch", map[string]any{"process": map[string]any{"processIdentifier": a.pid}})
	case "device install app":
		data, err := os.ReadFile(filepath.Join(args[3], "bundle"))
		if err != nil {
			p.warn("ERROR: Failed to install the app on the device. (com.apple.dt.CoreDeviceError error 3002 (0xBBA))\n   " +
				" " +
				"   The provided item to be installed is not of a type that CoreDevice recognizes.\n")
			return 1
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.put(strings.TrimSpace(string(data)), strings.TrimSuffix(filepath.Base(args[3]), ".app"))
		return answer("device.install.app", map[string]any{})
	case "device uninstall app":
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.apps, args[3])
		return answer("device.uninstall.app", map[string]any{})
	case "device info apps":
		d.mu.Lock()
		defer d.mu.Unlock()
		var apps []any
		for bundle, a := range d.apps {
			apps = append(apps, map[string]any{"appClip": false, "builtByDeveloper": true, "bundleIdentifier": bundle,
				"bundleVersion": "1", "name": a.name, "removable": true, "version": "1.0"})
		}
		return answer("device.info.apps", map[string]any{"apps": apps})
	}
	p.warn("Error: Unexpected argument '%s'\nUsage: devicectl <subcommand>\n", args[0])
	return 64
}

// noAgent is what go-ios 1.2.0 writes first when its tunnel agent does not run.
const noAgent = `{"time":"2026-11-21T14:04:58.507211377Z","level":"WARN","msg":"go-ios agent is not running. You ` +
	`might need to start it with 'ios tunnel start' for ios17+. ` +
	`Use ENABLE_GO_IOS_AGENT=user for userspace tunnel or ENABLE_GO_IOS_AGENT=kernel for kernel tunnel for the ` +
	`experimental daemon mode."}` + "\n"

// goiosError is an error of go-ios 1.2.0.
func goiosError(p *process, msg, err string) int {
	data, _ := json.Marshal(map[string]string{"time": "2026-11-21T14:04:58.507675104Z", "level": "ERROR", "msg": msg,
		"err": err})
	p.warn("%s%s\n", noAgent, data)
	return 1
}

// goios is the program ios: github.com/danielpaulus/go-ios, main.go and cmd_*.go at version 1.2.0.
func (l *Lab) goios(p *process) int {
	args := slices.Clone(p.args)
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
		p.print("{\"version\":\"1.2.0\"}\n")
		return 0
	}
	if args[0] == "tunnel" {
		return l.tunnels(p)
	}
	if l.opts.NoMux {
		return goiosError(p, "failed getting device list", "dial unix /var/run/usbmuxd: connect: no such file or directory")
	}
	if args[0] == "list" {
		return l.goiosList(p, slices.Contains(args, "--details"))
	}
	d := l.find(udid)
	if d == nil || !d.opts.Phone || d.opts.Away {
		return goiosError(p, "Device not found: "+udid, "Device '"+udid+"' not found. Is it attached to the machine?")
	}
	if d.opts.Untrusted {
		return goiosError(p, "failed getting values",
			"could not retrieve PairRecord with error: ReadPair failed with errorcode '2', is the device paired?")
	}
	return d.goios(p, args)
}

func (l *Lab) tunnels(p *process) int {
	list := []map[string]any{}
	running := false
	for _, d := range l.phones {
		if d.opts.Phone && !d.opts.NoTunnel {
			running = true
			list = append(list, map[string]any{"address": "fd7b:e5b:6f53::1", "rsdPort": 58105, "udid": d.opts.UDID,
				"userspaceTun": true, "userspaceTunPort": 60106})
		}
	}
	if !running {
		return goiosError(p, "failed to get tunnel infos",
			`TunnelInfoForDevice: failed to get tunnel info: Get "http://127.0.0.1:60105/tunnels": dial tcp 127.0.0.1:60105: `+
				`connect: connection refused`)
	}
	data, _ := json.Marshal(list)
	p.print("%s\n", data)
	return 0
}

func (l *Lab) goiosList(p *process, details bool) int {
	var udids []string
	var entries []map[string]string
	for _, d := range l.phones {
		if !d.opts.Phone || d.opts.Away {
			continue
		}
		if details && d.opts.Untrusted {
			return goiosError(p, "failed getting values",
				"could not retrieve PairRecord with error: ReadPair failed with errorcode '2', is the device paired?")
		}
		udids = append(udids, d.opts.UDID)
		entries = append(entries, map[string]string{"Udid": d.opts.UDID, "ProductName": "iPhone OS",
			"ProductType": "iPhone15,4", "ProductVersion": d.opts.Version, "ConnectionType": "USB"})
	}
	var list any = udids
	if details {
		list = entries
	}
	data, _ := json.Marshal(map[string]any{"deviceList": list})
	p.print("%s\n", data)
	return 0
}

func (d *Device) goios(p *process, args []string) int {
	switch args[0] {
	case "info":
		p.print("{\"DeviceName\":\"Ada\u2019s %s\",\"ProductName\":\"iPhone "+
			"OS\",\"ProductType\":\"iPhone15,4\",\"ProductVersion\":\"%s\",\"UniqueDeviceID\":\"%s\"}\n", d.opts.Name,
			d.opts.Version, d.opts.UDID)
		return 0
	case "devmode":
		if d.opts.DevModeUnknown {
			p.warn("%s\n",
				`{"time":"2026-11-21T14:04:58.507675104Z","level":"ERROR","msg":"failed getting developer mode","err":"could not `+
					`start service com.apple.amfi.lockdown"}`)
			p.print("{\"DeveloperModeEnabled\":false}\n")
			return 0
		}
		p.print("{\"DeveloperModeEnabled\":%v}\n", !d.opts.NoDeveloperMode)
		return 0
	case "image":
		return d.mountImage(p, args[1])
	case "runwda":
		if !d.hasImage() {
			return goiosError(p, "Failed running WDA",
				"Could not start service:com.apple.testmanagerd.lockdown.secure with reason:'InvalidService'. Have you mounted "+
					"the Developer Image?")
		}
		return d.runAgent(p.ctx, p, "0", d.opts.FilmPort)
	case "forward":
		return d.forward(p, args[1], args[2])
	case "syslog":
		return d.simSpawn(p, []string{"log"})
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch args[0] {
	case "apps":
		for bundle, a := range d.apps {
			p.print("%s %s 1.0\n", bundle, a.name)
		}
	case "launch":
		return d.goiosLaunch(p, args)
	case "crash":
		return d.goiosCrash(p, args)
	case "setlocation":
		d.where = strings.TrimPrefix(args[1], "--lat=") + "," + strings.TrimPrefix(args[2], "--lon=")
	case "resetlocation":
		d.where = ""
	case "uninstall":
		delete(d.apps, args[1])
	case "install":
		path := strings.TrimPrefix(args[1], "--path=")
		data, err := os.ReadFile(filepath.Join(path, "bundle"))
		if err != nil {
			return goiosError(p, "failed writing", "invalid input file")
		}
		d.put(strings.TrimSpace(string(data)), strings.TrimSuffix(filepath.Base(path), ".app"))
	default:
		p.print("Usage:\n  ios [options]\n")
		return 1
	}
	return 0
}

// mountImage is cmd_device_debug.go's runImageCommand; a phone has no image after it was started.
func (d *Device) mountImage(p *process, how string) int {
	if how != "auto" {
		return 1
	}
	if d.opts.NoImage {
		p.warn("%s\n",
			`{"time":"2026-11-21T14:04:58.507675104Z","level":"ERROR","msg":"error downloading image","err":"Get `+
				`\"https://deviceboxhq.com/ddi-15F31d.zip\": no such host"}`)
		return 0 // as after a success
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.image = true
	return 0
}

func (d *Device) hasImage() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.image
}

// goiosCrash is cmd_device_debug.go's runCrashCommand: "cp" copies the reports with names that fit.
func (d *Device) goiosCrash(p *process, args []string) int {
	if args[1] != "cp" {
		return 1
	}
	files, _ := filepath.Glob(filepath.Join(d.lab.home, "reports", d.opts.UDID, args[2]))
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

func (d *Device) goiosLaunch(p *process, args []string) int {
	a := d.apps[args[1]]
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
			d.note("%s has %s", args[1], value)
		}
	}
	d.launch(a, slices.Contains(args, "--kill-existing"), given)
	p.warn("{\"time\":\"2026-11-21T14:04:58.507675104Z\",\"level\":\"INFO\",\"msg\":\"Process "+
		"launched\",\"pid\":%d}\n", a.pid)
	return 0
}

// forward makes the phone's port one of this machine, until it is interrupted. Nothing listens on the phone before
// WebDriverAgent runs.
func (d *Device) forward(p *process, local, remote string) int {
	l, err := net.Listen("tcp", "127.0.0.1:"+local)
	if err != nil {
		return goiosError(p, "failed to forward port", err.Error())
	}
	d.lab.work.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			d.lab.work.Go(func() { d.pipe(conn, remote) })
		}
	})
	p.wait()
	l.Close()
	return 0
}

func (d *Device) pipe(conn net.Conn, remote string) {
	defer conn.Close()
	d.mu.Lock()
	address := cmp.Or(d.address, "127.0.0.1") + ":" + d.port
	if remote == "9100" && d.films != nil {
		address = d.films.Addr().String()
	}
	d.mu.Unlock()
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
	case <-d.lab.ctx.Done():
	}
}

func writePNG(file string, img image.Image) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return screenpng.Encode(f, img)
}
