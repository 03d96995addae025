package android

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"net/http"
	"net/http/httptest"

	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
)

// fakeAppium is an Appium server with a phone that shows one field and a button. It spoils responses.
type fakeAppium struct {
	*httptest.Server

	mu     sync.Mutex
	open   map[string]bool
	calls  []string // without the session
	wanted map[string]any
	text   string // in the field
	touch  int
	typed  int
	fault  string // of the responses to the calls that start with faulty
	faulty string
	before bool // the call is not performed when its answer is spoilt
	lacks  string
	locked bool
	dialog string     // of the system, as an element of the document
	shell  string     // what the phone's shell says; "": the server runs no commands
	shot   []byte     // the screenshot
	code   []string   // fields of one digit each, in place of the other; the first that is empty has the focus
	web    *fakePages // nil: the app shows none
}

const fakeSource = `<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>
<hierarchy index="0" class="hierarchy" rotation="0" width="400" height="800">
<android.widget.FrameLayout index="0" package="com.example" class="android.widget.FrameLayout" text="" clickable="false"
 enabled="true" focused="false" bounds="[0,0][400,800]" displayed="true" window-id="7">
<android.widget.EditText index="0" package="com.example" class="android.widget.EditText" text="%s"
 resource-id="com.example:id/field" clickable="true" enabled="true" focused="true" bounds="[0,100][400,200]"
 displayed="true" hint="Name" showing-hint="false"/>
<android.widget.Button index="1" package="com.example" class="android.widget.Button" text="Save" clickable="true"
 enabled="true" focused="false" bounds="[0,300][400,400]" displayed="true"/>
</android.widget.FrameLayout></hierarchy>`

func newFakeAppium(t *testing.T) *fakeAppium {
	f := &fakeAppium{open: map[string]bool{}}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

// ServeHTTP performs a command, and spoils its answer.
func (f *fakeAppium) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	_ = json.NewDecoder(r.Body).Decode(&body)
	f.mu.Lock()
	name, id := f.name(r, body)
	spoilt := f.fault
	if !strings.HasPrefix(name, f.faulty) || f.faulty == "" {
		spoilt = ""
	}
	f.calls = append(f.calls, name)
	spoilt = f.web.note(name, id, spoilt)
	status, value := 200, any(nil)
	switch {
	case id != "" && !f.open[id]:
		status, value = 404, failed("invalid session id", "gone")
	case spoilt == "gone":
		delete(f.open, id)
		status, value = 404, failed("invalid session id", "gone")
	case spoilt == "" || !f.before:
		status, value = f.perform(name, id, body)
	}
	f.mu.Unlock()
	switch spoilt {
	case "dropped":
		conn, _, _ := w.(http.Hijacker).Hijack()
		_ = conn.Close()
		return
	case "late":
		select {
		case <-time.After(2 * time.Minute):
		case <-r.Context().Done():
		}
	case "html":
		w.WriteHeader(http.StatusBadGateway)
		_, _ = w.Write([]byte("<html>bad gateway</html>"))
		return
	case "500":
		status, value = 500, failed("unknown error", "something broke")
	case "null":
		value = nil
	case "cut":
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte(`{"value":`))
		return
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"value": value})
}

func failed(code, message string) any { return map[string]any{"error": code, "message": message} }

// name is a call without its session, with the command of an execution.
func (f *fakeAppium) name(r *http.Request, body map[string]any) (name, id string) {
	path := r.URL.Path
	if rest, in := strings.CutPrefix(path, "/session/"); in {
		id, path, _ = strings.Cut(rest, "/")
		path = "/" + path
	}
	name = r.Method + " " + path
	if script, ok := body["script"].(string); ok {
		name = script
	}
	return name, id
}

