package shell

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
	"github.com/taproot-dev/taproot/internal/sim/android/spec"
	"github.com/taproot-dev/taproot/internal/sim/android/system"
)

const adbKeyboardIME = "com.android.adbkeyboard/.AdbIME"

func cmdPm(c *call) int {
	if len(c.args) < 2 {
		c.errorf("Package manager (package) commands:\n  help\n    Print this help text.\n")
		return 255
	}
	args := c.args[2:]
	switch verb := c.args[1]; verb {
	case "list":
		return pmList(c, args)
	case "path":
		return pmPath(c, args)
	case "clear":
		return pmClear(c, dropUser(args))
	case "grant", "revoke":
		return pmGrant(c, verb, dropUser(args))
	case "resolve-activity":
		return pmResolve(c, args)
	case "query-activities":
		return pmQuery(c, args)
	case "install":
		return pmInstall(c, args)
	case "install-create":
		return pmInstallCreate(c, args)
	case "install-write":
		return pmInstallWrite(c, args)
	case "install-commit":
		return pmInstallCommit(c, args)
	case "install-abandon":
		return pmInstallAbandon(c, args)
	case "uninstall":
		return pmUninstall(c, dropUser(args))
	case "disable-user", "enable":
		return c.fail(255, "Error: Shell cannot change component state for null to 0")
	default:
		return c.fail(255, "Unknown command: %s", verb)
	}
}

func pmList(c *call, args []string) int {
	if len(args) == 0 {
		return c.fail(255, "Error: no list type specified")
	}
	switch args[0] {
	case "packages", "package":
	case "features":
		c.printf("feature:android.hardware.touchscreen\nfeature:android.software.input_methods\n")
		return 0
	case "users":
		c.printf("Users:\n\tUserInfo{0:Owner:c13} running\n")
		return 0
	case "instrumentation":
		return pmInstrumentation(c)
	default:
		return c.fail(255, "Error: unknown list type '%s'", args[0])
	}
	third, system, paths, uids, codes, filter := false, false, false, false, false, ""
	for rest := args[1:]; len(rest) > 0; rest = rest[1:] {
		switch rest[0] {
		case "-3":
			third = true
		case "-s":
			system = true
		case "-f":
			paths = true
		case "-U":
			uids = true
		case "--show-versioncode":
			codes = true
		case "-e", "-d", "-i", "-u", "-a":
			if rest[0] == "-d" {
				return 0 // nothing is disabled
			}
		case "--user":
			if len(rest) < 2 {
				return c.fail(255, "Error: --user needs an argument")
			}
			rest = rest[1:]
		default:
			if strings.HasPrefix(rest[0], "-") {
				return c.fail(255, "Error: Unknown option: %s", rest[0])
			}
			filter = rest[0]
		}
	}
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(c.sys.Packages)) {
		p := c.sys.Packages[name]
		if third && p.System || system && !p.System || !strings.Contains(name, filter) {
			continue
		}
		line := "package:"
		if paths {
			line += p.Path() + "="
		}
		line += name
		if codes {
			line += " versionCode:" + strconv.Itoa(p.Code)
		}
		if uids {
			line += " uid:" + strconv.Itoa(p.UID)
		}
		c.printf("%s\n", line)
	}
	return 0
}

func pmPath(c *call, args []string) int {
	args = dropUser(args)
	if len(args) == 0 {
		return c.fail(255, "Error: no package specified")
	}
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	p := c.sys.Packages[args[0]]
	if p == nil {
		return 1
	}
	c.printf("package:%s\n", p.Path())
	return 0
}

// pmClear wipes the data at once and says Success; the process is killed some time later, as on phones.
func pmClear(c *call, args []string) int {
	if len(args) == 0 {
		return c.fail(255, "Error: no package specified")
	}
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	p := c.sys.Packages[args[0]]
	if p == nil {
		c.printf("Failed\n")
		return 1
	}
	if c.sys.Opts.Guard != spec.GuardNone {
		return c.exception("java.lang.SecurityException: adb clearing user data is forbidden.", "pm", "clear")
	}
	clear(p.Data)
	clear(p.Granted)
	if p.Cleared != nil {
		p.Cleared()
	}
	if r := c.sys.UI.Apps[p.Name]; r != nil {
		// What lands later kills whatever runs by then, even a process that was started after the Success.
		c.sys.UI.Later(c.sys.Opts.ClearKill, func() { c.sys.UI.Stop(p.Name) })
	}
	c.printf("Success\n")
	return 0
}

