package host

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// simctl's lists since Xcode 10, with what Xcode 16 prints before one while it installs; and those that are not iOS.
func TestListsOfSimulators(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		`{"udid":"A","state":"Booted","isAvailable":true,"name":"x"}`:                                            1,
		`{"udid":"A","state":"Booted","isAvailable":"YES","availability":"(available)","name":"x"}`:              1,
		`{"udid":"A","state":"Booted","availability":"(available)","name":"x"}`:                                  1,
		`{"udid":"A","state":"Booted","name":"x"}`:                                                               1,
		`{"udid":"A","state":"Booted","isAvailable":false,"name":"x"}`:                                           0,
		`{"udid":"A","state":"Booted","isAvailable":"NO","name":"x"}`:                                            0,
		`{"udid":"A","state":"Booted","availability":"(unavailable, runtime profile not found)","name":"x"}`:     0,
		`{"udid":"A","state":"Booted","availabilityError":"runtime profile not found","name":"x"}`:               0,
		`{"udid":"A","state":"Booted","isAvailable":true,"availabilityError":"","lastUsageTime":1,"dataPath":2}`: 1,
	} {
		for runtime, counts := range map[string]bool{"com.apple.CoreSimulator.SimRuntime.iOS-26-0": true, "iOS 12.1": true,
			"com.apple.CoreSimulator.SimRuntime.xrOS-2-0": false, "com.apple.CoreSimulator.SimRuntime.watchOS-11-0": false,
			"tvOS 12.1": false} {
			list := "Install Started\n1%.........100%\nInstall Succeeded\n{\n  \"devicetypes\" : [],\n  \"devices\" : {\"" +
				runtime + "\":[" + text + "]}}\n"
			sims, err := parseSimulators([]byte(list))
			if err != nil || len(sims) != map[bool]int{true: want}[counts] {
				t.Errorf("%s of %s: %+v, %v", text, runtime, sims, err)
			}
		}
	}
}

// devicectl's devices: what is left out is not held against them.
func TestListsOfPhones(t *testing.T) {
	t.Parallel()
	const phone = `"hardwareProperties":{"udid":"U","platform":"iOS","reality":"physical","productType":"iPhone15,4",` +
		`"cpuType":{"name":"arm64e"}}`
	for text, want := range map[string]drivers.State{
		`{"connectionProperties":{"pairingState":"paired","tunnelState":"connected","transportType":"wired"},` +
			`"deviceProperties":{"developerModeStatus":"enabled","name":"n"},` + phone + `}`: drivers.Ready,
		`{"connectionProperties":{"tunnelState":"disconnected"},` + phone +
			`}`: drivers.Ready,
		`{"connectionProperties":{"pairingState":"paired","tunnelState":"unavailable"},` + phone +
			`}`: away,
		`{"connectionProperties":{"pairingState":"unpaired"},` + phone +
			`}`: Untrusted,
		`{"connectionProperties":{"pairingState":"paired"},"deviceProperties":{"developerModeStatus":"disabled"},` + phone +
			`}`: NoDevMode,
		`{"identifier":"C","hardwareProperties":{},"connectionProperties":{"pairingState":"paired"}}`: "",
		`{"hardwareProperties":{"udid":"U","platform":"visionOS"}}`:                                   "",
		`{"hardwareProperties":{"udid":"U","platform":"iOS","reality":"simulated"}}`:                  "",
	} {
		list, err := parsePhones([]byte(`{"devices":[` + text + `]}`))
		if err != nil || len(list) != map[bool]int{true: 1}[want != ""] || want != "" && list[0].Info.State != want {
			t.Errorf("%s: %+v, %v", text, list, err)
		}
	}
}

// go-ios writes its log to the other stream; what comes before its answer all the same is passed over.
func TestAnswersAmongLinesOfALog(t *testing.T) {
	t.Parallel()
	const log = `{"level":"warning","msg":"failed to get tunnel info","time":"2026-01-02T03:04:05Z"}` + "\n"
	var list struct {
		DeviceList []muxDevice `json:"deviceList"`
	}
	if err := JSONIn([]byte(log+`{"deviceList":[{"Udid":"U","ProductVersion":"18.1"}]}`+"\n"), "deviceList",
		&list); err != nil || len(list.DeviceList) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	var tunnels []struct{ UDID string }
	if err := JSONIn([]byte(log+`[{"address":"fd00::1","rsdPort":58105,"udid":"U"}]`), "", &tunnels); err != nil ||
		len(tunnels) != 1 || tunnels[0].UDID != "U" {
		t.Errorf("%+v, %v", tunnels, err)
	}
	for _, none := range []string{"", log, log + `{"deviceList":[{"Udid":`, "[]", "no JSON"} {
		if err := JSONIn([]byte(none), "deviceList", &list); err == nil {
			t.Errorf("%q has a list", none)
		}
	}
}

