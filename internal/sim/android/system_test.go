package androidsim

import (
	"encoding/base64"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestAmStart(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	for script, want := range map[string]string{
		"am start -n com.foo/.Bar": `(?s)^Starting: Intent { cmp=com.foo/.Bar }\n.*Error type ` +
			`3\nError: Activity class {com.foo/com.foo.Bar} does not exist.\n$`,
		"am start -W -a android.intent.action.VIEW -d nope://x": `(?s)^Starting: Intent { act=android.intent.action.VIEW ` +
			`dat=nope://x flg=0x10000000 }\nError: Activity not started, unable to resolve Intent {`,
		"am start -n com.example.list/.PrivateActivity": `SecurityException: Permission Denial: starting Intent ` +
			`{.*not exported from uid 10152`,
		"am start":      `IllegalArgumentException: No intent supplied`,
		"am frobnicate": `^Unknown command: frobnicate\n$`,
		"cmd package resolve-activity --brief com.example.login": `^priority=0 ` +
			`.*isDefault=false\ncom.example.login/.MainActivity\n$`,
		"cmd package resolve-activity --brief com.nope": `^No activity found\n$`,
		"monkey -p com.nope -c android.intent.category.LAUNCHER 1; echo $?": `\*\* No activities found to run, monkey ` +
			`aborted.\n252\n$`,
		"pm path com.example.login": `^package:/data/app/.*/base.apk\n$`,
		"pm clear com.nope":         `^Failed\n$`,
		"pm grant com.example.login android.permission.NOPE": `has not requested permission ` +
			`android.permission.NOPE`,
		"pm list packages -3": `^package:com.example.list\npackage:com.example.login\n$`,
		"wm size":             `^Physical size: 1080x2400\n$`,
		"wm size 720x1600; wm size; wm size reset": `^Physical size: 1080x2400\nOverride size: ` +
			`720x1600\n$`,
		"wm density":               `^Physical density: 420\n$`,
		"settings get global nope": `^null\n$`,
		"settings put global a b; settings get global a; settings delete global a": `^b\nDeleted 1 rows\n$`,
		"settings get nowhere a":   `^Invalid namespace 'nowhere'\n$`,
		"dumpsys nope":             `^Can't find service: nope\n$`,
		"dumpsys battery":          `level: 87`,
		"dumpsys meminfo com.nope": `^No process found for: com.nope\n$`,
		"am broadcast -a ADB_INPUT_B64": `^Broadcasting: Intent { act=ADB_INPUT_B64 flg=0x400000 }\nBroadcast ` +
			`completed: result=0\n$`,
		"ime set com.nope/.Ime":                  `Unknown input method com.nope/.Ime cannot be selected for user #0`,
		"input":                                  `^Usage: input \[<source>\]`,
		"input tap 1":                            `^Error: Invalid arguments for command: tap\nUsage: input`,
		"screenrecord --size wide /sdcard/x.mp4": `^Invalid size 'wide', must be width x height\n$`,
		"logcat -v nope":                         `^Invalid parameter "nope" to -v\n$`,
	} {
		res := b.sh(script)
		if got := res.out + res.err; !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%s\n got %q\nwant %s", script, got, want)
		}
	}
	res := b.sh("am start -W -n com.example.login/.MainActivity")
	want := `^Starting: Intent { cmp=com.example.login/.MainActivity }\nStatus: ok\nLaunchState: COLD\nActivity: ` +
		`com.example.login/.MainActivity\nTotalTime: \d+\nWaitTime: \d+\nComplete\n$`
	if !regexp.MustCompile(want).MatchString(res.out) {
		t.Errorf("cold: %q", res.out)
	}
	res = b.sh("am start -W -n com.example.login/.MainActivity")
	if !strings.Contains(res.out,
		"Warning: Activity not started, intent has been delivered to currently running top-most instance.\n") {
		t.Errorf("again: %q", res.out)
	}
}

func TestForegroundByAPI(t *testing.T) {
	t.Parallel()
	for api, c := range map[int]struct{ script, want string }{
		24: {"dumpsys window windows; dumpsys activity activities",
			`mCurrentFocus=Window\{[0-9a-f]+ u0 com.example.list/com.example.list.MainActivity\}\n  ` +
				`mFocusedApp=AppWindowToken\{(?s).*mResumedActivity: ActivityRecord\{[0-9a-f]+ u0 com.example.list/.MainActivity ` +
				`t\d+\}`},
		28: {"dumpsys window windows; dumpsys activity activities",
			`mCurrentFocus=Window\{(?s).*mResumedActivity: ActivityRecord`},
		30: {"dumpsys window displays; dumpsys activity activities",
			`mCurrentRotation=ROTATION_0\n  mCurrentFocus=Window\{(?s).*topResumedActivity=ActivityRecord`},
		34: {"dumpsys window displays; dumpsys activity activities",
			`mCurrentFocus=Window\{(?s).*mFocusedApp=ActivityRecord\{.*topResumedActivity=ActivityRecord`},
	} {
		b := newBench(t, Options{API: api, Transition: time.Hour})
		b.start(listMain)
		if res := b.sh("dumpsys window"); !strings.Contains(res.out, "mCurrentFocus=null") {
			t.Errorf("API %d: no null focus during the transition: %q", api, res.out)
		}
		b.sh("settings put global transition_animation_scale 0")
		if res := b.sh(c.script); !regexp.MustCompile(c.want).MatchString(res.out) {
			t.Errorf("API %d: after the transition: %q", api, res.out)
		}
	}
	b := newBench(t, Options{API: 24})
	if res := b.sh("dumpsys window displays"); strings.Contains(res.out, "mCurrentFocus") {
		t.Errorf("API 24 has the focus under windows only: %q", res.out)
	}
}

