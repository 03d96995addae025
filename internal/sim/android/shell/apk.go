package shell

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/internal/apkfile"
	"github.com/taproot-dev/taproot/internal/sim/android/agent"
	"github.com/taproot-dev/taproot/internal/sim/android/system"
)

// apk is what a package file says of itself: one that Android's tools built (builtAPK), or a few lines that a test
// wrote.
type apk struct {
	name, split, version, certificate string
	code, minSDK                      int
	agent                             bool
}

// builtAPK reads what the package manager needs of a package that was built by Android's tools. It knows no
// certificates.
func builtAPK(data []byte) (apk, error) {
	f, err := apkfile.Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return apk{}, err
	}
	return apk{
		name: f.Package, split: f.Split, version: f.VersionName, code: f.VersionCode, minSDK: f.MinSDK,
		agent: f.Package == agent.Package || f.Package == agent.TestPackage,
	}, nil
}

func apkFacts(text string) apk {
	line := func(name string) string {
		_, after, _ := strings.Cut(text, "\n"+name+"=")
		value, _, _ := strings.Cut(after, "\n")
		return value
	}
	a := apk{name: line("package"), version: line("versionName"), certificate: line("certificate")}
	a.code, _ = strconv.Atoi(line("versionCode"))
	a.minSDK, _ = strconv.Atoi(line("minSdk"))
	a.agent = a.name == agent.Package || a.name == agent.TestPackage
	if !a.agent {
		a.version, a.code = cmp.Or(a.version, "1.0"), max(a.code, 1)
	}
	return a
}

// plain is a package that has nothing to start.
func (a apk) plain() bool { return a.agent }

// refused is why the phone does not install it, "" when it does. The phone's lock is held.
func (a apk) refused(p *system.System, old *system.Package, downgrade bool) string {
	switch {
	case a.agent && p.Opts.RefusesInstalls:
		return "INSTALL_FAILED_USER_RESTRICTED: Install canceled by user"
	case a.minSDK > p.Prof.API:
		return fmt.Sprintf(
			"INSTALL_FAILED_OLDER_SDK: Failed parse during installPackageLI: Requires newer sdk version #%d (current version "+
				"is #%d)", a.minSDK, p.Prof.API)
	case old == nil:
		return ""
	case old.Signed != a.certificate:
		return "INSTALL_FAILED_UPDATE_INCOMPATIBLE: Existing package " + a.name +
			" signatures do not match newer version; ignoring!"
	case a.code < old.Code && !downgrade:
		return fmt.Sprintf(
			"INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade detected: Update version code %d is older than current "+
				"%d", a.code, old.Code)
	}
	return ""
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
