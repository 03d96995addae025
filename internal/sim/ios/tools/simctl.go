package tools

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/internal/sim/ios/device"
	"github.com/taproot-dev/taproot/internal/sim/ios/host"
)

// simctlError has the form of simctl's errors, as in github.com/wix/Detox/issues/4096.
func simctlError(p *host.Program, domain string, code int, lines ...string) int {
	p.Warn("An error was encountered processing the command (domain=%s, code=%d):\n%s\n", domain, code,
		strings.Join(lines, "\n"))
	return code
}

func (m *Machine) simctl(p *host.Program, args []string) int {
	if args[0] == "list" {
		p.Print("%s", m.simulatorList())
		return 0
	}
	udid, rest := simctlTarget(args)
	d := m.find(udid)
	if d == nil || d.Opts.Phone {
		p.Warn("Invalid device: %s\n", udid)
		return 148
	}
	switch args[0] {
	case "bootstatus", "shutdown":
		return d.power(p, args)
	}
	d.Mu.Lock()
	booted := d.State == "Booted"
	d.Mu.Unlock()
	if !booted {
		return simctlError(p, "com.apple.CoreSimulator.SimError", 149, "Unable to lookup in current state: Shutdown")
	}
	return d.simctl(p, args, rest)
}

// simctlTarget finds the device in the arguments: behind the options of launch, else first.
func simctlTarget(args []string) (udid string, rest []string) {
	rest = args[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return "", nil
	}
	return rest[0], rest[1:]
}

// simulatorList has the form of `simctl list -j devices` of Xcode 16; that of a runtime that is gone is from
// github.com/appium/node-simctl/blob/master/test/unit/fixtures/devices-with-unavailable.json.
func (m *Machine) simulatorList() string {
	byRuntime := map[string][]string{
		"com.apple.CoreSimulator.SimRuntime.tvOS-18-0": {simulatorEntry("Apple TV", "FA628127-1D5C-45C3-9918-A47BF7E2AE14",
			"Booted", true)},
		"com.apple.CoreSimulator.SimRuntime.watchOS-11-0": {
			simulatorEntry("Apple Watch Series 10 (46mm)", "0C527828-EBF4-4FD0-A66B-200FE716EB37", "Shutdown", true)},
		"com.apple.CoreSimulator.SimRuntime.iOS-15-0": {
			simulatorEntry("iPhone 13", "064545FB-B27F-4D1C-9F9F-C05F31F30B42", "Shutdown", false)},
	}
	for _, d := range m.Phones {
		if !d.Opts.Phone {
			runtime := "com.apple.CoreSimulator.SimRuntime.iOS-" + strings.ReplaceAll(d.Opts.Version, ".", "-")
			d.Mu.Lock()
			byRuntime[runtime] = append(byRuntime[runtime], simulatorEntry(d.Opts.Name, d.Opts.UDID, d.State, true))
			d.Mu.Unlock()
		}
	}
	var runtimes []string
	for name, entries := range byRuntime {
		runtimes = append(runtimes, fmt.Sprintf("    %q : [\n%s\n    ]", name, strings.Join(entries, ",\n")))
	}
	return "{\n  \"devices\" : {\n" + strings.Join(runtimes, ",\n") + "\n  }\n}\n"
}

