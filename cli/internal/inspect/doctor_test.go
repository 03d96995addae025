package inspect

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/internal/toolchain"
)

// doctorMachine is a machine on which only the given programs are installed, with the given output.
func doctorMachine(t *testing.T, programs map[string]string) (*process.Env, *bytes.Buffer) {
	t.Helper()
	dir := t.TempDir()
	bin, home := filepath.Join(dir, "bin"), filepath.Join(dir, "home")
	for name, says := range programs {
		writeDoctorFile(t, filepath.Join(bin, name), "#!/bin/sh\necho '"+says+"'\n", 0o755)
	}
	var out bytes.Buffer
	vars := map[string]string{"npm_config_registry": "http://127.0.0.1:1", "PATH": bin, "HOME": home,
		"XDG_CACHE_HOME": filepath.Join(home, ".cache")}
	env := &process.Env{
		Stdin:  strings.NewReader(""),
		Stdout: &out,
		Stderr: &out,
		Dir:    dir,
		Getenv: func(name string) string {
			return vars[name]
		},
	}
	for name, value := range vars {
		env.Environ = append(env.Environ, name+"="+value)
	}
	return env, &out
}

func writeDoctorFile(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	testutil.WriteProgram(t, path, text, mode)
}

func addDoctorDriver(t *testing.T, env *process.Env, version string) {
	t.Helper()
	dir := filepath.Join(env.Getenv("XDG_CACHE_HOME"), "taproot", "playwright-driver", toolchain.DriverVersion, "package")
	writeDoctorFile(t, filepath.Join(dir, "cli.js"), "", 0o644)
	writeDoctorFile(t, filepath.Join(dir, "package.json"), `{"version":"`+version+`"}`, 0o644)
}

func doctor(t *testing.T, env *process.Env, args ...string) error {
	t.Helper()
	cmd := DoctorCommand(env)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(append([]string{}, args...)) // nil would mean those of the test
	return cmd.ExecuteContext(t.Context())
}

func setup(t *testing.T, env *process.Env, args ...string) error {
	t.Helper()
	cmd := SetupCommand(env)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(append([]string{}, args...))
	return cmd.ExecuteContext(t.Context())
}

var enough = map[string]string{
	"adb": "Android Debug Bridge version 1.0.41", "chromium": "Chromium 156.0.8078.79", "node": "v20.20.2",
}

func TestDoctorWithAllThatIsRequired(t *testing.T) {
	t.Parallel()
	env, out := doctorMachine(t, enough)
	addDoctorDriver(t, env, toolchain.DriverVersion)
	if err := doctor(t, env); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := strings.Split(out.String(), "\n")
	if got := strings.Fields(lines[0]); len(got) != 4 || got[0] != "ok" || got[1] != "adb" || got[2] != "1.0.41" ||
		got[3] != filepath.Join(env.Getenv("PATH"), "adb") {
		t.Errorf("first line: %q", lines[0])
	}
	if column := strings.Index(lines[0], "1.0.41"); strings.Index(lines[1], "156.0.8078.79") != column {
		t.Errorf("versions are not aligned:\n%s", out)
	}
	for _, want := range []string{"recording.mp4 will be missing",
		"all required programs are installed for tests on android, ios, web\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if want := len(toolchain.Tools()) - 5 + 8; len(lines) != want || lines[len(lines)-5] != "for tests on iOS:" {
		t.Errorf("%d lines, want one per program, a summary, and three about iOS:\n%s", len(lines), out)
	}
}

