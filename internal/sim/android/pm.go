package androidsim

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

const notExported = "-"

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
	third, system, paths, uids, filter := false, false, false, false, ""
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
	c.sys.mu.Lock()
	defer c.sys.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(c.sys.packages)) {
		p := c.sys.packages[name]
		if third && p.system || system && !p.system || !strings.Contains(name, filter) {
			continue
		}
		line := "package:"
		if paths {
			line += p.path() + "="
		}
		line += name
		if uids {
			line += " uid:" + strconv.Itoa(p.uid)
		}
		c.printf("%s\n", line)
	}
	return 0
}

func (p *installed) path() string {
	if p.system {
		return "/system/app/" + p.label + "/" + p.label + ".apk"
	}
	return "/data/app/~~Zk3hY1w==/" + p.name + "-8Qd0Pq==/base.apk"
}

func pmPath(c *call, args []string) int {
	args = dropUser(args)
	if len(args) == 0 {
		return c.fail(255, "Error: no package specified")
	}
	c.sys.mu.Lock()
	defer c.sys.mu.Unlock()
	p := c.sys.packages[args[0]]
	if p == nil {
		return 1
	}
	c.printf("package:%s\n", p.path())
	return 0
}

// pmClear wipes the data at once and says Success; the process is killed some time later, as on phones.
func pmClear(c *call, args []string) int {
	if len(args) == 0 {
		return c.fail(255, "Error: no package specified")
	}
	c.sys.mu.Lock()
	defer c.sys.mu.Unlock()
	p := c.sys.packages[args[0]]
	if p == nil {
		c.printf("Failed\n")
		return 1
	}
	if c.sys.opts.Guard != GuardNone {
		return c.exception("java.lang.SecurityException: adb clearing user data is forbidden.", "pm", "clear")
	}
	clear(p.data)
	clear(p.granted)
	if p.cleared != nil {
		p.cleared()
	}
	if r := c.sys.ui.apps[p.name]; r != nil {
		// What lands later kills whatever runs by then, even a process that was started after the Success.
		c.sys.ui.later(c.sys.opts.ClearKill, func() { c.sys.ui.stop(p.name) })
	}
	c.printf("Success\n")
	return 0
}

