package shell

import (
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/internal/sim/android/spec"
	"github.com/taproot-dev/taproot/internal/sim/android/system"
)

// intent is what am start was asked for.
type intent struct {
	action, data, pkg, component, mime string
	categories                         []string
	extras                             map[string]string
	kinds                              map[string]string // of the extras: the options
	flags                              string
	wait, stop, clearTask              bool
	user                               string // the user of the app
}

func (in intent) String() string {
	var b strings.Builder
	b.WriteString("Intent {")
	if in.action != "" {
		b.WriteString(" act=" + in.action)
	}
	if len(in.categories) > 0 {
		b.WriteString(" cat=[" + strings.Join(in.categories, ",") + "]")
	}
	if in.data != "" {
		b.WriteString(" dat=" + in.data)
	}
	if in.mime != "" {
		b.WriteString(" typ=" + in.mime)
	}
	if in.flags != "" {
		b.WriteString(" flg=" + in.flags)
	}
	if in.pkg != "" {
		b.WriteString(" pkg=" + in.pkg)
	}
	if in.component != "" {
		b.WriteString(" cmp=" + in.component)
	}
	if len(in.extras) > 0 {
		b.WriteString(" (has extras)")
	}
	return b.String() + " }"
}

// parseIntent reads the options of am; the error is what the phone would say.
func parseIntent(args []string) (intent, error) {
	in := intent{extras: map[string]string{}, kinds: map[string]string{}}
	for len(args) > 0 {
		opt := args[0]
		args = args[1:]
		value := func() (string, error) {
			if len(args) == 0 {
				return "", fmt.Errorf("java.lang.IllegalArgumentException: Argument expected after \"%s\"", opt)
			}
			v := args[0]
			args = args[1:]
			return v, nil
		}
		var err error
		switch opt {
		case "-W":
			in.wait = true
		case "-S":
			in.stop = true
		case "-D", "-N", "--activity-clear-top", "--activity-single-top", "--activity-new-task", "--include-stopped-packages":
		case "--activity-clear-task":
			in.clearTask = true
		case "-a":
			in.action, err = value()
		case "-d":
			in.data, err = value()
		case "-n":
			in.component, err = value()
		case "-p":
			in.pkg, err = value()
		case "-t":
			in.mime, err = value()
		case "-f":
			in.flags, err = value()
		case "-c":
			var cat string
			cat, err = value()
			in.categories = append(in.categories, cat)
		case "--user":
			in.user, err = value()
		case "--display", "--windowingMode", "-R":
			_, err = value()
		case "-e", "--es", "--ez", "--ei", "--el", "--ef", "--eu":
			var k, v string
			if k, err = value(); err == nil {
				v, err = value()
			}
			in.extras[k], in.kinds[k] = v, opt
		default:
			if strings.HasPrefix(opt, "-") {
				return in, fmt.Errorf("Error: Unknown option: %s", opt) //nolint:staticcheck // the phone's words
			}
			switch {
			case strings.Contains(opt, ":"):
				in.action, in.data = orElse(in.action, "android.intent.action.VIEW"), opt
			case strings.Contains(opt, "/"):
				in.component = opt
			default:
				in.pkg = opt
			}
		}
		if err != nil {
			return in, err
		}
	}
	return in, nil
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// target finds package and class of an intent; the empty class means that nothing handles it. The phone's lock is held.
func (in intent) target(packages map[string]*system.Package) (pkg, class string) {
	if in.component != "" {
		pkg, class, _ = strings.Cut(in.component, "/")
		if strings.HasPrefix(class, ".") {
			class = pkg + class
		}
		if a := packages[pkg]; a != nil {
			if _, ok := a.Activities[class]; ok {
				return pkg, class
			}
		}
		return pkg, ""
	}
	for name, a := range packages {
		if in.pkg != "" && in.pkg != name {
			continue
		}
		scheme, _, _ := strings.Cut(in.data, ":")
		for class, views := range a.Activities {
			if in.data != "" && views == scheme && scheme != "" {
				return name, class
			}
		}
		if in.data == "" && in.pkg != "" && a.Launch != "" {
			return name, a.Launch
		}
	}
	if in.action == "android.intent.action.MAIN" && strings.Contains(strings.Join(in.categories, " "), "category.HOME") {
		return spec.LauncherPackage, spec.LauncherPackage + ".uioverrides.QuickstepLauncher"
	}
	return "", ""
}

// request is what the activity manager receives of an intent.
func (in intent) request() system.Launch {
	l := system.Launch{Data: in.data, ClearTask: in.clearTask || in.flags == "0x10008000",
		Extras: map[string]system.Extra{}}
	for name, value := range in.extras {
		l.Extras[name] = system.Extra{Kind: in.kinds[name], Value: value}
	}
	return l
}
