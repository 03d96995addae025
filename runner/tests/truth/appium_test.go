package truth_test

import (
	"os"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/toolchain/appiumtest"
)

// appiumLab is an Appium server of its makers, behind which the phones of the traps are.
type appiumLab struct {
	*appiumtest.Server
	adb *androidsim.ADB
}

// newAppiumLab starts one where TRUTH_APPIUM is set: the traps are then read by it alone.
func newAppiumLab(t *testing.T) *appiumLab {
	t.Helper()
	if os.Getenv("TRUTH_APPIUM") == "" {
		return nil
	}
	adb := androidsim.StartADB(t)
	return &appiumLab{Server: appiumtest.Start(t, appiumtest.Options{ADB: adb.Path, Env: adb.Env,
		Features: []string{"uiautomator2:adb_shell"}}), adb: adb}
}

// ways are those in which the traps are read.
func (l *appiumLab) ways() []string {
	if l != nil {
		return []string{"appium"}
	}
	return []string{"stock", "agent"}
}

// driver opens the phone by the server.
func (l *appiumLab) driver(t *testing.T, phone *androidsim.Phone) (d drivers.Driver, id string, err error) {
	d, err = android.NewRemote(dsl.RemoteServer{Name: "lab", URL: l.URL, Platform: dsl.Android, Sessions: 1,
		Capabilities: map[string]any{"appium:udid": l.adb.Connect(t, phone), "appium:adbPort": l.adb.Port,
			"appium:suppressKillServer": true, "appium:skipDeviceInitialization": true}}, t.TempDir())
	return d, "lab-1", err
}
