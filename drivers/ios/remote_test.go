package ios

import (
	"maps"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/drivertest"
	"github.com/taproot-dev/taproot/dsl"
	iossim "github.com/taproot-dev/taproot/internal/sim/ios"
	"github.com/taproot-dev/taproot/internal/sim/ios/appium"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/internal/toolchain/appiumtest"
)

// served is an iPhone behind an Appium server.
type served struct {
	*appium.Server
	phone *iossim.Device
	lab   *iossim.Lab
}

func serve(t *testing.T, o iossim.DeviceOptions) *served {
	t.Helper()
	lab, err := iossim.New(t.TempDir(), iossim.Options{Devices: []iossim.DeviceOptions{o}})
	must(t, err)
	t.Cleanup(lab.Close)
	s := &served{Server: appium.New(lab.Device(0).StartAgent()), phone: lab.Device(0), lab: lab}
	t.Cleanup(s.Close)
	return s
}

// remoteOf is a server as a remote of a taproot.yaml.
func remoteOf(url string, more map[string]any) dsl.RemoteServer {
	all := map[string]any{"appium:udid": "00008110-000A1C2D1C80001E"}
	maps.Copy(all, more)
	return dsl.RemoteServer{Name: "lab", URL: url, Platform: dsl.IOS, Sessions: 1, Capabilities: all}
}

// remote is a driver of the server, with the folder of its records, closed by its caller.
func (s *served) remote(t *testing.T) (drivers.Driver, string) {
	t.Helper()
	folder := t.TempDir()
	d, err := NewRemote(remoteOf(s.URL, map[string]any{"appium:newCommandTimeout": 240.0}), folder)
	must(t, err)
	return d, folder
}

// open opens the phone until the end of the test.
func (s *served) open(t *testing.T) drivers.Device {
	t.Helper()
	driver, _ := s.remote(t)
	t.Cleanup(func() { _ = driver.Close() })
	d, err := driver.Open(t.Context(), "lab-1")
	must(t, err)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// labCapabilities are those with which the driver uses a WebDriverAgent that runs, on any machine.
func labCapabilities(lab *iossim.Lab) map[string]any {
	phone := lab.Device(0)
	return map[string]any{"appium:udid": phone.UDID(), "appium:webDriverAgentUrl": phone.StartAgent(),
		"appium:platformVersion": "18.1", "appium:deviceName": "iPhone"}
}

// TestContractOfIPhonesAtAppium: an iPhone behind the Appium server of its makers, with their driver, keeps the
// contract.
func TestContractOfIPhonesAtAppium(t *testing.T) {
	testutil.Leave(t, "a server of our own in place of Appium: TestContractOfRemoteIPhones")
	t.Parallel()
	lab, err := iossim.New(t.TempDir(), quick(iossim.DeviceOptions{Phone: true}))
	must(t, err)
	t.Cleanup(lab.Close)
	server := appiumtest.Start(t, appiumtest.Options{IOS: true})
	defer func() {
		if t.Failed() {
			t.Log(server.Log())
		}
	}()
	capabilities := labCapabilities(lab)
	drivertest.Run(t, drivertest.Subject[*testing.T]{ID: "lab-1", Patience: time.Minute, Login: toLogin,
		Driver: func(t *testing.T) drivers.Driver {
			d, err := NewRemote(remoteOf(server.URL, capabilities), t.TempDir())
			must(t, err)
			t.Cleanup(func() { _ = d.Close() })
			return d
		}})
}

// TestContractOfRemoteIPhones: an iPhone behind an Appium server keeps the contract.
func TestContractOfRemoteIPhones(t *testing.T) {
	t.Parallel()
	o := quick(iossim.DeviceOptions{Phone: true}).Devices[0]
	s := serve(t, o)
	drivertest.Run(t, drivertest.Subject[*testing.T]{ID: "lab-1", Patience: time.Minute, Login: toLogin,
		Driver: func(t *testing.T) drivers.Driver {
			d, _ := s.remote(t)
			t.Cleanup(func() { _ = d.Close() })
			return d
		}})
}
