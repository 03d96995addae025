package ios

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"image"
	"image/jpeg"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/sim/ios"
)

// An old WebDriverAgent has other paths for some calls, and none for others.
func TestAnOldWebDriverAgent(t *testing.T) {
	t.Parallel()
	d, b := opened(t, small(iossim.DeviceOptions{OldAgent: true}))
	page(t, d, "Gestures")
	apple, basket := middle(wait(t, d, "apple")), middle(wait(t, d, "basket"))
	must(t, d.Drag(t.Context(), apple, basket, 100*time.Millisecond))
	wait(t, d, "Apple in the basket")
	page(t, d, "Form")
	tapOn(t, d, "note")
	must(t, d.Type(t.Context(), "abcdef"))
	must(t, d.Erase(t.Context(), 2))
	wait(t, d, "abcd")
	must(t, d.Launch(t.Context(), iossim.ListBundle, true))
	must(t, d.Swipe(t.Context(), image.Pt(195, 700), image.Pt(195, 300), 100*time.Millisecond))
	if tree, err := d.Tree(t.Context()); err != nil || slices.ContainsFunc(tree.Texts(200), func(s string) bool {
		return s == "Gestures"
	}) {
		t.Errorf("the swipe moved nothing: %v", err)
	}
	b.lab.Device(0).Show("Low battery", "OK")
	if a, err := d.Alert(t.Context()); err != nil || a == nil || a.Text != "Low battery" ||
		!slices.Equal(a.Buttons, []string{"OK"}) {
		t.Errorf("%+v, %v", a, err)
	}
}

// The meaning of responses, in the forms of WebDriverAgents of several years and of similar servers.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		status  int
		session string
		code    string // of an error
		bad     bool   // no answer of WebDriverAgent at all
	}{
		`{"value":{"sessionId":"A","capabilities":{}},"sessionId":"B"}`: {
			status: 200, session: "A"},
		`{"value":{"capabilities":{}},"sessionId":"B","status":0}`: {
			status: 200, session: "B"},
		`{"value":null,"sessionId":"B"}`: {
			status: 200, session: "B"},
		`{"value":"a text","sessionId":null}`: {status: 200},
		`{"value":{"error":"no such element","message":"none","traceback":"(\n0 x\n)"},"sessionId":null}`: {
			status: 404, code: "no such element"},
		`{"value":{"error":"stale element reference","message":"","traceback":""}}`: {
			status: 404, code: "stale element reference"},
		`{"value":{"error":"no such alert","message":"No alert is open","traceback":""}}`: {
			status: 200, code: "no such alert"},
		`{"value":{"error":"a field of somebody's own"}}`: {status: 200},
		`{"value":{"message":"half an error"}}`: {
			status: 500, bad: true},
		`{"sessionId":"A"}`: {
			status: 200, bad: true},
		`<html>I-AM-ALIVE</html>`: {
			status: 200, bad: true},
		`{"value":`: {
			status: 200, bad: true},
		``: {
			status: 200, bad: true},
	} {
		a, err := readAnswer("a call", want.status, []byte(text))
		var refused *wdaError
		switch {
		case want.bad:
			if !errors.Is(err, errBadAnswer) {
				t.Errorf("%s: %v", text, err)
			}
		case want.code != "":
			if !errors.As(err, &refused) || refused.Code != want.code {
				t.Errorf("%s: %v", text, err)
			}
		case err != nil || a.newSession() != want.session:
			t.Errorf("%s: session %q, %v", text, a.newSession(), err)
		}
	}
	for text, want := range map[string]bool{`{"ready":true}`: true, `{"ready":false,"state":"success"}`: false,
		`{"state":"success"}`: true, `{}`: false} {
		var s status
		if err := json.Unmarshal([]byte(text), &s); err != nil || s.ready() != want {
			t.Errorf("%s is ready: %v, %v", text, s.ready(), err)
		}
	}
}