func TestPmClearKillsLater(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{ClearKill: 3 * time.Second})
	b.start(listMain)
	b.sh("am force-stop " + ListPackage)
	b.start(listMain)
	if !b.sees("Visits: 2") {
		t.Errorf("texts: %q", b.texts())
	}
	if res := b.sh("pm clear " + ListPackage); res != (result{"Success\n", "", 0}) {
		t.Errorf("clear: %+v", res)
	}
	if got := b.phone.Foreground(); got != listMain {
		t.Errorf("the kill came with the Success: %s", got)
	}
	until(t, "the kill", func() bool { return b.phone.Foreground() != listMain })
	b.start(listMain)
	if !b.sees("Visits: 1") {
		t.Errorf("data is still there: %q", b.texts())
	}
}

func TestADBKeyboard(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{ADBKeyboard: true})
	b.start(ListPackage + "/.MainActivity")
	b.tap("Form", 0)
	b.tap("Note", 0)
	msg := base64.StdEncoding.EncodeToString([]byte("Grüße 🎉"))
	b.sh("am broadcast -a ADB_INPUT_B64 --es msg " + msg)
	if b.sees("Grüße 🎉") {
		t.Error("typed by a keyboard that is not selected")
	}
	res := b.sh(
		"ime enable com.android.adbkeyboard/.AdbIME; ime set com.android.adbkeyboard/.AdbIME; settings get secure " +
			"default_input_method")
	if !strings.HasSuffix(res.out, "com.android.adbkeyboard/.AdbIME\n") {
		t.Errorf("ime: %+v", res)
	}
	b.sh("am broadcast -a ADB_INPUT_B64 --es msg " + msg)
	if !b.sees("Grüße 🎉") {
		t.Errorf("typed %q", b.texts())
	}
}

func TestInputForbidden(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{InputForbidden: true})
	if res := b.sh("input tap 1 1"); res.code != 255 || !strings.Contains(res.err, "INJECT_EVENTS permission") {
		t.Errorf("got %+v", res)
	}
}

func TestRotation(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	b.sh("settings put system accelerometer_rotation 0; settings put system user_rotation 1")
	if s := b.phone.Screen().Rect.Size(); s.X != 2400 || s.Y != 1080 {
		t.Errorf("size %v", s)
	}
	if res := b.sh("dumpsys window displays"); !strings.Contains(res.out, "mCurrentRotation=ROTATION_90") {
		t.Errorf("rotation: %q", res.out)
	}
	if !strings.Contains(b.phone.Tree(), `<hierarchy rotation="1">`) {
		t.Error("the dump does not tell of the rotation")
	}
}

func TestLogcat(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	b.phone.Log('I', "First", "one")
	if res := b.sh("logcat -d -v threadtime -b all"); !regexp.MustCompile(
		`(?m)^--------- beginning of main\n(?s).*\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}  1000  1000 I First   : one\n$`).MatchString(
		res.out) {
		t.Errorf("dump: %q", res.out)
	}
	if res := b.sh("logcat -d -v brief First:V '*:S'"); !strings.HasSuffix(res.out, "I/First   ( 1000): one\n") {
		t.Errorf("filter: %q", res.out)
	}
	b.sh("logcat -b all -c")
	if res := b.sh("logcat -d"); res.out != "--------- beginning of main\n" {
		t.Errorf("cleared: %q", res.out)
	}
	conn := b.open("exec:logcat -v raw -T 1")
	until(t, "logcat runs", func() bool { return b.sh("pidof logcat").code == 0 })
	b.phone.Log('W', "Second", "two")
	got := ""
	for !strings.HasSuffix(got, "two\n") {
		buf := make([]byte, 100)
		n, err := conn.Read(buf)
		if err != nil {
			t.Fatalf("stream ended with %q: %v", got, err)
		}
		got += string(buf[:n])
	}
	conn.Close()
	until(t, "logcat ends with its reader", func() bool { return b.sh("pidof logcat").code == 1 })
}
