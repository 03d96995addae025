package dump

import (
	"errors"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
)

func TestReadDump(t *testing.T) {
	t.Parallel()
	d := &Reader{Phone: &phone.Phone{Link: &adb.Link{Serial: "X"}}}
	whole := node(`class="V"`)
	const noFile = "cat: /data/local/tmp/x.xml: No such file or directory\n"
	cases := []struct {
		name  string
		o     adb.Output
		tries int // 0: it is a tree
		kind  error
		says  string
	}{
		{"a tree", adb.Output{Out: []byte(whole)}, 0, nil, ""},
		{"a tree behind warnings of a device without stderr",
			adb.Output{Out: []byte("WARNING: linker: x\nUI hierchary dumped to: /x\n" + whole)}, 0, nil, ""},
		{"a tree, and a stack trace beside it", adb.Output{Out: []byte(whole), Errs: []byte("java.lang.Exception")}, 0, nil,
			""},
		{"a tree with other output around it",
			adb.Output{Out: []byte(whole), Errs: []byte("ERROR: could not get idle state.\nalready registered")}, 0, nil, ""},
		{"null root", adb.Output{Errs: []byte("ERROR: null root node returned by UiTestAutomationBridge.\n" + noFile),
			Code: 0},
			5, drivers.ErrNotReady, "no window"},
		{"no idle", adb.Output{Errs: []byte("ERROR: could not get idle state.\n" + noFile)}, 1, drivers.ErrNotReady,
			"never stopped moving"},
		{"NPE in childNafCheck",
			adb.Output{Errs: []byte("java.lang.NullPointerException\n\tat " +
				"com.android.commands.uiautomator.AccessibilityNodeInfoDumper.childNafCheck\n")}, 5, drivers.ErrNotReady,
			"returned nothing"},
		{"nothing at all", adb.Output{}, 5, drivers.ErrNotReady, "returned nothing"},
		{"a rival", adb.Output{
			Errs: []byte("java.lang.IllegalStateException: UiAutomationService " +
				"android.accessibilityservice.IAccessibilityServiceClient$Stub$Proxy@1already registered!\n")}, 3, nil,
			"another automation server"},
		{"killed", adb.Output{Errs: []byte("Killed \n" + noFile), Code: 137}, 3, drivers.ErrNotReady, "killed"},
		{"no tool", adb.Output{Errs: []byte("/system/bin/sh: uiautomator: inaccessible or not found\n"), Code: 127}, 1,
			drivers.ErrUnsupported, "no uiautomator"},
		{"cut", adb.Output{Out: []byte(whole[:len(whole)-8])}, 3, drivers.ErrNotReady, "cannot be read"},
		{"empty hierarchy", adb.Output{Out: []byte(`<hierarchy rotation="0"></hierarchy>`)}, 5, drivers.ErrNotReady,
			"no window"},
		{"bomb", adb.Output{Out: []byte("<hierarchy>" + strings.Repeat("<node>", 501))}, 1, nil, "too big"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := d.Parsed(c.o)
			if c.tries == 0 {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			failed := new(Error)
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

func TestParseFull(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Filesystem     1K-blocks     Used Available Use% Mounted on\n/dev/block/dm-5 114567160 31250404  83316756  28% " +
			"/data\n": false,
		"Filesystem 1K-blocks Used Available Use% Mounted on\n/dev/block/dm-5 114567160 114567160 0 100% " +
			"/data\n": true,
		"Filesystem 1K-blocks Used Available Use% Mounted on\n/dev/block/very/long\n 1000 970 30 97% " +
			"/data\n": true,
		"df: /data/local/tmp: Permission denied\n": false, "": false,
	} {
		if got := parseFull(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
