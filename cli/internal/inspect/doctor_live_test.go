package inspect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/sim/ios"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// liveMachine is a machine on which only these variables are set.
func liveMachine(t *testing.T, vars map[string]string) (*process.Env, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	vars["HOME"], vars["XDG_CACHE_HOME"] = t.TempDir(), t.TempDir()
	env := &process.Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Dir: t.TempDir(),
		Getenv: func(name string) string { return vars[name] }}
	for name, value := range vars {
		env.Environ = append(env.Environ, name+"="+value)
	}
	return env, &out
}

// liveLines are the words before the parts of a report.
func liveLines(report string) map[string]int {
	n := map[string]int{}
	for line := range strings.Lines(report) {
		for _, word := range []string{"ok ", "FAILED ", "absent "} {
			if strings.HasPrefix(line, word) {
				n[strings.TrimSpace(word)]++
			}
		}
	}
	return n
}

func TestDoctorLiveOnASimulatedIPhone(t *testing.T) {
	testutil.Leave(t, "TestDoctorLiveOnASimulatedAndroid looks at the same report")
	t.Parallel()
	lab, err := iossim.New(t.TempDir(),
		iossim.Options{Devices: []iossim.DeviceOptions{{Phone: true, Scale: 1, LoginLoading: 1, LoginSpinner: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	phone := lab.Device(0)
	env, out := liveMachine(t, map[string]string{"TAPROOT_WDA_URL": phone.StartAgent(),
		"TAPROOT_WDA_MJPEG_URL": phone.StreamAddress(), "PATH": t.TempDir()})
	if err := doctor(t, env, "--live", "--platform", "ios", "--app", iossim.LoginBundle); err != nil {
		t.Errorf("%v", err)
	}
	report := out.String()
	t.Log(report)
	if n := liveLines(report); n["ok"] < 20 || n["FAILED"] > 0 || n["absent"] == 0 {
		t.Errorf("%v", n)
	}
	for _, want := range []string{"live check of a device: Apple iphone, iOS 18.1", "a tree takes",
		"taps and types reach the app", "paste it into an issue"} {
		if !strings.Contains(report, want) {
			t.Errorf("the report does not say %q", want)
		}
	}
	if strings.Contains(report, phone.UDID()) || strings.Contains(report, "wda-") {
		t.Error("the report names the device")
	}

	// A device that violates the contract is reported, and the exit code is 1.
	lab.Fail(iossim.Fault{Match: "POST /wda/tap", Kind: iossim.Refuse, Word: "unknown error", Text: "no touches today"})
	out.Reset()
	if err := doctor(t, env, "--live", "--platform", "ios", "--app", iossim.ListBundle, "--json"); !errors.Is(err,
		ErrLiveFailed) {
		t.Errorf("%v", err)
	}
	var machine liveReport
	if err := json.Unmarshal(out.Bytes(), &machine); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	failed := ""
	for _, r := range machine.Results {
		failed += strings.Join(r.Failures, "\n")
	}
	if !strings.Contains(failed, "no touches today") || machine.Device.ID != "" {
		t.Errorf("%+v", machine)
	}
}

func TestDoctorLiveOnASimulatedAndroid(t *testing.T) {
	t.Parallel()
	adb := androidsim.StartADB(t)
	phone := androidsim.NewPhone(androidsim.Options{Width: 360, Height: 640, Density: 140, LoginLoading: 1,
		LoginSpinner: 1})
	t.Cleanup(phone.Close)
	serial := adb.Connect(t, phone)
	env, out := liveMachine(t, map[string]string{"ANDROID_ADB_SERVER_PORT": fmt.Sprint(adb.Port),
		"PATH": os.Getenv("PATH"), "TAPROOT_AGENT": "off"})
	if err := doctor(t, env, "--live", "--platform", "android", "--app", androidsim.LoginPackage, "--device",
		serial); err != nil {
		t.Errorf("%v", err)
	}
	t.Log(out)
	if n := liveLines(out.String()); n["ok"] < 20 || n["FAILED"] > 0 {
		t.Errorf("%v", n)
	}
}

func TestDoctorLiveSaysWhatItNeeds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--live"}, "--platform android or --platform ios"},
		{[]string{"--live", "--platform", "web"}, "--platform android or --platform ios"},
		{[]string{"--app", "com.example.app"}, "--live"},
		{[]string{"--live", "--platform", "ios"}, "no program that reaches iOS devices"},
	} {
		env, _ := liveMachine(t, map[string]string{"PATH": t.TempDir()})
		if err := doctor(t, env, c.args...); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v", c.args, err)
		}
	}
}
