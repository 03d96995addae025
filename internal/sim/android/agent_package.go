package androidsim

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/internal/apkfile"
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
		agent: f.Package == AgentPackage || f.Package == AgentTestPackage,
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
	a.agent = a.name == AgentPackage || a.name == AgentTestPackage
	if !a.agent {
		a.version, a.code = cmp.Or(a.version, "1.0"), max(a.code, 1)
	}
	return a
}

// plain is a package that has nothing to start.
func (a apk) plain() bool { return a.agent }

// refused is why the phone does not install it, "" when it does. Phone.mu is held.
func (a apk) refused(p *system, old *installed, downgrade bool) string {
	switch {
	case a.agent && p.opts.RefusesInstalls:
		return "INSTALL_FAILED_USER_RESTRICTED: Install canceled by user"
	case a.minSDK > p.prof.api:
		return fmt.Sprintf(
			"INSTALL_FAILED_OLDER_SDK: Failed parse during installPackageLI: Requires newer sdk version #%d (current version "+
				"is #%d)", a.minSDK, p.prof.api)
	case old == nil:
		return ""
	case old.signed != a.certificate:
		return "INSTALL_FAILED_UPDATE_INCOMPATIBLE: Existing package " + a.name +
			" signatures do not match newer version; ignoring!"
	case a.code < old.code && !downgrade:
		return fmt.Sprintf(
			"INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade detected: Update version code %d is older than current "+
				"%d", a.code, old.code)
	}
	return ""
}

// PutAgent installs the agent without asking, as a user did before the test.
func (p *agents) PutAgent(version string, code int, certificate string) {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	for _, name := range []string{AgentPackage, AgentTestPackage} {
		one := &installed{name: name, label: name, uid: 10300 + len(p.sys.packages), signed: certificate,
			granted: map[string]bool{}, data: map[string]string{}}
		if name == AgentPackage {
			one.version, one.code = version, code
		}
		p.sys.packages[name] = one
	}
}

// SignAgentTests signs the package that starts the agent with a certificate of its own, as one who built one does
// of the two.
func (p *agents) SignAgentTests(certificate string) {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	p.sys.packages[AgentTestPackage].signed = certificate
}
