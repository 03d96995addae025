package ios

import (
	"context"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/native"
	"github.com/taproot-dev/taproot/drivers/ios/internal/appium"
	"github.com/taproot-dev/taproot/dsl"
)

// NewRemote makes a driver of a remote: iPhones and simulators at an Appium server of others. Nothing is requested yet.
// The records of its sessions are kept in folder.
func NewRemote(server dsl.RemoteServer, folder string) (drivers.Driver, error) {
	return native.NewDriver(server, folder, native.Kind{Platform: dsl.IOS, System: "iOS",
		Capabilities: appium.Capabilities(server.App != ""),
		Open: func(ctx context.Context, s *native.Session, info drivers.Info) (native.Phone, error) {
			d, err := appium.Open(ctx, s, info, server.URL)
			if err != nil {
				return nil, err
			}
			return d, nil
		}})
}
