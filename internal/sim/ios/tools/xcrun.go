package tools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/internal/sim/ios/host"
)

// devicectl is Xcode's program for iPhones. Its JSON has the fields of
// github.com/appium/node-devicectl/blob/master/lib/types.ts; what Xcode 27 adds is from
// github.com/expo/expo/pull/48001.
func (m *Machine) devicectl(p *host.Program, args []string) int {
	file := ""
	if i := slices.Index(args, "--json-output"); i >= 0 {
		file = args[i+1]
		args = slices.Delete(slices.Clone(args), i, i+2)
	}
	answer := func(kind string, result any) int {
		data, _ := json.MarshalIndent(map[string]any{"info": map[string]any{"arguments": args, "commandType": "devicectl." +
			kind, "jsonVersion": 2,
			"outcome": "success", "version": "397.21"}, "result": result}, "", "  ")
		if p.Cut {
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
		for _, d := range m.Phones {
			devices = append(devices, d.coreDevice())
		}
		devices = append(devices, coreWatch())
		p.Print("Name   Hostname   Identifier   State   Model\n----   --------   ----------   -----   -----\n")
		return answer("list.devices", map[string]any{"devices": devices})
	}
	i := slices.Index(args, "--device")
	d := m.find(args[i+1])
	if i < 0 || d == nil || !d.Opts.Phone {
		p.Warn("ERROR: The specified device was not found. (com.apple.dt.CoreDeviceError error 1000 (0x3E8))\n")
		return 1
	}
	rest := append(slices.Clone(args[:i]), args[i+2:]...)
	return d.devicectl(p, rest, answer)
}

// coreDevice describes a device; a simulator as Xcode 27 lists it.
func (d *Attached) coreDevice() map[string]any {
	tunnel, mode := "disconnected", "enabled"
	if d.Opts.Away {
		tunnel = "unavailable"
	}
	if d.Opts.NoDeveloperMode {
		mode = "disabled"
	}
	reality := "physical"
	if !d.Opts.Phone {
		reality = "simulated"
	}
	if d.Opts.Untrusted {
		return strangers(d.coreID())
	}
	connection := map[string]any{"authenticationType": "manualPairing", "isMobileDeviceOnly": false,
		"pairingState": "paired", "potentialHostnames": []string{"iPhone.coredevice.local"}, "transportType": "wired",
		"tunnelState": tunnel}
	d.Mu.Lock()
	if d.Address != "" {
		connection["tunnelState"], connection["tunnelIPAddress"] = "connected", d.Address
	}
	d.Mu.Unlock()
	return map[string]any{
		"capabilities": []any{map[string]any{"featureIdentifier": "com.apple.coredevice.feature.installapp",
			"name": "Install Application"}},
		"connectionProperties": connection,
		"deviceProperties": map[string]any{"bootState": "booted", "ddiServicesAvailable": false,
			"developerModeStatus": mode, "name": "Ada\u2019s " + d.Opts.Name, "osBuildUpdate": "22B83",
			"osVersionNumber": d.Opts.Version},
		"hardwareProperties": map[string]any{"cpuType": map[string]any{"name": "arm64e", "subType": 2, "type": 16777228},
			"deviceType": "iPhone", "ecid": 1234567890123456, "hardwareModel": "D37AP",
			"marketingName": d.Opts.Name, "platform": "iOS", "productType": "iPhone15,4", "reality": reality,
			"supportedDeviceFamilies": []int{1}, "udid": d.Opts.UDID},
		"identifier": d.coreID(), "tags": []any{}, "visibilityClass": "default"}
}

// coreID is CoreDevice's name of the device.
func (d *Attached) coreID() string {
	return "3D048AED-F823-4530-A0E8-" + d.Opts.UDID[len(d.Opts.UDID)-12:]
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

func (d *Attached) devicectl(p *host.Program, args []string, answer func(string, any) int) int {
	switch strings.Join(args[:min(3, len(args))], " ") {
	case "device process launch":
		fresh := slices.Contains(args, "--terminate-existing")
		rest := slices.DeleteFunc(slices.Clone(args[3:]), func(a string) bool { return a == "--terminate-existing" })
		var env map[string]string
		if i := slices.Index(rest, "--environment-variables"); i == 0 && len(rest) > 2 &&
			json.Unmarshal([]byte(rest[1]), &env) == nil {
			rest = rest[2:]
		}
		d.Mu.Lock()
		defer d.Mu.Unlock()
		a := d.Apps[rest[0]]
		if a == nil {
			// github.com/dotnet/macios/issues/25306 shows the form.
			p.Warn("ERROR: The application failed to launch. (com.apple.dt.CoreDeviceError error 10002 (0x2712))\n       "+
				"BundleIdentifier = %s\n"+
				"       ----------------------------------------\n       The request to open \"%s\" failed. "+
				"(FBSOpenApplicationServiceErrorDomain error 1 (0x01))\n"+
				"       BSErrorCodeDescription = RequestDenied\n       ----------------------------------------\n"+
				"       The operation couldn\u2019t be completed. Application \"%s\" is unknown to FrontBoard. "+
				"(FBSOpenApplicationErrorDomain error 4 (0x04))\n"+
				"       BSErrorCodeDescription = NotFound\n", rest[0], rest[0], rest[0])
			return 1
		}
		d.Launch(a, fresh, rest[1:])
		for name, value := range env {
			d.Note("%s has %s=%s", rest[0], name, value)
		}
		p.Print("Launched application with %s bundle identifier.\n", rest[0])
		return answer("device.process.launch", map[string]any{"process": map[string]any{"processIdentifier": a.PID}})
	case "device install app":
		data, err := os.ReadFile(filepath.Join(args[3], "bundle"))
		if err != nil {
			p.Warn("ERROR: Failed to install the app on the device. (com.apple.dt.CoreDeviceError error 3002 (0xBBA))\n   " +
				" " +
				"   The provided item to be installed is not of a type that CoreDevice recognizes.\n")
			return 1
		}
		d.Mu.Lock()
		defer d.Mu.Unlock()
		d.Put(strings.TrimSpace(string(data)), strings.TrimSuffix(filepath.Base(args[3]), ".app"))
		return answer("device.install.app", map[string]any{})
	case "device uninstall app":
		d.Mu.Lock()
		defer d.Mu.Unlock()
		delete(d.Apps, args[3])
		return answer("device.uninstall.app", map[string]any{})
	case "device info apps":
		d.Mu.Lock()
		defer d.Mu.Unlock()
		var apps []any
		for bundle, a := range d.Apps {
			apps = append(apps, map[string]any{"appClip": false, "builtByDeveloper": true, "bundleIdentifier": bundle,
				"bundleVersion": "1", "name": a.Name, "removable": true, "version": "1.0"})
		}
		return answer("device.info.apps", map[string]any{"apps": apps})
	}
	p.Warn("Error: Unexpected argument '%s'\nUsage: devicectl <subcommand>\n", args[0])
	return 64
}

// xcrun is /usr/bin/xcrun. What it says of a program that is not there is what Xcode's command line tools say.
func (m *Machine) xcrun(p *host.Program) int {
	name, args := p.Args[0], p.Args[1:]
	if m.Opts.NoXcode || m.Opts.OldXcode && name == "devicectl" {
		p.Warn("xcrun: error: unable to find utility \"%s\", not a developer tool or in PATH\n", name)
		return 72
	}
	switch name {
	case "simctl":
		return m.simctl(p, args)
	case "devicectl":
		return m.devicectl(p, args)
	case "xcodebuild":
		return m.xcodebuild(p, args)
	case "--version":
		p.Print("xcrun version 70.\n")
		return 0
	}
	p.Warn("xcrun: error: unable to find utility \"%s\", not a developer tool or in PATH\n", name)
	return 72
}

// tunnelAddress is one of this machine's own addresses, by chance no other device's: labs lie in folders of their own.
func (m *Machine) tunnelAddress(udid string) string {
	h := fnv.New32a()
	_, _ = io.WriteString(h, m.Host.Dir+udid)
	sum := h.Sum32()
	return fmt.Sprintf("127.%d.%d.%d", 64+sum>>16&63, sum>>8&255, 1+sum&127)
}

// xcodebuild runs WebDriverAgent's test.
func (m *Machine) xcodebuild(p *host.Program, args []string) int {
	i, f := slices.Index(args, "-destination"), slices.Index(args, "-xctestrun")
	if !slices.Contains(args, "test-without-building") || i < 0 || f < 0 {
		p.Warn("xcodebuild: error: unknown option\n")
		return 64
	}
	if _, err := os.Stat(args[f+1]); err != nil {
		p.Warn("xcodebuild: error: The flag -xctestrun requires a path to an existing .xctestrun file.\n")
		return 66
	}
	d := m.find(strings.TrimPrefix(args[i+1], "id="))
	if d == nil {
		p.Warn("xcodebuild: error: Unable to find a device matching the provided destination specifier:\n\t\t{ %s }\n",
			args[i+1])
		return 70
	}
	port, films := p.Env["TEST_RUNNER_USE_PORT"], p.Env["TEST_RUNNER_MJPEG_SERVER_PORT"]
	if d.Opts.OwnPort {
		port = "0"
	}
	if d.Opts.Phone {
		d.Mu.Lock()
		d.Address = cmp.Or(d.Address, m.tunnelAddress(d.Opts.UDID))
		d.Mu.Unlock()
	}
	return d.Agent.RunAgent(p.Ctx, p, port, films)
}