// perform is the call's effect. The lock is held.
func (f *fakeAppium) perform(name, id string, body map[string]any) (status int, value any) {
	arg := func(name string) any {
		args, _ := body["args"].([]any)
		first, _ := args[0].(map[string]any)
		return first[name]
	}
	if f.lacks != "" && name == f.lacks {
		return 500, failed("unsupported operation", "no such thing")
	}
	if status, value := f.web.perform(name, id, body); status != 0 {
		return status, value
	}
	switch name {
	case "POST /session":
		all, _ := body["capabilities"].(map[string]any)
		f.wanted, _ = all["alwaysMatch"].(map[string]any)
		id := fmt.Sprint("s", len(f.calls))
		f.open[id] = true
		phone := map[string]any{"deviceModel": "Pixel", "platformVersion": "14", "deviceApiLevel": 34,
			"deviceScreenSize": "400x800"}
		return 200, map[string]any{"sessionId": id, "capabilities": phone}
	case "DELETE /":
		delete(f.open, id)
	case "GET /source":
		doc := f.web.under(fmt.Sprintf(fakeSource, f.text))
		if f.code != nil {
			doc = f.withCode(doc)
		}
		return 200, strings.Replace(doc, "</hierarchy>", f.dialog+"</hierarchy>", 1)
	case "GET /screenshot":
		return 200, base64.StdEncoding.EncodeToString(f.shot)
	case "mobile: listWindows":
		list := []any{map[string]any{"windowId": 7, "displayId": 0, "type": 1, "layer": 1, "isActive": f.dialog == "",
			"isFocused": f.dialog == "", "rect": map[string]any{"x": 0, "y": 0, "width": 400, "height": 800}}}
		if f.dialog != "" {
			list = append(list, map[string]any{"windowId": 8, "displayId": 0, "type": 3, "layer": 2, "isActive": true,
				"isFocused": true, "rect": map[string]any{"x": 40, "y": 200, "width": 320, "height": 400}})
		}
		return 200, list
	case "GET /element/active":
		return 200, map[string]any{"element-6066-11e4-a52e-4f735466cecf": "e1"}
	case "mobile: replaceElementValue":
		f.typed++
		f.text, _ = arg("text").(string)
		if i := slices.Index(f.code, ""); i >= 0 {
			f.code[i] = f.text[:1]
		}
	case "POST /actions":
		f.touch++
	case "mobile: queryAppState":
		return 200, 4
	case "mobile: isAppInstalled", "mobile: terminateApp":
		return 200, true
	case "mobile: isLocked":
		return 200, f.locked
	case "mobile: getUiMode":
		return 200, "no"
	case "mobile: shell":
		if f.shell != "" {
			return 200, f.shell + "taproot-exit-code:0\n"
		}
		return 500, failed("unknown error", "Potentially insecure feature 'adb_shell' has not been enabled")
	case "GET /appium/extensions":
		known := map[string]any{"mobile: activateApp": struct{}{}}
		return 200, map[string]any{"rest": map[string]any{"driver": known}}
	case "POST /se/log":
		return 200, []any{}
	case "GET /status", "mobile: activateApp", "mobile: setUiMode", "mobile: pressKey":
	default:
		return 404, failed("unknown command", name)
	}
	return 200, nil
}

// withCode adds the fields of a code to a document of the screen.
func (f *fakeAppium) withCode(doc string) string {
	fields := strings.Builder{}
	for i, digit := range f.code {
		fmt.Fprintf(&fields, `<android.widget.EditText index="%d" package="com.example" class="android.widget.EditText" `+
			`text="%s" resource-id="com.example:id/digit" clickable="true" enabled="true" focused="%t" `+
			`bounds="[%d,500][%d,600]" displayed="true"/>`, i+2, digit, i == slices.Index(f.code, ""), 100*i, 100*i+90)
	}
	return strings.Replace(strings.ReplaceAll(doc, `focused="true"`, `focused="false"`),
		"</android.widget.FrameLayout></hierarchy>", fields.String()+"</android.widget.FrameLayout></hierarchy>", 1)
}

func (f *fakeAppium) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

func (f *fakeAppium) count(name string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, call := range f.calls {
		if call == name {
			n++
		}
	}
	return n
}

func (f *fakeAppium) left() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.open)
}

func (f *fakeAppium) remote(t *testing.T) (drivers.Driver, string) {
	t.Helper()
	folder := t.TempDir()
	d, err := NewRemote(dsl.RemoteServer{Name: "lab", URL: f.URL, Platform: dsl.Android, Sessions: 1,
		Capabilities: map[string]any{"appium:app": "shop.apk", "appium:newCommandTimeout": 240.0}}, folder)
	if err != nil {
		t.Fatal(err)
	}
	return d, folder
}