func pmGrant(c *call, verb string, args []string) int {
	if len(args) < 2 {
		return c.fail(255, "Error: no permission specified")
	}
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	p := c.sys.Packages[args[0]]
	if p == nil {
		return c.exception("java.lang.IllegalArgumentException: Unknown package: "+args[0], "pm", verb)
	}
	if !slices.Contains(p.Declared, args[1]) {
		return c.exception(fmt.Sprintf("java.lang.SecurityException: Package %s has not requested permission %s", args[0],
			args[1]), "pm", verb)
	}
	if kept, code := c.guarded("pm", verb, verb+"RuntimePermission: Neither user 2000 nor current process has "+
		"android.permission."+strings.ToUpper(verb)+"_RUNTIME_PERMISSIONS."); kept {
		return code
	}
	if verb == "revoke" && p.Granted[args[1]] {
		c.sys.UI.Stop(p.Name) // an app must not continue with a permission that it believes to have
	}
	p.Granted[args[1]] = verb == "grant"
	return 0
}

func pmResolve(c *call, args []string) int {
	brief, name := false, ""
	in := intent{}
	for ; len(args) > 0; args = args[1:] {
		switch {
		case args[0] == "--brief":
			brief = true
		case (args[0] == "-c" || args[0] == "--user" || args[0] == "--query-flags") && len(args) > 1:
			args = args[1:]
		case (args[0] == "-a") && len(args) > 1:
			args = args[1:]
			in.action = args[0]
		case (args[0] == "-d") && len(args) > 1:
			args = args[1:]
			in.data = args[0]
		case !strings.HasPrefix(args[0], "-"):
			name = args[0]
		}
	}
	in.pkg = name
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	pkg, class := in.target(c.sys.Packages)
	if class == "" {
		c.printf("No activity found\n")
		return 0
	}
	if p := c.sys.Packages[pkg]; in.data == "" && p != nil && len(p.Launchers) > 0 { // Android would ask which one
		pkg, class = "android", "com.android.internal.app.ResolverActivity"
	}
	if brief {
		c.printf(
			"priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false\n%s\n",
			system.Shorten(pkg, class),
		)
		return 0
	}
	c.printf("priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false\n  ActivityInfo:\n    name=%s\n"+
		" "+
		" "+
		"  packageName=%s\n", class, pkg)
	return 0
}

// pmQuery lists the activities of a package that launchers show.
func pmQuery(c *call, args []string) int {
	brief, categories, pkg := false, "", ""
	for ; len(args) > 0; args = args[1:] {
		switch {
		case args[0] == "--brief":
			brief = true
		case (args[0] == "-a" || args[0] == "--user" || args[0] == "--query-flags") && len(args) > 1:
			args = args[1:]
		case args[0] == "-c" && len(args) > 1:
			categories, args = args[1], args[1:]
		case args[0] == "-p" && len(args) > 1:
			pkg, args = args[1], args[1:]
		case !strings.HasPrefix(args[0], "-"):
			pkg = args[0]
		}
	}
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	var classes []string
	if p := c.sys.Packages[pkg]; p != nil && p.Launch != "" &&
		categories != "android.intent.category.LEANBACK_LAUNCHER" {
		classes = append([]string{p.Launch}, p.Launchers...)
	}
	if len(classes) == 0 {
		c.printf("No activities found\n")
		return 0
	}
	c.printf("%d activities found:\n", len(classes))
	for i, class := range classes {
		c.printf("  Activity #%d:\n    priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false\n", i)
		if brief {
			c.printf("    %s\n", system.Shorten(pkg, class))
		} else {
			c.printf("    ActivityInfo:\n      name=%s\n      packageName=%s\n", class, pkg)
		}
	}
	return 0
}

// pmInstall takes an APK from stdin (-S N) or from a file: one that Android's tools built, or a file that starts like a
// ZIP and has a line "package=NAME", which is what tests write.
func pmInstall(c *call, args []string) int {
	size, file, replace, downgrade := int64(-1), "", c.sys.Prof.API >= 29, false
	for ; len(args) > 0; args = args[1:] {
		switch {
		case args[0] == "-S" && len(args) > 1:
			n, err := strconv.ParseInt(args[1], 10, 64)
			if err != nil || n < 0 || n > kernel.MaxDeviceFile {
				return c.fail(1, "Error: invalid size %s", args[1])
			}
			size, args = n, args[1:]
		case (args[0] == "-i" || args[0] == "--user" || args[0] == "--abi") && len(args) > 1:
			args = args[1:]
		case args[0] == "-r":
			replace = true
		case args[0] == "-d":
			downgrade = true
		case !strings.HasPrefix(args[0], "-"):
			file = args[0]
		}
	}
	var apk []byte
	switch {
	case size >= 0:
		apk = make([]byte, size)
		if _, err := io.ReadFull(c.in, apk); err != nil {
			return c.failure("INSTALL_FAILED_INTERNAL_ERROR: Session relinquished")
		}
	case file != "":
		data, err := c.sys.Files.Read(c.path(file))
		if err != nil {
			return c.fail(1, "Error: failed to open file: %s", file)
		}
		apk = data
	default:
		return c.fail(1, "Error: must either specify a package size or an APK file")
	}
	return c.installAPK(apk, replace, downgrade)
}