func simulatorEntry(name, udid, state string, available bool) string {
	problem := ""
	if !available {
		problem = "        \"availabilityError\" : \"runtime profile not found using \\\"System\\\" match policy\",\n"
	}
	return fmt.Sprintf(
		"      {\n%s        \"lastBootedAt\" : \"2026-01-02T03:04:05Z\",\n        \"dataPath\" : "+
			"\"\\/Users\\/ada\\/Library\\/Developer\\/CoreSimulator\\/Devices\\/%s\\/data\",\n"+
			"        \"dataPathSize\" : 18337792,\n        \"logPath\" : "+
			"\"\\/Users\\/ada\\/Library\\/Logs\\/CoreSimulator\\/%s\",\n"+
			" "+
			" "+
			" "+
			" "+
			" "+
			" "+
			" "+
			" "+
			"\"udid\" : \"%s\",\n        \"isAvailable\" : %v,\n"+
			"        \"deviceTypeIdentifier\" : \"com.apple.CoreSimulator.SimDeviceType.iPhone-16\",\n        \"state\" : "+
			"\"%s\",\n"+
			" "+
			" "+
			" "+
			" "+
			" "+
			"   \"name\" : \"%s\"\n      }",
		problem, udid, udid, udid, available, state, name)
}

// power is `bootstatus -b`, which boots, and shutdown.
func (d *Attached) power(p *host.Program, args []string) int {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	if args[0] == "shutdown" {
		if d.State != "Booted" {
			return simctlError(p, "com.apple.CoreSimulator.SimError", 149, "Unable to shutdown device in current state: "+
				d.State)
		}
		d.State = "Shutdown"
		return 0
	}
	p.Print("Monitoring boot status for %s (%s).\n", d.Opts.Name, d.Opts.UDID)
	if d.State != "Booted" {
		if !slices.Contains(args, "-b") {
			p.Wait()
			return 1
		}
		d.State = "Booted"
		p.Print("2026-01-02 03:04:05 +0000\nStatus=2, isTerminal=NO, Elapsed=00:02.\n\tWaiting on System App\n")
	}
	p.Print("Finished.\n")
	return 0
}

// simctl are the commands for a booted simulator.
func (d *Attached) simctl(p *host.Program, args, rest []string) int {
	switch args[0] {
	case "launch":
		return d.simLaunch(p, args, rest)
	case "terminate":
		return d.simTerminate(p, rest[0])
	case "install":
		return d.simInstall(p, rest[0])
	case "uninstall":
		d.Mu.Lock()
		defer d.Mu.Unlock()
		if a := d.Apps[rest[0]]; a != nil {
			d.Terminate(a)
			delete(d.Apps, rest[0])
		}
		return 0 // of an app that is not there, too
	case "get_app_container":
		return d.simContainer(p, rest)
	case "listapps":
		p.Print("%s", d.appList())
		return 0
	case "openurl":
		d.Mu.Lock()
		defer d.Mu.Unlock()
		if !d.Opens(rest[0], "") {
			return simctlError(p, "NSOSStatusErrorDomain", 194, "Simulator device failed to open "+rest[0]+".",
				"Underlying error (domain=NSOSStatusErrorDomain, code=-10814):",
				"\tThe operation couldn\u2019t be completed. (OSStatus error -10814.)")
		}
		return 0
	case "privacy":
		return d.simPrivacy(p, rest)
	case "keychain":
		if len(rest) != 1 || rest[0] != "reset" {
			p.Warn("Invalid keychain operation\n")
			return 22
		}
		d.Mu.Lock()
		defer d.Mu.Unlock()
		d.Secrets = 0
		return 0
	case "push":
		return d.simPush(p, rest)
	case "status_bar":
		d.Note("status bar: %s", strings.Join(rest, " "))
		if rest[0] != "override" && rest[0] != "clear" {
			p.Warn("Usage: simctl status_bar <device> [list | clear | override <override arguments>]\n")
			return 1
		}
		return 0
	case "addmedia":
		return d.simMedia(p, rest[0])
	case "location":
		return d.simLocation(p, rest)
	case "ui":
		return d.simUI(p, rest)
	case "spawn":
		return d.simSpawn(p, rest)
	case "getenv":
		return d.simGetenv(p, rest)
	case "io":
		return d.simIO(p, rest)
	}
	p.Warn("Unrecognized subcommand: %s\nusage: simctl [--set <path>] [--profiles <path>] <subcommand> ...\n", args[0])
	return 1
}