// agentOf responds to calls with what is set for them, and anything else with an empty object; it notes the bodies.
func agentOf(t *testing.T, answers map[string]string) (*Device, *[]string) {
	t.Helper()
	var bodies []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(r.URL.Path, "/session/S")
		body, _ := io.ReadAll(r.Body)
		bodies = append(bodies, r.Method+" "+path+" "+string(body))
		value, ok := answers[r.Method+" "+path]
		if !ok {
			value = "{}"
		}
		_, _ = io.WriteString(w, `{"value":`+value+`,"sessionId":"S"}`)
	}))
	t.Cleanup(server.Close)
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	agent := &wda{id: "bare", base: server.URL, http: client, session: "S"}
	life := drivers.NewLifetime()
	t.Cleanup(func() { life.End() })
	return &Device{wda: agent, host: bareHost{agent}, life: life, locales: map[string]string{}}, &bodies
}

// TestALaunchWithoutArgumentsNamesNone: XCTest dies of null where it expects a list.
func TestALaunchWithoutArgumentsNamesNone(t *testing.T) {
	t.Parallel()
	d, bodies := agentOf(t, nil)
	must(t, d.Launch(t.Context(), "com.example.login", false))
	if got := strings.Join(*bodies, "\n"); strings.Contains(got, "null") ||
		!strings.Contains(got, `"bundleId":"com.example.login"`) {
		t.Error(got)
	}
}

func TestScreenshotsInEveryForm(t *testing.T) {
	t.Parallel()
	var photo bytes.Buffer
	must(t, jpeg.Encode(&photo, image.NewRGBA(image.Rect(0, 0, 20, 40)), nil))
	text := base64.StdEncoding.EncodeToString(photo.Bytes())
	// as NSDataBase64Encoding76CharacterLineLength has it
	lines, err := json.Marshal(text[:76] + "\r\n" + text[76:] + "\n")
	must(t, err)
	for shot, want := range map[string]error{string(lines): nil, `""`: drivers.ErrNotReady, `null`: drivers.ErrNotReady,
		`"AAAA"`: drivers.ErrDeviceLost, `"?"`: drivers.ErrDeviceLost} {
		d, _ := agentOf(t, map[string]string{"GET /screenshot": shot, "GET /window/size": `{"width":10,"height":20}`})
		img, err := d.Screenshot(t.Context())
		if want == nil && (err != nil || img.Bounds().Dx() != 20) || want != nil && !errors.Is(err, want) {
			t.Errorf("%.20s: %v", shot, err)
		}
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
			`}`: untrusted,
		`{"connectionProperties":{"pairingState":"paired"},"deviceProperties":{"developerModeStatus":"disabled"},` + phone +
			`}`: noDevMode,
		`{"identifier":"C","hardwareProperties":{},"connectionProperties":{"pairingState":"paired"}}`: "",
		`{"hardwareProperties":{"udid":"U","platform":"visionOS"}}`:                                   "",
		`{"hardwareProperties":{"udid":"U","platform":"iOS","reality":"simulated"}}`:                  "",
	} {
		list, err := parsePhones([]byte(`{"devices":[` + text + `]}`))
		if err != nil || len(list) != map[bool]int{true: 1}[want != ""] || want != "" && list[0].info.State != want {
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
	if err := jsonIn([]byte(log+`{"deviceList":[{"Udid":"U","ProductVersion":"18.1"}]}`+"\n"), "deviceList",
		&list); err != nil || len(list.DeviceList) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	var tunnels []struct{ UDID string }
	if err := jsonIn([]byte(log+`[{"address":"fd00::1","rsdPort":58105,"udid":"U"}]`), "", &tunnels); err != nil ||
		len(tunnels) != 1 || tunnels[0].UDID != "U" {
		t.Errorf("%+v, %v", tunnels, err)
	}
	for _, none := range []string{"", log, log + `{"deviceList":[{"Udid":`, "[]", "no JSON"} {
		if err := jsonIn([]byte(none), "deviceList", &list); err == nil {
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
		if err := refused(&toolError{"install", 1, said}); errors.Is(err, drivers.ErrNoApp) != app {
			t.Errorf("%s\nthe app is to blame: %v", said, !app)
		}
	}
}