// phone opens the phone until the end of the test.
func (f *fakeAppium) phone(t *testing.T) drivers.Device {
	t.Helper()
	driver, _ := f.remote(t)
	t.Cleanup(func() { _ = driver.Close() })
	d, err := driver.Open(t.Context(), "lab-1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// TestFaultsOfRemotePhones: each call, with each fault, is an error and never a result; no touch or text is sent twice;
// no session is left open or noted.
func TestFaultsOfRemotePhones(t *testing.T) {
	t.Parallel()
	calls := map[string]func(t *testing.T, d drivers.Device) error{
		"GET /source": func(t *testing.T, d drivers.Device) error { _, err := d.Tree(t.Context()); return err },
		"mobile: listWindows": func(t *testing.T, d drivers.Device) error {
			_, err := d.Tree(t.Context())
			return err
		},
		"GET /screenshot": func(t *testing.T, d drivers.Device) error { _, err := d.Screenshot(t.Context()); return err },
		"POST /actions":   func(t *testing.T, d drivers.Device) error { return d.Tap(t.Context(), image.Pt(9, 9)) },
		"mobile: replaceElementValue": func(t *testing.T, d drivers.Device) error {
			return d.Type(t.Context(), "Ada")
		},
		"mobile: activateApp": func(t *testing.T, d drivers.Device) error {
			return d.(drivers.Apps).Launch(t.Context(), "com.example", false)
		},
		"mobile: terminateApp": func(t *testing.T, d drivers.Device) error {
			return d.(drivers.AppManager).Stop(t.Context(), "com.example")
		},
		"mobile: pressKey": func(t *testing.T, d drivers.Device) error {
			return d.(drivers.Keys).Press(t.Context(), []string{"back"})
		},
		"mobile: setUiMode": func(t *testing.T, d drivers.Device) error {
			return d.(drivers.System).DarkMode(t.Context(), true)
		},
		"POST /se/log": func(t *testing.T, d drivers.Device) error {
			_, err := d.(drivers.CrashWatcher).Crashed(t.Context())
			return err
		},
	}
	once := []string{"POST /actions", "mobile: replaceElementValue", "mobile: activateApp", "mobile: terminateApp",
		"mobile: pressKey"}
	for name, call := range calls {
		faults := []string{"dropped", "html", "500", "cut", "gone"}
		if strings.HasPrefix(name, "GET ") || name == "POST /se/log" {
			faults = append(faults, "null")
		}
		for _, fault := range faults {
			t.Run(name+" "+fault, func(t *testing.T) {
				t.Parallel()
				f := newFakeAppium(t)
				driver, folder := f.remote(t)
				d, err := driver.Open(t.Context(), "lab-1")
				if err != nil {
					t.Fatal(err)
				}
				if name == "POST /se/log" {
					if err := d.(drivers.Apps).Launch(t.Context(), "com.example", false); err != nil {
						t.Fatal(err)
					}
				}
				f.set(func() { f.fault, f.faulty = fault, name })
				before := f.count(name)
				err = call(t, d)
				said := "nothing"
				if err != nil {
					said = err.Error()
				}
				proven := name == "mobile: replaceElementValue" && slices.Contains([]string{"dropped", "html", "cut"}, fault)
				switch {
				case proven && err != nil:
					t.Errorf("the screen shows the text: %v", err)
				case !proven && err == nil:
					t.Error("no error")
				case drivers.AppIsWrong(err):
					t.Errorf("the app is blamed: %v", err)
				case strings.Contains(said, "<html") || strings.Contains(said, "invalid character"):
					t.Errorf("%v", err)
				case !proven && !strings.Contains(said, "lab"):
					t.Errorf("the error does not name the device: %v", err)
				}
				if fault == "gone" && !errors.Is(err, drivers.ErrDeviceLost) {
					t.Errorf("a lost session: %v", err)
				}
				if n := f.count(name) - before; slices.Contains(once, name) && n != 1 {
					t.Errorf("%s was sent %d times", name, n)
				}
				f.set(func() { f.fault = "" })
				if err := errors.Join(d.Close(), driver.Close()); err != nil {
					t.Errorf("close: %v", err)
				}
				if files, _ := filepath.Glob(filepath.Join(folder, "*.json")); f.left() != 0 || len(files) != 0 {
					t.Errorf("%d sessions and %d records are left", f.left(), len(files))
				}
			})
		}
	}
}

// A text that did not arrive is not taken for one that did.
func TestLostTextIsNotProven(t *testing.T) {
	t.Parallel()
	f := newFakeAppium(t)
	driver, _ := f.remote(t)
	defer driver.Close()
	d, err := driver.Open(t.Context(), "lab-1")
	if err != nil {
		t.Fatal(err)
	}
	f.set(func() { f.fault, f.faulty, f.before = "dropped", "mobile: replaceElementValue", true })
	err = d.Type(t.Context(), "Ada")
	if err == nil || !strings.Contains(err.Error(), "unknown, and it is not repeated") {
		t.Errorf("%v", err)
	}
	if n := f.count("mobile: replaceElementValue"); n != 1 {
		t.Errorf("sent %d times", n)
	}
	_ = d.Close()
	if f.left() != 0 {
		t.Error("the session is kept although its state is unknown")
	}
}

// TestRemotePhoneCapabilities: the user's capabilities stay, and what is needed is added. A session serves several
// tests.
func TestRemotePhoneCapabilities(t *testing.T) {
	t.Parallel()
	f := newFakeAppium(t)
	driver, _ := f.remote(t)
	for range 2 {
		d, err := driver.Open(t.Context(), "lab-1")
		if err != nil {
			t.Fatal(err)
		}
		if i := d.Info(); i.Model != "Pixel" || i.APILevel != 34 || i.Width != 400 || i.ID != "lab-1" {
			t.Errorf("%+v", i)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	for name, want := range map[string]any{"platformName": "Android", "appium:automationName": "UiAutomator2",
		"appium:noReset": true, "appium:newCommandTimeout": 240.0, "appium:app": "shop.apk",
		"appium:settings[enableMultiWindows]": true} {
		if f.wanted[name] != want {
			t.Errorf("%s: %v", name, f.wanted[name])
		}
	}
	if err := driver.Close(); err != nil || f.count("POST /session") != 1 || f.left() != 0 {
		t.Errorf("%v, %d sessions, %d open", err, f.count("POST /session"), f.left())
	}
}

// TestFewCallsToRemotePhones: the windows of a screen are listed once, a read of the same windows is one call.
func TestFewCallsToRemotePhones(t *testing.T) {
	t.Parallel()
	f := newFakeAppium(t)
	d := f.phone(t)
	for range 3 {
		if _, err := d.Tree(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if source, windows := f.count("GET /source"), f.count("mobile: listWindows"); source != 3 || windows != 1 {
		t.Errorf("%d documents, %d lists of windows", source, windows)
	}
	if err := d.Tap(t.Context(), image.Pt(10, 310)); err != nil || f.count("POST /actions") != 1 {
		t.Errorf("%v, %d touches", err, f.count("POST /actions"))
	}
}

// TestLockedRemotePhone: what is on a phone that is locked or off is unknown. Where the server does not
// report it, one warning says so.
func TestLockedRemotePhone(t *testing.T) {
	t.Parallel()
	f := newFakeAppium(t)
	d := f.phone(t)
	for _, locked := range []bool{false, true} {
		f.set(func() { f.locked = locked })
		what, err := d.(drivers.ObstacleReporter).Obstacle(t.Context())
		if err != nil || strings.Contains(what, "is locked") != locked {
			t.Errorf("locked %t: %q, %v", locked, what, err)
		}
		if err := d.(drivers.DisplayReporter).DisplayOn(t.Context()); (err != nil) != locked {
			t.Errorf("locked %t: %v", locked, err)
		}
	}
	f.set(func() { f.lacks = "mobile: isLocked" })
	for range 2 {
		if what, err := d.(drivers.ObstacleReporter).Obstacle(t.Context()); err != nil || what != "" {
			t.Errorf("%q, %v", what, err)
		}
	}
	warnings := d.(drivers.Warner).TakeWarnings()
	if len(warnings) != 1 || !strings.Contains(warnings[0], "whether the phone is locked") {
		t.Error(warnings)
	}
}

// TestRemoteSaysWhatItLacks: what the server does not allow, or does not have, is known before the first touch.
func TestRemoteSaysWhatItLacks(t *testing.T) {
	t.Parallel()
	f := newFakeAppium(t)
	d := f.phone(t)
	checker := d.(interface {
		CheckActions(ctx context.Context, names []string) error
	})
	for names, want := range map[string]string{
		"tap assertVisible": "",
		"launch":            "",
		"shell":             "--allow-insecure uiautomator2:adb_shell",
		"setDarkMode":       `has no command "mobile: setUiMode"`,
	} {
		err := checker.CheckActions(t.Context(), strings.Fields(names))
		if got := fmt.Sprint(err); (err == nil) != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %v", names, err)
		}
		if err != nil && !errors.Is(err, drivers.ErrUnsupported) {
			t.Errorf("%s: %v", names, err)
		}
	}
	if n := f.count("POST /actions"); n != 0 {
		t.Errorf("%d touches", n)
	}
}