// failure is pm's answer to an install that did not work; it goes to stdout.
func (c *call) failure(reason string) int {
	c.printf("Failure [%s]\n", reason)
	return 1
}

func (c *call) installAPK(apk []byte, replace, downgrade bool) int {
	if c.sys.Files.IsFull() {
		return c.failure("INSTALL_FAILED_INSUFFICIENT_STORAGE: Failed to override installation location")
	}
	facts, problem := parseAPK(apk, "vmdl1.tmp/base.apk")
	if problem != "" {
		return c.failure(problem)
	}
	if facts.split != "" {
		return c.failure(noBase)
	}
	return c.installParsed(string(apk), facts, nil, replace, downgrade)
}

// installParsed installs an app with facts from its base, together with its splits. text is what a test wrote into the
// base.
func (c *call) installParsed(text string, facts apk, splits []string, replace, downgrade bool) int {
	name := facts.name
	if _, problem, ok := strings.Cut(text, "\nfail="); ok {
		problem, _, _ = strings.Cut(problem, "\n")
		return c.failure(problem)
	}
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	if old := c.sys.Packages[name]; old != nil && !replace {
		return c.failure("INSTALL_FAILED_ALREADY_EXISTS: Attempt to re-install " + name + " without first uninstalling.")
	}
	if old := c.sys.Packages[name]; old != nil && old.System {
		return c.failure("INSTALL_FAILED_UPDATE_INCOMPATIBLE: Existing package " + name +
			" signatures do not match newer version; ignoring!")
	}
	if facts.agent && c.sys.Opts.InstallPrompt {
		c.sys.Mu.Unlock()
		<-c.ctx.Done()
		c.sys.Mu.Lock()
		return 128 + kernel.SignalOf(c.ctx)
	}
	if problem := facts.refused(c.sys, c.sys.Packages[name], downgrade); problem != "" {
		return c.failure(problem)
	}
	c.sys.UI.Stop(name)
	label := name[strings.LastIndexByte(name, '.')+1:]
	c.sys.Packages[name] = &system.Package{
		Name: name, Label: label, Splits: splits, UID: 10200 + len(c.sys.Packages), Version: facts.version,
		Code: facts.code, Signed: facts.certificate, Launch: name + ".MainActivity",
		Activities: map[string]string{name + ".MainActivity": ""}, Granted: map[string]bool{}, Data: map[string]string{},
	}
	if facts.plain() {
		c.sys.Packages[name].Launch, c.sys.Packages[name].Activities = "", nil
	}
	c.printf("Success\n")
	return 0
}

func pmUninstall(c *call, args []string) int {
	if len(args) > 0 && args[0] == "-k" {
		args = args[1:]
	}
	if len(args) == 0 {
		return c.fail(1, "Error: package name not specified")
	}
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	p := c.sys.Packages[args[0]]
	switch {
	case p == nil:
		return c.failure("DELETE_FAILED_INTERNAL_ERROR")
	case p.System:
		return c.failure("DELETE_FAILED_INTERNAL_ERROR: system package")
	}
	c.sys.UI.Stop(p.Name)
	delete(c.sys.Packages, p.Name)
	c.printf("Success\n")
	return 0
}

func cmdMonkey(c *call) int {
	pkg, count := "", ""
	for args := c.args[1:]; len(args) > 0; args = args[1:] {
		switch {
		case args[0] == "-p" && len(args) > 1:
			pkg, args = args[1], args[1:]
		case (args[0] == "-c" || args[0] == "--throttle" || args[0] == "-s" || args[0] == "--pct-syskeys") && len(args) > 1:
			args = args[1:]
		case strings.HasPrefix(args[0], "-"):
		default:
			count = args[0]
		}
	}
	if _, err := strconv.Atoi(count); err != nil {
		c.errorf("** Error: Count not specified\nusage: monkey [-p ALLOWED_PACKAGE [-p ALLOWED_PACKAGE] ...]\n")
		return 255
	}
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	p := c.sys.Packages[pkg]
	c.printf("  bash arg: -p\n  bash arg: %s\n  bash arg: -c\n  bash arg: android.intent.category.LAUNCHER\n  bash arg: "+
		"%s\n", pkg, count)
	if p == nil || p.Launch == "" {
		c.printf("** No activities found to run, monkey aborted.\n")
		return 252
	}
	c.sys.UI.Start(pkg)
	c.printf("Events injected: %s\n## Network stats: elapsed time=12ms (0ms mobile, 0ms wifi, 12ms not connected)\n",
		count)
	return 0
}