// simLaunch prints "BUNDLE: PID". What it says of an app that is not there is from github.com/wix/Detox/issues/2939.
func (d *Attached) simLaunch(p *host.Program, args, rest []string) int {
	if rest[0] == device.AgentBundle && d.Opts.RunnerInstalled {
		return d.Agent.RunAgent(p.Ctx, p, p.Env["SIMCTL_CHILD_USE_PORT"], p.Env["SIMCTL_CHILD_MJPEG_SERVER_PORT"])
	}
	d.Mu.Lock()
	defer d.Mu.Unlock()
	a := d.Apps[rest[0]]
	if a == nil {
		said := fmt.Sprintf("Application info provider (FBSApplicationLibrary) returned nil for %q", rest[0])
		return simctlError(p, "FBSOpenApplicationServiceErrorDomain", 4, fmt.Sprintf("Simulator device failed to launch %s.",
			rest[0]),
			"Underlying error (domain=FBSOpenApplicationErrorDomain, code=4):", "\tThe operation couldn\u2019t be completed. "+
				said, "\t"+said)
	}
	d.Launch(a, slices.Contains(args, "--terminate-running-process"), rest[1:])
	for name, value := range p.Env {
		if name, ok := strings.CutPrefix(name, "SIMCTL_CHILD_"); ok {
			d.Note("%s has %s=%s", rest[0], name, value)
		}
	}
	p.Print("%s: %d\n", rest[0], a.PID)
	return 0
}

// simTerminate: github.com/wix/Detox/issues/4096.
func (d *Attached) simTerminate(p *host.Program, bundle string) int {
	if bundle == device.AgentBundle && d.Agent.AgentRuns() {
		d.Agent.StopAgent()
		return 0
	}
	d.Mu.Lock()
	defer d.Mu.Unlock()
	if a := d.Apps[bundle]; a != nil && d.Terminate(a) {
		return 0
	}
	return simctlError(p, "NSPOSIXErrorDomain", 3, "Simulator device returned an error for the requested operation.",
		"found nothing to terminate",
		"Underlying error (domain=NSPOSIXErrorDomain, code=3):",
		fmt.Sprintf("\tThe request to terminate %q failed. found nothing to terminate", bundle),
		"\tfound nothing to terminate")
}

// simInstall takes a folder NAME.app that holds a file "bundle" with its id.
func (d *Attached) simInstall(p *host.Program, path string) int {
	data, err := os.ReadFile(filepath.Join(path, "bundle"))
	if err != nil {
		return simctlError(p, "NSPOSIXErrorDomain", 22, "Failed to install the requested application",
			"The bundle identifier of the application could not be determined.",
			"Ensure that the application's Info.plist contains a value for CFBundleIdentifier.")
	}
	d.Mu.Lock()
	defer d.Mu.Unlock()
	d.Put(strings.TrimSpace(string(data)), strings.TrimSuffix(filepath.Base(path), ".app"))
	return 0
}

func (d *Attached) simContainer(p *host.Program, rest []string) int {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	a := d.Apps[rest[0]]
	if a == nil {
		return simctlError(p, "NSPOSIXErrorDomain", 2, "No such file or directory")
	}
	if len(rest) > 1 && rest[1] == "data" {
		a.Folder()
		p.Print("%s\n", a.Data)
		return 0
	}
	p.Print("%s\n", filepath.Join(d.Host.Dir, "Library/Developer/CoreSimulator/Devices", d.Opts.UDID,
		"data/Containers/Bundle/Application/1D/", a.Name+".app"))
	return 0
}

