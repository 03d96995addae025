package android

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/taproot-dev/taproot/drivers"
)

var testTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestParseDevices(t *testing.T) {
	t.Parallel()
	answer := `emulator-5554          device product:sdk_gphone64 model:sdk_gphone64_x86_64 device:emu64x transport_id:1
R5CT10ABCDE            unauthorized usb:1-1 transport_id:2
192.168.1.7:5555       offline product:a model:b device:c transport_id:3
0123456789ABCDEF       device
????????????           no permissions (missing udev rules? user is in the plugdev group); see ` +
		`[http://developer.android.com/tools/device.html] usb:1-2 transport_id:4
adb-R5CT-x7Gh (2)._adb-tls-connect._tcp device product:x model:SM_S911B device:y transport_id:6
HT7	recovery
XYZ                    authorizing transport_id:7
NEW                    someday transport_id:8
* daemon started successfully
`
	at := func(serial string, state drivers.State, model, usb, transport string) attachment {
		return attachment{id: serial, serial: serial, state: state, model: model, usb: usb, transport: transport}
	}
	want := []attachment{
		at("emulator-5554", "device", "sdk gphone64 x86 64", "", "1"),
		at("R5CT10ABCDE", "unauthorized", "", "1-1", "2"),
		at("192.168.1.7:5555", "offline", "b", "", "3"),
		at("0123456789ABCDEF", "device", "", "", ""),
		at("????????????", "no permissions", "", "1-2", "4"),
		at("adb-R5CT-x7Gh (2)._adb-tls-connect._tcp", "device", "SM S911B", "", "6"),
		at("HT7", "recovery", "", "", ""),
		at("XYZ", "authorizing", "", "", "7"),
		at("NEW", "someday", "", "", "8"),
	}
	if diff := cmp.Diff(want, parseDevices(answer), cmp.AllowUnexported(attachment{})); diff != "" {
		t.Error(diff)
	}
}

func TestParseProps(t *testing.T) {
	t.Parallel()
	got := parseProps(
		"[ro.a]: [1]\r\n[ro.several]: [line one\nline two]\n[ro.empty]: []\nnoise\n[ro.z]: [x [y]]\n[ro.cut]: [half")
	want := map[string]string{"ro.a": "1", "ro.several": "line one\nline two", "ro.empty": "", "ro.z": "x [y]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestParseGeometry(t *testing.T) {
	t.Parallel()
	if got := parseScreen("Physical size: 1080x2400\n"); got.size != image.Pt(1080, 2400) {
		t.Errorf("size %v", got)
	}
	if got := parseScreen("Physical size: 1080x2400\r\nOverride size: 720x1600\r\n"); got != (display{image.Pt(720, 1600),
		image.Pt(1080, 2400)}) {
		t.Errorf("override %v", got)
	}
	if got := parseScreen("Error: no display"); got != (display{}) {
		t.Errorf("nothing %v", got)
	}
	if got := parseDensity("Physical density: 420\nOverride density: 380"); got != 380 {
		t.Errorf("density %d", got)
	}
}

func TestParseFocus(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, text, pkg string
		known           bool
	}{
		{"an activity",
			"  mCurrentFocus=Window{48b4735 u0 com.a.b/com.a.b.Main}\n  mFocusedApp=ActivityRecord{1 u0 com.x/.Y " +
				"t349}", "com.a.b", true},
		{"during a change", "  mCurrentFocus=null\n  mFocusedApp=ActivityRecord{1 u0 com.a/.B t3}", "", true},
		{"the status bar", "  mCurrentFocus=Window{1 u0 StatusBar}\n  mFocusedApp=ActivityRecord{1 u0 com.a/.B t3}",
			"com.a", true},
		{"a popup", "  mCurrentFocus=Window{1 u0 PopupWindow:8a1}\n  mFocusedApp=AppWindowToken{2 token=Token{3 " +
			"ActivityRecord{1 u0 com.a/.B t3}}}", "com.a", true},
		{"two displays", "  mCurrentFocus=null\n  mCurrentFocus=Window{1 u0 com.c/com.c.D$E}", "com.c", true},
		{"unknown", "WINDOW MANAGER nothing", "", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if pkg, known := parseFocus(c.text); pkg != c.pkg || known != c.known {
				t.Errorf("%q, %v", pkg, known)
			}
		})
	}
	for _, line := range []string{
		"    mResumedActivity: ActivityRecord{a u0 com.a.b/.C t12}",
		"  topResumedActivity=ActivityRecord{a u0 com.a.b/.C t12}",
		"  ResumedActivity: ActivityRecord{a u0 com.a.b/.C t12}",
	} {
		if m := resumedLine.FindStringSubmatch(line); m == nil || packageIn(m[1]) != "com.a.b" {
			t.Errorf("%s: %q", line, m)
		}
	}
}