func TestDoctorNamesWhatIsMissingOrTooOld(t *testing.T) {
	t.Parallel()
	env, out := doctorMachine(t, map[string]string{"adb": enough["adb"], "node": "v18.20.4"})
	addDoctorDriver(t, env, "1.56.0")
	if err := doctor(t, env); !errors.Is(err, ErrToolsMissing) {
		t.Fatalf("err = %v", err)
	}
	for _, want := range []string{
		"version 18.20.4 is too old, 20 or newer is needed", "version 1.56.0 does not fit, exactly 1.57.0 is needed",
		"missing for tests on android, ios, web: chromium, node, playwright-driver; taproot setup --platform " +
			"android,ios,web installs it\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

func TestDoctorJSON(t *testing.T) {
	t.Parallel()
	env, out := doctorMachine(t, map[string]string{"adb": enough["adb"]})
	if err := doctor(t, env, "--json"); !errors.Is(err, ErrToolsMissing) {
		t.Fatalf("err = %v", err)
	}
	var got struct {
		OK    bool
		Tools []doctorTool
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got.OK || len(got.Tools) != len(toolchain.Tools())-5 {
		t.Fatalf("%s", out)
	}
	if adb := got.Tools[0]; adb.Name != "adb" || !adb.OK || !adb.Required || adb.Version != "1.0.41" {
		t.Errorf("%+v", adb)
	}
	if chromium := got.Tools[1]; chromium.OK || chromium.Problem != "not found" || chromium.Advice == "" {
		t.Errorf("%+v", chromium)
	}
}

func TestSetupOnAFullMachineOnlyShows(t *testing.T) {
	t.Parallel()
	env, out := doctorMachine(t, map[string]string{
		"adb": enough["adb"], "chromium": enough["chromium"], "node": enough["node"], "gcc": "gcc (GCC) 14.2.1 20250110",
		"ffmpeg": "ffmpeg version 7.1", "ffprobe": "ffprobe version 7.1", "tesseract": "tesseract 5.3.0\neng",
		"go": "go version go1.26.8 linux/amd64", "xcrun": "xcrun version 70.",
	})
	addDoctorDriver(t, env, toolchain.DriverVersion)
	addDoctorAgent(t, env)
	if err := setup(t, env); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if strings.Contains(out.String(), "+ ") || strings.Contains(out.String(), "installing") {
		t.Errorf("something was done:\n%s", out)
	}
	if _, err := os.Stat(filepath.Join(env.Getenv("XDG_CACHE_HOME"), "taproot", "install.lock")); !errors.Is(err,
		os.ErrNotExist) {
		t.Errorf("a lock was taken for nothing: %v", err)
	}
}

func TestSetupWithoutAnyMeansSaysSo(t *testing.T) {
	t.Parallel()
	env, out := doctorMachine(t, nil)
	if err := setup(t, env); !errors.Is(err, ErrToolsMissing) {
		t.Fatalf("err = %v\n%s", err, out)
	}
	for _, want := range []string{"could not install node",
		"could not install playwright-driver: it needs Node, which is missing"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

func TestDoctorTakesNoArguments(t *testing.T) {
	t.Parallel()
	env, _ := doctorMachine(t, nil)
	if err := doctor(t, env, "everything"); err == nil || errors.Is(err, ErrToolsMissing) {
		t.Errorf("err = %v", err)
	}
}

// Programs that pages do not need are not required for tests of pages, as --platform or the tests of the folder say.
func TestDoctorLooksForWhatThePlatformsNeed(t *testing.T) {
	t.Parallel()
	env, out := doctorMachine(t, map[string]string{"chromium": enough["chromium"], "node": enough["node"]})
	addDoctorDriver(t, env, toolchain.DriverVersion)
	if err := doctor(t, env, "--platform", "web"); err != nil || strings.Contains(out.String(), "adb") ||
		strings.Contains(out.String(), "iOS") {
		t.Errorf("%v\n%s", err, out)
	}
	out.Reset()
	if err := doctor(t, env); !errors.Is(err, ErrToolsMissing) ||
		!strings.Contains(out.String(), "missing for tests on android, ios, web: adb;") {
		t.Errorf("%v\n%s", err, out)
	}
	out.Reset()
	writeDoctorFile(t, filepath.Join(env.Dir, "suites", "a.yaml"), "id: a\nplatform: web\nsteps: [{tap: a}]\n", 0o600)
	if err := doctor(t, env); err != nil ||
		!strings.Contains(out.String(), "all required programs are installed for tests on web\n") {
		t.Errorf("%v\n%s", err, out)
	}
	// doctor lists Firefox where pages are tested; setup installs it only if the user or a test names it.
	if !strings.Contains(out.String(), "firefox") {
		t.Errorf("doctor does not tell of Firefox:\n%s", out)
	}
	for _, c := range []struct {
		args []string
		test string
		want bool
	}{{[]string{"--platform", "web"}, "", false}, {nil, "", false}, {[]string{"--platform", "firefox"}, "", true},
		{nil, "browsers: [chromium, firefox]\n", true}, {[]string{"--platform", "webkit"}, "", false}} {
		out.Reset()
		writeDoctorFile(t, filepath.Join(env.Dir, "suites", "a.yaml"), "id: a\nplatform: web\n"+c.test+
			"steps: [{tap: a}]\n", 0o600)
		if err := setup(t, env, c.args...); err != nil || strings.Contains(out.String(), "firefox") != c.want {
			t.Errorf("setup %v with %q: %v\n%s", c.args, c.test, err, out)
		}
	}
	out.Reset()
	if err := setup(t, env, "--platform", "webkit"); runtime.GOOS == "linux" && !strings.Contains(out.String(),
		"MiniBrowser") {
		t.Errorf("setup of WebKit: %v\n%s", err, out)
	}
	if err := doctor(t, env, "--platform", "windows"); err == nil ||
		!strings.Contains(err.Error(), "write web, firefox, webkit, android or ios") {
		t.Errorf("err = %v", err)
	}
}

// addDoctorAgent names a folder with the packages of an agent.
func addDoctorAgent(t *testing.T, env *process.Env) {
	t.Helper()
	dir, others := t.TempDir(), env.Getenv
	for _, name := range []string{"appium-uiautomator2-server-v10.6.6.apk",
		"appium-uiautomator2-server-debug-androidTest.apk"} {
		writeDoctorFile(t, filepath.Join(dir, name), "PK", 0o644)
	}
	env.Getenv = func(name string) string {
		if name == "TAPROOT_AGENT_APKS" {
			return dir
		}
		return others(name)
	}
}