// appList is in the old form of property lists.
func (d *Attached) appList() string {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	var b strings.Builder
	b.WriteString(
		"{\n    \"com.apple.mobilesafari\" =     {\n        ApplicationType = System;\n        Bundle = " +
			"\"file:///Safari.app/\";\n" +
			" " +
			"       CFBundleDisplayName = Safari;\n" +
			"        CFBundleIdentifier = \"com.apple.mobilesafari\";\n        CFBundleName = Safari;\n    };\n")
	for bundle, a := range d.Apps {
		fmt.Fprintf(&b,
			"    \"%s\" =     {\n        ApplicationType = User;\n        Bundle = \"file:///%s.app/\";\n        "+
				"CFBundleDisplayName "+
				"= %s;\n"+
				"        CFBundleExecutable = %s;\n        CFBundleIdentifier = \"%s\";\n        CFBundleName = %s;\n        "+
				"GroupContainers =         {\n        };\n    };\n", bundle, a.Name, a.Name, a.Name, bundle, a.Name)
	}
	return b.String() + "}\n"
}

func (d *Attached) simPrivacy(p *host.Program, rest []string) int {
	if len(rest) < 3 || !slices.Contains([]string{"grant", "revoke", "reset"}, rest[0]) {
		p.Warn("Invalid action\n")
		return 22
	}
	known := []string{"all", "calendar", "contacts-limited", "contacts", "location", "location-always", "photos-add",
		"photos", "media-library", "microphone", "motion", "reminders", "siri"}
	if !slices.Contains(known, rest[1]) {
		p.Warn("Invalid service: %s\n", rest[1])
		return 22
	}
	d.Mu.Lock()
	defer d.Mu.Unlock()
	if a := d.Apps[rest[2]]; a != nil {
		a.Permissions[rest[1]] = rest[0] == "grant"
	}
	return 0
}

// simPush: of an app that is not there it says nothing.
func (d *Attached) simPush(p *host.Program, rest []string) int {
	data, err := os.ReadFile(rest[len(rest)-1])
	var payload struct {
		APS *struct {
			Alert struct{ Title, Body string }
		}
	}
	if err != nil || json.Unmarshal(data, &payload) != nil || payload.APS == nil {
		return simctlError(p, "NSPOSIXErrorDomain", 22, "Invalid push payload", "the file contains no 'aps' dictionary")
	}
	d.Mu.Lock()
	defer d.Mu.Unlock()
	d.Banner = payload.APS.Alert.Title
	d.Note("push to %s: %s", rest[0], data)
	return 0
}

func (d *Attached) simMedia(p *host.Program, path string) int {
	if _, err := os.Stat(path); err != nil {
		return simctlError(p, "NSPOSIXErrorDomain", 2, "One or more files failed to import.",
			path+": No such file or directory")
	}
	d.Mu.Lock()
	defer d.Mu.Unlock()
	d.Screenshots = append(d.Screenshots, filepath.Base(path))
	return 0
}

func (d *Attached) simLocation(p *host.Program, rest []string) int {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	switch {
	case rest[0] == "clear":
		d.Where = ""
	case rest[0] == "set" && len(rest) == 2 && strings.Contains(rest[1], ","):
		d.Where = rest[1]
	default:
		p.Warn("Usage: simctl location <device> <action> [arguments]\n")
		return 1
	}
	return 0
}

func (d *Attached) simUI(p *host.Program, rest []string) int {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	switch {
	case len(rest) == 1 && rest[0] == "appearance":
		p.Print("%s\n", d.Appearance())
	case len(rest) == 2 && (rest[1] == "dark" || rest[1] == "light"):
		d.Dark = rest[1] == "dark"
	default:
		p.Warn("Invalid option\n")
		return 1
	}
	return 0
}

// simGetenv prints a variable of the simulator's environment: of launchd's, the socket of Web Inspector.
func (d *Attached) simGetenv(p *host.Program, rest []string) int {
	if len(rest) == 1 && rest[0] == "RWI_LISTEN_SOCKET" {
		path, err := d.Inspector.Socket()
		if err != nil {
			return simctlError(p, "NSPOSIXErrorDomain", 2, err.Error())
		}
		p.Print("%s\n", path)
	}
	return 0
}