func TestComplaintsOfGoIOS(t *testing.T) {
	t.Parallel()
	const log = `{"level":"WARN","msg":"go-ios agent is not running. ` +
		`You might need to start it with 'ios tunnel start'"}` + "\n" +
		`{"level":"ERROR","msg":"failed writing","err":"invalid input file"}` + "\n"
	if got := complaints(log); got != "failed writing: invalid input file" {
		t.Error(got)
	}
	if got := complaints(`{"level":"fatal","msg":"none"}` + "\nx"); got != "none" {
		t.Error(got)
	}
	for _, plain := range []string{"", "ERROR: no\n{", `{"level":"INFO","msg":"all is well"}`} {
		if got := complaints(plain); got != plain {
			t.Errorf("%q became %q", plain, got)
		}
	}
}

// A device that is full, locked or shut down is not the fault of what was to be installed on it.
func TestWhoIsToBlameForAnInstallation(t *testing.T) {
	t.Parallel()
	for said, app := range map[string]bool{
		"An error was encountered processing the command (domain=com.apple.CoreSimulator.SimError, code=405):\nUnable to " +
			"lookup in current state: Shutdown": false,
		"ERROR: The device is locked. (com.apple.dt.CoreDeviceError error 4)": false,
		"Failed to install: No space left on device":                          false,
		"Could not connect to usbmuxd":                                        false,
		"An error was encountered processing the command (domain=NSPOSIXErrorDomain, code=22):\nThe bundle identifier of " +
			"the application could not be determined.": true,
		"ERROR: Failed to install the app on the device. The provided item to be installed is not of a type that " +
			"CoreDevice recognizes.": true,
		"ApplicationVerificationFailed: Failed to verify code signature of /private/var/installd/x.app : 0xe8008015 (A " +
			"valid provisioning profile for this executable was not found.)": true,
	} {
		if err := refused(&ToolError{"install", 1, said}); errors.Is(err, drivers.ErrNoApp) != app {
			t.Errorf("%s\nthe app is to blame: %v", said, !app)
		}
	}
}

// What a program wrote is read to its end, which may take a moment after the program's own.
func TestAProgramIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	host := Tools{Log: slog.New(slog.DiscardHandler), Environ: []string{"PATH=/bin:/usr/bin"}}
	out, err := host.Run(t.Context(), Command{Name: "sh", Path: "/bin/sh",
		Args: []string{"-c", "(sleep 0.5; echo late) & echo early"}, Limit: time.Minute})
	if err != nil || string(out) != "early\nlate\n" {
		t.Errorf("%q, %v", out, err)
	}
}

func FuzzSimulators(f *testing.F) {
	f.Add([]byte(
		`{"devices":{"com.apple.CoreSimulator.SimRuntime.iOS-18-1":[{"udid":"A","state":"Booted","isAvailable":true}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		sims, err := parseSimulators(data)
		if err == nil && len(sims) > 0 {
			_, _ = pickSimulator(sims, sims[0].UDID)
		}
		_, _ = parsePhones(data)
		_, _ = parseCoreApps(data)
		parseApps(string(data))
	})
}

// The folder that is emptied comes from a program's answer: only an app's data folder of this simulator will do.
func TestOnlyAppDataIsEmptied(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good := filepath.Join(dir, "Devices/UDID/data/Containers/Data/Application/1")
	noError(t, os.MkdirAll(filepath.Join(good, "Documents/deep"), 0o755))
	noError(t, os.WriteFile(filepath.Join(good, "Documents/deep/file"), nil, 0o644))
	noError(t, os.Symlink(dir, filepath.Join(good, "tmp")))
	for _, bad := range []string{dir, "/", "", good + "/../../../../..",
		filepath.Join(dir, "Devices/OTHER/data/Containers/Data/Application/1")} {
		if err := emptyData(bad, "UDID"); err == nil {
			t.Errorf("%q was emptied", bad)
		}
	}
	noError(t, emptyData(good, "UDID"))
	if _, err := os.Stat(filepath.Join(good, "Documents/deep")); err == nil {
		t.Error("it is not empty")
	}
	if _, err := os.Stat(filepath.Join(dir, "Devices")); err != nil {
		t.Error("a link led out of the folder")
	}
}
