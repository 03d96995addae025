package ios

import (
	"context"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/drivertest"
	iossim "github.com/taproot-dev/taproot/internal/sim/ios"
	"github.com/taproot-dev/taproot/internal/testutil"
)

func toLogin(ctx context.Context, dev drivers.Device) error {
	return dev.(drivers.Apps).Launch(ctx, iossim.LoginBundle, true)
}

func contract(t *testing.T, b *bench) {
	drivertest.Run(t, drivertest.Subject[*testing.T]{
		ID: b.lab.Device(0).UDID(), Patience: time.Minute, Login: toLogin,
		Driver: func(t *testing.T) drivers.Driver { return b.driver(t) },
	})
}

// quick is a device with a login that takes no time.
func quick(o iossim.DeviceOptions) iossim.Options {
	o.LoginLoading, o.LoginSpinner, o.Scale = 1, 1, 1
	return iossim.Options{Devices: []iossim.DeviceOptions{o}}
}

func TestContractOfASimulator(t *testing.T) {
	t.Parallel()
	b := newBench(t, quick(iossim.DeviceOptions{}))
	b.env["TAPROOT_WDA_URL"] = b.lab.Device(0).StartAgent()
	contract(t, b)
}

func TestContractWithAnAgentThatIsStarted(t *testing.T) {
	testutil.Leave(t, "a simulator and an iPhone by go-ios keep the contract")
	t.Parallel()
	contract(t, newBench(t, quick(iossim.DeviceOptions{})))
}

func TestContractOfAnIPhoneByXcode(t *testing.T) {
	testutil.Leave(t, "a simulator and an iPhone by go-ios keep the contract")
	t.Parallel()
	contract(t, newBench(t, quick(iossim.DeviceOptions{Phone: true})).only(t, "xcrun"))
}

func TestContractOfAnIPhoneByGoIOS(t *testing.T) {
	t.Parallel()
	contract(t, newBench(t, quick(iossim.DeviceOptions{Phone: true})).only(t, "ios"))
}

// An address is all there is, and no program.
func TestContractOfABareWebDriverAgent(t *testing.T) {
	t.Parallel()
	b := newBench(t, quick(iossim.DeviceOptions{Phone: true})).only(t)
	b.env["TAPROOT_WDA_URL"] = b.lab.Device(0).UDID() + "=" + b.lab.Device(0).StartAgent()
	b.env["TAPROOT_WDA_MJPEG_URL"] = b.lab.Device(0).StreamAddress()
	contract(t, b)
}
