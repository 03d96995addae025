package inspect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/cli/internal/process"
)

// A Mac with stubs of git and Xcode: a build for iPhones fails without a team, as with the real Xcode.
func buildMachine(t *testing.T) (env *process.Env, asked func() string) {
	t.Helper()
	env, _ = doctorMachine(t, nil)
	log := filepath.Join(env.Dir, "asked")
	bin := env.Getenv("PATH")
	writeDoctorFile(t, filepath.Join(bin, "git"), "#!/bin/sh\necho \"git $*\" >> "+log+
		"\nfor a; do :; done\n/bin/mkdir -p \"$a\"\n", 0o755)
	writeDoctorFile(t, filepath.Join(bin, "xcrun"), "#!/bin/sh\necho \"xcrun $*\" >> "+log+
		"\ncase \"$*\" in\n*TEAM=BAD*) echo 'error: No profiles for com.facebook.WebDriverAgentRunner were found' >&2; exit "+
		"65;;\nesac\n", 0o755)
	return env, func() string {
		data, err := os.ReadFile(log)
		if err != nil {
			return ""
		}
		return string(data)
	}
}

func buildAgent(t *testing.T, env *process.Env, args ...string) error {
	t.Helper()
	cmd := IOSCommand(env)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(append([]string{"build-agent"}, args...))
	return cmd.ExecuteContext(t.Context())
}

func TestBuildAgent(t *testing.T) {
	t.Parallel()
	env, asked := buildMachine(t)
	if err := buildAgent(t, env); err != nil {
		t.Fatal(err)
	}
	if got := asked(); strings.Count(got, "git clone") != 1 || strings.Count(got, "build-for-testing") != 1 ||
		!strings.Contains(got, "platform=iOS Simulator") {
		t.Errorf("%s", got)
	}
	if err := buildAgent(t, env, "--team", "ABCDE12345", "--bundle-id", "com.example.wda"); err != nil {
		t.Fatal(err)
	}
	got := asked()
	if strings.Count(got, "git clone") != 1 {
		t.Errorf("it was fetched again: %s", got)
	}
	for _, want := range []string{
		"-destination generic/platform=iOS -allowProvisioningUpdates DEVELOPMENT_TEAM=ABCDE12345 " +
			"PRODUCT_BUNDLE_IDENTIFIER=com.example.wda", "WebDriverAgent.xcodeproj"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q was not asked for: %s", want, got)
		}
	}
	if err := buildAgent(t, env, "--team", "BAD"); err == nil || !strings.Contains(err.Error(), "--bundle-id") {
		t.Errorf("a profile that is missing: %v", err)
	}
	if err := buildAgent(t, env, "--bundle-id", "com.example.wda"); err == nil ||
		!strings.Contains(err.Error(), "--team") {
		t.Errorf("a bundle id without a team: %v", err)
	}
	bare, _ := doctorMachine(t, nil)
	if err := buildAgent(t, bare); err == nil || !strings.Contains(err.Error(), "Mac with Xcode") {
		t.Errorf("without Xcode: %v", err)
	}
}
