package android

import (
	"context"
	"maps"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/drivertest"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/internal/toolchain/appiumtest"
)

// lab is an Appium server of its makers with a simulated phone, behind the real adb.
type lab struct {
	*appiumtest.Server
	phone        *androidsim.Phone
	capabilities map[string]any
}

func newLab(t *testing.T, o androidsim.Options, features ...string) *lab {
	t.Helper()
	adb := androidsim.StartADB(t)
	phone := androidsim.NewPhone(o)
	t.Cleanup(phone.Close)
	serial := adb.Connect(t, phone)
	return &lab{Server: appiumtest.Start(t, appiumtest.Options{ADB: adb.Path, Env: adb.Env, Features: features}),
		phone: phone, capabilities: map[string]any{"appium:udid": serial, "appium:adbPort": adb.Port,
			"appium:suppressKillServer": true, "appium:skipDeviceInitialization": true,
			// two servers would otherwise take the same ports
			"appium:systemPort": adb.Port + 150, "appium:webviewDevtoolsPort": adb.Port + 1}}
}

// remote is the lab as a remote of a taproot.yaml.
func (l *lab) remote(url string, more map[string]any) dsl.RemoteServer {
	all := maps.Clone(l.capabilities)
	maps.Copy(all, more)
	return dsl.RemoteServer{Name: "lab", URL: url, Platform: dsl.Android, Sessions: 1, Capabilities: all}
}

// driver is a driver of the lab, closed by its caller.
func (l *lab) driver(t *testing.T) drivers.Driver {
	t.Helper()
	d, err := NewRemote(l.remote(l.URL, nil), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestContractAtAppium: a phone behind an Appium server keeps the contract.
func TestContractAtAppium(t *testing.T) {
	testutil.Leave(t, "a server of our own in place of Appium: TestFaultsOfRemotePhones")
	t.Parallel()
	l := newLab(t, androidsim.Options{Width: 720, Height: 1280, Density: 280, LoginLoading: 1, LoginSpinner: 1,
		DoubleTap: 5 * time.Second})
	defer func() {
		if t.Failed() {
			t.Log(l.Log())
		}
	}()
	drivertest.Run(t, drivertest.Subject[*testing.T]{
		ID: "lab-1", Patience: time.Minute, Login: func(ctx context.Context, dev drivers.Device) error {
			return dev.(drivers.Apps).Launch(ctx, androidsim.LoginPackage, true)
		}, Driver: l.driver,
	})
}