func TestParseKeyboard(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"  mInputShown=true\n": true,
		"  mShowRequested=true mInputShown=false\n mIsInputViewShown=true": false,
		"  mIsInputViewShown=true\n":                                       true,
		"nothing":                                                          false,
	} {
		if got := parseKeyboard(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestParseStart(t *testing.T) {
	t.Parallel()
	const starting = "Starting: Intent { act=android.intent.action.MAIN cmp=com.a/.B }\n"
	cases := []struct {
		name    string
		o       output
		status  string
		problem string
	}{
		{"cold", output{
			out: []byte(starting + "Status: ok\nLaunchState: COLD\nActivity: com.a/.B\nTotalTime: 357\nWaitTime: 377\n" +
				"Complete\n")}, "ok", ""},
		{"brought to the front", output{out: []byte(starting +
			"Warning: Activity not started, its current task has been brought to the front\nStatus: ok\nComplete\n")}, "ok", ""},
		{"delivered to the top", output{out: []byte(starting +
			"Warning: Activity not started, intent has been delivered to currently running top-most instance.\n"), code: 0},
			"ok", ""},
		{"slow", output{out: []byte(starting + "Status: timeout\nComplete\n")}, "timeout", ""},
		{"no class, on stdout",
			output{out: []byte(starting + "Error type 3\nError: Activity class {com.a/com.a.B} does not exist.\n"), code: 1}, "",
			"Error: Activity class {com.a/com.a.B} does not exist."},
		{"no class, on stderr with code 0", output{out: []byte(starting), errs: []byte("Error type 3\n")}, "",
			"Error type 3"},
		{"not exported", output{out: []byte(starting),
			errs: []byte(
				"\nException occurred while executing 'start':\njava.lang.SecurityException: Permission Denial: starting " +
					"Intent\n"), code: 255},
			"", "java.lang.SecurityException: Permission Denial: starting Intent"},
		{"an error in the intent's own text",
			output{out: []byte("Starting: Intent { dat=x://Error: nothing Error type 3 }\nStatus: ok\nComplete\n")}, "ok", ""},
		{"silence", output{out: []byte(starting), code: 1}, "",
			"status Starting: Intent { act=android.intent.action.MAIN cmp=com.a/.B }"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if status, problem := parseStart(c.o); status != c.status || problem != c.problem {
				t.Errorf("status %q, problem %q", status, problem)
			}
		})
	}
}

func TestComponentsOf(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		"priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false\ncom.a.b/.Main\n": "com.a.b/.Main",
		"com.a.b/com.a.b.ui.Main$Alias\r\n":                                "com.a.b/com.a.b.ui.Main$Alias",
		"No activity found\n":                                              "",
		"priority=0\nandroid/com.android.internal.app.ResolverActivity\n":  "",
		"priority=0\ncom.a.bc/.Main\n":                                     "",
		"com.a.b/$(reboot)\n":                                              "",
		"  Activity #0:\n    com.a.b/.B\n  Activity #1:\n    com.a.b/.A\n": "com.a.b/.A com.a.b/.B",
	} {
		if got := strings.Join(componentsOf(answer, "com.a.b"), " "); got != want {
			t.Errorf("%q: %q", answer, got)
		}
	}
}

func TestNear(t *testing.T) {
	t.Parallel()
	names := []string{"com.example.login", "com.example.list", "org.other.login", "com.whatsapp"}
	if got := near("com.example.logn", names); !slices.Equal(got, []string{"com.example.login", "com.example.list"}) {
		t.Errorf("%v", got)
	}
	if got := near("com.whatsapp.com", []string{"com.zzz.aaa.bbb.ccc"}); got != nil {
		t.Errorf("%v", got)
	}
}

