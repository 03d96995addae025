package iossim

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// xcrun is /usr/bin/xcrun. What it says of a program that is not there is what Xcode's command line tools say.
func (l *Lab) xcrun(p *process) int {
	name, args := p.args[0], p.args[1:]
	if l.opts.NoXcode || l.opts.OldXcode && name == "devicectl" {
		p.warn("xcrun: error: unable to find utility \"%s\", not a developer tool or in PATH\n", name)
		return 72
	}
	switch name {
	case "simctl":
		return l.simctl(p, args)
	case "devicectl":
		return l.devicectl(p, args)
	case "xcodebuild":
		return l.xcodebuild(p, args)
	case "--version":
		p.print("xcrun version 70.\n")
		return 0
	}
	p.warn("xcrun: error: unable to find utility \"%s\", not a developer tool or in PATH\n", name)
	return 72
}

// simctlError has the form of simctl's errors, as in github.com/wix/Detox/issues/4096.
func simctlError(p *process, domain string, code int, lines ...string) int {
	p.warn("An error was encountered processing the command (domain=%s, code=%d):\n%s\n", domain, code,
		strings.Join(lines, "\n"))
	return code
}

func (l *Lab) simctl(p *process, args []string) int {
	if args[0] == "list" {
		p.print("%s", l.simulatorList())
		return 0
	}
	udid, rest := simctlTarget(args)
	d := l.find(udid)
	if d == nil || d.opts.Phone {
		p.warn("Invalid device: %s\n", udid)
		return 148
	}
	switch args[0] {
	case "bootstatus", "shutdown":
		return d.power(p, args)
	}
	d.mu.Lock()
	booted := d.state == "Booted"
	d.mu.Unlock()
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
func (l *Lab) simulatorList() string {
	byRuntime := map[string][]string{
		"com.apple.CoreSimulator.SimRuntime.tvOS-18-0": {simulatorEntry("Apple TV", "FA628127-1D5C-45C3-9918-A47BF7E2AE14",
			"Booted", true)},
		"com.apple.CoreSimulator.SimRuntime.watchOS-11-0": {
			simulatorEntry("Apple Watch Series 10 (46mm)", "0C527828-EBF4-4FD0-A66B-200FE716EB37", "Shutdown", true)},
		"com.apple.CoreSimulator.SimRuntime.iOS-15-0": {
			simulatorEntry("iPhone 13", "064545FB-B27F-4D1C-9F9F-C05F31F30B42", "Shutdown", false)},
	}
	for _, d := range l.phones {
		if !d.opts.Phone {
			runtime := "com.apple.CoreSimulator.SimRuntime.iOS-" + strings.ReplaceAll(d.opts.Version, ".", "-")
			d.mu.Lock()
			byRuntime[runtime] = append(byRuntime[runtime], simulatorEntry(d.opts.Name, d.opts.UDID, d.state, true))
			d.mu.Unlock()
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
func (d *Device) power(p *process, args []string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	if args[0] == "shutdown" {
		if d.state != "Booted" {
			return simctlError(p, "com.apple.CoreSimulator.SimError", 149, "Unable to shutdown device in current state: "+
				d.state)
		}
		d.state = "Shutdown"
		return 0
	}
	p.print("Monitoring boot status for %s (%s).\n", d.opts.Name, d.opts.UDID)
	if d.state != "Booted" {
		if !slices.Contains(args, "-b") {
			p.wait()
			return 1
		}
		d.state = "Booted"
		p.print("2026-01-02 03:04:05 +0000\nStatus=2, isTerminal=NO, Elapsed=00:02.\n\tWaiting on System App\n")
	}
	p.print("Finished.\n")
	return 0
}

// simctl are the commands for a booted simulator.
func (d *Device) simctl(p *process, args, rest []string) int {
	switch args[0] {
	case "launch":
		return d.simLaunch(p, args, rest)
	case "terminate":
		return d.simTerminate(p, rest[0])
	case "install":
		return d.simInstall(p, rest[0])
	case "uninstall":
		d.mu.Lock()
		defer d.mu.Unlock()
		if a := d.apps[rest[0]]; a != nil {
			d.terminate(a)
			delete(d.apps, rest[0])
		}
		return 0 // of an app that is not there, too
	case "get_app_container":
		return d.simContainer(p, rest)
	case "listapps":
		p.print("%s", d.appList())
		return 0
	case "openurl":
		d.mu.Lock()
		defer d.mu.Unlock()
		if !d.opens(rest[0], "") {
			return simctlError(p, "NSOSStatusErrorDomain", 194, "Simulator device failed to open "+rest[0]+".",
				"Underlying error (domain=NSOSStatusErrorDomain, code=-10814):",
				"\tThe operation couldn\u2019t be completed. (OSStatus error -10814.)")
		}
		return 0
	case "privacy":
		return d.simPrivacy(p, rest)
	case "keychain":
		if len(rest) != 1 || rest[0] != "reset" {
			p.warn("Invalid keychain operation\n")
			return 22
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.secrets = 0
		return 0
	case "push":
		return d.simPush(p, rest)
	case "status_bar":
		d.note("status bar: %s", strings.Join(rest, " "))
		if rest[0] != "override" && rest[0] != "clear" {
			p.warn("Usage: simctl status_bar <device> [list | clear | override <override arguments>]\n")
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
	p.warn("Unrecognized subcommand: %s\nusage: simctl [--set <path>] [--profiles <path>] <subcommand> ...\n", args[0])
	return 1
}

// simLaunch prints "BUNDLE: PID". What it says of an app that is not there is from github.com/wix/Detox/issues/2939.
func (d *Device) simLaunch(p *process, args, rest []string) int {
	if rest[0] == agentBundle && d.opts.RunnerInstalled {
		return d.runAgent(p.ctx, p, p.env["SIMCTL_CHILD_USE_PORT"], p.env["SIMCTL_CHILD_MJPEG_SERVER_PORT"])
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	a := d.apps[rest[0]]
	if a == nil {
		said := fmt.Sprintf("Application info provider (FBSApplicationLibrary) returned nil for %q", rest[0])
		return simctlError(p, "FBSOpenApplicationServiceErrorDomain", 4, fmt.Sprintf("Simulator device failed to launch %s.",
			rest[0]),
			"Underlying error (domain=FBSOpenApplicationErrorDomain, code=4):", "\tThe operation couldn\u2019t be completed. "+
				said, "\t"+said)
	}
	d.launch(a, slices.Contains(args, "--terminate-running-process"), rest[1:])
	for name, value := range p.env {
		if name, ok := strings.CutPrefix(name, "SIMCTL_CHILD_"); ok {
			d.note("%s has %s=%s", rest[0], name, value)
		}
	}
	p.print("%s: %d\n", rest[0], a.pid)
	return 0
}

// simTerminate: github.com/wix/Detox/issues/4096.
func (d *Device) simTerminate(p *process, bundle string) int {
	if bundle == agentBundle && d.AgentRuns() {
		d.stopAgent()
		return 0
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if a := d.apps[bundle]; a != nil && d.terminate(a) {
		return 0
	}
	return simctlError(p, "NSPOSIXErrorDomain", 3, "Simulator device returned an error for the requested operation.",
		"found nothing to terminate",
		"Underlying error (domain=NSPOSIXErrorDomain, code=3):",
		fmt.Sprintf("\tThe request to terminate %q failed. found nothing to terminate", bundle),
		"\tfound nothing to terminate")
}

// simInstall takes a folder NAME.app that holds a file "bundle" with its id.
func (d *Device) simInstall(p *process, path string) int {
	data, err := os.ReadFile(filepath.Join(path, "bundle"))
	if err != nil {
		return simctlError(p, "NSPOSIXErrorDomain", 22, "Failed to install the requested application",
			"The bundle identifier of the application could not be determined.",
			"Ensure that the application's Info.plist contains a value for CFBundleIdentifier.")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.put(strings.TrimSpace(string(data)), strings.TrimSuffix(filepath.Base(path), ".app"))
	return 0
}

func (d *Device) simContainer(p *process, rest []string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	a := d.apps[rest[0]]
	if a == nil {
		return simctlError(p, "NSPOSIXErrorDomain", 2, "No such file or directory")
	}
	if len(rest) > 1 && rest[1] == "data" {
		a.folder()
		p.print("%s\n", a.data)
		return 0
	}
	p.print("%s\n", filepath.Join(d.lab.home, "Library/Developer/CoreSimulator/Devices", d.opts.UDID,
		"data/Containers/Bundle/Application/1D/", a.name+".app"))
	return 0
}

// appList is in the old form of property lists.
func (d *Device) appList() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var b strings.Builder
	b.WriteString(
		"{\n    \"com.apple.mobilesafari\" =     {\n        ApplicationType = System;\n        Bundle = " +
			"\"file:///Safari.app/\";\n" +
			" " +
			"       CFBundleDisplayName = Safari;\n" +
			"        CFBundleIdentifier = \"com.apple.mobilesafari\";\n        CFBundleName = Safari;\n    };\n")
	for bundle, a := range d.apps {
		fmt.Fprintf(&b,
			"    \"%s\" =     {\n        ApplicationType = User;\n        Bundle = \"file:///%s.app/\";\n        "+
				"CFBundleDisplayName "+
				"= %s;\n"+
				"        CFBundleExecutable = %s;\n        CFBundleIdentifier = \"%s\";\n        CFBundleName = %s;\n        "+
				"GroupContainers =         {\n        };\n    };\n", bundle, a.name, a.name, a.name, bundle, a.name)
	}
	return b.String() + "}\n"
}

func (d *Device) simPrivacy(p *process, rest []string) int {
	if len(rest) < 3 || !slices.Contains([]string{"grant", "revoke", "reset"}, rest[0]) {
		p.warn("Invalid action\n")
		return 22
	}
	known := []string{"all", "calendar", "contacts-limited", "contacts", "location", "location-always", "photos-add",
		"photos", "media-library", "microphone", "motion", "reminders", "siri"}
	if !slices.Contains(known, rest[1]) {
		p.warn("Invalid service: %s\n", rest[1])
		return 22
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if a := d.apps[rest[2]]; a != nil {
		a.permissions[rest[1]] = rest[0] == "grant"
	}
	return 0
}

// simPush: of an app that is not there it says nothing.
func (d *Device) simPush(p *process, rest []string) int {
	data, err := os.ReadFile(rest[len(rest)-1])
	var payload struct {
		APS *struct {
			Alert struct{ Title, Body string }
		}
	}
	if err != nil || json.Unmarshal(data, &payload) != nil || payload.APS == nil {
		return simctlError(p, "NSPOSIXErrorDomain", 22, "Invalid push payload", "the file contains no 'aps' dictionary")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.banner = payload.APS.Alert.Title
	d.note("push to %s: %s", rest[0], data)
	return 0
}

func (d *Device) simMedia(p *process, path string) int {
	if _, err := os.Stat(path); err != nil {
		return simctlError(p, "NSPOSIXErrorDomain", 2, "One or more files failed to import.",
			path+": No such file or directory")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.screenshots = append(d.screenshots, filepath.Base(path))
	return 0
}

func (d *Device) simLocation(p *process, rest []string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case rest[0] == "clear":
		d.where = ""
	case rest[0] == "set" && len(rest) == 2 && strings.Contains(rest[1], ","):
		d.where = rest[1]
	default:
		p.warn("Usage: simctl location <device> <action> [arguments]\n")
		return 1
	}
	return 0
}

func (d *Device) simUI(p *process, rest []string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case len(rest) == 1 && rest[0] == "appearance":
		p.print("%s\n", d.appearance())
	case len(rest) == 2 && (rest[1] == "dark" || rest[1] == "light"):
		d.dark = rest[1] == "dark"
	default:
		p.warn("Invalid option\n")
		return 1
	}
	return 0
}

// simSpawn runs `log stream` and `defaults delete`.
func (d *Device) simSpawn(p *process, rest []string) int {
	if scheme, ok := strings.CutPrefix(rest[min(3, len(rest)-1)], "com.apple.CoreSimulator.CoreSimulatorBridge-->"); ok &&
		len(rest) == 6 && rest[1] == "write" {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.approved[scheme] = d.approved[scheme] || rest[5] == appOf(scheme)
		return 0
	}
	if rest[0] == "defaults" {
		p.warn("2026-01-02 03:04:05.000 defaults[1:2] \nDomain (%s) not found.\n", rest[len(rest)-1])
		return 1
	}
	if rest[0] == "notifyutil" { // it prints nothing and knows no wrong name
		if len(rest) == 4 && rest[1] == "-s" {
			d.note("set %s to %s", rest[2], rest[3])
		} else {
			d.note("posted %s", rest[len(rest)-1])
		}
		return 0
	}
	lines, stop := d.follow()
	defer stop()
	style, head := rest[len(rest)-1], "Timestamp                       (process)[PID]    \n"
	if style == "compact" {
		head = "Timestamp               Ty Process[PID:TID]\n"
	}
	p.print("Filtering the log data using \"subsystem != \"com.apple.nothing\"\"\n%s", head)
	for {
		select {
		case line := <-lines:
			p.print("%s", line.in(style))
		case <-p.signals:
			return 130
		case <-p.ctx.Done():
			return 130
		}
	}
}

// simIO takes screenshots and recordings of the screen as it is built into the phone. Its words are those of Xcode 16;
// they go to the standard error.
func (d *Device) simIO(p *process, rest []string) int {
	file := rest[len(rest)-1]
	if rest[0] == "screenshot" {
		d.mu.Lock()
		img, err := d.builtIn()
		d.mu.Unlock()
		if err == nil {
			err = writePNG(file, img)
		}
		if err != nil {
			return simctlError(p, "NSPOSIXErrorDomain", 2, err.Error())
		}
		p.warn("Detected file type 'PNG' from extension\nWrote screenshot to: %s\n", file)
		return 0
	}
	dir, err := os.MkdirTemp("", "film-")
	if err != nil {
		return 1
	}
	defer os.RemoveAll(dir)
	p.warn("Recording started\n")
	for n := 0; ; n++ {
		d.mu.Lock()
		img, err := d.builtIn()
		d.mu.Unlock()
		if err == nil && n < 100 {
			err = writePNG(filepath.Join(dir, fmt.Sprintf("%03d.png", n)), img)
		}
		if err != nil {
			return 1
		}
		select {
		case <-p.signals:
			p.warn("Recording completed. Writing to disk.\n")
			if err := encode(dir, file); err != nil {
				p.warn("%v\n", err)
				return 1
			}
			p.warn("Wrote video to: %s\n", file)
			return 0
		case <-p.ctx.Done(): // killed: the video is broken
			_ = os.WriteFile(file, []byte("\x00\x00\x00\x14ftypqt  "), 0o644)
			return 137
		case <-time.After(250 * time.Millisecond):
		}
	}
}

// encode makes an MP4 of images, which the fake leaves to ffmpeg, as simctl leaves it to macOS.
func encode(dir, file string) error {
	out, err := exec.Command("ffmpeg", "-y", "-loglevel", "error", "-framerate", "4", "-i", filepath.Join(dir, "%03d.png"),
		"-c:v", "libx264", "-preset", "ultrafast",
		"-pix_fmt", "yuv420p", "-vf", "scale=trunc(iw/2)*2:trunc(ih/2)*2", file).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ffmpeg: %w: %s", err, out)
	}
	return nil
}

// tunnelAddress is one of this machine's own addresses, by chance no other device's: labs lie in folders of their own.
func (l *Lab) tunnelAddress(udid string) string {
	h := fnv.New32a()
	_, _ = io.WriteString(h, l.home+udid)
	sum := h.Sum32()
	return fmt.Sprintf("127.%d.%d.%d", 64+sum>>16&63, sum>>8&255, 1+sum&127)
}

// xcodebuild runs WebDriverAgent's test.
func (l *Lab) xcodebuild(p *process, args []string) int {
	i, f := slices.Index(args, "-destination"), slices.Index(args, "-xctestrun")
	if !slices.Contains(args, "test-without-building") || i < 0 || f < 0 {
		p.warn("xcodebuild: error: unknown option\n")
		return 64
	}
	if _, err := os.Stat(args[f+1]); err != nil {
		p.warn("xcodebuild: error: The flag -xctestrun requires a path to an existing .xctestrun file.\n")
		return 66
	}
	d := l.find(strings.TrimPrefix(args[i+1], "id="))
	if d == nil {
		p.warn("xcodebuild: error: Unable to find a device matching the provided destination specifier:\n\t\t{ %s }\n",
			args[i+1])
		return 70
	}
	port, films := p.env["TEST_RUNNER_USE_PORT"], p.env["TEST_RUNNER_MJPEG_SERVER_PORT"]
	if d.opts.OwnPort {
		port = "0"
	}
	if d.opts.Phone {
		d.mu.Lock()
		d.address = cmp.Or(d.address, l.tunnelAddress(d.opts.UDID))
		d.mu.Unlock()
	}
	return d.runAgent(p.ctx, p, port, films)
}