func pmGrant(c *call, verb string, args []string) int {
	if len(args) < 2 {
		return c.fail(255, "Error: no permission specified")
	}
	c.sys.mu.Lock()
	defer c.sys.mu.Unlock()
	p := c.sys.packages[args[0]]
	if p == nil {
		return c.exception("java.lang.IllegalArgumentException: Unknown package: "+args[0], "pm", verb)
	}
	if !slices.Contains(p.declared, args[1]) {
		return c.exception(fmt.Sprintf("java.lang.SecurityException: Package %s has not requested permission %s", args[0],
			args[1]), "pm", verb)
	}
	if kept, code := c.guarded("pm", verb, verb+"RuntimePermission: Neither user 2000 nor current process has "+
		"android.permission."+strings.ToUpper(verb)+"_RUNTIME_PERMISSIONS."); kept {
		return code
	}
	if verb == "revoke" && p.granted[args[1]] {
		c.sys.ui.stop(p.name) // an app must not continue with a permission that it believes to have
	}
	p.granted[args[1]] = verb == "grant"
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
	c.sys.mu.Lock()
	defer c.sys.mu.Unlock()
	pkg, class := in.target(c.sys.packages)
	if class == "" {
		c.printf("No activity found\n")
		return 0
	}
	if p := c.sys.packages[pkg]; in.data == "" && p != nil && len(p.launchers) > 0 { // Android would ask which one
		pkg, class = "android", "com.android.internal.app.ResolverActivity"
	}
	if brief {
		c.printf("priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false\n%s\n", shorten(pkg, class))
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
	c.sys.mu.Lock()
	defer c.sys.mu.Unlock()
	var classes []string
	if p := c.sys.packages[pkg]; p != nil && p.launch != "" &&
		categories != "android.intent.category.LEANBACK_LAUNCHER" {
		classes = append([]string{p.launch}, p.launchers...)
	}
	if len(classes) == 0 {
		c.printf("No activities found\n")
		return 0
	}
	c.printf("%d activities found:\n", len(classes))
	for i, class := range classes {
		c.printf("  Activity #%d:\n    priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false\n", i)
		if brief {
			c.printf("    %s\n", shorten(pkg, class))
		} else {
			c.printf("    ActivityInfo:\n      name=%s\n      packageName=%s\n", class, pkg)
		}
	}
	return 0
}

// pmInstall takes an APK from stdin (-S N) or from a file: one that Android's tools built, or a file that starts like a
// ZIP and has a line "package=NAME", which is what tests write.
func pmInstall(c *call, args []string) int {
	size, file, replace, downgrade := int64(-1), "", c.sys.prof.api >= 29, false
	for ; len(args) > 0; args = args[1:] {
		switch {
		case args[0] == "-S" && len(args) > 1:
			n, err := strconv.ParseInt(args[1], 10, 64)
			if err != nil || n < 0 || n > maxDeviceFile {
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
		data, err := c.sys.files.read(c.path(file))
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
	if c.sys.files.isFull() {
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

// parseAPK reads a package file as the package manager does; problem is why it cannot be read.
func parseAPK(data []byte, file string) (facts apk, problem string) {
	text := string(data)
	if !strings.HasPrefix(text, "PK\x03\x04") {
		return apk{}, "INSTALL_PARSE_FAILED_NOT_APK: Failed to parse /data/app/" + file
	}
	facts, err := builtAPK(data)
	if err != nil {
		facts = apkFacts(text)
	}
	if facts.name == "" || strings.ContainsAny(facts.name, " /\x00") {
		return apk{},
			"INSTALL_PARSE_FAILED_MANIFEST_MALFORMED: Failed parse during installPackageLI: base.apk has no manifest"
	}
	return facts, ""
}

// installParsed installs an app with facts from its base, together with its splits. text is what a test wrote into the
// base.
func (c *call) installParsed(text string, facts apk, splits []string, replace, downgrade bool) int {
	name := facts.name
	if _, problem, ok := strings.Cut(text, "\nfail="); ok {
		problem, _, _ = strings.Cut(problem, "\n")
		return c.failure(problem)
	}
	c.sys.mu.Lock()
	defer c.sys.mu.Unlock()
	if old := c.sys.packages[name]; old != nil && !replace {
		return c.failure("INSTALL_FAILED_ALREADY_EXISTS: Attempt to re-install " + name + " without first uninstalling.")
	}
	if old := c.sys.packages[name]; old != nil && old.system {
		return c.failure("INSTALL_FAILED_UPDATE_INCOMPATIBLE: Existing package " + name +
			" signatures do not match newer version; ignoring!")
	}
	if facts.agent && c.sys.opts.InstallPrompt {
		c.sys.mu.Unlock()
		<-c.ctx.Done()
		c.sys.mu.Lock()
		return 128 + signalOf(c.ctx)
	}
	if problem := facts.refused(c.sys, c.sys.packages[name], downgrade); problem != "" {
		return c.failure(problem)
	}
	c.sys.ui.stop(name)
	label := name[strings.LastIndexByte(name, '.')+1:]
	c.sys.packages[name] = &installed{
		name: name, label: label, splits: splits, uid: 10200 + len(c.sys.packages), version: facts.version,
		code: facts.code, signed: facts.certificate, launch: name + ".MainActivity",
		activities: map[string]string{name + ".MainActivity": ""}, granted: map[string]bool{}, data: map[string]string{},
	}
	if facts.plain() {
		c.sys.packages[name].launch, c.sys.packages[name].activities = "", nil
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
	c.sys.mu.Lock()
	defer c.sys.mu.Unlock()
	p := c.sys.packages[args[0]]
	switch {
	case p == nil:
		return c.failure("DELETE_FAILED_INTERNAL_ERROR")
	case p.system:
		return c.failure("DELETE_FAILED_INTERNAL_ERROR: system package")
	}
	c.sys.ui.stop(p.name)
	delete(c.sys.packages, p.name)
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
	c.sys.mu.Lock()
	defer c.sys.mu.Unlock()
	p := c.sys.packages[pkg]
	c.printf("  bash arg: -p\n  bash arg: %s\n  bash arg: -c\n  bash arg: android.intent.category.LAUNCHER\n  bash arg: "+
		"%s\n", pkg, count)
	if p == nil || p.launch == "" {
		c.printf("** No activities found to run, monkey aborted.\n")
		return 252
	}
	c.sys.ui.start(pkg)
	c.printf("Events injected: %s\n## Network stats: elapsed time=12ms (0ms mobile, 0ms wifi, 12ms not connected)\n",
		count)
	return 0
}