func rawScreen(format uint32, header int, pixels []byte, w, h int) []byte {
	raw := binary.LittleEndian.AppendUint32(nil, uint32(w))
	raw = binary.LittleEndian.AppendUint32(raw, uint32(h))
	raw = binary.LittleEndian.AppendUint32(raw, format)
	if header == 16 {
		raw = binary.LittleEndian.AppendUint32(raw, 1)
	}
	return append(raw, pixels...)
}

func TestDecodeRaw(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		raw    []byte
		colour color.RGBA
	}{
		{"RGBA, old header", rawScreen(formatRGBA, 12, []byte{1, 2, 3, 255, 9, 9, 9, 255}, 2, 1), color.RGBA{1, 2, 3, 255}},
		{"RGBA with the colour space", rawScreen(formatRGBA, 16, []byte{1, 2, 3, 255, 9, 9, 9, 255}, 2, 1),
			color.RGBA{1, 2, 3, 255}},
		{"see-through top layer", rawScreen(formatRGBA, 16, []byte{1, 2, 3, 0, 9, 9, 9, 0}, 2, 1), color.RGBA{1, 2, 3, 255}},
		{"RGBX", rawScreen(formatRGBX, 12, []byte{1, 2, 3, 0, 9, 9, 9, 0}, 2, 1), color.RGBA{1, 2, 3, 255}},
		{"RGB", rawScreen(formatRGB, 12, []byte{1, 2, 3, 9, 9, 9}, 2, 1), color.RGBA{1, 2, 3, 255}},
		{"RGB 565", rawScreen(formatRGB5, 12, []byte{0x00, 0xf8, 0, 0}, 2, 1), color.RGBA{255, 0, 0, 255}},
		{"BGRA", rawScreen(formatBGRA, 16, []byte{3, 2, 1, 255, 9, 9, 9, 255}, 2, 1), color.RGBA{1, 2, 3, 255}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			img, err := decodeRaw(c.raw)
			if err != nil {
				t.Fatal(err)
			}
			if img.RGBAAt(0, 0) != c.colour || img.Bounds() != image.Rect(0, 0, 2, 1) {
				t.Errorf("%v in %v", img.RGBAAt(0, 0), img.Bounds())
			}
		})
	}
	for name, raw := range map[string][]byte{
		"nothing": nil, "cut": rawScreen(formatRGBA, 16, make([]byte, 7), 2, 1),
		"unknown":   rawScreen(43, 16, make([]byte, 8), 2, 1),
		"a warning": []byte("[Warning] Multiple displays were found"), "huge": rawScreen(formatRGBA, 16, nil, 1<<30, 1<<30),
	} {
		if _, err := decodeRaw(raw); !errors.Is(err, errPixels) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDecodePNGBehindAWarning(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	b.WriteString(
		"[Warning] Multiple displays were found, but no display id was specified!\nDefaulting to the first display found\n")
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	img, err := decodePNG(b.Bytes())
	if err != nil || img.Bounds() != image.Rect(0, 0, 3, 2) {
		t.Errorf("%v, %v", img, err)
	}
	if _, err := decodePNG(b.Bytes()[:b.Len()-20]); err == nil {
		t.Error("a cut PNG was taken")
	}
	if _, err := decodePNG([]byte("Capture failed")); err == nil {
		t.Error("no PNG was taken for one")
	}
}

func TestReadDump(t *testing.T) {
	t.Parallel()
	d := &dumper{phone: &phone{link: &link{serial: "X"}}}
	whole := node(`class="V"`)
	const noFile = "cat: /data/local/tmp/x.xml: No such file or directory\n"
	cases := []struct {
		name  string
		o     output
		tries int // 0: it is a tree
		kind  error
		says  string
	}{
		{"a tree", output{out: []byte(whole)}, 0, nil, ""},
		{"a tree behind warnings of a device without stderr",
			output{out: []byte("WARNING: linker: x\nUI hierchary dumped to: /x\n" + whole)}, 0, nil, ""},
		{"a tree, and a stack trace beside it", output{out: []byte(whole), errs: []byte("java.lang.Exception")}, 0, nil, ""},
		{"a tree, whatever stands beside it",
			output{out: []byte(whole), errs: []byte("ERROR: could not get idle state.\nalready registered")}, 0, nil, ""},
		{"null root", output{errs: []byte("ERROR: null root node returned by UiTestAutomationBridge.\n" + noFile), code: 0},
			5, drivers.ErrNotReady, "no window"},
		{"no idle", output{errs: []byte("ERROR: could not get idle state.\n" + noFile)}, 1, drivers.ErrNotReady,
			"never stopped moving"},
		{"NPE in childNafCheck",
			output{errs: []byte("java.lang.NullPointerException\n\tat " +
				"com.android.commands.uiautomator.AccessibilityNodeInfoDumper.childNafCheck\n")}, 5, drivers.ErrNotReady,
			"returned nothing"},
		{"nothing at all", output{}, 5, drivers.ErrNotReady, "returned nothing"},
		{"a rival", output{
			errs: []byte("java.lang.IllegalStateException: UiAutomationService " +
				"android.accessibilityservice.IAccessibilityServiceClient$Stub$Proxy@1already registered!\n")}, 3, nil,
			"another automation server"},
		{"killed", output{errs: []byte("Killed \n" + noFile), code: 137}, 3, drivers.ErrNotReady, "killed"},
		{"no tool", output{errs: []byte("/system/bin/sh: uiautomator: inaccessible or not found\n"), code: 127}, 1,
			drivers.ErrUnsupported, "no uiautomator"},
		{"cut", output{out: []byte(whole[:len(whole)-8])}, 3, drivers.ErrNotReady, "cannot be read"},
		{"empty hierarchy", output{out: []byte(`<hierarchy rotation="0"></hierarchy>`)}, 5, drivers.ErrNotReady, "no window"},
		{"bomb", output{out: []byte("<hierarchy>" + strings.Repeat("<node>", 501))}, 1, nil, "too big"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := d.readDump(c.o)
			if c.tries == 0 {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			failed := new(dumpError)
			if !errors.As(err, &failed) || failed.tries != c.tries || !strings.Contains(err.Error(), c.says) ||
				!strings.Contains(err.Error(), "device X") {
				t.Fatalf("%+v", err)
			}
			if c.kind != nil && !errors.Is(err, c.kind) || c.kind == nil && errors.Is(err, drivers.ErrNotReady) {
				t.Errorf("kind of %v", err)
			}
		})
	}
}

func TestTreeSizeFollowsRotation(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		shot     image.Point
		rotation int
		want     image.Point
	}{
		{"standing", image.Point{}, 0, image.Pt(1080, 2400)},
		{"lying", image.Point{}, 1, image.Pt(2400, 1080)},
		{"lying, after a standing screenshot", image.Pt(720, 1600), 3, image.Pt(1600, 720)},
		{"not said", image.Pt(720, 1600), -1, image.Pt(720, 1600)},
	} {
		d := &ui{phone: &phone{shot: c.shot, info: drivers.Info{Width: 1080, Height: 2400}}, webViews: &webViews{}}
		if got := d.newTree(&dump{rotation: c.rotation, taken: testTime}).Size; got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestServerFrom(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name          string
		env           map[string]string
		network, addr string
		local         bool
		flags         string
	}{
		{"nothing set", nil, "tcp", "127.0.0.1:5037", true, "-P 5037"},
		{"port", map[string]string{"ANDROID_ADB_SERVER_PORT": "5040"}, "tcp", "127.0.0.1:5040", true, "-P 5040"},
		{"remote", map[string]string{"ANDROID_ADB_SERVER_ADDRESS": "farm", "ANDROID_ADB_SERVER_PORT": "6000"}, "tcp",
			"farm:6000", false, "-P 6000"},
		{"socket wins", map[string]string{"ADB_SERVER_SOCKET": "tcp:localhost:1234", "ANDROID_ADB_SERVER_PORT": "5040"},
			"tcp", "localhost:1234", true, "-P 1234"},
		{"socket with a port only", map[string]string{"ADB_SERVER_SOCKET": "tcp:1234"}, "tcp", "127.0.0.1:1234", true,
			"-P 1234"},
		{"IPv6", map[string]string{"ADB_SERVER_SOCKET": "tcp:[::1]:1234"}, "tcp", "[::1]:1234", true, "-P 1234"},
		{"unix", map[string]string{"ADB_SERVER_SOCKET": "localfilesystem:/run/adb"}, "unix", "/run/adb", true,
			"-L localfilesystem:/run/adb"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := serverFrom(func(name string) string { return c.env[name] })
			if s.wrong != nil || s.network != c.network || s.addr != c.addr || s.local != c.local ||
				strings.Join(s.flags(), " ") != c.flags {
				t.Errorf("%+v %v", s, s.flags())
			}
		})
	}
	for _, bad := range []map[string]string{
		{"ADB_SERVER_SOCKET": "http://x"}, {"ADB_SERVER_SOCKET": "tcp:a:b"}, {"ANDROID_ADB_SERVER_PORT": "0"},
	} {
		s := serverFrom(func(name string) string { return bad[name] })
		_, err := s.connect(t.Context())
		if missing := new(drivers.Unavailable); !errors.As(err, &missing) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

func TestLogStart(t *testing.T) {
	t.Parallel()
	for date, want := range map[string]string{
		"11-21 09:22:01.123456789\n": "'11-21 09:22:01.123'",
		"11-21 09:22:01.%N\n":        "'11-21 09:22:01.000'",
		"11-21 09:22:01.N\r\n":       "'11-21 09:22:01.000'",
		"date: bad format\n":         "1",
		"":                           "1",
	} {
		if got := logStart(date); got != want {
			t.Errorf("%q: %s", date, got)
		}
	}
}

func TestParseKeyboardArea(t *testing.T) {
	t.Parallel()
	const apps = "  Window #1 Window{48b4735 u0 com.a/com.a.B}:\n    mFrame=[0,0][1080,2400]\n    touchable " +
		"region=SkRegion((0,0,1080,2400))\n"
	for name, c := range map[string]struct {
		text string
		want image.Rectangle
	}{
		"a region": {
			"  Window #2 Window{7c1 u0 InputMethod}:\n    mFrame=[0,63][1080,2340]\n    touchable " +
				"region=SkRegion((0,1559,1080,2340))\n" + apps, image.Rect(0, 1559, 1080, 2340)},
		"of two parts": {
			"  Window #2 Window{7c1 u0 InputMethod}:\r\n    touchable " +
				"region=SkRegion((0,1500,1080,1600)(10,1600,1070,2340))\r\n" + apps, image.Rect(0, 1500, 1080, 2340)},
		"insets": {
			"  Window #2 Window{7c1 u0 InputMethod}:\n    mGivenContentInsets=[0,1328][0,0] " +
				"mGivenVisibleInsets=[0,1328][0,0]\n" +
				" " +
				"   Frames: parent=[0,126][1080,2274] frame=[0,126][1080,2274]\n" + apps, image.Rect(0, 1454, 1080, 2274)},
		"nothing of it":  {"  Window #2 Window{7c1 u0 InputMethod}:\n" + apps, image.Rectangle{}},
		"no such window": {apps, image.Rectangle{}},
		"an app's dialog": {
			"  Window #2 Window{7c1 u0 com.a/com.a.InputMethodPicker}:\n    touchable " +
				"region=SkRegion((0,1,2,3))\n", image.Rectangle{}},
	} {
		if got := parseKeyboardArea(c.text); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestDisplayZero reads what Androids of several years say of their displays.
func TestDisplayZero(t *testing.T) {
	t.Parallel()
	for want, text := range map[string]string{
		"4619827677550801152": `Display id 0: DisplayInfo{"Built-in Screen", displayId 0, displayGroupId 0, FLAG_SECURE, ` +
			`FLAG_TRUSTED, real 904 x 2316, ` +
			`largest app 2316 x 2316, rotation 0, state ON, type INTERNAL, uniqueId "local:4619827677550801152", app 904 x ` +
			`2316, density 420}, isValid=true` + "\n" +
			`Display id 2: DisplayInfo{"HDMI", displayId 2, uniqueId "local:4619827677550801153", app 1 x 1}, isValid=true`,
		"19260422155234049": "  Display 1:\n    mBaseDisplayInfo=DisplayInfo{\"Cover\", displayId 10, uniqueId " +
			"\"local:1\", " +
			"app " +
			"1 x 1}\n" +
			`    mBaseDisplayInfo=DisplayInfo{"Built-in Screen, displayId 0", uniqueId "local:19260422155234049", app 1080 x ` +
			`2028, real 1080 x 2160`,
		"": "cmd: Can't find service: display",
	} {
		got := ""
		if m := displayZero.FindStringSubmatch(text); m != nil {
			got = m[1]
		}
		if got != want {
			t.Errorf("%q in %s", got, text)
		}
	}
}
